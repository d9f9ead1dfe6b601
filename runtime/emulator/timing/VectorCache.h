// The vector L1s, one a compute unit, and the way of vector memory instructions through them.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/L2.h"
#include "runtime/emulator/timing/Tlb.h"

#include <array>

namespace nstf::emulator::timing {

struct VectorAccess;

/// Write-through; a store allocates no line. A load of a line that is under way waits for the same data. A line is
/// taken by its miss, so there are never more under way than l1_misses_in_flight, nor than lines.
class VectorCache {
public:
  VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2);
  void setClock(double clocksPerNs);

  struct Reply {
    double issueFree, done;
  };
  Reply access(uint32_t computeUnit, double now, const VectorAccess &access);
  /// Of a compute unit; of all.
  void drop(uint32_t computeUnit);
  void drop();

private:
  struct Unit {
    double addressFree = 0;  ///< its address unit
    Channel returns, stores; ///< data to the registers, data to the L2
    uint32_t oldestMiss = 0; ///< in missDone
  };
  /// A line of an access on its way.
  struct Line {
    uint32_t set, way; ///< in the L1; none: it goes to the L2
    L2::Home home;     ///< there, if it does
  };
  /// All lines of an access, in `lines`. Looked up together, so that the host fetches together what they will need.
  void lookUp(uint32_t computeUnit, const VectorAccess &access);
  /// When the data of a line are there. At `at` it is in the tag stage, which may have to hold it there.
  double load(uint32_t computeUnit, double &at, const Line &line, CachePolicy policy);
  /// Whether a store or atomic goes on to memory, where other XCDs, or the host, see it.
  bool isInMemory(CachePolicy policy) const;
  uint32_t xcdOf(uint32_t computeUnit) const { return computeUnit / computeUnitsPerXcd; }
  /// Not hashed: lines that are a power of two apart share a set (wave-lang.readthedocs.io on MI300's swizzled buffers:
  /// bits 7 and 8 of the address).
  uint32_t setOf(uint32_t computeUnit, uint64_t line) const { return computeUnit * sets + uint32_t(line % sets); }

  const ChipTiming &chip;
  MemoryCounters &counters;
  L2 &l2;
  Tlb tlb;
  uint32_t sets, computeUnitsPerXcd;
  uint32_t lineShift;
  std::array<uint8_t, 33> clocksOf; ///< the data path, by dwords of a line
  std::vector<Line> lines;          ///< of the access at hand, and what is left of larger ones
  std::vector<Unit> units;
  std::vector<double> missDone; ///< of each compute unit's latest misses, in a ring
  std::vector<double> setFree;  ///< when a set can ask the L2 for its next line
  TagArray tags;
  double acknowledge = 0, perLine; ///< clocks
};

} // namespace nstf::emulator::timing
