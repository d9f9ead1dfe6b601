// Writes a safetensors file tensor by tensor, in any order. The file appears complete or not at all.
#pragma once

#include "support/ElementType.h"
#include "support/OutputFile.h"
#include "support/StagingFolder.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nstf::support {

/// A tensor of the file.
struct TensorEntry {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;

  uint64_t getBytes() const;
};

class SafeTensorsWriter {
public:
  /// The file has the tensors in this order. Throws std::runtime_error if the file can't be created.
  SafeTensorsWriter(const std::filesystem::path &path, std::vector<TensorEntry> tensors);

  /// Precondition: `tensor` is one of the file's tensors, and the bytes lie within it. May be called from any thread.
  void write(const std::string &tensor, std::span<const std::byte> bytes, uint64_t offset = 0);
  /// Renames the file to its place. To be called once, at the end; bytes that were not written are 0.
  void publish();

private:
  std::filesystem::path path;
  std::map<std::string, uint64_t> offsets;
  StagingFolder staging;
  std::optional<OutputFile> file;
};

} // namespace nstf::support
