// Whether a model fits into a chip's memory, and what would make it fit; without any code made.
#pragma once

#include "compiler/driver/Compile.h"

namespace nstf {

/// The manifest of a package with these options, as far as planPackage knows it; whatever `weights` says, none are
/// read. Nothing where a diagnostic said why not; throws std::runtime_error.
std::optional<manifest::Manifest> planMemory(const CompileOptions &options, PrecisionChoice *precision = nullptr);

/// The longest context, of a model in a folder, whose caches fit beside everything else; 0 where there is none. Caches
/// in operand order fill pages.
uint64_t getFittingContext(const CompileOptions &options, const manifest::Manifest &manifest, uint64_t deviceMemory);

/// An option with which, all others as they are, a package takes so many bytes.
struct MemoryOption {
  std::string option;
  uint64_t bytes;
};

/// Of the contexts the longest, of several requests the most, and of formats of weights and of caches those that are
/// not chosen yet, with which the model of `plan` fits.
std::vector<MemoryOption> findFittingOptions(const CompileOptions &options, const manifest::Manifest &plan,
                                             uint64_t deviceMemory);

} // namespace nstf
