// Which workgroup begins when and on which compute unit.
//
// Workgroup i belongs to XCD i modulo their number. An XCD goes through the grid in order, at the chip's rate, and
// starts its workgroups, one wave after the other, on its compute units in turn as far as they have room. A place is
// free again some time after its workgroup's stores are acknowledged.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class Dispatcher {
public:
  struct Placement {
    uint64_t group;       ///< in the grid
    uint32_t computeUnit; ///< of the chip
    Clocks start;         ///< of its first wave
  };

  /// `perComputeUnit`: workgroups that fit there at a time, at least 1.
  Dispatcher(const ChipTiming &chip, double clockMhz, uint64_t groups, uint32_t wavesPerGroup, uint32_t perComputeUnit);

  /// When an XCD next places a workgroup; never: none is left, or all places are taken.
  Clocks next(uint32_t xcd) const { return dies[xcd].next; }
  /// At `next`.
  Placement place(uint32_t xcd);
  /// A workgroup's place is free once it is drained.
  void groupEnded(uint32_t computeUnit, Clocks drained);
  /// Before which no workgroup is placed there, as far as is known.
  Clocks earliestAt(uint32_t computeUnit) const;

  double clocksPerWave() const { return waveClocks; }
  /// Clocks in which workgroups were being started, over the XCDs.
  double busyClocks() const { return double(groupsStarted) * groupClocks; }
  uint64_t left() const { return notBegun; }
  /// Whether an XCD will place a workgroup before one ends.
  bool places() const;
  /// The workgroup that an XCD places next, and every so many (as there are XCDs) after it.
  uint64_t nextGroup(uint32_t xcd) const { return dies[xcd].group; }

private:
  using FreePlace = std::pair<Clocks, uint32_t>; ///< from when on, compute unit on the XCD
  struct Die {
    uint64_t group;      ///< the next
    uint32_t cursor = 0; ///< compute unit after the one of the last placement
    double launched = 0; ///< when the last wave has been started
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
