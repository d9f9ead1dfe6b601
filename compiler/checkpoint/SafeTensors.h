// Checkpoints of safetensors files.
//
// Format (huggingface/safetensors): u64 little-endian header length N, N bytes of JSON
// {"name": {"dtype": "F32", "shape": [..], "data_offsets": [begin, end]}, "__metadata__": {..}}, then the data; offsets
// count from its first byte. Files are mapped, never read whole. Everything the header says is checked before anything
// believes it. Unlike the original's reader, bytes that belong to no tensor are allowed: packages align their tensors.
#pragma once

#include "compiler/checkpoint/StoredType.h"
#include "support/MappedFile.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf {

/// A tensor in a file: `size` bytes at `offset` from the file's first byte.
struct StoredTensor {
  std::string name;
  StoredType type;
  std::vector<int64_t> shape;
  uint64_t offset;
  uint64_t size;
};

/// One mapped, checked safetensors file.
class SafeTensorsFile {
public:
  /// Throws ImportError naming file, tensor, what was expected and what was found.
  explicit SafeTensorsFile(const std::string &path);

  const std::string &path() const { return file.path(); }
  /// Sorted by offset.
  const std::vector<StoredTensor> &tensors() const { return entries; }
  /// nullptr when there is none of that name.
  const StoredTensor *find(std::string_view name) const;
  const std::byte *bytes(const StoredTensor &tensor) const { return file.data() + tensor.offset; }

private:
  support::MappedFile file;
  std::vector<StoredTensor> entries;
  std::map<std::string, size_t, std::less<>> byName;
};

/// The tensors of one or several files under one set of names.
class Checkpoint {
public:
  struct Entry {
    const SafeTensorsFile *file = nullptr;
    const StoredTensor *tensor = nullptr;
    explicit operator bool() const { return tensor != nullptr; }
  };

  /// No tensors: what `--weights=random|none` imports with.
  Checkpoint() = default;

  /// `path` is a safetensors file, an index (*.json with "weight_map") or a folder with model.safetensors.index.json,
  /// model.safetensors or any *.safetensors, looked for in this order. Throws ImportError.
  static Checkpoint open(const std::string &path);

  /// An Entry that is false when there is no such tensor. `optionalPrefix` is what the name may start with here and
  /// lack in the files.
  Entry find(std::string_view name, std::string_view optionalPrefix = {}) const;
  size_t size() const { return byName.size(); }
  /// What was opened, for messages.
  const std::string &path() const { return origin; }

private:
  void add(const std::string &path);
  void addIndex(const std::string &path);

  std::string origin;
  std::vector<std::unique_ptr<SafeTensorsFile>> files;
  std::map<std::string, Entry, std::less<>> byName;
};

/// "[512, 64]", for messages.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace nstf
