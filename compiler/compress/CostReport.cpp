#include "compiler/compress/CostReport.h"

#include "compiler/compress/RangeFault.h"
#include "compiler/compress/Rotation.h"
#include "compiler/reference/Operations.h"
#include "compiler/reference/WeightReader.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "support/Progress.h"

#include "mlir/Pass/PassManager.h"

#include <cstdio>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Json = nlohmann::ordered_json;

uint64_t CostReport::countBytes() const {
  uint64_t bytes = 0;
  for (const MatrixReport &matrix : matrices)
    bytes += matrix.bytes;
  return bytes;
}

double CostReport::getBits() const {
  double elements = 0;
  for (const MatrixReport &matrix : matrices)
    elements += double(matrix.rows) * double(matrix.columns);
  return 8 * double(countBytes()) / elements;
}

/// The compressed matrix of a linear, with scales and rotation undone so that it is comparable to the model's own.
static std::shared_ptr<const Tensor> readCompressed(LinearOp op, const MatrixReport &report, const Rotation *rotation,
                                                    reference::WeightReader &reader) {
  auto read = [&](Value value) {
    auto get = value.getDefiningOp<GetOp>();
    return reader.read(SymbolTable::lookupNearestSymbolFrom<WeightOp>(get, get.getSymbolAttr()));
  };
  auto matrix = std::make_shared<Tensor>();
  if (auto dequantize = op.getW().getDefiningOp<DequantizeOp>()) {
    std::vector<std::shared_ptr<Tensor>> planes;
    std::vector<const Tensor *> operands;
    for (Value plane : dequantize->getOperands()) {
      planes.push_back(read(plane));
      operands.push_back(planes.back().get());
    }
    *matrix = reference::evaluateOperation(dequantize, operands, {1, 0}).front();
  } else {
    *matrix = *read(op.getW());
  }
  for (size_t k = 0; k < report.columnScales.size(); ++k)
    matrix->values.col(k) /= report.columnScales[k];
  for (size_t n = 0; n < report.rowScales.size(); ++n)
    matrix->values.row(n) /= report.rowScales[n];
  if (rotation)
    rotation->undo(report.site, matrix->values);
  return matrix;
}

void nstf::compress::quantizeValues(ModuleOp model) {
  auto facts = model->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto getType = [&](StringRef fact) {
    auto type = facts ? facts.getAs<StringAttr>(fact) : StringAttr();
    return type ? type.str() : "";
  };
  PassManager passes(model.getContext());
  passes.addPass(createQuantizeActivationsPass({.type = getType("activations")}));
  passes.addPass(createQuantizeCachesPass({.type = getType("kv_cache")}));
  if (failed(passes.run(model)))
    throw std::runtime_error("expected a compressed model whose activations and caches can be quantised");
}

void nstf::compress::countSteps(ModuleOp model, ModuleOp compressed, CostReport &report) {
  if (!isLanguageModel(model))
    return;
  support::ElementType before = getStoredType(findLinearSites(model).sites.front().weight);
  bool hasCodes =
      llvm::any_of(compressed.getOps<WeightOp>(), [](WeightOp weight) { return weight.getPlane().has_value(); });
  report.stepBefore = countStepBytes(model, before);
  report.step = countStepBytes(compressed, hasCodes ? getProductType(model) : before);
}

void nstf::compress::addMeasured(const PrecisionPlan &plan, CostReport &report) {
  report.onFitted = plan.onFitted;
  report.onHeldOut = plan.onHeldOut;
}

void nstf::compress::addLosses(const PrecisionPlan &plan, CostReport &report) {
  for (MatrixReport &matrix : report.matrices)
    matrix.kl = plan.matrices[matrix.site].kl;
  report.alone = plan.sensitivity == "output" ? "calibration, by the errors of outputs" : "calibration";
}

