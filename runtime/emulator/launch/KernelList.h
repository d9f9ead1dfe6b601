// Lists a file's kernels and their resources.
//
// Only headers, symbols, metadata and descriptors are read, one code object at a time, so that libraries of any size
// can be listed.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace nstf::emulator {

struct ListOptions {
  std::string target;      ///< "gfx942": only code that runs on it; empty: all
  std::string kernel;      ///< only kernels whose names are or contain this text; empty: all
  uint32_t block = 0;      ///< work-items of a workgroup for the occupancy; 0: the kernel's compiled maximum
  uint32_t dynamicLds = 0; ///< bytes in addition to the kernel's own, for the occupancy
  bool json = false, brief = false;
};

/// Totals of a listing.
struct ListSummary {
  size_t codeObjects = 0, kernels = 0;
  size_t damaged = 0;      ///< code objects that cannot be read; `out` names them
  std::string firstDamage; ///< the error of the first of them
};

/// Writes the list. Throws LoadError if the file is not of a kind that holds code objects.
ListSummary listKernels(const CodeObjectContainer &container, const ListOptions &options, std::ostream &out);

} // namespace nstf::emulator
