// The unit of model time.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

/// Core clocks of the chip since the launch began, at the clock frequency that the prediction assumes.
using Clocks = uint64_t;
constexpr Clocks never = ~Clocks(0);

} // namespace nstf::emulator::timing
