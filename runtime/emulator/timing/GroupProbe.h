// Workgroups that are executed only to know what they have to do.
#pragma once

#include <cstdint>

namespace nstf::emulator {
class LaunchDriver;
}

namespace nstf::emulator::timing {

class Outline;

class GroupProbe {
public:
  GroupProbe(LaunchDriver &driver, const Outline &outline) : driver(driver), outline(outline) {}

  struct Result {
    uint64_t instructions = 0; ///< of all waves
    uint64_t loops = 0;        ///< tells long loops and how often they were gone round from others; of the first wave
    bool wavesAgree = true;    ///< about these
  };
  /// Executes workgroup `index` by the outline. Throws Fault.
  Result execute(uint64_t index);

private:
  LaunchDriver &driver;
  const Outline &outline;
};

} // namespace nstf::emulator::timing
