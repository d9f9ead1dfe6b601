// LLVM's msgpack Reader gives tokens; a small tree is built of them here, because msgpack::Document trusts its input
// (it aborts on map keys that are no scalars).
#include "runtime/emulator/memory/Metadata.h"

#include "llvm/BinaryFormat/MsgPackReader.h"

#include <map>
#include <stdexcept>

namespace nstf::emulator {
namespace {
using llvm::msgpack::Type;
constexpr int kMaxDepth = 16;

struct Node {
  Type kind = Type::Nil;
  uint64_t number = 0;
  std::string text;
  std::vector<Node> list;
  std::map<std::string, Node> map; // entries with string keys
};

class TreeReader {
public:
  explicit TreeReader(std::string_view blob) : reader_(llvm::StringRef(blob.data(), blob.size())) {}

  Node read(int depth = 0) {
    if (depth > kMaxDepth)
      throw std::runtime_error("kernel metadata nests deeper than " + std::to_string(kMaxDepth) + " levels");
    llvm::msgpack::Object object;
    llvm::Expected<bool> more = reader_.read(object);
    if (!more)
      throw std::runtime_error("kernel metadata is not valid msgpack: " + llvm::toString(more.takeError()));
    if (!*more)
      throw std::runtime_error("kernel metadata ends in the middle of an object");
    Node node;
    node.kind = object.Kind;
    switch (object.Kind) {
    case Type::Int:
      if (object.Int < 0)
        throw std::runtime_error("expected no negative number in kernel metadata but got " +
                                 std::to_string(object.Int));
      node.kind = Type::UInt;
      node.number = object.Int;
      break;
    case Type::UInt:
      node.number = object.UInt;
      break;
    case Type::Boolean:
      node.number = object.Bool;
      break;
    case Type::String:
      node.text = object.Raw.str();
      break;
    case Type::Array:
      // The length is the file's claim: elements are read one by one, so a false one ends with the input.
      for (size_t i = 0; i < object.Length; ++i)
        node.list.push_back(read(depth + 1));
      break;
    case Type::Map:
      for (size_t i = 0; i < object.Length; ++i) {
        Node key = read(depth + 1);
        Node value = read(depth + 1);
        if (key.kind == Type::String)
          node.map.emplace(std::move(key.text), std::move(value));
      }
      break;
    default:
      break;
    }
    return node;
  }

private:
  llvm::msgpack::Reader reader_;
};

const Node *lookUp(const Node &node, const char *key) {
  auto it = node.map.find(key);
  return it == node.map.end() ? nullptr : &it->second;
}

uint32_t number(const Node &node, const char *key, const std::string &where, bool required, uint32_t otherwise = 0) {
  const Node *value = lookUp(node, key);
  if (!value && !required)
    return otherwise;
  if (!value || (value->kind != Type::UInt && value->kind != Type::Boolean) || value->number > UINT32_MAX)
    throw std::runtime_error("expected a 32-bit number for " + std::string(key) + " in the metadata of " + where);
  return static_cast<uint32_t>(value->number);
}

std::string text(const Node &node, const char *key, const std::string &where, bool required) {
  const Node *value = lookUp(node, key);
  if (!value && !required)
    return "";
  if (!value || value->kind != Type::String)
    throw std::runtime_error("expected a string for " + std::string(key) + " in the metadata of " + where);
  return value->text;
}

KernelMetadata parseKernel(const Node &node) {
  KernelMetadata result;
  Kernel &kernel = result.fields;
  kernel.name = text(node, ".name", "a kernel", true);
  const std::string where = "kernel " + kernel.name;
  result.descriptorSymbol = text(node, ".symbol", where, true);
  kernel.hasMetadata = true;
  kernel.kernargSize = number(node, ".kernarg_segment_size", where, true);
  kernel.ldsSize = number(node, ".group_segment_fixed_size", where, true);
  kernel.scratchSize = number(node, ".private_segment_fixed_size", where, true);
  kernel.waveSize = number(node, ".wavefront_size", where, false, 64);
  kernel.maxFlatWorkgroupSize = number(node, ".max_flat_workgroup_size", where, false, 1024);
  kernel.vgprCount = number(node, ".vgpr_count", where, false);
  kernel.agprCount = number(node, ".agpr_count", where, false);
  kernel.sgprCount = number(node, ".sgpr_count", where, false);
  kernel.vgprSpills = number(node, ".vgpr_spill_count", where, false);
  kernel.sgprSpills = number(node, ".sgpr_spill_count", where, false);
  if (const Node *size = lookUp(node, ".reqd_workgroup_size")) {
    if (size->list.size() != 3)
      throw std::runtime_error("expected three numbers for .reqd_workgroup_size in the metadata of " + where);
    for (int i = 0; i < 3; ++i)
      kernel.requiredWorkgroupSize[i] = static_cast<uint32_t>(size->list[i].number);
  }
  if (const Node *arguments = lookUp(node, ".args")) {
    for (const Node &entry : arguments->list) {
      KernelArgument argument;
      argument.name = text(entry, ".name", where, false);
      argument.valueKind = text(entry, ".value_kind", where, true);
      argument.offset = number(entry, ".offset", where, true);
      argument.size = number(entry, ".size", where, true);
      if (uint64_t(argument.offset) + argument.size > kernel.kernargSize)
        throw std::runtime_error("argument " + std::to_string(kernel.arguments.size()) + " of " + where +
                                 " lies outside the argument block of " + std::to_string(kernel.kernargSize) +
                                 " bytes");
      kernel.arguments.push_back(std::move(argument));
    }
  }
  return result;
}
} // namespace

std::vector<KernelMetadata> parseMetadata(std::string_view blob) {
  Node root = TreeReader(blob).read();
  if (root.kind != Type::Map)
    throw std::runtime_error("expected a map as kernel metadata");
  std::vector<KernelMetadata> result;
  if (const Node *kernels = lookUp(root, "amdhsa.kernels"))
    for (const Node &entry : kernels->list)
      result.push_back(parseKernel(entry));
  return result;
}

} // namespace nstf::emulator
