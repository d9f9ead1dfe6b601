// When and on which compute unit each workgroup begins.
//
// Workgroup i belongs to XCD i modulo the number of XCDs. An XCD goes through its part of the grid in order, at the
// chip's launch rate. It starts workgroups, one wave after the other, on its compute units in turn, if they have a free
// place. A place is free again some time after its workgroup's stores are acknowledged.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class Dispatcher {
public:
  struct Placement {
    uint64_t group;       ///< index in the grid
    uint32_t computeUnit; ///< index on the chip
    Clocks start;         ///< of its first wave
  };

  /// `perComputeUnit`: the number of workgroups that fit a compute unit, at least 1.
  Dispatcher(const ChipTiming &chip, double clockMhz, uint64_t groups, uint32_t wavesPerGroup, uint32_t perComputeUnit);

  /// When an XCD places its next workgroup; never: none is left, or all places are taken.
  Clocks next(uint32_t xcd) const { return dies[xcd].next; }
  /// Places the XCD's next workgroup, at time `next(xcd)`.
  Placement place(uint32_t xcd);
  /// Frees a workgroup's place, after it has drained.
  void groupEnded(uint32_t computeUnit, Clocks drained);
  /// The earliest time, as far as is known, at which a workgroup is placed on a compute unit.
  Clocks earliestAt(uint32_t computeUnit) const;

  double clocksPerWave() const { return waveClocks; }
  /// Clocks in which workgroups were being started, summed over the XCDs.
  double busyClocks() const { return double(groupsStarted) * groupClocks; }
  uint64_t left() const { return notBegun; }
  /// Whether an XCD will place a workgroup before another one ends.
  bool places() const;
  /// The workgroup that an XCD places next. Its later ones follow in steps of the number of XCDs.
  uint64_t nextGroup(uint32_t xcd) const { return dies[xcd].group; }

private:
  using FreePlace = std::pair<Clocks, uint32_t>; ///< time from which it is free, compute unit on the XCD
  struct Die {
    uint64_t group;      ///< the next one
    uint32_t cursor = 0; ///< compute unit after the one of the last placement
    double launched = 0; ///< when the last wave was started
    Clocks next = never;
    std::priority_queue<FreePlace, std::vector<FreePlace>, std::greater<>> becomingFree;
    std::vector<uint32_t> freePlaces; ///< by compute unit
    uint32_t freeInAll = 0;
  };
  void plan(Die &die);
  void takeBack(Die &die, Clocks now);

  const uint64_t groups;
  const uint32_t computeUnitsPerDie;
  const double waveClocks, groupClocks; ///< from one start to the next
  const Clocks turnaround;
  uint64_t notBegun, groupsStarted = 0;
  std::vector<Die> dies;
};

} // namespace nstf::emulator::timing
