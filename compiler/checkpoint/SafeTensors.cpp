// Checkpoints of safetensors files.

#include "compiler/checkpoint/SafeTensors.h"

#include "compiler/checkpoint/ImportError.h"
#include "compiler/checkpoint/Json.h"
#include "support/Escape.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace nstf;
using nlohmann::json;
namespace fs = std::filesystem;

std::string nstf::describeShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return support::escape(text + "]");
}

// One file

static constexpr uint64_t lengthBytes = 8;

/// A whole number of 0 ≤ n < 2⁶³, or an error that says what stands there instead.
static uint64_t count(const json &value, const std::string &where, const char *what) {
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0) ||
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw ImportError(where + ": expected " + what + " to be a whole number of at least 0 but got " + describe(value));
  return value.get<uint64_t>();
}

static const json &field(const json &object, const char *key, const std::string &where) {
  auto found = object.find(key);
  if (found == object.end())
    throw ImportError(where + ": expected a field '" + key + "' but it has none");
  return *found;
}

/// Reads and checks one tensor's header entry; `dataSize` bytes of data start at `dataStart` in the file.
static StoredTensor readEntry(const std::string &path, const std::string &name, const json &entry, uint64_t dataStart,
                              uint64_t dataSize) {
  std::string where = "'" + path + "': tensor '" + support::escape(name) + "'";
  if (!entry.is_object())
    throw ImportError(where + ": expected an object with dtype, shape and data_offsets but got " + describe(entry));

  const json &typeName = field(entry, "dtype", where);
  auto type = typeName.is_string() ? storedTypeFromSafeTensors(typeName.get<std::string>()) : std::nullopt;
  if (!type)
    throw ImportError(where + ": unknown type " + describe(typeName) + " (known: " + safeTensorsTypeNames() + ")");

  StoredTensor tensor{name, *type, {}, 0, 0};
  const json &shape = field(entry, "shape", where);
  if (!shape.is_array())
    throw ImportError(where + ": expected shape to be a list but got " + describe(shape));
  uint64_t bytes = sizeOf(*type);
  bool overflow = false, empty = false;
  for (const json &extent : shape) {
    uint64_t n = count(extent, where, "an extent of the shape");
    tensor.shape.push_back(static_cast<int64_t>(n));
    empty |= n == 0;
    overflow |= __builtin_mul_overflow(bytes, std::max<uint64_t>(n, 1), &bytes);
  }
  if (overflow)
    throw ImportError(where + ": shape " + describeShape(tensor.shape) + " has more bytes than can be counted");
  if (empty)
    bytes = 0;

  const json &offsets = field(entry, "data_offsets", where);
  if (!offsets.is_array() || offsets.size() != 2)
    throw ImportError(where + ": expected data_offsets to be [begin, end] but got " + describe(offsets));
  uint64_t begin = count(offsets[0], where, "the begin of data_offsets");
  uint64_t end = count(offsets[1], where, "the end of data_offsets");
  if (begin > end)
    throw ImportError(where + ": expected data_offsets to ascend but got " + describe(offsets));
  if (end > dataSize)
    throw ImportError(where + ": data_offsets " + describe(offsets) + " reach past the " + std::to_string(dataSize) +
                      " bytes of data in the file (is it cut off?)");
  if (end - begin != bytes)
    throw ImportError(where + ": expected " + std::to_string(bytes) + " bytes for " + std::string(nameOf(*type)) +
                      " of shape " + describeShape(tensor.shape) + " but data_offsets hold " +
                      std::to_string(end - begin));
  tensor.offset = dataStart + begin;
  tensor.size = bytes;
  return tensor;
}

