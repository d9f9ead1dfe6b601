// Single accesses to a chip's memory system.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"

#include <gtest/gtest.h>

namespace nstf::emulator::timing::test {

class MemoryFixture : public ::testing::TestWithParam<const char *> {
protected:
  const ChipTiming &chip = ChipTiming::find(GetParam());
  double clocks(double ns) const { return ns * chip.peakClock / 1000; }
  double expectNear(double got, double wanted, double share) const {
    EXPECT_NEAR(got, wanted, wanted * share);
    return got;
  }
  /// One load of a line by itself.
  Clocks load(MemorySystem &memory, uint32_t computeUnit, Clocks now, uint64_t address, CachePolicy policy = {}) const {
    LineAccess line{address, 1, 1};
    return memory.vectorAccess(computeUnit, now, {AccessKind::Load, policy, {&line, 1}, 4, 4}).done;
  }
  Clocks store(MemorySystem &memory, uint32_t computeUnit, Clocks now, uint64_t address,
               CachePolicy policy = {}) const {
    LineAccess line{address, 1, 1};
    return memory.vectorAccess(computeUnit, now, {AccessKind::Store, policy, {&line, 1}, 4, 4}).done;
  }
};

} // namespace nstf::emulator::timing::test
