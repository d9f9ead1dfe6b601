// NT_AMDGPU_METADATA: the msgpack map in which a code object describes its kernels (AMDGPUUsage, "Code Object V5
// Metadata").
#pragma once

#include "runtime/emulator/memory/CodeObject.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

/// One entry of `amdhsa.kernels`, in the fields of Kernel that metadata fills.
struct KernelMetadata {
  std::string descriptorSymbol; ///< ".symbol", "vadd.kd"
  Kernel fields;
};

/// Reads one metadata blob. Throws std::runtime_error if the blob is not msgpack or nests too deeply, or if an entry
/// lacks a required field or is inconsistent (an argument outside the argument block). `printfFormats` (may be null):
/// the formats of buffered printf are added to it, by their hashes.
std::vector<KernelMetadata> parseMetadata(std::string_view blob,
                                          std::map<uint64_t, std::string> *printfFormats = nullptr);

} // namespace nstf::emulator
