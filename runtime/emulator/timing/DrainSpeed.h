// How much faster workgroups are where places stay empty, measured while the chip drains.
//
// Workgroups that share a compute unit, or the memory behind it, hold each other up: the fewer are left, the faster
// each of them is, until its own latencies are all that it waits for. How soon differs from kernel to kernel, so it is
// measured: by the instructions that a resident workgroup executes in a clock.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator::timing {

class DrainSpeed {
public:
  /// Of a chip with so many places, whose workgroups executed `rate` instructions a clock each before it drained.
  DrainSpeed(uint64_t places, double rate) : places(places), rate(rate) {}

  /// `residents` were left for so many clocks, and executed so many instructions.
  void add(uint64_t residents, double clocks, uint64_t instructions);
  /// Once everything is added: how many times as fast as on a full chip a workgroup is where so many are left. No less
  /// than where more are left, and all of them together do no more than more would.
  double at(uint64_t residents) const { return speeds[partOf(residents)]; }
  void finish();

  /// When the last of workgroups ends that would end at these clocks if their places were taken again, and from `begin`
  /// on aren't.
  Clocks drained(std::vector<Clocks> ends, Clocks begin) const;

private:
  static constexpr size_t parts = 16; ///< of the places, each with a speed
  size_t partOf(uint64_t residents) const;

  const uint64_t places;
  const double rate;
  std::array<double, parts> residentClocks = {}, instructions = {}, speeds = {};
};

} // namespace nstf::emulator::timing