SafeTensorsFile::SafeTensorsFile(const std::string &path) : file(path) {
  if (file.size() < lengthBytes)
    throw ImportError("'" + path + "': expected the 8 bytes of a safetensors header length but the file has " +
                      std::to_string(file.size()));
  uint64_t headerSize;
  std::memcpy(&headerSize, file.data(), lengthBytes);
  if (headerSize > file.size() - lengthBytes)
    throw ImportError("'" + path + "': the header is said to be " + std::to_string(headerSize) +
                      " bytes long but only " + std::to_string(file.size() - lengthBytes) +
                      " follow (cut off, or not a safetensors file)");
  json header = parseJson(file.text().substr(lengthBytes, headerSize), path);
  if (!header.is_object())
    throw ImportError("'" + path + "': expected the header to be an object but got " + describe(header));

  uint64_t dataStart = lengthBytes + headerSize;
  for (const auto &[name, entry] : header.items())
    if (name != "__metadata__")
      entries.push_back(readEntry(path, name, entry, dataStart, file.size() - dataStart));

  std::sort(entries.begin(), entries.end(), [](const StoredTensor &a, const StoredTensor &b) {
    return std::tie(a.offset, a.size, a.name) < std::tie(b.offset, b.size, b.name);
  });
  const StoredTensor *before = nullptr; // the last one that has bytes
  for (const StoredTensor &tensor : entries) {
    if (tensor.size == 0)
      continue;
    if (before && before->offset + before->size > tensor.offset)
      throw ImportError("'" + path + "': tensors '" + support::escape(before->name) + "' and '" +
                        support::escape(tensor.name) + "' overlap");
    before = &tensor;
  }
  for (size_t i = 0; i < entries.size(); ++i)
    byName.emplace(entries[i].name, i);
}

const StoredTensor *SafeTensorsFile::find(std::string_view name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : &entries[found->second];
}

// Several files

void Checkpoint::add(const std::string &path) {
  auto file = std::make_unique<SafeTensorsFile>(path);
  for (const StoredTensor &tensor : file->tensors())
    if (auto [entry, isNew] = byName.try_emplace(tensor.name, Entry{file.get(), &tensor}); !isNew)
      throw ImportError("'" + path + "': tensor '" + support::escape(tensor.name) + "' is also in '" +
                        entry->second.file->path() + "'");
  files.push_back(std::move(file));
}

void Checkpoint::addIndex(const std::string &path) {
  json index = parseJson(support::readTextFile(path), path);
  auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object())
    throw ImportError("'" + path + "': expected an object 'weight_map' from tensors to files but it has none");
  std::map<std::string, std::string> fileOf;
  for (const auto &[tensor, name] : map->items()) {
    // A plain file name: an index must not lead out of its folder.
    if (!name.is_string() || name.get<std::string>().empty() ||
        fs::path(name.get<std::string>()).filename() != name.get<std::string>())
      throw ImportError("'" + path + "': tensor '" + support::escape(tensor) +
                        "': expected the name of a file in the same folder but got " + describe(name));
    fileOf[tensor] = name.get<std::string>();
  }
  std::map<std::string, bool> opened;
  for (const auto &[tensor, name] : fileOf)
    if (fs::path file = fs::path(path).parent_path() / name; opened.try_emplace(name, true).second) {
      if (!fs::exists(file))
        throw ImportError("'" + path + "': expected the file '" + support::escape(name) +
                          "', which should hold tensor '" + support::escape(tensor) + "', beside it but there is none");
      add(file.string());
    }
  for (const auto &[tensor, name] : fileOf) {
    Entry entry = find(tensor);
    if (!entry || fs::path(entry.file->path()).filename() != name)
      throw ImportError("'" + path + "': tensor '" + support::escape(tensor) + "' is not in '" + support::escape(name) +
                        "', where the index says it is");
  }
}

Checkpoint Checkpoint::open(const std::string &path) {
  Checkpoint checkpoint;
  checkpoint.origin = path;
  if (!fs::is_directory(path)) {
    if (fs::path(path).extension() == ".json")
      checkpoint.addIndex(path);
    else
      checkpoint.add(path);
    return checkpoint;
  }
  fs::path folder(path);
  if (fs::exists(folder / "model.safetensors.index.json")) {
    checkpoint.addIndex((folder / "model.safetensors.index.json").string());
  } else if (fs::exists(folder / "model.safetensors")) {
    checkpoint.add((folder / "model.safetensors").string());
  } else {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors")
        found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    if (found.empty())
      throw ImportError("'" + path + "': expected a file *.safetensors but there is none");
    for (const std::string &file : found)
      checkpoint.add(file);
  }
  return checkpoint;
}

Checkpoint::Entry Checkpoint::find(std::string_view name, std::string_view optionalPrefix) const {
  auto found = byName.find(name);
  if (found == byName.end() && name.starts_with(optionalPrefix))
    found = byName.find(name.substr(optionalPrefix.size()));
  return found == byName.end() ? Entry{} : found->second;
}
