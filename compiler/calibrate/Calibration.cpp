#include "compiler/calibrate/Calibration.h"

#include "compiler/calibrate/FiniteWeights.h"
#include "compiler/calibrate/InputSums.h"
#include "compiler/calibrate/PackageRunner.h"
#include "support/Escape.h"
#include "support/Json.h"
#include "support/Sha256.h"
#include "support/WriteFile.h"
#include "support/WriteSafeTensors.h"

#include "llvm/ADT/DenseMap.h"

#include <numeric>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
using support::ElementType;

static constexpr const char *listName = "calibration.json", *textsName = "texts.json";
/// Suffix in the names of statistics that leave out held-out tokens.
static constexpr const char *fittedPart = ".fitted";

std::string nstf::calibrate::hashWeights(ModuleOp module, std::optional<uint64_t> randomSeed) {
  support::Sha256 hash;
  auto update = [&](const std::string &text) { hash.update(std::as_bytes(std::span(text))); };
  if (randomSeed)
    update("random " + std::to_string(*randomSeed) + "\n");
  std::map<std::string, support::MappedFile> files;
  for (WeightOp weight : module.getOps<WeightOp>()) {
    std::string type;
    llvm::raw_string_ostream(type) << weight.getType();
    update(weight.getSymName().str() + " " + type + "\n");
    std::optional<SourceAttr> source = weight.getSource();
    if (randomSeed || !source)
      continue;
    const support::MappedFile &file = files.try_emplace(source->getPath().str(), source->getPath().str()).first->second;
    std::optional<int64_t> bytes = source->getByteSpan(cast<RankedTensorType>(weight.getType()).getNumElements());
    uint64_t offset = source->getOffset();
    if (!bytes || offset > file.size() || uint64_t(*bytes) > file.size() - offset)
      throw std::runtime_error("weight '" + support::escape(weight.getSymName().str()) + "': expected its bytes in '" +
                               file.path() + "' but the file is too short");
    hash.update(file.bytes().subspan(offset, *bytes));
  }
  return hash.finish();
}

static std::string hashTexts(const Texts &texts) {
  support::Sha256 hash;
  for (const std::vector<int32_t> &text : texts) {
    auto size = uint64_t(text.size());
    hash.update(std::as_bytes(std::span(&size, 1)));
    hash.update(std::as_bytes(std::span(text)));
  }
  return hash.finish();
}

namespace {

/// A layer's file. All of its entries are known before the first one is computed.
struct LayerFile {
  fs::path path;
  std::vector<support::TensorEntry> entries;
  size_t pending = 0; ///< inputs and attentions that are not written yet
  std::unique_ptr<support::SafeTensorsWriter> writer;

  bool isDone() const { return pending == 0; }
  void write(const std::string &name, const VectorXd &numbers) {
    Eigen::VectorXf narrow = numbers.cast<float>();
    writer->write(name, std::as_bytes(std::span(narrow.data(), size_t(narrow.size()))));
  }
  void finishOne() {
    if (--pending > 0)
      return;
    writer->publish();
    writer.reset();
  }
};

class Calibrator {
public:
  Calibrator(ModuleOp module, const Texts &texts, const fs::path &folder, const CalibrationOptions &options)
      : module(module), texts(texts), folder(folder), options(options), found(findLinearSites(module)) {
    for (auto [text, count] : llvm::zip(texts, options.fitted))
      holdsOut |= count < text.size();
  }

  void run() {
    plan();
    reference::WeightReader reader(options.randomSeed);
    auto readWeight = [&](WeightOp weight) { return readFinite(reader, weight); };
    std::optional<PackageRunner> package;
    if (!options.package.empty())
      package.emplace(found, getObserved(), texts, readWeight, options.package, options.device);
    writeList();
    if (llvm::all_of(layers, [](const auto &layer) { return layer.second.isDone(); }))
      return;
    auto observe = [&](Operation *op, auto get) {
      if (auto linear = dyn_cast<LinearOp>(op))
        addInput(linear, get);
      else if (auto attention = dyn_cast<AttentionOp>(op))
        addAttention(attention, get);
    };
    if (package)
      package->run([&](Operation *op) { return !layers.at(layerOf(op)).isDone(); }, observe);
    else
      TextRunner(module, readWeight).run(texts, observe);
  }

private:
  static std::string nameOf(Operation *op) {
    auto location = dyn_cast<NameLoc>(op->getLoc());
    return location ? location.getName().str() : "attention";
  }
  std::string layerOf(Operation *op) const {
    if (const SiteInput *input = findInput(op))
      return input->layer;
    std::string name = nameOf(op), layer = getLayer(name);
    return layer.empty() ? name : layer;
  }

