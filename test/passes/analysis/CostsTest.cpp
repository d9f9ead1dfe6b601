// The costs of work on the built-in chips by their files, and that each field of a chip affects what it describes.
#include "passes/analysis/Costs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "test/passes/analysis/ChipCosts.h"
#include <gtest/gtest.h>

namespace nstf::systolic {
namespace {

using support::LdsDirection;

class CostsTest : public testing::Test {
protected:
  Costs costs() { return test::getCosts(target, context); }

  Target target = findTarget("gfx942");
  mlir::MLIRContext context;
  mlir::Builder builder{&context};
};

TEST_F(CostsTest, AnLdsAccessHoldsItsPortByItsWidth) {
  const Costs mi300x = costs();
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Read, 1), 4);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Read, 4), 4);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Read, 8), 8);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Read, 12), 16);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Read, 16), 16);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Write, 2), 8);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Write, 8), 12);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Write, 12), 20);
  EXPECT_EQ(mi300x.getLdsPortClocks(LdsDirection::Write, 16), 20);
  EXPECT_EQ(mi300x.getLdsPorts(), 2);
  EXPECT_EQ(mi300x.getSharersOfLdsPort(), 2);
  target.ldsReadClocksB96 = 13;
  target.ldsWriteClocksB128 = 32;
  target.ldsPorts = 1;
  EXPECT_EQ(costs().getLdsPortClocks(LdsDirection::Read, 12), 13);
  EXPECT_EQ(costs().getLdsPortClocks(LdsDirection::Write, 16), 32);
  EXPECT_EQ(costs().getSharersOfLdsPort(), 4);
}

TEST_F(CostsTest, BankConflicts) {
  std::array<uint32_t, 64> addresses;
  for (uint32_t lane = 0; lane < 64; ++lane)
    addresses[lane] = 8 * lane;
  auto conflicts = [&] { return costs().getLdsConflictClocks(LdsDirection::Read, 4, addresses, ~uint64_t(0)); };
  EXPECT_EQ(conflicts(), 2);
  target.ldsConflictClocks = 3;
  EXPECT_EQ(conflicts(), 6);
  target.ldsBanks = 64;
  EXPECT_EQ(conflicts(), 0);
}

TEST_F(CostsTest, MatrixInstructions) {
  const mlir::Type f16 = builder.getF16Type(), f64 = builder.getF64Type();
  EXPECT_EQ(costs().getMatrixClocks(32, 32, 8, 1, f16), 8 * 4);
  EXPECT_EQ(costs().getMatrixClocks(16, 16, 16, 1, f16), 4 * 4);
  EXPECT_EQ(costs().getMatrixClocks(16, 16, 16, 2, f16), std::nullopt);
  EXPECT_EQ(costs().getMatrixClocks(16, 16, 16, 1, f64), std::nullopt);
  target.matrixPassClocks = 8;
  EXPECT_EQ(costs().getMatrixClocks(16, 16, 16, 1, f16), 4 * 8);
  EXPECT_EQ(costs().getMatrixPassClocks(), 8);
}

TEST_F(CostsTest, TheAddressUnit) {
  EXPECT_EQ(costs().getLanesTogether(2), 16);
  EXPECT_EQ(costs().getLanesTogether(4), 16);
  EXPECT_EQ(costs().getLanesTogether(8), 8);
  EXPECT_EQ(costs().getLanesTogether(12), 4);
  EXPECT_EQ(costs().getLanesTogether(16), 4);
  EXPECT_EQ(costs().getAddressClocks(1), 4);
  EXPECT_EQ(costs().getAddressClocks(64), 64);
  target.vmemLanesPerClock = 8;
  target.vmemBytesPerClock = 256;
  target.vmemLinesPerClock = 3;
  target.vmemIssueClocks = 7;
  EXPECT_EQ(costs().getLanesTogether(4), 8);
  EXPECT_EQ(costs().getLanesTogether(16), 8);
  EXPECT_EQ(costs().getAddressClocks(64), 22);
  EXPECT_EQ(costs().getAddressClocks(1), 7);
  target.vmemLanesPerClock = 1000;
  target.vmemBytesPerClock = 4;
  EXPECT_EQ(costs().getLanesTogether(4), 1);
  EXPECT_EQ(costs().getLanesTogether(16), 1); // at least one lane
  target.vmemBytesPerClock = 4096;
  EXPECT_EQ(costs().getLanesTogether(4), 64); // at most a wave
}

TEST_F(CostsTest, Loads) {
  EXPECT_EQ(costs().getLoadClocks(2), 4);
  EXPECT_EQ(costs().getLoadClocks(16), 16);
  EXPECT_EQ(costs().getStageClocks(), 11);
  EXPECT_EQ(costs().getLineBytes(), 128);
  target.l1BytesPerClock = 128;
  target.ldsDmaClocks = 20;
  EXPECT_EQ(costs().getLoadClocks(16), 8);
  EXPECT_EQ(costs().getLoadClocks(2), 4); // the address unit's clocks
  EXPECT_EQ(costs().getStageClocks(), 20);
}

TEST_F(CostsTest, Memory) {
  EXPECT_EQ(costs().getMemoryLatency(), 213 + (116 + 158) * 2100 / 1000);
  EXPECT_EQ(costs().getBytesNeeded(), int64_t(788) * 4050 * 1000 / (2100 * 304));
  target.hbmLatencyNs += 100;
  EXPECT_EQ(costs().getMemoryLatency(), 788 + 210);
}

TEST_F(CostsTest, WhatPlansCountWith) {
  for (const char *name : {"gfx90a", "gfx942"}) {
    target = findTarget(name);
    EXPECT_EQ(costs().getLdsCoverClocks(), 64) << name;
    EXPECT_EQ(costs().getBarrierCoverClocks(), 16) << name;
    EXPECT_EQ(costs().getExchangeClocks(), 200) << name;
  }
  target.ldsCoverClocks = 1, target.barrierCoverClocks = 2, target.exchangeClocks = 3;
  EXPECT_EQ(costs().getLdsCoverClocks(), 1);
  EXPECT_EQ(costs().getBarrierCoverClocks(), 2);
  EXPECT_EQ(costs().getExchangeClocks(), 3);
}

} // namespace
} // namespace nstf::systolic
