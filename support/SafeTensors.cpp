#include "support/SafeTensors.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/Json.h"

#include <algorithm>
#include <cstring>
#include <limits>

using nlohmann::json;

namespace nstf::support {

std::string describeShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return escape(text + "]");
}

static constexpr uint64_t lengthBytes = 8;

/// Returns a whole number of 0 ≤ n < 2⁶³, or throws an error that quotes the value.
static uint64_t count(const json &value, const std::string &where, const char *what) {
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0) ||
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw InputError(where + ": expected " + what + " to be a whole number of at least 0 but got " +
                     describeJson(value));
  return value.get<uint64_t>();
}

static const json &field(const json &object, const char *key, const std::string &where) {
  auto found = object.find(key);
  if (found == object.end())
    throw InputError(where + ": expected a field '" + key + "' but it has none");
  return *found;
}

/// Reads and checks one tensor's header entry; `dataSize` bytes of data start at `dataStart` in the file.
static StoredTensor readEntry(const std::string &path, const std::string &name, const json &entry, uint64_t dataStart,
                              uint64_t dataSize) {
  std::string where = "'" + path + "': tensor '" + escape(name) + "'";
  if (!entry.is_object())
    throw InputError(where + ": expected an object with dtype, shape and data_offsets but got " + describeJson(entry));

  const json &typeName = field(entry, "dtype", where);
  auto type = typeName.is_string() ? elementTypeFromSafeTensors(typeName.get<std::string>()) : std::nullopt;
  if (!type)
    throw InputError(where + ": unknown type " + describeJson(typeName) + " (known: " + safeTensorsTypeNames() + ")");

  StoredTensor tensor{name, *type, {}, 0, 0};
  const json &shape = field(entry, "shape", where);
  if (!shape.is_array())
    throw InputError(where + ": expected shape to be a list but got " + describeJson(shape));
  uint64_t bytes = sizeOf(*type);
  bool overflow = false, empty = false;
  for (const json &extent : shape) {
    uint64_t n = count(extent, where, "an extent of the shape");
    tensor.shape.push_back(static_cast<int64_t>(n));
    empty |= n == 0;
    overflow |= __builtin_mul_overflow(bytes, std::max<uint64_t>(n, 1), &bytes);
  }
  if (overflow)
    throw InputError(where + ": shape " + describeShape(tensor.shape) + " has more bytes than can be counted");
  if (empty)
    bytes = 0;

  const json &offsets = field(entry, "data_offsets", where);
  if (!offsets.is_array() || offsets.size() != 2)
    throw InputError(where + ": expected data_offsets to be [begin, end] but got " + describeJson(offsets));
  uint64_t begin = count(offsets[0], where, "the begin of data_offsets");
  uint64_t end = count(offsets[1], where, "the end of data_offsets");
  if (begin > end)
    throw InputError(where + ": expected data_offsets to ascend but got " + describeJson(offsets));
  if (end > dataSize)
    throw InputError(where + ": data_offsets " + describeJson(offsets) + " reach past the " + std::to_string(dataSize) +
                     " bytes of data in the file (is it cut off?)");
  if (end - begin != bytes)
    throw InputError(where + ": expected " + std::to_string(bytes) + " bytes for " + std::string(nameOf(*type)) +
                     " of shape " + describeShape(tensor.shape) + " but data_offsets hold " +
                     std::to_string(end - begin));
  tensor.offset = dataStart + begin;
  tensor.size = bytes;
  return tensor;
}

SafeTensorsFile::SafeTensorsFile(const std::filesystem::path &given) : file(given) {
  const std::string path = given.string();
  if (file.size() < lengthBytes)
    throw InputError("'" + path + "': expected the 8 bytes of a safetensors header length but the file has " +
                     std::to_string(file.size()));
  uint64_t headerSize;
  std::memcpy(&headerSize, file.data(), lengthBytes);
  if (headerSize > file.size() - lengthBytes)
    throw InputError("'" + path + "': the header is said to be " + std::to_string(headerSize) +
                     " bytes long but only " + std::to_string(file.size() - lengthBytes) +
                     " follow (cut off, or not a safetensors file)");
  json header = parseJson(file.text().substr(lengthBytes, headerSize), path);
  if (!header.is_object())
    throw InputError("'" + path + "': expected the header to be an object but got " + describeJson(header));

  uint64_t dataStart = lengthBytes + headerSize;
  for (const auto &[name, entry] : header.items())
    if (name != "__metadata__")
      entries.push_back(readEntry(path, name, entry, dataStart, file.size() - dataStart));

  std::sort(entries.begin(), entries.end(), [](const StoredTensor &a, const StoredTensor &b) {
    return std::tie(a.offset, a.size, a.name) < std::tie(b.offset, b.size, b.name);
  });
  const StoredTensor *before = nullptr; // the previous tensor that has bytes
  for (const StoredTensor &tensor : entries) {
    if (tensor.size == 0)
      continue;
    if (before && before->offset + before->size > tensor.offset)
      throw InputError("'" + path + "': tensors '" + escape(before->name) + "' and '" + escape(tensor.name) +
                       "' overlap");
    before = &tensor;
  }
  for (size_t i = 0; i < entries.size(); ++i)
    byName.emplace(entries[i].name, i);
}

const StoredTensor *SafeTensorsFile::find(std::string_view name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : &entries[found->second];
}

} // namespace nstf::support