  /// The operations whose operands are recorded, in the graph's order.
  SmallVector<Operation *> getObserved() const {
    SmallVector<Operation *> observed;
    module->walk([&](Operation *op) {
      if (isa<AttentionOp>(op) || findInput(op))
        observed.push_back(op);
    });
    return observed;
  }

  /// The input of a linear if the linear is the first that reads it, else null.
  const SiteInput *findInput(Operation *op) const {
    auto input =
        llvm::find_if(found.inputs, [&](const SiteInput &input) { return found.sites[input.sites.front()].op == op; });
    return input == found.inputs.end() ? nullptr : &*input;
  }

  /// Lists the tensors of every layer's file.
  void plan() {
    auto add = [&](const std::string &layer, std::vector<support::TensorEntry> entries) {
      auto [file, isNew] = layers.try_emplace(layer);
      if (isNew)
        file->second.path = folder / ("layer-" + std::to_string(layers.size() - 1) + ".safetensors");
      llvm::append_range(file->second.entries, entries);
      ++file->second.pending;
    };
    for (const SiteInput &input : found.inputs) {
      int64_t k = input.columns;
      std::vector<support::TensorEntry> entries = {
          {input.name + ".histogram", ElementType::I64, {ExponentCounts::size}}};
      for (int part = 0; part <= int(holdsOut); ++part) {
        std::string name = input.name + (part == 0 ? "" : fittedPart);
        for (const char *what : {".max", ".mean", ".mean_square"})
          entries.push_back({name + what, ElementType::F32, {k}});
        if (options.diagonal)
          entries.push_back({name + ".diagonal", ElementType::F32, {k}});
        else
          entries.push_back({name + ".sums", ElementType::F32, {k * (k + 1) / 2}});
      }
      add(input.layer, entries);
    }
    module.walk([&](AttentionOp op) {
      int64_t heads = op.getKvHeads();
      add(layerOf(op), {{nameOf(op) + ".k_range", ElementType::F32, {heads, 2}},
                        {nameOf(op) + ".v_range", ElementType::F32, {heads, 2}}});
    });
    uint64_t bytes = 0;
    for (const auto &[name, layer] : layers)
      for (const support::TensorEntry &entry : layer.entries)
        bytes += entry.getBytes();
    if (options.onSize)
      options.onSize(bytes);
  }

  void writeList() {
    int64_t tokens = 0;
    for (const std::vector<int32_t> &text : texts)
      tokens += int64_t(text.size());
    Json list = {{"version", 1},
                 {"weights_sha256", hashWeights(module, options.randomSeed)},
                 {"text_sha256", hashTexts(texts)},
                 {"texts", texts.size()},
                 {"tokens", tokens},
                 {"diagonal", options.diagonal}};
    if (holdsOut)
      list["fitted"] = options.fitted;
    if (!options.package.empty())
      list["package_sha256"] = support::sha256Hex(support::readTextFile(options.package / "manifest.json"));
    for (const auto &[name, layer] : layers)
      list["layers"][name] = layer.path.filename().string();
    for (const SiteInput &input : found.inputs)
      for (size_t site : input.sites)
        list["sites"][found.sites[site].name] = input.name;
    fs::path file = folder / listName;
    if (fs::exists(file)) {
      if (Json(support::parseJson(support::readTextFile(file), file.string())) != Json(nlohmann::json(list)))
        throw std::runtime_error(folder.string() +
                                 ": expected no calibration, or a part of this one, but got one of other weights (" +
                                 list["weights_sha256"].get<std::string>() + " here), texts, package or options");
      for (auto &[name, layer] : layers)
        if (fs::exists(layer.path))
          layer.pending = 0;
    } else {
      if (fs::exists(folder))
        throw std::runtime_error(folder.string() + ": expected a folder that is new or a calibration but got another");
      fs::create_directories(folder);
      support::writeFile(folder / textsName, Json(texts).dump() + "\n");
      support::writeFile(file, list.dump(1) + "\n");
    }
  }

