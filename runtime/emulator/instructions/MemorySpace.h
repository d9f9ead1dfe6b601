// The memory space of an access.
#pragma once

#include <cstdint>

namespace nstf::emulator {

/// Upper 32 bits of flat addresses of LDS and scratch (src_shared_base, src_private_base, hidden_shared_base …). No
/// host address has these bits, so no allocation can lie there.
constexpr uint32_t sharedApertureHigh = 0x00010000;
constexpr uint32_t privateApertureHigh = 0x00020000;

enum class MemorySpace : uint8_t { Global, Lds, Scratch, Scalar, count };

} // namespace nstf::emulator
