// The speed-up of workgroups as places become empty, measured while the chip drains.
//
// Workgroups that share a compute unit, or the memory behind it, slow each other down. The fewer are left, the faster
// each of them runs, until only its own latencies limit it. The relation differs between kernels, so it is measured, as
// instructions that a resident workgroup executes in a clock.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator::timing {

class DrainSpeed {
public:
  /// For a chip with `places` places, whose workgroups executed `rate` instructions a clock each before the chip
  /// drained.
  DrainSpeed(uint64_t places, double rate) : places(places), rate(rate) {}

  /// Records that `residents` workgroups were left for `clocks` clocks and executed `instructions` instructions.
  void add(uint64_t residents, double clocks, uint64_t instructions);
  /// After `finish`: how many times as fast as on a full chip a workgroup is when `residents` are left. The speed of
  /// each is not lower than with more workgroups, and the speed of all together is not higher.
  double at(uint64_t residents) const { return speeds[getPart(residents)]; }
  void finish();

  /// When the last of these workgroups ends. `ends` are the times at which they would end if their places were always
  /// filled again; from `begin` on they are not.
  Clocks drained(std::vector<Clocks> ends, Clocks begin) const;

private:
  static constexpr size_t parts = 16; ///< ranges of the number of residents, each with a speed
  size_t getPart(uint64_t residents) const;

  const uint64_t places;
  const double rate;
  std::array<double, parts> residentClocks = {}, instructions = {}, speeds = {};
};

} // namespace nstf::emulator::timing
