// The LDS of a compute unit: ports, each shared by two SIMDs, in front of common banks.
//
// A port moves 64 bytes a clock. An access without conflicts occupies the port longer than the banks, so that two ports
// together keep the banks busy. Conflicts occupy both.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <algorithm>

namespace nstf::emulator::timing {

class Lds {
public:
  explicit Lds(const ChipTiming &chip) : chip(chip), portFree(chip.ldsPorts) {}

  /// When the port accepts another instruction.
  Clocks issueFree(unsigned port) const {
    return std::max<Clocks>(portFree[port], chip.ldsQueueClocks) - chip.ldsQueueClocks;
  }

  /// Returns when the wave has its data.
  Clocks access(unsigned port, Clocks now, const TimingFact &fact, LdsDetail detail) {
    const Clocks conflicts = Clocks(detail.conflicts) * chip.ldsConflictClocks;
    const Clocks begin = std::max(now, portFree[port]);
    banksFree = std::max(banksFree, now) + detail.phases + conflicts;
    const Clocks end = std::max(begin + portClocks(fact) + conflicts, banksFree);
    portFree[port] = end;
    if (fact.is(TimingFact::ldsLanes))
      return end + chip.crossLaneLatency - chip.ldsReadClocksB32;
    const bool isNarrow = fact.is(TimingFact::load) && fact.bytes < 4;
    return end + chip.ldsLatency - chip.ldsReadClocksB32 + (isNarrow ? chip.ldsNarrowReadClocks : 0);
  }

  Clocks portClocks(const TimingFact &fact) const {
    if (fact.is(TimingFact::ldsLanes))
      return chip.ldsReadClocksB32;
    if (fact.is(TimingFact::atomic))
      return chip.ldsAtomicClocks;
    const bool isRead = fact.is(TimingFact::load);
    const unsigned bytes = fact.is(TimingFact::ldsPair) ? fact.bytes * 2u : fact.bytes;
    if (bytes <= 4)
      return isRead ? chip.ldsReadClocksB32 : chip.ldsWriteClocksB32;
    if (bytes <= 8)
      return isRead ? chip.ldsReadClocksB64 : chip.ldsWriteClocksB64;
    if (bytes <= 12)
      return isRead ? chip.ldsReadClocksB96 : chip.ldsWriteClocksB96;
    return isRead ? chip.ldsReadClocksB128 : chip.ldsWriteClocksB128;
  }

private:
  const ChipTiming &chip;
  std::vector<Clocks> portFree;
  Clocks banksFree = 0;
};

} // namespace nstf::emulator::timing
