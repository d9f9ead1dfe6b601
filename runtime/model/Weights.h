// Loads weights from files or a seed into the device's weight buffer.
//
// Every tensor has one origin: its source in a file (mapped, checked against its hash, copied unchanged or converted to
// f32), a safetensors file given at run time, or the generator of nstf/RandomWeights.h. The host holds at most one
// converted piece for each core.
#pragma once

#include "nstf/Package.h"
#include "nstf/Runtime.h"

#include <optional>

namespace nstf::runtime {

struct WeightsOptions {
  std::vector<std::filesystem::path> files; // safetensors, for tensors without a source
  std::optional<uint64_t> seed;             // replaces the package's
  bool checkHashes = true;
};

/// Throws std::runtime_error when an option does not apply to the package's --weights mode.
void checkOptions(const Package &package, const WeightsOptions &options);

/// Fills `buffer`, the package's buffer of kind weights. Throws std::runtime_error when a file is missing or too short,
/// a hash differs, `files` lacks a tensor or has it in another shape, or the package has no weights and `files` is
/// empty.
void loadWeights(const Package &package, const WeightsOptions &options, Buffer &buffer);

} // namespace nstf::runtime
