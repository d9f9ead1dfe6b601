// Tensors of a .safetensors file by name.
//
// For packages without weights, run with --weights=FILE. Format: u64 little-endian header length, a JSON object
// {name: {"dtype", "shape", "data_offsets": [begin, end]}}, then the data
// (https://github.com/huggingface/safetensors). A package's own weights need no header: the manifest has the offsets.
#pragma once

#include "nstf/Manifest.h"
#include "support/MappedFile.h"

#include <map>
#include <string>

namespace nstf::runtime {

class SafeTensorsFile {
public:
  struct Entry {
    manifest::ElementType type;
    manifest::Shape shape;
    std::span<const std::byte> bytes;
  };

  /// Throws std::runtime_error that names the file and the tensor.
  explicit SafeTensorsFile(const std::filesystem::path &file);
  /// The tensor of that name, or nullptr.
  const Entry *find(const std::string &name) const;

private:
  support::MappedFile mapped;
  std::map<std::string, Entry> entries; // of the types manifest::ElementType has
};

} // namespace nstf::runtime
