// The vector L1s, one a compute unit, and the way of vector memory instructions through them.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/L2.h"
#include "runtime/emulator/timing/Tlb.h"
#include "runtime/emulator/timing/WaveTrace.h"

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
  /// Has the host fetch what an access will look up.
  void prefetch(uint32_t computeUnit, std::span<const LineAccess> pieces) const;
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
  /// Lines of a block that an access asks for.
  struct Visit {
    uint64_t block;   ///< its number
    uint32_t members; ///< of its bundle
    TagArray::Found found;
  };
  /// A line of an access on its way.
  struct Line {
    Visit *visit; ///< in the L1; null: it passes that
    uint32_t member;
    L2Line l2; ///< unless the L1 has it
    bool isHeld() const { return visit && visit->found.held >> member & 1; }
  };
  /// All lines of an access, in `lines`, before any of them takes its time.
  void lookUp(uint32_t computeUnit, const VectorAccess &access);
  void findHeld(uint32_t computeUnit, std::span<const LineAccess> pieces);
  void fillMissing(uint32_t computeUnit, bool streaming);
  /// When the data of a line are there. At `at` it is in the tag stage, which may have to hold it there.
  double load(uint32_t computeUnit, double &at, const Line &line, uint64_t address, CachePolicy policy);
  /// Whether a store or atomic goes on to memory, where other XCDs, or the host, see it.
  bool isInMemory(CachePolicy policy) const;
  uint32_t xcdOf(uint32_t computeUnit) const { return computeUnit / computeUnitsPerXcd; }
  uint32_t bundleOf(uint32_t computeUnit, uint64_t block) const {
    return computeUnit * bundles + (bundles > 1 ? uint32_t(block % bundles) : 0);
  }

  const ChipTiming &chip;
  MemoryCounters &counters;
  L2 &l2;
  Tlb tlb;
  uint32_t sets, computeUnitsPerXcd;
  /// Sets aren't hashed: lines that are a power of two apart share one (wave-lang.readthedocs.io on MI300's swizzled
  /// buffers: bits 7 and 8 of the address).
  LineBlock block;
  uint32_t bundles;                 ///< of a compute unit
  std::array<uint8_t, 33> clocksOf; ///< the data path, by dwords of a line
  std::vector<Line> lines;          ///< of the access at hand, and what is left of larger ones
  std::vector<Visit> visits;        ///< in the L1, of the access at hand
  size_t visitCount = 0;
  std::vector<Unit> units;
  std::vector<double> missDone; ///< of each compute unit's latest misses, in a ring
  std::vector<double> setFree;  ///< when a set can ask the L2 for its next line
  TagArray tags;
  double acknowledge = 0, perLine; ///< clocks
};

} // namespace nstf::emulator::timing
