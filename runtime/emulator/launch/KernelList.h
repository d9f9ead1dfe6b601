// What kernels a file has, and what they need.
//
// Reads headers, symbols, metadata and descriptors only, one code object after the other, so that libraries of any size
// can be listed.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace nstf::emulator {

struct ListOptions {
  std::string target;      ///< "gfx942": only code that runs on it; empty: all
  std::string kernel;      ///< only kernels of this name, or with it inside their names; empty: all
  uint32_t block = 0;      ///< work-items that occupancy is for; 0: what the kernel was compiled for, at most
  uint32_t dynamicLds = 0; ///< bytes beside the kernel's own, for occupancy
  bool json = false, brief = false;
};

/// What was seen.
struct ListSummary {
  size_t codeObjects = 0, kernels = 0;
  size_t damaged = 0;      ///< code objects that can't be read; `out` names them
  std::string firstDamage; ///< what is wrong with the first of them
};

/// Writes the list. Throws LoadError where the file as a whole is none that holds code objects.
ListSummary listKernels(const CodeObjectContainer &container, const ListOptions &options, std::ostream &out);

} // namespace nstf::emulator
