#include "compiler/compress/CompressModel.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/compress/MatrixRounder.h"
#include "compiler/compress/Rotation.h"
#include "compiler/compress/WriteCheckpoint.h"
#include "compiler/quantize/StoredCodes.h"
#include "support/Escape.h"
#include "support/Json.h"
#include "support/Progress.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Eigen::VectorXd;
using support::ElementType;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

class Compressor {
public:
  Compressor(ModuleOp module, const RoundingContext &context, const PrecisionPlan &plan, const fs::path &folder,
             const CompressOptions &options)
      : module(module), context(context), found(context.found), plan(plan), options(options),
        scales(context, plan.getFormats()), rounder(context, scales) {
    if (options.randomSeed)
      requireWholeTensors();
    else
      nameTensors();
    assignShards();
    Json identity = {{"plan", plan.str(found)}, // includes the hashes of weights and calibration
                     {"rounding", int(context.rounding)},
                     {"scaling", int(context.scaling)},
                     {"rotated", bool(context.rotation)}};
    writer.emplace(folder, identity, shards.size());
  }

  std::vector<MatrixReport> run() {
    support::Progress progress("compressing", "matrices", found.sites.size());
    std::vector<MatrixReport> reports;
    for (size_t i = 0; i < shards.size(); ++i) {
      std::optional<Json> notes = writer->findShard(i);
      if (!notes)
        notes = writeShard(i, progress);
      for (const Json &note : *notes)
        reports.push_back(readMatrixReport(note));
    }
    if (options.writePlan)
      writer->writeFile("plan.yaml", plan.str(found));
    writer->finish(options.model, makeConfig());
    return reports;
  }

private:
  struct Shard {
    std::vector<size_t> inputs;
    std::vector<WeightOp> others;
  };

  // Names and shards of tensors

  /// Finds the names of weights in their files. Each weight must be a whole tensor.
  void nameTensors() {
    checkpoint.emplace(checkpoint::Checkpoint::open(options.model));
    for (WeightOp weight : module.getOps<WeightOp>()) {
      std::optional<SourceAttr> source = weight.getSource();
      if (!source)
        continue;
      std::string name = weight.getSymName().str();
      if (checkpoint::Checkpoint::Entry entry = checkpoint->findAt(source->getPath().str(), source->getOffset());
          entry && !source->isView() &&
          entry.tensor->shape == cast<RankedTensorType>(weight.getType()).getShape().vec())
        tensors[name] = entry;
      else
        refusePart(weight);
    }
  }

  void requireWholeTensors() {
    for (WeightOp weight : module.getOps<WeightOp>())
      if (weight->hasAttr(NSTFDialect::partOfAttributeName))
        refusePart(weight);
  }

  [[noreturn]] static void refusePart(WeightOp weight) {
    throw std::runtime_error("weight '" + support::escape(weight.getSymName().str()) +
                             "': expected a whole tensor of the checkpoint but got a part of one");
  }

  std::string getTensorName(WeightOp weight) const {
    auto entry = tensors.find(weight.getSymName().str());
    return entry == tensors.end() ? weight.getSymName().str() : entry->second.tensor->name;
  }

  Json makeConfig() const {
    Json config = Json::parse(support::readTextFile(fs::path(options.model) / "config.json"));
    std::vector<CodedLinears> coded;
    std::vector<std::string> numbers;
    Json products = Json::object();
    for (auto [site, matrix] : llvm::zip_equal(found.sites, plan.matrices)) {
      if (matrix.products)
        products[site.name] = nameOf(*matrix.products);
      if (!matrix.format.codes) {
        numbers.push_back(getTensorName(site));
        continue;
      }
      auto same = llvm::find_if(coded, [&](const CodedLinears &group) { return group.format == matrix.format; });
      if (same == coded.end())
        same = coded.insert(same, {matrix.format, {}});
      same->names.push_back(getTensorName(site));
    }
    if (!coded.empty() || !options.kvCache.empty())
      config["quantization_config"] = describeCompressedTensors(coded, numbers, options.activations, options.kvCache);
    if (!products.empty())
      config["nstf_products"] = products;
    if (hasOwnHead)
      config["tie_word_embeddings"] = false;
    return config;
  }

  /// The name of a site's tensor. If other operations also read the weight, it is the site's own name.
  std::string getTensorName(const LinearSite &site) const {
    StringRef weight = WeightOp(site.weight).getSymName();
    weight.consume_back(".weight");
    if (weight != site.name)
      return site.name;
    std::string name = getTensorName(site.weight);
    return StringRef(name).ends_with(".weight") ? name.substr(0, name.size() - 7) : name;
  }

  /// A shared matrix is not written for a site that leaves it unchanged.
  bool isWritten(size_t site) const {
    const MatrixPlan &matrix = plan.matrices[site];
    return matrix.format.codes || matrix.products || (context.rotation && context.rotation->changes(site)) ||
           isOwn(found.sites[site]);
  }
  bool isOwn(const LinearSite &site) const { return getTensorName(site) + ".weight" == getTensorName(site.weight); }

