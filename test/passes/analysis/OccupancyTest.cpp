// Waves on a SIMD, at and on both sides of every limit. gfx90a and gfx942 have the same register files and LDS.
#include "passes/analysis/Occupancy.h"

#include "compiler/target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace nstf {
namespace {

class OccupancyOf : public testing::TestWithParam<const char *> {
protected:
  Occupancy get(KernelResources kernel) {
    return getOccupancy(TargetView(findTarget(GetParam()).attribute(&context)), kernel);
  }

  void expect(KernelResources kernel, int64_t waves, llvm::StringRef limit) {
    Occupancy occupancy = get(kernel);
    EXPECT_EQ(occupancy.wavesPerSimd, waves) << kernel.vgprs << " " << kernel.sgprs << " " << kernel.ldsBytes;
    EXPECT_EQ(occupancy.limit, limit) << kernel.vgprs << " " << kernel.sgprs << " " << kernel.ldsBytes;
  }

  mlir::MLIRContext context;
};

TEST_P(OccupancyOf, NothingLimits) {
  expect({}, 8, "waves");
  expect({.vgprs = 64, .sgprs = 96, .ldsBytes = 8192, .wavesPerGroup = 4}, 8, "waves");
}

TEST_P(OccupancyOf, Vgprs) {
  // 512 registers in granules of 8.
  expect({.vgprs = 65}, 7, "vgprs");
  expect({.vgprs = 72}, 7, "vgprs");
  expect({.vgprs = 73}, 6, "vgprs");
  expect({.vgprs = 128}, 4, "vgprs");
  expect({.vgprs = 129}, 3, "vgprs");
  expect({.vgprs = 256}, 2, "vgprs");
  expect({.vgprs = 257}, 1, "vgprs");
  expect({.vgprs = 512}, 1, "vgprs");
  expect({.vgprs = 513}, 0, "vgprs");
}

TEST_P(OccupancyOf, Sgprs) {
  // 800 registers in granules of 16.
  expect({.sgprs = 97}, 7, "sgprs");
  expect({.sgprs = 102}, 7, "sgprs");
}

TEST_P(OccupancyOf, Lds) {
  // A compute unit has four SIMDs: waves of the groups that fit are spread over them.
  expect({.ldsBytes = 65536, .wavesPerGroup = 4}, 1, "lds");
  expect({.ldsBytes = 65536, .wavesPerGroup = 16}, 4, "lds");
  expect({.ldsBytes = 32768, .wavesPerGroup = 4}, 2, "lds");
  expect({.ldsBytes = 32769, .wavesPerGroup = 4}, 1, "lds");
  expect({.ldsBytes = 16384, .wavesPerGroup = 1}, 1, "lds");
  expect({.ldsBytes = 65537, .wavesPerGroup = 4}, 0, "lds");
}

TEST_P(OccupancyOf, WorkgroupsComeWhole) {
  // 7 waves on each of 4 SIMDs: one workgroup of 16, not one and three quarters.
  expect({.vgprs = 72, .wavesPerGroup = 16}, 4, "workgroup size");
  expect({.vgprs = 72, .wavesPerGroup = 4}, 7, "vgprs");
  // Nine workgroups of three: a SIMD still has seven.
  expect({.vgprs = 72, .wavesPerGroup = 3}, 7, "vgprs");
  expect({.vgprs = 256, .wavesPerGroup = 16}, 0, "workgroup size");
}

TEST_P(OccupancyOf, Workgroups) {
  EXPECT_EQ(get({.wavesPerGroup = 4}).workgroups, 8);
  EXPECT_EQ(get({.vgprs = 72, .wavesPerGroup = 16}).workgroups, 1);
  EXPECT_EQ(get({.vgprs = 72, .wavesPerGroup = 3}).workgroups, 9);
  EXPECT_EQ(get({.ldsBytes = 40000, .wavesPerGroup = 1}).workgroups, 1);
  EXPECT_EQ(get({.ldsBytes = 10240, .wavesPerGroup = 4}).workgroups, 6);
  EXPECT_EQ(get({.ldsBytes = 65537, .wavesPerGroup = 4}).workgroups, 0);
}

TEST_P(OccupancyOf, TheTightestIsNamed) {
  expect({.vgprs = 128, .sgprs = 102, .ldsBytes = 32768, .wavesPerGroup = 4}, 2, "lds");
  expect({.vgprs = 256, .sgprs = 102, .ldsBytes = 16384, .wavesPerGroup = 4}, 2, "vgprs");
}

INSTANTIATE_TEST_SUITE_P(Chips, OccupancyOf, testing::Values("gfx90a", "gfx942"));

} // namespace
} // namespace nstf
