#include "runtime/emulator/timing/record/LdsClocks.h"
#include "support/LdsPhases.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::timing {
namespace {

constexpr unsigned width = Wave::width, bankBytes = 4;

} // namespace

/// An atomic is a separate operation for each lane, also on the same dword.
uint32_t LdsClocks::atomicConflicts(std::span<const uint64_t> phases, const uint32_t *offsets, uint64_t lanes,
                                    uint32_t bytes) const {
  uint32_t conflicts = 0;
  for (uint64_t phase : phases) {
    std::array<uint32_t, support::maxLdsBanks> operations = {};
    uint32_t fullest = 1;
    for (uint64_t left = phase & lanes; left; left &= left - 1) {
      const uint32_t dword = offsets[std::countr_zero(left)] / bankBytes;
      for (uint32_t i = 0; i * bankBytes < bytes; ++i)
        fullest = std::max(fullest, ++operations[(dword + i) % banks]);
    }
    conflicts += fullest - 1;
  }
  return conflicts;
}

LdsDetail LdsClocks::of(const uint32_t *offsets, uint64_t lanes, const TimingFact &fact) const {
  using support::LdsDirection;
  const LdsDirection direction = fact.is(TimingFact::store) ? LdsDirection::Write : LdsDirection::Read;
  const uint32_t bytes = std::clamp<uint32_t>(fact.bytes, 1, 16);
  const std::span<const uint64_t> phases = support::ldsPhases(direction, bytes);
  const auto active = std::ranges::count_if(phases, [&](uint64_t phase) { return phase & lanes; });
  const uint32_t conflicts = fact.is(TimingFact::atomic)
                                 ? atomicConflicts(phases, offsets, lanes, bytes)
                                 : support::ldsConflictClocks(direction, bytes, {offsets, width}, lanes, banks);
  const uint32_t accesses = fact.is(TimingFact::ldsPair) ? 2 : 1;
  return {uint16_t(uint32_t(active) * accesses), uint16_t(conflicts * accesses)};
}

LdsDetail LdsClocks::of(const Wave &wave, const MicroOp *op, const TimingFact &fact) {
  const uint64_t lanes = wave.exec();
  if (!lanes)
    return {0, 0};
  // Lanes exchanged by the crossbar, counters, and accesses without an offset register: no two lanes use the same bank.
  if (fact.is(TimingFact::ldsLanes | TimingFact::globalSync) || !fact.bytes || op->source[0] & constantSource)
    return {2, 0};
  if (op->instruction >= byInstruction.size())
    byInstruction.resize(op->instruction + 1);
  std::unique_ptr<Pattern> &pattern = byInstruction[op->instruction];
  if (!pattern)
    pattern = std::make_unique<Pattern>();
  const uint32_t *row = wave.row(op->source[0]);
  const uint32_t first = row[std::countr_zero(lanes)];
  const uint32_t phase = (first + (fact.is(TimingFact::ldsPair) ? 0 : uint32_t(op->immediate))) % bankBytes;
  uint32_t different = uint32_t(pattern->lanes != lanes || pattern->phase != phase);
  if (lanes == ~uint64_t(0)) {
    for (unsigned lane = 0; lane < width; ++lane)
      different |= (row[lane] - first) ^ pattern->distances[lane];
  } else {
    for (uint64_t left = lanes; left; left &= left - 1)
      different |= (row[std::countr_zero(left)] - first) ^ pattern->distances[unsigned(std::countr_zero(left))];
  }
  if (!different)
    return pattern->detail;
  std::array<uint32_t, width> offsets;
  for (unsigned lane = 0; lane < width; ++lane) {
    pattern->distances[lane] = row[lane] - first;
    offsets[lane] = row[lane] + (fact.is(TimingFact::ldsPair) ? 0 : uint32_t(op->immediate));
  }
  pattern->lanes = lanes;
  pattern->phase = phase;
  return pattern->detail = of(offsets.data(), lanes, fact);
}

} // namespace nstf::emulator::timing