static Likeness compareEmbeddings(const std::vector<Tensor> &outputs, const std::vector<Tensor> &compared) {
  Likeness likeness;
  for (auto [own, other] : llvm::zip_equal(outputs, compared)) {
    double cosine = own.values.cwiseProduct(other.values).sum() / (own.values.norm() * other.values.norm());
    likeness.mean += cosine / double(outputs.size());
    likeness.min = std::min(likeness.min, cosine);
  }
  return likeness;
}

void nstf::compress::judgeModel(ModuleOp model, ModuleOp compressed, const Texts &texts, const JudgeOptions &options,
                                CostReport &report) {
  reference::WeightReader modelReader(options.randomSeed), compressedReader(std::nullopt);
  TextRunner runner(model, [&](WeightOp weight) { return modelReader.read(weight); });
  std::vector<Tensor> outputs = runner.run(texts);
  TextRunner compressedRunner(compressed, [&](WeightOp weight) { return compressedReader.read(weight); });
  std::vector<Tensor> comparedOutputs = compressedRunner.run(texts);
  if (!isLanguageModel(model)) {
    if (options.eachMatrix)
      throw std::runtime_error("--each: expected a language model but got an encoder");
    report.likeness = compareEmbeddings(outputs, comparedOutputs);
    return;
  }
  report.divergence = compareLogits(texts, outputs, comparedOutputs);
  if (!options.eachMatrix)
    return;
  LinearSites found = findLinearSites(model);
  GraphOp graph = *getGraph(model), compressedGraph = *getGraph(compressed);
  llvm::DenseMap<Operation *, LinearOp> compressedOps; // both graphs have the same operations in the same order
  for (auto [op, other] :
       llvm::zip_equal(graph.getBody().getOps<LinearOp>(), compressedGraph.getBody().getOps<LinearOp>()))
    compressedOps[op] = other;
  support::Progress progress("measuring each matrix alone", "matrices", found.sites.size());
  report.alone = "judged";
  auto findReport = [&](LinearOp op) -> MatrixReport * {
    auto site = llvm::find_if(found.sites, [&](const LinearSite &site) { return site.op == op; });
    size_t index = site - found.sites.begin();
    auto matrix = llvm::find_if(report.matrices, [&](const MatrixReport &matrix) { return matrix.site == index; });
    return matrix == report.matrices.end() ? nullptr : &*matrix;
  };
  auto getBranches = [&](LinearOp op) {
    std::vector<TextRunner::ReplaceMatrix> branches;
    if (MatrixReport *matrixReport = findReport(op)) {
      branches.push_back([op, matrix = std::shared_ptr<const Tensor>(readCompressed(
                                  compressedOps.at(op), *matrixReport, options.rotation, compressedReader))](
                             LinearOp other) { return other == op ? matrix : nullptr; });
      progress.add();
    }
    return branches;
  };
  runner.runBranches(texts, getBranches, [&](LinearOp op, size_t, const std::vector<Tensor> &compared) {
    findReport(op)->kl = compareLogits(texts, outputs, compared).kl;
  });
}

Json nstf::compress::describeJson(const CostReport &report) {
  auto orNull = [](std::optional<double> number) { return number ? Json(*number) : Json(); };
  Json json = {{"format", report.format}, {"bits", report.getBits()}, {"bytes", report.countBytes()}};
  if (report.step)
    json["step"] = {{"positions", report.step->positions},
                    {"weights", report.step->weights},
                    {"caches", report.step->caches},
                    {"weights_before", report.stepBefore->weights},
                    {"caches_before", report.stepBefore->caches}};
  if (!report.alone.empty())
    json["kl_alone_on"] = report.alone;
  auto describe = [](const std::optional<PrecisionPlan::Measured> &m) {
    return m ? Json{{"positions", m->positions}, {"kl", m->kl}, {"perplexity", {m->perplexity, m->comparedPerplexity}}}
             : Json();
  };
  if (report.onFitted)
    json["measured"] = {{"fitted", describe(report.onFitted)}, {"held_out", describe(report.onHeldOut)}};
  if (const std::optional<runtime::Divergence> &d = report.divergence)
    json["judged"] = {{"positions", d->positions}, {"kl", d->kl},
                      {"kl_99", d->kl99},          {"largest_kl", d->largestKl},
                      {"same_top", d->sameTop},    {"perplexity", {d->perplexity, d->comparedPerplexity}}};
  if (report.likeness)
    json["judged"] = {{"cosine", report.likeness->mean}, {"least_cosine", report.likeness->min}};
  for (const MatrixReport &matrix : report.matrices)
    json["matrices"].push_back({{"name", matrix.name},
                                {"format", matrix.format},
                                {"shape", {matrix.rows, matrix.columns}},
                                {"weight_error", matrix.weightError},
                                {"output_error", orNull(matrix.outputError)},
                                {"largest_output_error", orNull(matrix.largestOutputError)},
                                {"output_cosine", orNull(matrix.outputCosine)},
                                {"kl", orNull(matrix.kl)},
                                {"bytes_before", matrix.bytesBefore},
                                {"bytes", matrix.bytes}});
  return json;
}

