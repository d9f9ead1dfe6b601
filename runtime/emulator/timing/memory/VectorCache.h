// The vector L1s, one for each compute unit, and the path of vector memory instructions through them.
#pragma once

#include "runtime/emulator/timing/memory/L2.h"
#include "runtime/emulator/timing/memory/MemoryAccess.h"
#include "runtime/emulator/timing/memory/Tlb.h"

#include <array>
#include <bit>

namespace nstf::emulator::timing {

/// Write-through; stores allocate no line. A load of a line in flight waits for the same data. A miss allocates its
/// line at once, and occupies one of l1_misses_in_flight places until the data arrives. If there are more places than
/// lines, a line in flight whose way a later miss took is still found in its place.
class VectorCache {
public:
  VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2);
  void setClock(double clocksPerNs);

  struct Reply {
    double issueFree, done;
    double placeWait; ///< part of the address unit's time in which it waited for a free place for a miss
  };
  /// Prefetches on the host the data that an access looks up.
  void prefetch(uint32_t computeUnit, std::span<const LineAccess> pieces) const;
  Reply access(uint32_t computeUnit, double now, const VectorAccess &access);
  /// Drops the lines of a compute unit; of all.
  void drop(uint32_t computeUnit);
  void drop();

private:
  struct Unit {
    double addressFree = 0;  ///< when its address unit is free
    Channel returns, stores; ///< data to the registers; data to the L2
    uint32_t oldestMiss = 0; ///< index in missDone
  };
  /// Lines of a block that an access touches.
  struct Visit {
    uint64_t block;   ///< number of the block
    uint32_t members; ///< of its bundle, one bit each
    TagArray::Found found;
    uint32_t underWay; ///< members evicted from the tags before their data arrived
  };
  /// A line of an access, or all lines of an L2 block of which the L1 holds nothing.
  struct Line {
    uint64_t address;
    uint32_t dwords, lanes;
    bool isBlock;
    Visit *visit; ///< in the L1; for a block, that of its first lines; null: the access bypasses the L1
    uint32_t member;
    L2Line l2; ///< unless the L1 holds the line
    bool isHeld() const { return visit && visit->found.held >> member & 1; }
    bool isUnderWay() const { return visit && visit->underWay >> member & 1; }
  };
  /// Looks up all lines of an access, before any of them is timed, and stores them in `lines`.
  void lookUp(uint32_t computeUnit, double now, const VectorAccess &access);
  void findHeld(uint32_t computeUnit, std::span<const LineAccess> pieces);
  void findUnderWay(uint32_t computeUnit, double now);
  void fillMissing(uint32_t computeUnit, bool streaming);
  void addLines(std::span<const LineAccess> pieces, bool passes, bool inBlocks);
  bool isMissing(const Visit *first) const;
  Line getLine(const Line &block, uint32_t index) const;
  /// When the data of a line arrives. `at` is the line's time in the tag stage; the load may delay it there.
  double load(uint32_t computeUnit, double &at, const Line &line, CachePolicy policy);
  /// Delays a miss that is requested at `at` until its place is free.
  void awaitPlace(double &at, double placeFree) {
    placeWait += std::max(0.0, placeFree - at);
    at = std::max(at, placeFree);
  }
  double store(uint32_t computeUnit, double at, const Line &line, bool inMemory);
  /// When the last line of a block that is requested at `at` is served; sets `at` to the time of the next line.
  double loadBlock(uint32_t computeUnit, double &at, const Line &block, CachePolicy policy);
  double storeBlock(uint32_t computeUnit, double &at, const Line &block);
  static uint32_t getBytes(uint32_t dwords) {
    return 4 * (~dwords ? uint32_t(std::popcount(dwords)) : 32); // mostly all
  }
  /// Whether a store or atomic is written through to memory, where other XCDs, or the host, see it.
  bool isInMemory(CachePolicy policy) const;
  uint32_t getXcd(uint32_t computeUnit) const { return computeUnit / computeUnitsPerXcd; }
  uint32_t getBundle(uint32_t computeUnit, uint64_t block) const {
    return computeUnit * bundles + (bundles > 1 ? uint32_t(block % bundles) : 0);
  }

  /// Number of the set, counted over all compute units.
  size_t getSet(uint32_t computeUnit, uint64_t address) const {
    return size_t(getBundle(computeUnit, block.number(address))) * block.lines() + block.index(address);
  }

  const ChipTiming &chip;
  MemoryCounters &counters;
  L2 &l2;
  Tlb tlb;
  uint32_t sets, computeUnitsPerXcd;
  /// Sets are not hashed: lines that are a power of two apart share one (wave-lang.readthedocs.io on MI300's swizzled
  /// buffers: bits 7 and 8 of the address).
  LineBlock block;
  uint32_t bundles;                 ///< of a compute unit
  std::array<uint8_t, 33> clocksOf; ///< clocks of the data path, by dwords of a line
  // State of the current access; larger vectors of earlier ones are kept
  std::vector<Line> lines;
  std::vector<Visit> visits;         ///< in the L1
  std::vector<double> underWayUntil; ///< by visit and member
  double placeWait = 0;
  size_t lineCount = 0, visitCount = 0;
  std::vector<Unit> units;
  std::vector<double> missDone; ///< of each compute unit's latest misses, in a ring
  std::vector<uint64_t> missOf; ///< addresses of their lines; empty if no place outlasts its line
  std::vector<double> setFree;  ///< when a set can request its next line from the L2
  uint32_t visitsOfBlock;       ///< L1 visits of one L2 block
  TagArray tags;
  double acknowledge = 0, perLine; ///< clocks
  bool takesBlocks;                ///< whether whole L2 blocks are accessed at once
};

} // namespace nstf::emulator::timing
