// The vector L1s, one a compute unit, and the way of vector memory instructions through them.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/L2.h"
#include "runtime/emulator/timing/Tlb.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <array>
#include <bit>

namespace nstf::emulator::timing {

struct VectorAccess;

/// Write-through; a store allocates no line. A load of a line that is under way waits for the same data. A miss takes
/// its line at once, and one of l1_misses_in_flight places until the data come. Where there are more places than lines,
/// a line that later misses have taken from one under way is still found in that one's place.
class VectorCache {
public:
  VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2);
  void setClock(double clocksPerNs);

  struct Reply {
    double issueFree, done;
    double placeWait; ///< of the address unit's time, for which it stood until a miss's place was free
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
    uint32_t underWay; ///< members that have left the tags before their data have come
  };
  /// A line of an access on its way, or all those of a block of the L2 that the L1 has nothing of.
  struct Line {
    uint64_t address;
    uint32_t dwords, lanes;
    bool isBlock;
    Visit *visit; ///< in the L1, of a block the first one; null: it passes that
    uint32_t member;
    L2Line l2; ///< unless the L1 has it
    bool isHeld() const { return visit && visit->found.held >> member & 1; }
    bool isUnderWay() const { return visit && visit->underWay >> member & 1; }
  };
  /// All lines of an access, in `lines`, before any of them takes its time.
  void lookUp(uint32_t computeUnit, double now, const VectorAccess &access);
  void findHeld(uint32_t computeUnit, std::span<const LineAccess> pieces);
  void findUnderWay(uint32_t computeUnit, double now);
  void fillMissing(uint32_t computeUnit, bool streaming);
  void addLines(std::span<const LineAccess> pieces, bool passes, bool inBlocks);
  bool isMissing(const Visit *first) const;
  Line lineOf(const Line &block, uint32_t index) const;
  /// When the data of a line are there. At `at` it is in the tag stage, which may have to hold it there.
  double load(uint32_t computeUnit, double &at, const Line &line, CachePolicy policy);
  /// A miss that is asked for at `at` waits there until the place is free.
  void awaitPlace(double &at, double placeFree) {
    placeWait += std::max(0.0, placeFree - at);
    at = std::max(at, placeFree);
  }
  double store(uint32_t computeUnit, double at, const Line &line, bool inMemory);
  /// When the last line of a block is served that is asked for at `at`, which becomes the time of what comes next.
  double loadBlock(uint32_t computeUnit, double &at, const Line &block, CachePolicy policy);
  double storeBlock(uint32_t computeUnit, double &at, const Line &block);
  static uint32_t bytesOf(uint32_t dwords) {
    return 4 * (~dwords ? uint32_t(std::popcount(dwords)) : 32); // mostly all
  }
  /// Whether a store or atomic goes on to memory, where other XCDs, or the host, see it.
  bool isInMemory(CachePolicy policy) const;
  uint32_t xcdOf(uint32_t computeUnit) const { return computeUnit / computeUnitsPerXcd; }
  uint32_t bundleOf(uint32_t computeUnit, uint64_t block) const {
    return computeUnit * bundles + (bundles > 1 ? uint32_t(block % bundles) : 0);
  }

  /// Through all compute units.
  size_t setOf(uint32_t computeUnit, uint64_t address) const {
    return size_t(bundleOf(computeUnit, block.number(address))) * block.lines() + block.index(address);
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
  // Of the access at hand, and what is left of larger ones
  std::vector<Line> lines;
  std::vector<Visit> visits;         ///< in the L1
  std::vector<double> underWayUntil; ///< of each visit's members
  double placeWait = 0;
  size_t lineCount = 0, visitCount = 0;
  std::vector<Unit> units;
  std::vector<double> missDone; ///< of each compute unit's latest misses, in a ring
  std::vector<uint64_t> missOf; ///< their lines' addresses; empty where no place outlasts its line
  std::vector<double> setFree;  ///< when a set can ask the L2 for its next line
  uint32_t visitsOfBlock;       ///< of the L2, in the L1
  TagArray tags;
  double acknowledge = 0, perLine; ///< clocks
  bool takesBlocks;                ///< of the L2, at once
};

} // namespace nstf::emulator::timing
