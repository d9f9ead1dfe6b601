// Safetensors files.
//
// Format (huggingface/safetensors): u64 little-endian header length N, N bytes of JSON {"name": {"dtype": "F32",
// "shape": [..], "data_offsets": [begin, end]}, "__metadata__": {..}}, then the data; offsets count from its first
// byte. Files are mapped, never read whole. The whole header is checked before use. Unlike the original's reader, this
// one allows bytes that belong to no tensor, since packages align their tensors.
#pragma once

#include "support/ElementType.h"
#include "support/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// A tensor in a file: `size` bytes at `offset` from the file's first byte.
struct StoredTensor {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
  uint64_t offset;
  uint64_t size;
};

/// One mapped, checked safetensors file.
class SafeTensorsFile {
public:
  /// Throws InputError with the file, the tensor, and the expected and actual values.
  explicit SafeTensorsFile(const std::filesystem::path &path);

  const std::string &path() const { return file.path(); }
  /// Sorted by offset.
  const std::vector<StoredTensor> &tensors() const { return entries; }
  /// nullptr if there is no tensor of this name.
  const StoredTensor *find(std::string_view name) const;
  std::span<const std::byte> bytes(const StoredTensor &tensor) const {
    return file.bytes().subspan(tensor.offset, tensor.size);
  }

private:
  MappedFile file;
  std::vector<StoredTensor> entries;
  std::map<std::string, size_t, std::less<>> byName;
};

/// "[512, 64]", for messages.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace nstf::support
