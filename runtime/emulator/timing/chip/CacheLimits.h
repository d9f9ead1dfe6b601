// What the tables of the memory system hold at most; a chip's constants are held to it.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

constexpr uint32_t maxCacheWays = 256;      ///< TagArray
constexpr uint32_t maxCacheLineBytes = 256; ///< of a line with sectors (Sectors)

} // namespace nstf::emulator::timing