  /// The file for a layer's statistics, or null if it is complete already.
  LayerFile *open(const std::string &name) {
    LayerFile &layer = layers.at(name);
    if (layer.isDone())
      return nullptr;
    if (!layer.writer)
      layer.writer = std::make_unique<support::SafeTensorsWriter>(fs::absolute(layer.path), layer.entries);
    return &layer;
  }

  template <typename Get> void addInput(LinearOp op, Get get) {
    const SiteInput *input = findInput(op);
    if (!input)
      return;
    LayerFile *layer = open(input->layer);
    if (!layer)
      return;
    ExponentCounts exponents;
    for (size_t text = 0; text < texts.size(); ++text)
      exponents.add(get(text, 0).values);
    layer->writer->write(input->name + ".histogram", std::as_bytes(std::span(exponents.counts)));
    writeSums(*layer, input->name, input->columns, {}, get);
    if (holdsOut)
      writeSums(*layer, input->name + fittedPart, input->columns, options.fitted, get);
    layer->finishOne();
  }

  /// Writes statistics over the first `counts[i]` tokens of each text i, or over all tokens if `counts` is empty.
  template <typename Get>
  void writeSums(LayerFile &layer, const std::string &name, int64_t columns, ArrayRef<size_t> counts, Get get) const {
    auto forEachText = [&](llvm::function_ref<void(const reference::Matrix &)> visit) {
      for (size_t text = 0; text < texts.size(); ++text)
        if (const reference::Matrix &x = get(text, 0).values; counts.empty())
          visit(x);
        else if (counts[text] > 0)
          visit(x.topRows(std::min(int64_t(counts[text]), int64_t(x.rows()))));
    };
    InputSums sums(columns, options.diagonal);
    forEachText([&](const reference::Matrix &x) { sums.add(x); });
    forEachText([&](const reference::Matrix &x) { sums.addProducts(x); });
    layer.write(name + ".max", sums.largest);
    layer.write(name + ".mean", sums.mean / double(sums.tokens));
    layer.write(name + ".mean_square", sums.square / double(sums.tokens));
    if (options.diagonal)
      return layer.write(name + ".diagonal", sums.sums.col(0));
    uint64_t at = 0;
    for (int64_t row = 0; row < columns; ++row) {
      Eigen::VectorXf part = sums.sums.row(row).head(row + 1).cast<float>();
      layer.writer->write(name + ".sums", std::as_bytes(std::span(part.data(), size_t(part.size()))), at);
      at += sizeof(float) * uint64_t(row + 1);
    }
  }

  template <typename Get> void addAttention(AttentionOp op, Get get) {
    LayerFile *layer = open(layerOf(op));
    if (!layer)
      return;
    for (auto [operand, what] : {std::pair(1u, ".k_range"), std::pair(2u, ".v_range")}) {
      int64_t heads = op.getKvHeads(), size = get(0, operand).values.cols() / heads;
      VectorXd range = VectorXd::Zero(2 * heads);
      for (size_t text = 0; text < texts.size(); ++text)
        for (int64_t head = 0; head < heads; ++head) {
          auto part = get(text, operand).values.middleCols(head * size, size);
          range[2 * head] = std::min(range[2 * head], part.minCoeff());
          range[2 * head + 1] = std::max(range[2 * head + 1], part.maxCoeff());
        }
      layer->write(nameOf(op) + what, range);
    }
    layer->finishOne();
  }

  ModuleOp module;
  const Texts &texts;
  fs::path folder;
  const CalibrationOptions &options;
  LinearSites found;
  bool holdsOut = false;
  std::map<std::string, LayerFile> layers;
};

} // namespace

void nstf::calibrate::calibrate(ModuleOp module, const Texts &texts, const fs::path &folder,
                                const CalibrationOptions &options) {
  Calibrator(module, texts, folder, options).run();
}

// Reading

