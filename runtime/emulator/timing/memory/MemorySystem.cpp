#include "runtime/emulator/timing/memory/MemorySystem.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/InstructionFetch.h"
#include "runtime/emulator/timing/memory/ScalarCache.h"
#include "runtime/emulator/timing/memory/VectorCache.h"

#include <bit>

namespace nstf::emulator::timing {

struct MemorySystem::Levels {
  explicit Levels(const ChipTiming &chip)
      : chip(chip), l2(chip, counters), vector(chip, counters, l2), scalar(chip, counters, l2),
        instructions((chip.computeUnits + chip.instructionCacheSharers - 1) / chip.instructionCacheSharers,
                     InstructionCache(chip)) {}

  /// Internal time continues from launch to launch.
  double inside(Clocks now) const { return begin + double(now); }
  Clocks outside(double time) {
    latest = std::max(latest, time);
    const double since = time - begin; // rounded up, without a call
    const Clocks whole = Clocks(int64_t(since));
    return whole + (double(int64_t(whole)) < since);
  }
  uint32_t getXcd(uint32_t computeUnit) const { return computeUnit / chip.computeUnitsPerXcd(); }
  uint64_t blockBytes() const { return l2.tags().lineBlock().bytes(); }

  const ChipTiming chip;
  MemoryCounters counters;
  L2 l2;
  VectorCache vector;
  ScalarCache scalar;
  std::vector<InstructionCache> instructions;
  double begin = 0;  ///< begin of the launch
  double latest = 0; ///< the latest completion time of any access
};

MemorySystem::MemorySystem(const ChipTiming &chip) : levels(std::make_unique<Levels>(chip)) {
  beginLaunch(chip.peakClock);
}
MemorySystem::MemorySystem(MemorySystem &&) noexcept = default;
MemorySystem::~MemorySystem() = default;

void MemorySystem::beginLaunch(double clockMhz) {
  double clocksPerNs = clockMhz / 1000;
  levels->begin = levels->latest;
  levels->counters = {};
  levels->l2.setClock(clocksPerNs);
  levels->l2.tags().beginLaunch();
  levels->vector.setClock(clocksPerNs);
  for (InstructionCache &cache : levels->instructions)
    cache.beginLaunch();
}

void MemorySystem::prefetch(uint32_t computeUnit, std::span<const LineAccess> lines) const {
  levels->vector.prefetch(computeUnit, lines);
}

MemoryReply MemorySystem::vectorAccess(uint32_t computeUnit, Clocks now, const VectorAccess &access) {
  VectorCache::Reply reply = levels->vector.access(computeUnit, levels->inside(now), access);
  return {levels->outside(reply.issueFree), levels->outside(reply.done), Clocks(reply.placeWait)};
}

Clocks MemorySystem::scalarAccess(uint32_t computeUnit, Clocks now, AccessKind kind,
                                  std::span<const LineAccess> lines) {
  const ChipTiming &chip = levels->chip;
  double at = levels->inside(now), done = at;
  for (const LineAccess &line : lines) {
    if (kind != AccessKind::Load) {
      levels->l2.tags().begin(levels->getXcd(computeUnit), L2Access::Atomic, false, 1);
      const L2Line found = levels->l2.tags().add(line.address, line.dwords);
      levels->l2.tags().lookUp();
      const double served = levels->l2.atomic(at, found, line.dwords, line.lanes, false);
      done = std::max(done, served + chip.scalarMissLatency);
      continue;
    }
    // The scalar cache's lines are shorter than the L1's.
    uint64_t first = line.address + 4 * uint32_t(std::countr_zero(line.dwords));
    uint64_t last = line.address + 4 * uint32_t(std::bit_width(line.dwords)) - 4;
    for (first -= first % chip.scalarLineBytes; first <= last; first += chip.scalarLineBytes)
      done = std::max(done, levels->scalar.read(computeUnit, at, first));
  }
  return levels->outside(done);
}

InstructionCache &MemorySystem::instructions(uint32_t computeUnit) {
  return levels->instructions[computeUnit / levels->chip.instructionCacheSharers];
}

Clocks MemorySystem::instructionMiss(uint32_t computeUnit, Clocks now, uint64_t address) {
  const ChipTiming &chip = levels->chip;
  double there = levels->l2.read(levels->getXcd(computeUnit), levels->inside(now), address, chip.instructionLineBytes);
  return levels->outside(there + chip.instructionMissLatency);
}

Clocks MemorySystem::invalidate(uint32_t computeUnit, Clocks now, CachePolicy) {
  levels->vector.drop(computeUnit);
  return now + levels->chip.l1Latency;
}

Clocks MemorySystem::invalidateScalar(uint32_t computeUnit, Clocks now) {
  levels->scalar.drop(computeUnit);
  return now + levels->chip.scalarLatency;
}

Clocks MemorySystem::writeBack(uint32_t computeUnit, Clocks now, CachePolicy) {
  double asked = levels->inside(now) + levels->chip.l2Latency;
  // With one L2, this write-back only makes data visible to the host, and caches never hold memory that the host sees.
  return levels->outside(levels->chip.xcds == 1 ? asked : levels->l2.writeBack(levels->getXcd(computeUnit), asked));
}

Clocks MemorySystem::endKernel(Clocks now, double changedTimes) {
  levels->vector.drop();
  levels->scalar.drop();
  const uint32_t what = levels->chip.l2KernelEnd;
  if (what == 0)
    return now;
  double begin = levels->inside(now), done = begin;
  for (uint32_t xcd = 0; xcd < levels->chip.xcds; ++xcd) {
    done = std::max(done, levels->l2.writeBack(xcd, begin, changedTimes));
    if (what > 1)
      levels->l2.tags().drop(xcd);
  }
  levels->l2.tags().dropOfLaunch();
  return levels->outside(done);
}

uint64_t MemorySystem::changedLines() const {
  uint64_t all = 0;
  for (uint32_t xcd = 0; xcd < levels->chip.xcds; ++xcd)
    all += levels->l2.tags().changedLines(xcd);
  return all;
}

const MemoryCounters &MemorySystem::counters() const { return levels->counters; }
const PageSet &MemorySystem::touched() const { return levels->l2.tags().touched(); }

std::vector<SnoopFilter::Mask> MemorySystem::holders(const PhysicalRange &range) const {
  std::vector<SnoopFilter::Mask> all;
  for (uint64_t address = range.begin; address < range.end; address += levels->blockBytes())
    all.push_back(levels->l2.tags().held(address).l2s);
  return all;
}

/// `heldAt`: the function that returns the caches holding a page.
template <typename HeldAt>
MemorySystem::Held MemorySystem::sum(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted,
                                     HeldAt heldAt) const {
  Held bytes;
  for (uint64_t address = range.begin; address < range.end; address += PageSet::pageBytes) {
    const PageSet::Held held = heldAt(address);
    const double size = double(std::min(range.end - address, PageSet::pageBytes));
    bytes.mall += held.mall ? size : 0;
    bytes.l2 += held.l2s & wanted[(address - range.begin) / levels->blockBytes()] ? size : 0;
  }
  return bytes;
}

MemorySystem::Held MemorySystem::held(const PhysicalRange &range, std::span<const SnoopFilter::Mask> wanted) const {
  return sum(range, wanted, [&](uint64_t page) { return levels->l2.tags().held(page); });
}

MemorySystem::Held MemorySystem::heldBefore(const PhysicalRange &range,
                                            std::span<const SnoopFilter::Mask> wanted) const {
  return sum(range, wanted, [&](uint64_t page) { return touched().heldBefore(page); });
}

void MemorySystem::touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders) {
  levels->l2.touch(range, holders);
}

void MemorySystem::overwrite(const PhysicalRange &range) { levels->l2.tags().dropOverwritten(range); }

} // namespace nstf::emulator::timing
