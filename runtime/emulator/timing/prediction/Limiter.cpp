#include "runtime/emulator/timing/prediction/Limiter.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <algorithm>

namespace nstf::emulator::timing {

void findLimiter(LaunchPrediction &prediction, const ChipTiming &chip) {
  const Counters &counters = prediction.counters;
  const MemoryCounters &memory = prediction.memory;
  const double clocks = double(std::max<Clocks>(prediction.clocks, 1)), units = chip.computeUnits;
  const double simds = units * chip.simdsPerComputeUnit;
  auto use = [&](Limiter limiter) -> double & { return prediction.use[size_t(limiter)]; };
  use(Limiter::Matrix) = double(counters.matrixBusy) / (clocks * simds);
  use(Limiter::Vector) = double(counters.vectorBusy) / (clocks * simds);
  use(Limiter::Lds) = double(counters.ldsBusy) / (clocks * units * chip.ldsPorts);
  use(Limiter::L1) = double(counters.addressBusy) / (clocks * units);
  use(Limiter::L2) = memory.l2BusyClocks / (clocks * chip.l2Channels * chip.xcds);
  use(Limiter::Mall) = chip.mallBytes ? memory.mallBusyClocks / (clocks * chip.mallSlices) : 0;
  use(Limiter::Hbm) = memory.hbmBusyClocks / (clocks * chip.hbmChannels);
  use(Limiter::WaveLaunch) = double(counters.launchClocks) / (clocks * chip.xcds);
  const auto busiest = std::max_element(prediction.use.begin(), prediction.use.begin() + size_t(Limiter::Latency));
  use(Limiter::Latency) = std::max(0.0, 1 - *busiest);
  use(Limiter::KernelLaunch) = prediction.ns() > 0 ? prediction.overheadNs / prediction.ns() : 0;
  if (use(Limiter::KernelLaunch) > 0.5)
    prediction.limiter = Limiter::KernelLaunch;
  else if (*busiest >= 0.5)
    prediction.limiter = Limiter(busiest - prediction.use.begin());
  else
    prediction.limiter = Limiter::Latency;
}

} // namespace nstf::emulator::timing