  void assignShards() {
    std::map<std::string, size_t> ofLayer;
    for (const std::string &layer : found.layers)
      ofLayer.try_emplace(layer, ofLayer.size());
    shards.resize(ofLayer.size() + 1); // the last shard is for weights outside of layers
    llvm::DenseMap<Operation *, size_t> shardOf;
    llvm::SmallPtrSet<Operation *, 32> replaced;
    for (auto [i, input] : llvm::enumerate(found.inputs)) {
      shards[ofLayer.at(input.layer)].inputs.push_back(i);
      if (const FoldTarget *target = scales.findFold(i))
        for (WeightOp norm : {target->normWeight, target->normBias})
          if (norm)
            shardOf[norm] = ofLayer.at(input.layer);
      for (size_t site : input.sites) {
        hasOwnHead |= isWritten(site) && !isOwn(found.sites[site]);
        if (isOwn(found.sites[site]))
          replaced.insert(found.sites[site].weight);
      }
    }
    for (WeightOp weight : module.getOps<WeightOp>()) {
      if (replaced.contains(weight) || weight.getGenerator())
        continue;
      auto layer = ofLayer.find(getLayer(weight.getSymName()));
      size_t shard = shardOf.contains(weight) ? shardOf.lookup(weight)
                     : layer == ofLayer.end() ? shards.size() - 1
                                              : layer->second;
      shards[shard].others.push_back(weight);
    }
    if (shards.back().others.empty())
      shards.pop_back();
  }

  quantize::StoredCodes getStored(size_t site) const {
    return compress::getStored(plan.matrices[site].format, found.sites[site].getRows(), found.sites[site].getColumns());
  }

  // Writing

  static constexpr auto planes = {std::pair(quantize::Plane::Codes, "codes"),
                                  std::pair(quantize::Plane::Scales, "weight_scale"),
                                  std::pair(quantize::Plane::Zeros, "weight_zero_point")};

  std::string getPlaneName(size_t site, quantize::Plane plane, const char *name) const {
    bool bytes = getStored(site).getCodeType() != ElementType::I32;
    return getTensorName(found.sites[site]) + "." +
           (plane != quantize::Plane::Codes ? name
            : bytes                         ? "weight"
                                            : "weight_packed");
  }

  void addEntries(size_t site, std::vector<support::TensorEntry> &entries) const {
    const LinearSite &at = found.sites[site];
    const MatrixFormat &format = plan.matrices[site].format;
    if (!format.codes) {
      if (isWritten(site))
        entries.push_back({getTensorName(at) + ".weight", format.numbers, {at.getRows(), at.getColumns()}});
      return;
    }
    quantize::StoredCodes stored = getStored(site);
    for (auto [plane, name] : planes)
      if (plane != quantize::Plane::Zeros || format.codes->zeros) {
        if (plane != quantize::Plane::Scales)
          entries.push_back({getPlaneName(site, plane, name), stored.getCodeType(), stored.getShape(plane)});
        else // the scale of a whole tensor has one dimension
          entries.push_back({getPlaneName(site, plane, name), ElementType::F16,
                             format.scaleRows == 0 ? std::vector<int64_t>{1} : stored.getShape(plane)});
      }
    if (stored.getCodeType() == ElementType::I32)
      entries.push_back({getTensorName(at) + ".weight_shape", ElementType::I64, {2}});
  }

  Json writeShard(size_t index, support::Progress &progress) {
    const Shard &shard = shards[index];
    std::vector<support::TensorEntry> entries;
    for (size_t input : shard.inputs)
      for (size_t site : found.inputs[input].sites)
        addEntries(site, entries);
    for (WeightOp weight : shard.others)
      entries.push_back(
          {getTensorName(weight), getStoredType(weight), cast<RankedTensorType>(weight.getType()).getShape().vec()});
    support::SafeTensorsWriter file = writer->openShard(index, entries);

    for (size_t input : shard.inputs)
      scales.chooseLayer(found.inputs[input].layer);
    Json notes = Json::array();
    for (size_t input : shard.inputs) {
      std::optional<quantize::Gptq> gptq = rounder.factorInputs(input);
      for (size_t site : found.inputs[input].sites) {
        notes.push_back(writeMatrix(site, gptq ? &*gptq : nullptr, file));
        progress.add();
      }
    }
    for (WeightOp weight : shard.others)
      copyWeight(weight, file);
    writer->finishShard(index, file, notes);
    return notes;
  }

