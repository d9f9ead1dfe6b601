// Explains each kernel (Explain.h). This code only formats the reasons that the catalog and the passes give.
#include "compiler/driver/Explain.h"
#include "compiler/catalog/Catalog.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/driver/OptionRegex.h"
#include "support/Escape.h"
#include "llvm/ADT/StringExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

namespace {

std::string getLayer(StepOp step) {
  std::string name;
  step.getLoc()->walk([&](Location part) {
    auto layer = dyn_cast<NameLoc>(part);
    if (layer)
      name = layer.getName().str();
    return layer ? WalkResult::interrupt() : WalkResult::advance();
  });
  return name.empty() ? step.getKernel().str() : name;
}

std::string count(size_t number, const std::string &what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

class Explanation {
public:
  Explanation(const Compilation &compilation, const CompiledTarget &target, const TemplateFiles &files,
              llvm::raw_ostream &os)
      : graph(compilation.getGraph()), target(target), files(files), os(os) {}

  void explain(size_t number) {
    const KernelVariant &variant = target.plan.variants[number];
    os << target.target.name << " " << variant.symbol << "\n";
    explainLaunches(number);
    for (size_t part = 0; part < variant.launch.parts.size(); ++part)
      explainPart(variant, part);
    explainResources(variant);
    os << "\n";
  }

private:
  void line(StringRef what, const std::string &text) { os << "  " << llvm::left_justify(what, 12) << text << "\n"; }

  void explainLaunches(size_t number) {
    const KernelVariant &variant = target.plan.variants[number];
    SmallVector<Operation *> ops;
    for (Operation &op : KernelOp(variant.region).getBody().front().without_terminator())
      ops.push_back(&op);
    line("computes", getOperations(ops));
    for (const BucketPlan &bucket : target.plan.buckets) {
      std::vector<std::string> layers;
      for (auto [i, step] : llvm::enumerate(graph.getBody().getOps<StepOp>()))
        if (bucket.kernels[i] == number)
          layers.push_back(getLayer(step));
      if (layers.empty())
        continue;
      std::string rows = std::to_string(bucket.minTokens);
      rows += bucket.maxTokens == bucket.minTokens ? "" : " to " + std::to_string(bucket.maxTokens);
      bool isFixed = target.plan.buckets.size() == 1 && bucket.maxTokens == 1;
      int64_t items = variant.launch.getWorkItems(bucket.maxTokens);
      line("launch",
           (isFixed ? "" : "steps of " + rows + (rows == "1" ? " row: " : " rows: ")) + count(items, "workgroup") +
               " of " + std::to_string(variant.launch.waves * variant.launch.waveSize) + " work-items on " +
               std::to_string(target.target.computeUnits) + " compute units; " + count(layers.size(), "time") +
               " a step: " + layers.front() + (layers.size() > 1 ? ", …" : ""));
    }
  }

  static std::string getOperations(ArrayRef<Operation *> ops) {
    std::string text;
    for (Operation *op : ops)
      text += (text.empty() ? "" : ", ") + op->getName().stripDialect().str();
    return text;
  }

  void explainPart(const KernelVariant &variant, size_t number) {
    PartOp op = VariantOp(variant.op).getParts()[number];
    const LaunchInfo::Part &part = variant.launch.parts[number];
    if (variant.launch.parts.size() > 1) {
      std::vector<KernelOp::Part> parts = KernelOp(variant.region).getParts();
      int64_t tokens = VariantOp(variant.op).getTokenRanges().back().second;
      line("part", count(part.geometry.getWorkgroups(tokens), "workgroup") + ": " + getOperations(parts[number].ops));
    }
    ArrayRef<PassRemark> remarks;
    if (number < variant.remarks.size())
      remarks = variant.remarks[number];
    explainTemplate(op);
    explainTuning(op, part);
    explainPass("wave", remarks, "systolic-select-wave-size", std::to_string(variant.launch.waveSize));
    explainPass("array", remarks, "systolic-select-array", part.array);
  }

  void explainTemplate(PartOp op) {
    StringRef name = op.getBinding().getTemplateName(), reason = op.getChoice().getTemplateReason();
    line("template", (reason.empty() ? name : name + ": " + reason).str());
    explainRejected(op.getChoice().getRejectedTemplates());
  }

  void explainRejected(ArrayAttr others) {
    for (auto other : others.getAsRange<StringAttr>())
      line("", "not " + other.str());
  }

  /// Lists parameters set by tuning first; the others are sizes.
  void explainTuning(PartOp op, const LaunchInfo::Part &part) {
    std::set<std::string> tunable = getTunableParameters(op.getBinding().getTemplateName().str(), files);
    for (NamedAttribute entry : op.getChoice().getTuning())
      tunable.insert(entry.getName().str());
    std::string tuned, sizes;
    for (const auto &[name, value] : part.parameters)
      (tunable.contains(name) ? tuned : sizes) += " " + name + "=" + std::to_string(value);
    line("parameters", StringRef(tuned).ltrim().str() + "; sizes" + sizes);
    std::string schedule = part.schedule.str();
    line("schedule", schedule.empty() ? "the passes'" : schedule);
    line("", op.getChoice().getTuningReason().str());
    explainRejected(op.getChoice().getRejectedTuning());
  }

  void explainPass(StringRef what, ArrayRef<PassRemark> remarks, StringRef pass, const std::string &otherwise) {
    bool isFirst = true;
    auto say = [&](const std::string &text) {
      line(isFirst ? what : "", text);
      isFirst = false;
    };
    for (const PassRemark &remark : remarks)
      if (remark.category == pass && remark.isPassed)
        say(remark.text + (what == "array" ? ", " + otherwise : ""));
    if (isFirst)
      say(otherwise);
    for (const PassRemark &remark : remarks)
      if (remark.category == pass && !remark.isPassed)
        say("not " + remark.text);
  }

  void explainResources(const KernelVariant &variant) {
    const KernelMetadata &metadata = variant.metadata;
    line("registers", std::to_string(metadata.vgprs) + " V, " + std::to_string(metadata.agprs) + " A, " +
                          std::to_string(metadata.sgprs) + " S; " +
                          count(metadata.vgprSpills + metadata.sgprSpills, "spill") + ", " +
                          count(metadata.scratchSize, "byte") + " of scratch a work-item");
    std::string lds = count(metadata.ldsSize, "byte") + " a workgroup";
    for (const std::vector<PassRemark> &remarks : variant.remarks)
      for (const PassRemark &remark : remarks)
        if (remark.category == "systolic-allocate-scratch")
          lds += " (" + remark.text + ")";
    line("LDS", lds);
    support::Occupancy occupancy = getOccupancy(variant, target.target);
    line("occupancy", count(occupancy.wavesPerSimd, "wave") + " on a SIMD of at most " +
                          std::to_string(target.target.maxWavesPerSimd) + ", bounded by " +
                          std::string(occupancy.bound) + "; " + count(occupancy.workgroups, "workgroup") +
                          " on a compute unit");
  }

  GraphOp graph;
  const CompiledTarget &target;
  const TemplateFiles &files;
  llvm::raw_ostream &os;
};

} // namespace

std::string nstf::explain(const Compilation &compilation, const std::string &kernels) {
  llvm::Regex wanted = parseRegex("--explain", kernels);
  TemplateFiles files = getTemplateFiles(compilation.getOptions().overrides);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompiledTarget &target : compilation.getTargets())
    for (auto [i, variant] : llvm::enumerate(target.plan.variants))
      if (wanted.match(variant.symbol))
        Explanation(compilation, target, files, os).explain(i);
  if (text.empty())
    throw std::runtime_error("--explain: expected the name of a kernel but got '" + support::escape(kernels) +
                             "', which matches none");
  return text;
}
