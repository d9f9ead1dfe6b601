// The memory system of a chip in model time: L1s, scalar caches, L2s, MALL, HBM, address translation.
//
// The model works by reservation: an access walks through all levels at once, in the order in which the model issues
// accesses. It books its share of every channel on the way and returns when it will be done. Caches hold tags but no
// data.
#pragma once

#include "runtime/emulator/timing/memory/MemoryAccess.h"
#include "runtime/emulator/timing/memory/PageSet.h"
#include "runtime/emulator/timing/memory/SnoopFilter.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;
class InstructionCache;

/// The object outlives launches: a launch finds the caches as the previous one left them. It takes some 150 bytes for
/// each kilobyte of cache, independent of the launch: 45 MB for an MI300X.
///
/// Compute units are numbered through the chip, XCD by XCD: unit `local` of XCD `xcd` is xcd *
/// chip.computeUnitsPerXcd() + local. `now` must not go backwards by more than the model's own slack of a few clocks.
class MemorySystem {
public:
  explicit MemorySystem(const ChipTiming &chip);
  MemorySystem(MemorySystem &&) noexcept;
  ~MemorySystem();

  /// Restarts time at 0, with nothing in flight and counters at 0. Clocks are of `clockMhz` from now on.
  void beginLaunch(double clockMhz);

  /// Prefetches on the host the data that an access looks up.
  void prefetch(uint32_t computeUnit, std::span<const LineAccess> lines) const;
  /// The data of LDS-DMA is `done` when it is in the LDS's queue.
  MemoryReply vectorAccess(uint32_t computeUnit, Clocks now, const VectorAccess &access);
  /// When a scalar load's data is available, or a scalar store is acknowledged.
  Clocks scalarAccess(uint32_t computeUnit, Clocks now, AccessKind kind, std::span<const LineAccess> lines);
  /// The instruction cache of a compute unit; neighbouring ones share it.
  InstructionCache &instructions(uint32_t computeUnit);
  /// When a line of code that is not in the instruction cache arrives.
  Clocks instructionMiss(uint32_t computeUnit, Clocks now, uint64_t address);

  /// buffer_inv, buffer_wbinvl1*: drops the lines of the compute unit's L1.
  Clocks invalidate(uint32_t computeUnit, Clocks now, CachePolicy policy);
  /// s_dcache_inv.
  Clocks invalidateScalar(uint32_t computeUnit, Clocks now);
  /// buffer_wbl2: writes changed lines to where other XCDs (gfx90a: the host) see them.
  Clocks writeBack(uint32_t computeUnit, Clocks now, CachePolicy policy);
  /// Ends the kernel, whose last wave ended at `now`: empties L1s and scalar caches, and treats L2s as the chip's
  /// l2_kernel_end says. Returns when this is done, or would be if the L2s had `changedTimes` as many changed lines.
  Clocks endKernel(Clocks now, double changedTimes = 1);
  /// Number of changed L2 lines that are not yet in memory.
  uint64_t changedLines() const;

  /// The counts since beginLaunch.
  const MemoryCounters &counters() const;
  /// Pages that reached the L2s since beginLaunch, and the caches that held them before.
  const PageSet &touched() const;

  /// The L2s that hold anything of a range, by block of lines.
  std::vector<SnoopFilter::Mask> holders(const PhysicalRange &range) const;
  /// Bytes of a range that the MALL holds, and that the L2s in `wanted` hold; estimated from one line of each page.
  struct Held {
    double mall = 0, l2 = 0;
  };
  Held held(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted) const;
  /// The same for touched pages, before the launch.
  Held heldBefore(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted) const;
  /// Leaves the caches as a launch would that reads the range and after which the L2s in `holders` hold it; takes no
  /// time.
  void touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders);
  /// Called when the host or a copy has written the range: the L2s drop it.
  void overwrite(const PhysicalRange &range);

private:
  template <typename HeldAt>
  Held sum(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted, HeldAt heldAt) const;

  struct Levels;
  std::unique_ptr<Levels> levels;
};

} // namespace nstf::emulator::timing
