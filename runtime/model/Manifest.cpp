#include "nstf/Manifest.h"

#include <algorithm>
#include <iterator>

namespace nstf::manifest {

namespace {
constexpr ElementType elementTypes[] = {ElementType::F64, ElementType::F32,       ElementType::F16, ElementType::BF16,
                                        ElementType::I64, ElementType::I32,       ElementType::I16, ElementType::I8,
                                        ElementType::U8,  ElementType::F8E4M3FNUZ};

template <typename List> auto *findByName(List &list, std::string_view name) {
  auto it = std::find_if(list.begin(), list.end(), [&](const auto &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}
} // namespace

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  auto found = std::ranges::find(elementTypes, name, [](ElementType type) { return nameOf(type); });
  return found != std::end(elementTypes) ? std::optional(*found) : std::nullopt;
}

std::string_view nameOf(BufferKind kind) {
  constexpr std::string_view names[] = {"weights", "arena", "control",  "input",
                                        "output",  "state", "counters", "scratch"};
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

std::vector<int64_t> Shape::stored(ElementType type, int64_t tokens) const {
  if (!order)
    return at(tokens);
  support::OperandOrder::Matrix matrix = order->getMatrix(dimensions[0], dimensions[1], sizeOf(type));
  return {matrix.rows, matrix.columns};
}

uint64_t Shape::bytes(ElementType type, int64_t tokens) const {
  uint64_t product = sizeOf(type);
  for (int64_t dimension : stored(type, tokens))
    product *= static_cast<uint64_t>(dimension);
  return product;
}

std::string Shape::str() const {
  std::string text = "[";
  for (int64_t dimension : dimensions) {
    text += text.size() > 1 ? ", " : "";
    text += dimension == tokensDimension ? "tokens" : std::to_string(dimension);
  }
  return text + (order ? "] (" + order->str() + ")" : "]");
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

bool Step::hasName(std::string_view node) const {
  constexpr std::string_view between = " + ";
  for (std::string_view rest = name;;) {
    std::size_t end = rest.find(between);
    if (rest.substr(0, end) == node)
      return true;
    if (end == rest.npos)
      return false;
    rest.remove_prefix(end + between.size());
  }
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
  DeviceMemory memory; // a buffer has at most 2^48 bytes, so no sum of a readable manifest overflows
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
