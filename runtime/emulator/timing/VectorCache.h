// The vector L1s, one a compute unit, and the way of vector memory instructions through them.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/L2.h"
#include "runtime/emulator/timing/Tlb.h"

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
  /// Looks up all lines of a load, and has the host fetch what the rest of their way will need.
  void lookUp(uint32_t computeUnit, const VectorAccess &access);
  /// When the data of `line` are there, which lookUp has found in way `way`; at `at` it is in the tag stage, which may
  /// have to hold it there.
  double load(uint32_t computeUnit, double &at, uint64_t address, uint32_t way, CachePolicy policy);
  uint32_t xcdOf(uint32_t computeUnit) const { return computeUnit / computeUnitsPerXcd; }
  uint32_t setOf(uint32_t computeUnit, uint64_t line) const { return computeUnit * sets + setInUnit(line); }

  const ChipTiming &chip;
  MemoryCounters &counters;
  L2 &l2;
  Tlb tlb;
  Spread setInUnit;
  uint32_t sets, computeUnitsPerXcd;
  std::vector<uint32_t> ways; ///< of the access's lines
  std::vector<Unit> units;
  std::vector<double> missDone; ///< of each compute unit's latest misses, in a ring
  TagArray tags;
  double acknowledge = 0;
};

} // namespace nstf::emulator::timing
