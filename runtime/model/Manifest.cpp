#include "nstf/Manifest.h"

#include <algorithm>

namespace nstf::manifest {

namespace {
struct TypeRow {
  ElementType type;
  std::string_view name;
  uint64_t size;
};
constexpr TypeRow typeRows[] = {
    {ElementType::F64, "f64", 8},   {ElementType::F32, "f32", 4}, {ElementType::F16, "f16", 2},
    {ElementType::BF16, "bf16", 2}, {ElementType::I64, "i64", 8}, {ElementType::I32, "i32", 4},
    {ElementType::I16, "i16", 2},   {ElementType::I8, "i8", 1},   {ElementType::U8, "u8", 1}};
constexpr const TypeRow &rowOf(ElementType type) { return typeRows[static_cast<int>(type)]; }

template <typename List> auto *findByName(List &list, std::string_view name) {
  auto it = std::find_if(list.begin(), list.end(), [&](const auto &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}
} // namespace

uint64_t sizeOf(ElementType type) { return rowOf(type).size; }
std::string_view nameOf(ElementType type) { return rowOf(type).name; }
std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (const TypeRow &row : typeRows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string_view nameOf(BufferKind kind) {
  constexpr std::string_view names[] = {"weights", "arena", "control", "input", "output", "state"};
  return names[static_cast<int>(kind)];
}

std::vector<int64_t> Shape::at(int64_t tokens) const {
  std::vector<int64_t> result = dimensions;
  if (hasTokens())
    result.front() = tokens;
  return result;
}

uint64_t Shape::elements(int64_t tokens) const {
  uint64_t product = 1;
  for (int64_t dimension : at(tokens))
    product *= static_cast<uint64_t>(dimension);
  return product;
}

std::string Shape::str() const {
  std::string text = "[";
  for (int64_t dimension : dimensions) {
    text += text.size() > 1 ? ", " : "";
    text += dimension == tokensDimension ? "tokens" : std::to_string(dimension);
  }
  return text + "]";
}

std::optional<uint32_t> Kernel::workgroupsFor(int64_t tokens) const {
  if (!tiling)
    return std::nullopt;
  uint64_t count = 1;
  for (const TiledExtent &axis : *tiling) {
    uint64_t extent = axis.extent;
    if (axis.perToken && __builtin_mul_overflow(extent, static_cast<uint64_t>(tokens), &extent))
      return std::nullopt;
    if (__builtin_mul_overflow(count, (extent - 1) / axis.tile + 1, &count) || count > maxWorkgroups)
      return std::nullopt;
  }
  return static_cast<uint32_t>(count);
}

const Bucket *Target::bucketFor(int64_t tokens) const {
  for (const Bucket &bucket : buckets)
    if (bucket.minTokens <= tokens && tokens <= bucket.maxTokens)
      return &bucket;
  return nullptr;
}

std::string Target::bucketRanges() const {
  std::string text;
  for (const Bucket &bucket : buckets) {
    text += (text.empty() ? "" : ", ") + std::to_string(bucket.minTokens);
    if (bucket.maxTokens != bucket.minTokens)
      text += "-" + std::to_string(bucket.maxTokens);
  }
  return text;
}

std::string_view processorOf(std::string_view targetId) { return targetId.substr(0, targetId.find(':')); }

const Port *Manifest::findInput(std::string_view name) const { return findByName(inputs, name); }
const Port *Manifest::findOutput(std::string_view name) const { return findByName(outputs, name); }

DeviceMemory Manifest::deviceMemory() const {
  DeviceMemory memory; // at most 2^48 bytes a buffer, so that no sum of a readable manifest wraps
  for (const Buffer &buffer : buffers)
    (buffer.kind == BufferKind::Weights ? memory.weights
     : buffer.kind == BufferKind::State ? memory.states
                                        : memory.work) += buffer.size;
  return memory;
}

std::optional<int64_t> Manifest::limitOf(const Port &input) const {
  if (input.name != "ids" || input.type != ElementType::I32 || !model.vocabulary)
    return input.limit;
  return std::min(*model.vocabulary, input.limit.value_or(*model.vocabulary));
}

} // namespace nstf::manifest