  void copyWeight(WeightOp weight, support::SafeTensorsWriter &file) {
    std::string name = getTensorName(weight);
    if (const std::vector<double> *changed = scales.findNorm(weight))
      return file.write(name, toBytes(getStoredType(weight), *changed));
    auto entry = tensors.find(weight.getSymName().str());
    bool isChanged = context.rotation && context.rotation->changes(weight);
    if (entry != tensors.end() && !isChanged)
      return file.write(name, entry->second.file->bytes(*entry->second.tensor));
    std::shared_ptr<reference::Tensor> numbers = context.reader.read(weight);
    if (isChanged)
      context.rotation->apply(weight, numbers->values);
    file.write(name, toBytes(getStoredType(weight), {numbers->data(), size_t(numbers->size())}));
  }

  Json writeMatrix(size_t site, const quantize::Gptq *gptq, support::SafeTensorsWriter &file) {
    const LinearSite &at = found.sites[site];
    int64_t rows = at.getRows(), columns = at.getColumns();
    Json note = {{"site", site},
                 {"name", getTensorName(at)},
                 {"format", plan.matrices[site].format.name},
                 {"rows", rows},
                 {"columns", columns},
                 {"bytes_before", uint64_t(rows) * columns * sizeOf(getStoredType(at.weight))}};
    const MatrixFormat &format = plan.matrices[site].format;
    note["bytes"] = countBytes(format, rows, columns);
    RoundingErrors errors = format.codes ? writeCodes(site, gptq, file) : writeNumbers(site, gptq, file);
    if (const VectorXd &factors = scales.getRows(site); factors.size())
      note["row_scales"] = std::vector<double>(factors.begin(), factors.end());
    if (const VectorXd &factors = scales.getColumns(at.input); factors.size())
      note["column_scales"] = std::vector<double>(factors.begin(), factors.end());
    errors.describe(note);
    return note;
  }

  RoundingErrors writeCodes(size_t site, const quantize::Gptq *gptq, support::SafeTensorsWriter &file) const {
    quantize::StoredCodes stored = getStored(site);
    std::map<quantize::Plane, std::vector<std::byte>> bytes;
    for (auto [plane, name] : planes)
      if (plane != quantize::Plane::Zeros || scales.getCodes(site).zeros) {
        std::vector<int64_t> shape = stored.getShape(plane);
        size_t size = plane == quantize::Plane::Scales ? 2 : sizeOf(stored.getCodeType());
        bytes[plane].resize(size * shape[0] * shape[1]);
      }
    quantize::StoredTensors<std::byte> to{bytes[quantize::Plane::Codes], bytes[quantize::Plane::Scales],
                                          bytes[quantize::Plane::Zeros]};
    RoundingErrors errors = rounder.round(site, gptq, [&](int64_t first, ArrayRef<quantize::CodedRow> rows) {
      for (auto [i, row] : llvm::enumerate(rows))
        stored.write(first + int64_t(i), row, to);
    });
    for (auto [plane, name] : planes)
      if (!bytes[plane].empty())
        file.write(getPlaneName(site, plane, name), bytes[plane]);
    if (stored.getCodeType() == ElementType::I32) {
      int64_t shape[] = {found.sites[site].getRows(), found.sites[site].getColumns()};
      file.write(getTensorName(found.sites[site]) + ".weight_shape", std::as_bytes(std::span(shape)));
    }
    return errors;
  }

  RoundingErrors writeNumbers(size_t site, const quantize::Gptq *gptq, support::SafeTensorsWriter &file) const {
    ElementType type = plan.matrices[site].format.numbers;
    const LinearSite &at = found.sites[site];
    constexpr int64_t step = 64;
    uint64_t offset = 0;
    RoundingErrors errors;
    const Eigen::MatrixXd matrix = rounder.readMatrix(site);
    for (int64_t first = 0; first < at.getRows(); first += step) {
      reference::Matrix rows = matrix.middleRows(first, std::min(step, at.getRows() - first)), rounded = rows;
      roundTo(type, {rounded.data(), size_t(rounded.size())});
      errors.add(measureRounding(rows, rounded, gptq));
      std::vector<std::byte> bytes = toBytes(type, {rows.data(), size_t(rows.size())});
      if (isWritten(site))
        file.write(getTensorName(at) + ".weight", bytes, offset);
      offset += bytes.size();
    }
    return errors;
  }

  ModuleOp module;
  RoundingContext context;
  const LinearSites &found;
  const PrecisionPlan &plan;
  const CompressOptions &options;
  ChannelScales scales;
  MatrixRounder rounder;
  std::optional<checkpoint::Checkpoint> checkpoint;
  std::map<std::string, checkpoint::Checkpoint::Entry> tensors; ///< by weight
  std::vector<Shard> shards;
  bool hasOwnHead = false; ///< a shared matrix became a tensor of its own
  std::optional<CheckpointWriter> writer;
};

} // namespace

std::vector<MatrixReport> nstf::compress::compressModel(ModuleOp module, const RoundingContext &context,
                                                        const PrecisionPlan &plan, const fs::path &folder,
                                                        const CompressOptions &options) {
  return Compressor(module, context, plan, folder, options).run();
}