Calibration::Calibration(const fs::path &folder, const std::string &weightsHash) : folder(folder) {
  std::string file = (folder / listName).string();
  if (!fs::exists(file))
    throw std::runtime_error(folder.string() + ": expected a calibration (nstfc calibrate) but it has no " + listName);
  std::string text = support::readTextFile(file);
  nlohmann::json list = support::parseJson(text, file);
  try {
    if (std::string of = list.at("weights_sha256"); of != weightsHash)
      throw std::runtime_error(folder.string() + ": expected a calibration of weights " + weightsHash +
                               " but it is of " + support::escape(of));
    hash = support::sha256Hex(text);
    diagonal = list.at("diagonal");
    tokens = list.at("tokens");
    textsHash = list.at("text_sha256");
    list.value("fitted", nlohmann::json::array()).get_to(fitted);
    for (const auto &[layer, name] : list.at("layers").items()) {
      fs::path path = folder / fs::path(name.get<std::string>()).filename();
      if (!fs::exists(path))
        throw std::runtime_error(folder.string() + ": expected a complete calibration but it has no " +
                                 path.filename().string() + "; the same nstfc calibrate goes on with it");
      files.try_emplace(layer, path);
    }
  } catch (const nlohmann::json::exception &error) {
    throw std::runtime_error(file + ": expected what nstfc calibrate writes but got " + support::escape(error.what()));
  }
}

static bool isPart(const std::vector<size_t> &counts, const Texts &texts) {
  return counts.size() == texts.size() && llvm::all_of(llvm::zip(counts, texts), [](const auto &pair) {
           return std::get<0>(pair) <= std::get<1>(pair).size();
         });
}

Texts Calibration::readTexts() const {
  fs::path file = folder / textsName;
  if (!fs::exists(file))
    throw std::runtime_error(folder.string() + ": expected the texts of the calibration but it has no " + textsName +
                             " (nstfc calibrate writes it)");
  try {
    Texts texts = support::parseJson(support::readTextFile(file), file.string()).get<Texts>();
    if (hashTexts(texts) == textsHash && (fitted.empty() || isPart(fitted, texts)))
      return texts;
  } catch (const nlohmann::json::exception &) { // same error as for other texts
  }
  throw std::runtime_error(file.string() + ": expected the texts that " + listName + " is of but got others");
}

std::span<const float> Calibration::find(const SiteInput &input, const std::string &what, int64_t size) const {
  auto file = files.find(input.layer);
  const support::StoredTensor *tensor = file == files.end() ? nullptr : file->second.find(input.name + what);
  if (!tensor || tensor->type != ElementType::F32 || tensor->shape != std::vector<int64_t>{size})
    throw std::runtime_error(folder.string() + ": expected " + std::to_string(size) + " numbers '" +
                             support::escape(input.name) + what + "' but it has none");
  return {reinterpret_cast<const float *>(file->second.bytes(*tensor).data()), size_t(size)};
}

static VectorXd toVector(std::span<const float> numbers) {
  return Eigen::Map<const Eigen::VectorXf>(numbers.data(), int64_t(numbers.size())).cast<double>();
}

void Calibration::holdOut() {
  if (fitted.empty())
    throw std::runtime_error(folder.string() + ": expected a calibration with tokens held out (nstfc calibrate) but it "
                                               "has none; --holdout=0 judges by the tokens that are fitted");
  part = fittedPart;
}

int64_t Calibration::countHeldOut() const {
  return part.empty() ? 0 : tokens - std::accumulate(fitted.begin(), fitted.end(), int64_t(0));
}

quantize::InputStatistics Calibration::getStatistics(const SiteInput &input) const {
  return {toVector(find(input, part + ".max", input.columns)), toVector(find(input, part + ".mean", input.columns)),
          toVector(find(input, part + ".mean_square", input.columns))};
}

VectorXd Calibration::getLargest(const SiteInput &input) const { return toVector(find(input, ".max", input.columns)); }

MatrixXd Calibration::getSums(const SiteInput &input) const {
  int64_t k = input.columns;
  if (diagonal)
    return toVector(find(input, part + ".diagonal", k));
  std::span<const float> triangle = find(input, part + ".sums", k * (k + 1) / 2);
  MatrixXd sums = MatrixXd::Zero(k, k);
  for (int64_t row = 0, at = 0; row < k; at += ++row)
    for (int64_t column = 0; column <= row; ++column)
      sums(row, column) = triangle[at + column];
  return sums;
}
