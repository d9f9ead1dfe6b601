#include "compiler/calibrate/CompressModel.h"

#include "compiler/calibrate/FoldScales.h"
#include "compiler/calibrate/WriteCheckpoint.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/compress/Gptq.h"
#include "compiler/compress/StoredCodes.h"
#include "compiler/reference/WeightReader.h"
#include "support/ConvertNumbers.h"
#include "support/Escape.h"
#include "support/Json.h"
#include "support/Progress.h"

#include <stdexcept>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::ElementType;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

class Compressor {
public:
  Compressor(ModuleOp module, const Calibration *calibration, const fs::path &folder, const CompressOptions &options)
      : module(module), calibration(calibration), options(options), reader(options.randomSeed),
        found(findLinearSites(module)), rowScales(found.sites.size()), columnScales(found.inputs.size()) {
    if (!options.randomSeed)
      nameTensors();
    for (const LinearSite &site : found.sites)
      if (options.format.group > site.getColumns())
        throw std::runtime_error("--format=" + options.formatName + ": expected groups of at most the " +
                                 std::to_string(site.getColumns()) + " inputs of '" + support::escape(site.name) + "'");
    assignShards();
    Json identity = {{"weights_sha256", hashWeights(module, options.randomSeed)},
                     {"calibration_sha256", calibration ? calibration->getHash() : ""},
                     {"format", options.formatName},
                     {"rounding", int(options.rounding)},
                     {"scaling", int(options.scaling)}};
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
    Json config = Json::parse(support::readTextFile(fs::path(options.model) / "config.json"));
    config["quantization_config"] =
        describeCompressedTensors(options.format.bits, options.format.group, options.format.zeros);
    if (hasTiedHead)
      config["tie_word_embeddings"] = false;
    writer->finish(options.model, config);
    return reports;
  }

private:
  struct Shard {
    std::vector<size_t> inputs;
    std::vector<WeightOp> others;
  };

  // What goes where

