// The unit of model time.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

/// Core clocks of the chip, at the frequency that a prediction assumes, since its launch began.
using Clocks = uint64_t;
constexpr Clocks never = ~Clocks(0);

} // namespace nstf::emulator::timing
