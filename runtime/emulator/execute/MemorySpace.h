//===- MemorySpace.h - which memory an access goes to ------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_EXECUTE_MEMORYSPACE_H
#define NSTF_RUNTIME_EMULATOR_EXECUTE_MEMORYSPACE_H

#include <cstdint>

namespace nstf::emulator {

enum class MemorySpace : uint8_t { Global, Lds, Scratch, Scalar, count };

} // namespace nstf::emulator

#endif