  /// The names of weights in their files, of which each has to be a whole tensor.
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
        throw std::runtime_error("weight '" + support::escape(name) +
                                 "': expected a whole tensor of the checkpoint but got a part of one");
    }
  }

  std::string getTensorName(WeightOp weight) const {
    auto entry = tensors.find(weight.getSymName().str());
    return entry == tensors.end() ? weight.getSymName().str() : entry->second.tensor->name;
  }

  /// Of a weight that more than this site reads, the site's own name.
  std::string getTensorName(const LinearSite &site) const {
    StringRef weight = WeightOp(site.weight).getSymName();
    weight.consume_back(".weight");
    if (weight != site.name)
      return site.name;
    std::string name = getTensorName(site.weight);
    return StringRef(name).ends_with(".weight") ? name.substr(0, name.size() - 7) : name;
  }

  void assignShards() {
    std::map<std::string, size_t> ofLayer;
    for (const std::string &layer : found.layers)
      ofLayer.try_emplace(layer, ofLayer.size());
    shards.resize(ofLayer.size() + 1); // the last for what is of no layer
    llvm::DenseMap<Operation *, size_t> shardOf;
    llvm::SmallPtrSet<Operation *, 32> replaced;
    for (auto [i, input] : llvm::enumerate(found.inputs)) {
      shards[ofLayer.at(input.layer)].inputs.push_back(i);
      if (std::optional<FoldTarget> target = findFoldTarget(found, input); target && canFold(*target, input)) {
        folds[i] = *target;
        for (WeightOp norm : {target->normWeight, target->normBias})
          if (norm)
            shardOf[norm] = ofLayer.at(input.layer);
      }
      for (size_t site : input.sites) {
        WeightOp weight = found.sites[site].weight;
        bool isOwn = getTensorName(found.sites[site]) + ".weight" == getTensorName(weight);
        hasTiedHead |= !isOwn;
        if (isOwn)
          replaced.insert(weight);
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

  /// Rows of a site are scaled while its layer is written.
  bool canFold(const FoldTarget &target, const SiteInput &input) const {
    return options.scaling != ChannelScaling::Off &&
           (!target.site || found.inputs[found.sites[*target.site].input].layer == input.layer);
  }

  compress::IntFormat getFormat(const LinearSite &site) const {
    return {unsigned(options.format.bits), options.format.group, site.getColumns(), options.format.zeros};
  }
  compress::StoredCodes getStored(const LinearSite &site) const {
    bool bytes = options.format.bits == 8 && !options.format.group && !options.format.zeros;
    return {bytes ? compress::CodeLayout::Bytes : compress::CodeLayout::Pack, getFormat(site), site.getRows()};
  }

  // Scales

  /// The scaling of an input's channels, and its other half: in the norm, or in the rows of a site.
  void chooseScales(size_t index) {
    const SiteInput &input = found.inputs[index];
    auto fold = folds.find(index);
    if (fold == folds.end())
      return;
    std::vector<MatrixXd> matrices;
    std::vector<compress::IntFormat> formats;
    // As many rows as measure well: the search is 22 products with Σ x·xᵀ.
    int64_t maxRows = std::max<int64_t>(16, (int64_t(1) << 29) / (input.columns * input.columns));
    for (size_t site : input.sites) {
      std::shared_ptr<reference::Tensor> weight = reader.read(found.sites[site].weight);
      int64_t rows = weight->values.rows(), step = (rows + maxRows - 1) / maxRows;
      matrices.push_back(weight->values(Eigen::seq(0, rows - 1, step), Eigen::all));
      formats.push_back(getFormat(found.sites[site]));
    }
    compress::InputStatistics statistics = calibration->getStatistics(input);
    auto readSums = [&] { return calibration->getSums(input); };
    VectorXd scales = options.scaling == ChannelScaling::Smooth
                          ? compress::smoothScales(matrices, statistics)
                          : compress::searchScales(formats, matrices, statistics, readSums());
    if (options.scaling == ChannelScaling::Auto && options.rounding == Rounding::Gptq &&
        !compress::helpGptq(scales, formats, matrices, readSums))
      return;
    if (fold->second.site)
      rowScales[*fold->second.site] = scales.cwiseInverse();
    else
      scales = foldIntoNorm(fold->second, scales);
    columnScales[index] = std::move(scales);
  }

  /// Norms are rounded to their type: what they really scale by is what columns make up for.
  VectorXd foldIntoNorm(const FoldTarget &target, VectorXd scales) {
    std::shared_ptr<reference::Tensor> weight = reader.read(target.normWeight);
    std::vector<double> changed(scales.size());
    for (int64_t i = 0; i < scales.size(); ++i)
      changed[i] = weight->data()[i] / scales[i];
    changed = roundAs(target.normWeight, changed);
    for (int64_t i = 0; i < scales.size(); ++i) {
      if (changed[i] == 0 || weight->data()[i] == 0)
        changed[i] = weight->data()[i];
      scales[i] = changed[i] == 0 ? 1 : weight->data()[i] / changed[i];
    }
    changedNorms[target.normWeight] = changed;
    if (target.normBias) {
      std::shared_ptr<reference::Tensor> bias = reader.read(target.normBias);
      std::vector<double> changedBias(scales.size());
      for (int64_t i = 0; i < scales.size(); ++i)
        changedBias[i] = bias->data()[i] / scales[i];
      changedNorms[target.normBias] = roundAs(target.normBias, changedBias);
    }
    return scales;
  }

  ElementType getStoredType(WeightOp weight) const {
    auto entry = tensors.find(weight.getSymName().str());
    return entry == tensors.end() ? ElementType::F32 : entry->second.tensor->type;
  }
  std::vector<std::byte> toBytes(WeightOp weight, const double *numbers, size_t count) const {
    ElementType type = getStoredType(weight);
    std::vector<std::byte> bytes(count * sizeOf(type));
    support::convertNumbers(reinterpret_cast<const std::byte *>(numbers), support::FloatFormat::f64, bytes.data(),
                            *support::floatFormatFromName(nameOf(type)), count);
    return bytes;
  }
  std::vector<double> roundAs(WeightOp weight, const std::vector<double> &numbers) const {
    std::vector<std::byte> bytes = toBytes(weight, numbers.data(), numbers.size());
    std::vector<double> rounded(numbers.size());
    support::convertNumbers(bytes.data(), *support::floatFormatFromName(nameOf(getStoredType(weight))),
                            reinterpret_cast<std::byte *>(rounded.data()), support::FloatFormat::f64, numbers.size());
    return rounded;
  }

  // Writing

  static constexpr auto planes = {std::pair(compress::Plane::Codes, "codes"),
                                  std::pair(compress::Plane::Scales, "weight_scale"),
                                  std::pair(compress::Plane::Zeros, "weight_zero_point")};

  std::string getPlaneName(const LinearSite &site, compress::Plane plane, const char *name) const {
    bool bytes = getStored(site).getCodeType() == ElementType::I8;
    return getTensorName(site) + "." + (plane != compress::Plane::Codes ? name : bytes ? "weight" : "weight_packed");
  }

  Json writeShard(size_t index, support::Progress &progress) {
    const Shard &shard = shards[index];
    std::vector<support::TensorEntry> entries;
    for (size_t input : shard.inputs)
      for (size_t i : found.inputs[input].sites) {
        const LinearSite &site = found.sites[i];
        compress::StoredCodes stored = getStored(site);
        for (auto [plane, name] : planes)
          if (plane != compress::Plane::Zeros || options.format.zeros)
            entries.push_back({getPlaneName(site, plane, name),
                               plane == compress::Plane::Scales ? ElementType::F16 : stored.getCodeType(),
                               stored.getShape(plane)});
        if (stored.getCodeType() != ElementType::I8)
          entries.push_back({getTensorName(site) + ".weight_shape", ElementType::I64, {2}});
      }
    for (WeightOp weight : shard.others)
      entries.push_back(
          {getTensorName(weight), getStoredType(weight), cast<RankedTensorType>(weight.getType()).getShape().vec()});
    support::SafeTensorsWriter file = writer->openShard(index, entries);

    for (size_t input : shard.inputs)
      chooseScales(input);
    Json notes = Json::array();
    for (size_t input : shard.inputs) {
      std::optional<compress::Gptq> gptq = factorInputs(input);
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
    if (auto changed = changedNorms.find(weight); changed != changedNorms.end())
      return file.write(name, toBytes(weight, changed->second.data(), changed->second.size()));
    if (auto entry = tensors.find(weight.getSymName().str()); entry != tensors.end())
      return file.write(name, entry->second.file->bytes(*entry->second.tensor));
    std::shared_ptr<reference::Tensor> numbers = reader.read(weight);
    file.write(name, toBytes(weight, numbers->data(), numbers->size()));
  }

  /// Of inputs that were divided by the scales.
  std::optional<compress::Gptq> factorInputs(size_t index) const {
    if (!calibration || calibration->isDiagonal())
      return std::nullopt;
    MatrixXd sums = calibration->getSums(found.inputs[index]);
    if (const VectorXd &scales = columnScales[index]; scales.size())
      compress::scaleInputs(scales, sums);
    return compress::Gptq(std::move(sums));
  }

  Json writeMatrix(size_t index, const compress::Gptq *gptq, support::SafeTensorsWriter &file) {
    const LinearSite &site = found.sites[index];
    compress::IntFormat format = getFormat(site);
    compress::StoredCodes stored = getStored(site);
    std::shared_ptr<reference::Tensor> weight = reader.read(site.weight);
    int64_t rows = site.getRows(), columns = site.getColumns();
    std::map<compress::Plane, std::vector<std::byte>> bytes;
    uint64_t written = 0;
    for (auto [plane, name] : planes)
      if (plane != compress::Plane::Zeros || format.zeros) {
        std::vector<int64_t> shape = stored.getShape(plane);
        size_t size = plane == compress::Plane::Scales ? 2 : sizeOf(stored.getCodeType());
        bytes[plane].resize(size * shape[0] * shape[1]);
        written += bytes[plane].size();
      }
    compress::StoredTensors<std::byte> to{bytes[compress::Plane::Codes], bytes[compress::Plane::Scales],
                                          bytes[compress::Plane::Zeros]};

    constexpr int64_t step = 64; // rows that share a word of zeros are of one step
    std::vector<RoundingErrors> errors((rows + step - 1) / step);
    std::vector<std::string> faults(errors.size());
    tbb::parallel_for(size_t(0), errors.size(), [&](size_t part) {
      int64_t first = int64_t(part) * step, count = std::min(step, rows - first);
      MatrixXd numbers = weight->values.middleRows(first, count);
      if (const VectorXd &scales = columnScales[site.input]; scales.size())
        numbers *= scales.asDiagonal();
      if (const VectorXd &scales = rowScales[index]; scales.size())
        numbers = scales.segment(first, count).asDiagonal() * numbers;
      try {
        std::vector<compress::CodedRow> coded = round(format, numbers, gptq);
        for (int64_t row = 0; row < count; ++row)
          stored.write(first + row, coded[row], to);
        errors[part] = measureRounding(format, numbers, coded, gptq);
      } catch (const std::runtime_error &error) {
        faults[part] = "weight '" + support::escape(WeightOp(site.weight).getSymName().str()) + "', of rows " +
                       std::to_string(first) + " to " + std::to_string(first + count - 1) + ": " + error.what();
      }
    });
    RoundingErrors sum;
    for (size_t part = 0; part < errors.size(); ++part) {
      if (!faults[part].empty())
        throw std::runtime_error(faults[part]);
      sum.add(errors[part]);
    }
    for (auto [plane, name] : planes)
      if (!bytes[plane].empty())
        file.write(getPlaneName(site, plane, name), bytes[plane]);
    if (stored.getCodeType() != ElementType::I8) {
      int64_t shape[] = {rows, columns};
      file.write(getTensorName(site) + ".weight_shape", std::as_bytes(std::span(shape)));
    }
    Json note = {{"name", getTensorName(site)},
                 {"rows", rows},
                 {"columns", columns},
                 {"bytes_before", uint64_t(rows) * columns * sizeOf(getStoredType(site.weight))},
                 {"bytes", written}};
    if (const VectorXd &scales = rowScales[index]; scales.size())
      note["row_scales"] = std::vector<double>(scales.begin(), scales.end());
    if (const VectorXd &scales = columnScales[site.input]; scales.size())
      note["column_scales"] = std::vector<double>(scales.begin(), scales.end());
    sum.describe(note);
    return note;
  }

  std::vector<compress::CodedRow> round(const compress::IntFormat &format, const MatrixXd &rows,
                                        const compress::Gptq *gptq) const {
    if (gptq && options.rounding == Rounding::Gptq)
      return gptq->round(format, rows, compress::Clipping::SquaredError);
    // Without a calibration the codes are those that nstf-quantize-weights gives.
    auto clipping = calibration ? compress::Clipping::SquaredError : compress::Clipping::None;
    std::vector<compress::CodedRow> coded;
    std::vector<double> row(rows.cols());
    for (int64_t i = 0; i < rows.rows(); ++i) {
      VectorXd::Map(row.data(), rows.cols()) = rows.row(i).transpose();
      coded.push_back(compress::roundToNearest(format, row, clipping));
    }
    return coded;
  }

  ModuleOp module;
  const Calibration *calibration;
  const CompressOptions &options;
  reference::WeightReader reader;
  LinearSites found;
  std::optional<checkpoint::Checkpoint> checkpoint;
  std::map<std::string, checkpoint::Checkpoint::Entry> tensors; ///< of weights
  std::vector<Shard> shards;
  std::map<size_t, FoldTarget> folds;            ///< of inputs
  std::vector<VectorXd> rowScales, columnScales; ///< of sites, of inputs; empty: none
  llvm::DenseMap<Operation *, std::vector<double>> changedNorms;
  bool hasTiedHead = false;
  std::optional<CheckpointWriter> writer;
};

} // namespace

std::vector<MatrixReport> nstf::calibrate::compressModel(ModuleOp module, const Calibration *calibration,
                                                         const fs::path &folder, const CompressOptions &options) {
  return Compressor(module, calibration, folder, options).run();
}
