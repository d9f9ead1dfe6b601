// From files or a seed into the device's weight buffer.
//
// Every tensor has one origin: its source in a file (mapped, checked against its hash, copied as it is or converted to
// f32), a safetensors file given at run time, or the generator of nstf/RandomWeights.h. The host holds no
// more than one converted piece for each core.
#pragma once

#include "nstf/Package.h"
#include "nstf/Runtime.h"

#include <optional>

namespace nstf::runtime {

struct WeightsOptions {
  std::vector<std::filesystem::path> files; // safetensors, for tensors without a source
  std::optional<uint64_t> seed;             // instead of the package's
  bool checkHashes = true;
};

/// Throws std::runtime_error where the options are for a package compiled with another --weights.
void checkOptions(const Package &package, const WeightsOptions &options);

/// Fills `buffer`, the package's buffer of kind weights. Throws std::runtime_error: a file missing or too short, a hash
/// that differs, a tensor not found in `files` or of another shape, or a package without weights and no `files`.
void loadWeights(const Package &package, const WeightsOptions &options, Buffer &buffer);

} // namespace nstf::runtime
