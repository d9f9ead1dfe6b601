// The memory of a chip in model time: L1s, scalar caches, L2s, MALL, HBM, address translation.
//
// By reservation: an access walks through the levels at once, in the order in which the model issues accesses, books
// its share of every channel on its way, and is told when it will be done. Caches hold tags and no data.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/Clocks.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/PageSet.h"
#include "runtime/emulator/timing/SnoopFilter.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;
class InstructionCache;

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,       ///< returns nothing
  AtomicReturn, ///< returns the old values
};

/// One vector memory instruction of a wave.
struct VectorAccess {
  AccessKind kind = AccessKind::Load;
  CachePolicy policy;
  std::span<const LineAccess> lines; ///< each within a line of the L1
  uint32_t addressClocks = 0;        ///< MemoryRequest::addressClocks
  uint32_t dataBytes = 0;            ///< between registers and L1: lanes times bytes a lane
};

struct MemoryReply {
  Clocks issueFree; ///< the compute unit's address unit takes its next instruction
  Clocks done;      ///< load: the data are in the registers; store and atomic: it is acknowledged
  Clocks placeWait; ///< of the time until issueFree, that for which no place among the L1's misses was free
};

/// Outlives launches: what one leaves in the caches the next finds. Takes some 150 bytes for each kilobyte of cache,
/// whatever is launched: 45 MB for an MI300X.
///
/// Compute units count through the chip, XCD by XCD: unit `local` of XCD `xcd` is xcd * chip.computeUnitsPerXcd() +
/// local. `now` must not go backwards by more than the model's own slack of a few clocks.
class MemorySystem {
public:
  explicit MemorySystem(const ChipTiming &chip);
  MemorySystem(MemorySystem &&) noexcept;
  ~MemorySystem();

  /// Time begins again at 0, nothing is under way, counters are 0. Clocks are of `clockMhz` from now on.
  void beginLaunch(double clockMhz);

  /// Has the host fetch what an access will look up.
  void prefetch(uint32_t computeUnit, std::span<const LineAccess> lines) const;
  /// The data of LDS-DMA are `done` when they are in the LDS's queue.
  MemoryReply vectorAccess(uint32_t computeUnit, Clocks now, const VectorAccess &access);
  /// When a scalar load's data are there, or a scalar store is acknowledged.
  Clocks scalarAccess(uint32_t computeUnit, Clocks now, AccessKind kind, std::span<const LineAccess> lines);
  /// Neighbouring compute units have the same.
  InstructionCache &instructions(uint32_t computeUnit);
  /// When a line of code that isn't in the instruction cache is there.
  Clocks instructionMiss(uint32_t computeUnit, Clocks now, uint64_t address);

  /// buffer_inv, buffer_wbinvl1*: the compute unit's L1 forgets its lines.
  Clocks invalidate(uint32_t computeUnit, Clocks now, CachePolicy policy);
  /// s_dcache_inv.
  Clocks invalidateScalar(uint32_t computeUnit, Clocks now);
  /// buffer_wbl2: what was written is where other XCDs (gfx90a: the host) see it.
  Clocks writeBack(uint32_t computeUnit, Clocks now, CachePolicy policy);
  /// The kernel's last wave has ended at `now`: L1s and scalar caches are emptied; L2s are treated as the chip's
  /// l2_kernel_end says. The time at which that is done, or would be if L2s had changed `changedTimes` as many lines.
  Clocks endKernel(Clocks now, double changedTimes = 1);
  /// Lines of L2s that memory doesn't have yet.
  uint64_t changedLines() const;

  /// Since beginLaunch.
  const MemoryCounters &counters() const;
  /// Pages that reached the L2s since beginLaunch, and which caches held them when it came to them.
  const PageSet &touched() const;

  /// L2s that hold something of a range, by block of lines.
  std::vector<SnoopFilter::Mask> holders(const PhysicalRange &range) const;
  /// Bytes of a range that the MALL holds, and those that the L2s do that are wanted: a line a page looked at.
  struct Held {
    double mall = 0, l2 = 0;
  };
  Held held(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted) const;
  /// The same of touched pages, before the launch.
  Held heldBefore(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted) const;
  /// Leaves the caches as a launch would that reads the range and after which L2s hold that of it, at no time.
  void touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders);
  /// Others than kernels have written the range: the L2s forget it.
  void overwrite(const PhysicalRange &range);

private:
  template <typename HeldAt>
  Held sum(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted, HeldAt heldAt) const;

  struct Levels;
  std::unique_ptr<Levels> levels;
};

} // namespace nstf::emulator::timing
