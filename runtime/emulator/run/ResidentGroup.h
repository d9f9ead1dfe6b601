// A workgroup with its registers and LDS.
#pragma once

#include "runtime/emulator/run/Finding.h"
#include "runtime/emulator/run/Interpreter.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator {

class ResidentGroup {
public:
  /// Makes workgroup `index` (x fastest) ready to run. Its registers and LDS are large, so they come from a pool of the
  /// calling thread.
  static std::unique_ptr<ResidentGroup> start(const Launch &launch, uint64_t index, uint64_t scratch);
  /// Returns the group to the calling thread's pool, which keeps one.
  static void release(std::unique_ptr<ResidentGroup> group);

  /// Throws Fault.
  Turn run();

  Workgroup group;
  uint64_t scratch = 0;
  uint64_t state = 0; ///< after its last turn, if it was requested (Stall.h)

private:
  struct Lines {
    alignas(64) uint8_t bytes[64];
  };
  std::vector<std::unique_ptr<Wave>> waves;
  std::vector<Lines> lds;
};

/// The Fault for a WaveFault that a handler threw.
Fault getFault(const WaveFault &fault, const Wave &wave);

/// Where the waves that have not ended are, grouped by instruction: "3 waves wait at the barrier of pc 0x…, …; 1 wave
/// …".
std::string whereWavesStand(std::span<const ResidentGroup *const> groups);

/// A fault of the whole launch, reported at the first wave that has not ended.
Fault stoppedFault(std::span<const ResidentGroup *const> groups, const std::string &what);

} // namespace nstf::emulator
