// Executes workgroups only to find out how much work they do.
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
    uint64_t loops = 0;        ///< hash of the first wave's long loops and their round counts
    bool wavesAgree = true;    ///< whether all waves have the same `loops`
  };
  /// Executes workgroup `index` by the outline. Throws Fault.
  Result execute(uint64_t index);

private:
  LaunchDriver &driver;
  const Outline &outline;
};

} // namespace nstf::emulator::timing
