// A safetensors file that is written tensor by tensor, in any order, and appears whole or not at all.
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

/// A tensor that a file is to have.
struct TensorEntry {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;

  uint64_t getBytes() const;
};

class SafeTensorsWriter {
public:
  /// Tensors stand in the file in this order. Throws std::runtime_error where the file can't be made.
  SafeTensorsWriter(const std::filesystem::path &path, std::vector<TensorEntry> tensors);

  /// Precondition: a tensor of these, and bytes that lie within it. From any thread.
  void write(const std::string &tensor, std::span<const std::byte> bytes, uint64_t offset = 0);
  /// The file takes its place. To be called once, at the end; bytes that were not written are 0.
  void publish();

private:
  std::filesystem::path path;
  std::map<std::string, uint64_t> offsets;
  StagingFolder staging;
  std::optional<OutputFile> file;
};

} // namespace nstf::support
