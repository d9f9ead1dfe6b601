// Options of a prediction.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

struct TimingOptions {
  double clockMhz = 0;          ///< core clock; 0: the chip's peak
  uint64_t budget = 50'000'000; ///< wave instructions simulated in full; a larger launch is sampled
  bool runAhead = true;         ///< false: every instruction executes at its own time; the slow reference
  bool sampledOnly = false;     ///< the results of a launch beyond the budget are not wanted: instructions that the
                                ///< prediction does not need are not executed (Outline.h, RoundSkipper.h)
};

} // namespace nstf::emulator::timing
