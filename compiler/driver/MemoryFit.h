// Whether a model fits into a chip's memory, and which options would make it fit. Generates no code.
#pragma once

#include "compiler/driver/Compile.h"

namespace nstf {

/// The manifest of a package with these options, as far as planPackage knows it. Reads no weights, whatever `weights`
/// is. On failure emits a diagnostic and returns nothing, or throws std::runtime_error.
std::optional<manifest::Manifest> planMemory(const CompileOptions &options, PrecisionChoice *precision = nullptr);

/// The longest context whose caches fit beside everything else, for a model in a folder; 0 if there is none. Caches in
/// operand order are padded to whole pages.
uint64_t getFittingContext(const CompileOptions &options, const manifest::Manifest &manifest, uint64_t deviceMemory);

/// An option, and the size of the package if only this option is changed.
struct MemoryOption {
  std::string option;
  uint64_t bytes;
};

/// Returns the options with which the model of `plan` fits: the longest context, the largest number of requests (if
/// there may be several), and each format of weights and of caches, unless one is chosen already.
std::vector<MemoryOption> findFittingOptions(const CompileOptions &options, const manifest::Manifest &plan,
                                             uint64_t deviceMemory);

} // namespace nstf
