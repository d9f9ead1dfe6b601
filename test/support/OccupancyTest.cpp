// Waves per SIMD, at each limit and on both sides of it. gfx90a and gfx942 have the same register files and LDS.
#include "support/Occupancy.h"

#include <gtest/gtest.h>

namespace nstf::support {
namespace {

constexpr ComputeUnit unit = {.simds = 4,
                              .maxWavesPerSimd = 8,
                              .vgprsPerLane = 512,
                              .vgprGranule = 8,
                              .sgprsPerSimd = 800,
                              .sgprGranule = 16,
                              .ldsBytes = 65536,
                              .ldsGranule = 512};

void expect(KernelResources kernel, int64_t waves, std::string_view bound) {
  const Occupancy occupancy = getOccupancy(unit, kernel);
  EXPECT_EQ(occupancy.wavesPerSimd, waves) << kernel.vgprs << " " << kernel.sgprs << " " << kernel.ldsBytes;
  EXPECT_EQ(occupancy.bound, bound) << kernel.vgprs << " " << kernel.sgprs << " " << kernel.ldsBytes;
}

TEST(Occupancy, NothingLimits) {
  expect({}, 8, "waves");
  expect({.vgprs = 64, .sgprs = 96, .ldsBytes = 8192, .wavesPerGroup = 4}, 8, "waves");
}

TEST(Occupancy, Vgprs) {
  // 512 registers in granules of 8.
  expect({.vgprs = 65}, 7, "VGPRs");
  expect({.vgprs = 72}, 7, "VGPRs");
  expect({.vgprs = 73}, 6, "VGPRs");
  expect({.vgprs = 128}, 4, "VGPRs");
  expect({.vgprs = 129}, 3, "VGPRs");
  expect({.vgprs = 256}, 2, "VGPRs");
  expect({.vgprs = 257}, 1, "VGPRs");
  expect({.vgprs = 512}, 1, "VGPRs");
  expect({.vgprs = 513}, 0, "VGPRs");
}

// Compiler and emulator once had separate functions. Where they differed, the compiler was right according to two
// sources that agree: LLVM's AMDGPUBaseInfo.cpp (SGPRs in granules of 16 out of 800; max waves of a compute unit /
// waves of a workgroup) and hipOccupancyMaxActiveBlocksPerMultiprocessor of ROCm's clr (sgprsPerSimd /
// alignUp(usedSGPRs, 16); simdPerCU * waves * wave size / block size).
TEST(Occupancy, Sgprs) {
  expect({.sgprs = 96}, 8, "waves");
  expect({.sgprs = 97}, 7, "SGPRs"); // the emulator gave 8, since it ignored SGPRs
  expect({.sgprs = 102}, 7, "SGPRs");
  EXPECT_EQ(getOccupancy(unit, {.sgprs = 112, .wavesPerGroup = 4}).workgroups, 7);
}
TEST(Occupancy, WavesOfAWorkgroupGoToAnySimd) {
  // 28 waves are four workgroups of six. The emulator assigned two waves of each to every SIMD, which gave three
  // workgroups.
  EXPECT_EQ(getOccupancy(unit, {.vgprs = 72, .wavesPerGroup = 6}).workgroups, 4);
  expect({.vgprs = 72, .wavesPerGroup = 6}, 6, "workgroup size");
}

TEST(Occupancy, Lds) {
  // The waves of the workgroups that fit are spread over the four SIMDs of a compute unit.
  expect({.ldsBytes = 65536, .wavesPerGroup = 4}, 1, "LDS");
  expect({.ldsBytes = 65536, .wavesPerGroup = 16}, 4, "LDS");
  expect({.ldsBytes = 32768, .wavesPerGroup = 4}, 2, "LDS");
  expect({.ldsBytes = 32769, .wavesPerGroup = 4}, 1, "LDS");
  expect({.ldsBytes = 16384, .wavesPerGroup = 1}, 1, "LDS");
  expect({.ldsBytes = 65537, .wavesPerGroup = 4}, 0, "LDS");
}

TEST(Occupancy, WorkgroupsComeWhole) {
  // 7 waves on each of 4 SIMDs: one workgroup of 16, not one and three quarters.
  expect({.vgprs = 72, .wavesPerGroup = 16}, 4, "workgroup size");
  expect({.vgprs = 72, .wavesPerGroup = 4}, 7, "VGPRs");
  // Nine workgroups of three waves: a SIMD still has seven waves.
  expect({.vgprs = 72, .wavesPerGroup = 3}, 7, "VGPRs");
  expect({.vgprs = 256, .wavesPerGroup = 16}, 0, "workgroup size");
}

TEST(Occupancy, Workgroups) {
  EXPECT_EQ(getOccupancy(unit, {.wavesPerGroup = 4}).workgroups, 8);
  EXPECT_EQ(getOccupancy(unit, {.vgprs = 72, .wavesPerGroup = 16}).workgroups, 1);
  EXPECT_EQ(getOccupancy(unit, {.vgprs = 72, .wavesPerGroup = 3}).workgroups, 9);
  EXPECT_EQ(getOccupancy(unit, {.ldsBytes = 40000, .wavesPerGroup = 1}).workgroups, 1);
  EXPECT_EQ(getOccupancy(unit, {.ldsBytes = 10240, .wavesPerGroup = 4}).workgroups, 6);
  EXPECT_EQ(getOccupancy(unit, {.ldsBytes = 65537, .wavesPerGroup = 4}).workgroups, 0);
}

TEST(Occupancy, TheTightestIsNamed) {
  expect({.vgprs = 128, .sgprs = 102, .ldsBytes = 32768, .wavesPerGroup = 4}, 2, "LDS");
  expect({.vgprs = 256, .sgprs = 102, .ldsBytes = 16384, .wavesPerGroup = 4}, 2, "VGPRs");
}

} // namespace
} // namespace nstf::support
