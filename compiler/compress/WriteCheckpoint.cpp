#include "compiler/compress/WriteCheckpoint.h"

#include "support/MappedFile.h"
#include "support/Path.h"
#include "support/SafeTensors.h"
#include "support/StagingFolder.h"
#include "support/WriteFile.h"

#include <cstdio>
#include <stdexcept>

using namespace nstf;
using namespace nstf::compress;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

static constexpr const char *identityName = "nstf-compress.json";

fs::path nstf::compress::getPathBeside(const fs::path &folder, const std::string &suffix) {
  fs::path whole = fs::absolute(folder).lexically_normal();
  if (!whole.has_filename())
    whole = whole.parent_path();
  return whole.string() + suffix;
}

CheckpointWriter::CheckpointWriter(const fs::path &folder, const Json &identity, size_t shards)
    : folder(getPathBeside(folder, "")), partial(getPathBeside(folder, ".partial")), shards(shards) {
  if (fs::exists(fs::symlink_status(folder)))
    throw std::runtime_error(support::describePath(folder) + ": expected a folder that isn't there but it exists");
  std::string text = identity.dump(1) + "\n";
  fs::path file = partial / identityName;
  if (fs::exists(file) && support::readTextFile(file) == text)
    return;
  if (fs::exists(partial) && !fs::exists(file) && !fs::is_empty(partial))
    throw std::runtime_error(support::describePath(partial) +
                             ": expected what an ended nstfc compress left but got something else");
  fs::remove_all(partial);
  fs::create_directories(partial);
  support::writeFile(file, text);
}

fs::path CheckpointWriter::getShard(size_t shard) const {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", shard + 1, shards);
  return partial / name;
}

fs::path CheckpointWriter::getNotes(size_t shard) const { return getShard(shard).replace_extension(".json"); }

std::optional<Json> CheckpointWriter::findShard(size_t shard) const {
  if (!fs::exists(getShard(shard)))
    return std::nullopt;
  return Json::parse(support::readTextFile(getNotes(shard)));
}

support::SafeTensorsWriter CheckpointWriter::openShard(size_t shard,
                                                       const std::vector<support::TensorEntry> &tensors) const {
  return {getShard(shard), tensors};
}

void CheckpointWriter::finishShard(size_t shard, support::SafeTensorsWriter &writer, const Json &notes) const {
  support::writeFile(getNotes(shard), notes.dump() + "\n");
  writer.publish();
}

void CheckpointWriter::writeFile(const std::string &name, const std::string &text) const {
  support::writeFile(partial / name, text);
}

void CheckpointWriter::finish(const fs::path &model, const Json &config) const {
  Json index = {{"metadata", {{"total_size", 0}}}, {"weight_map", Json::object()}};
  uint64_t bytes = 0;
  for (size_t shard = 0; shard < shards; ++shard)
    for (const support::SafeTensorsFile file(getShard(shard)); const support::StoredTensor &tensor : file.tensors()) {
      index["weight_map"][tensor.name] = getShard(shard).filename().string();
      bytes += tensor.size;
    }
  index["metadata"]["total_size"] = bytes;
  support::writeFile(partial / "model.safetensors.index.json", index.dump(2) + "\n");
  support::writeFile(partial / "config.json", config.dump(2) + "\n");
  for (const char *name :
       {"tokenizer.json", "tokenizer.model", "tok512.bin", "tokenizer_config.json", "special_tokens_map.json",
        "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt", "chat_template.jinja", "chat_template.json",
        "generation_config.json", "modules.json", "1_Pooling/config.json"})
    if (fs::exists(model / name)) {
      fs::create_directories((partial / name).parent_path());
      support::writeFile(partial / name, support::MappedFile(model / name).text());
    }
  for (size_t shard = 0; shard < shards; ++shard)
    fs::remove(getNotes(shard));
  fs::remove(partial / identityName);
  support::moveFolder(partial, folder);
}

static bool isBytes(const WeightFormat &format) { return format.bits == 8 && !format.group && !format.zeros; }

quantize::StoredCodes nstf::compress::getStored(const MatrixFormat &format, int64_t rows, int64_t columns) {
  auto layout = format.codes->isFloat    ? quantize::CodeLayout::Floats
                : isBytes(*format.codes) ? quantize::CodeLayout::Bytes
                                         : quantize::CodeLayout::Pack;
  return {layout, format.getCodes(columns), rows, format.scaleRows ? format.scaleRows : rows};
}

uint64_t nstf::compress::countBytes(const MatrixFormat &format, int64_t rows, int64_t columns) {
  if (!format.codes)
    return uint64_t(rows) * columns * sizeOf(format.numbers);
  quantize::StoredCodes stored = getStored(format, rows, columns);
  uint64_t bytes = 0;
  for (quantize::Plane plane : {quantize::Plane::Codes, quantize::Plane::Scales, quantize::Plane::Zeros})
    if (plane != quantize::Plane::Zeros || format.codes->zeros) {
      std::vector<int64_t> shape = stored.getShape(plane);
      bytes += shape[0] * shape[1] *
               sizeOf(plane == quantize::Plane::Scales ? support::ElementType::F16 : stored.getCodeType());
    }
  return bytes;
}

static const char *getLayoutName(const WeightFormat &format) {
  return format.isFloat ? "float-quantized" : isBytes(format) ? "int-quantized" : "pack-quantized";
}

static Json describeWeights(const MatrixFormat &matrix) {
  const WeightFormat &format = *matrix.codes;
  Json weights = {{"num_bits", format.bits},
                  {"type", format.isFloat ? "float" : "int"},
                  {"symmetric", !format.zeros},
                  {"strategy", matrix.scaleRows == 0  ? "tensor"
                               : matrix.scaleRows > 1 ? "block"
                               : format.group         ? "group"
                                                      : "channel"},
                  {"group_size", format.group && matrix.scaleRows == 1 ? Json(format.group) : Json()},
                  {"dynamic", false}};
  if (matrix.scaleRows > 1)
    weights["block_structure"] = {matrix.scaleRows, format.group};
  return weights;
}

/// Describes codes of this type whose scales are computed at run time; null if the type is empty.
static Json describeRows(const std::string &type) {
  if (type.empty())
    return {};
  return {{"num_bits", 8},
          {"type", type == "i8" ? "int" : "float"},
          {"symmetric", true},
          {"strategy", "token"},
          {"dynamic", true}};
}

Json nstf::compress::describeCompressedTensors(const std::vector<CodedLinears> &coded,
                                               const std::vector<std::string> &ignored, const std::string &activations,
                                               const std::string &kvCache) {
  Json groups = Json::object(), inputs = describeRows(activations);
  std::string layout = coded.empty() ? "dense" : getLayoutName(*coded.front().format.codes);
  for (const auto &[format, names] : coded) {
    Json group = {{"targets", coded.size() == 1 ? Json::array({"Linear"}) : Json(names)},
                  {"weights", describeWeights(format)},
                  {"input_activations", inputs},
                  {"output_activations", Json()}};
    if (coded.size() > 1)
      group["format"] = getLayoutName(*format.codes);
    if (getLayoutName(*format.codes) != layout)
      layout = "mixed-precision";
    groups["group_" + std::to_string(groups.size())] = group;
  }
  return {{"quant_method", "compressed-tensors"},
          {"format", layout},
          {"quantization_status", "compressed"},
          {"config_groups", groups},
          {"ignore", ignored},
          {"kv_cache_scheme", describeRows(kvCache)}};
}