template <typename... Arguments> static std::string print(const char *format, Arguments... arguments) {
  char line[256];
  std::snprintf(line, sizeof line, format, arguments...);
  return line;
}

std::string nstf::compress::describeTable(const CostReport &report) {
  std::string text = print("%-44s %-10s %12s %12s %9s %9s %9s %9s %9s\n", "matrix", "format", "bytes", "before",
                           "weights", "outputs", "largest", "cosine", "KL alone");
  auto cell = [](std::optional<double> number) { return number ? print("%9.5f", *number) : print("%9s", "-"); };
  uint64_t before = 0;
  for (const MatrixReport &matrix : report.matrices) {
    text += print("%-44s %-10s %12llu %12llu ", matrix.name.substr(0, 44).c_str(), matrix.format.c_str(),
                  (unsigned long long)matrix.bytes, (unsigned long long)matrix.bytesBefore) +
            cell(matrix.weightError) + " " + cell(matrix.outputError) + " " + cell(matrix.largestOutputError) + " " +
            cell(matrix.outputCosine) + " " + cell(matrix.kl) + "\n";
    before += matrix.bytesBefore;
  }
  text += print("all: %s, %.3f bits a weight, %llu of %llu bytes\n", report.format.c_str(), report.getBits(),
                (unsigned long long)report.countBytes(), (unsigned long long)before);
  if (report.step)
    text += print("a step of one row with %lld positions reads %llu bytes (weights %llu, caches %llu), before %llu "
                  "(weights %llu, caches %llu)\n",
                  (long long)report.step->positions, (unsigned long long)report.step->getAll(),
                  (unsigned long long)report.step->weights, (unsigned long long)report.step->caches,
                  (unsigned long long)report.stepBefore->getAll(), (unsigned long long)report.stepBefore->weights,
                  (unsigned long long)report.stepBefore->caches);
  auto addMeasured = [&](const char *what, const PrecisionPlan::Measured &m) {
    text += print("%s on %zu positions: KL %.6f, perplexity %.5f -> %.5f (%+.2f %%)\n", what, m.positions, m.kl,
                  m.perplexity, m.comparedPerplexity, 100 * (m.comparedPerplexity / m.perplexity - 1));
  };
  if (report.onFitted)
    addMeasured("fitted", *report.onFitted);
  if (report.onHeldOut)
    addMeasured("held out", *report.onHeldOut);
  else if (report.onFitted)
    text += "held out: nothing; other texts may lose more than those that were fitted\n";
  if (const std::optional<runtime::Divergence> &d = report.divergence)
    text += print("judged on %zu positions: KL %.6f (99 %%: %.5f, largest %.5f), perplexity %.5f -> %.5f (%+.2f %%), "
                  "same top token %.2f %%\n",
                  d->positions, d->kl, d->kl99, d->largestKl, d->perplexity, d->comparedPerplexity,
                  100 * (d->comparedPerplexity / d->perplexity - 1), 100 * d->sameTop);
  if (report.likeness)
    text += print("judged by embeddings: cosine %.5f, least %.5f\n", report.likeness->mean, report.likeness->min);
  return text;
}
