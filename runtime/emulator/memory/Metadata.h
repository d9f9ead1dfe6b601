// NT_AMDGPU_METADATA: the msgpack map a code object carries about its kernels (AMDGPUUsage, "Code Object V5 Metadata").
#pragma once

#include "runtime/emulator/memory/CodeObject.h"

#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

/// What one entry of `amdhsa.kernels` says, in the fields of Kernel that metadata fills.
struct KernelMetadata {
  std::string descriptorSymbol; ///< ".symbol", "vadd.kd"
  Kernel fields;
};

/// Reads one metadata blob. Throws std::runtime_error where the blob is no msgpack, nests too deep, or an entry lacks
/// what it must have or contradicts itself (an argument outside the argument block).
std::vector<KernelMetadata> parseMetadata(std::string_view blob);

} // namespace nstf::emulator
