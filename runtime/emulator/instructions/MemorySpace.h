// Which memory an access goes to.
#pragma once

#include <cstdint>

namespace nstf::emulator {

enum class MemorySpace : uint8_t { Global, Lds, Scratch, Scalar, count };

} // namespace nstf::emulator
