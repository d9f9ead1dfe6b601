// Clocks under the power limit: the published measurements that the model was fitted to, and its limits.
#include "runtime/emulator/timing/ClockModel.h"
#include "runtime/emulator/timing/ChipTiming.h"

#include <gtest/gtest.h>

using namespace nstf::emulator::timing;

namespace {

TEST(ClockModel, MatrixInstructionsByName) {
  auto demand = [](std::string_view name) {
    PowerDemand d;
    d.addInstructions(name, 1);
    return d;
  };
  EXPECT_EQ(demand("v_mfma_f32_32x32x8_f16").f16Flops, 16384);
  EXPECT_EQ(demand("v_mfma_f32_32x32x8f16").f16Flops, 16384);
  EXPECT_EQ(demand("v_mfma_f32_16x16x16_bf16").bf16Flops, 8192);
  EXPECT_EQ(demand("v_mfma_f32_32x32x4_2b_bf16").bf16Flops, 16384);
  EXPECT_EQ(demand("v_mfma_f32_4x4x4f16").f16Flops, 2048);
  EXPECT_EQ(demand("v_mfma_i32_16x16x32_i8").eightBitFlops, 16384);
  EXPECT_EQ(demand("v_mfma_f32_32x32x16_fp8_bf8").eightBitFlops, 32768);
  EXPECT_EQ(demand("v_smfmac_f32_16x16x32_f16").f16Flops, 16384);
  EXPECT_EQ(demand("v_mfma_f32_32x32x2_f32").vectorFlops, 4096);
  EXPECT_EQ(demand("v_mfma_f64_16x16x4_f64").vectorFlops, 2048);
  EXPECT_EQ(demand("v_mfma_f64_4x4x4_4b_f64").vectorFlops, 512);
  EXPECT_EQ(demand("v_fma_f32").vectorFlops, 128);
  EXPECT_EQ(demand("s_nop").vectorFlops, 0);
}

// One second of work at the peak clock. MI300X streams 4.07 TB/s at 1,254 MHz, and AMD's f16 maximum of 654 TFLOP/s at
// an efficiency of 0.94 is 1,120 MHz; the model gives clocks to 10 %.
TEST(ClockModel, MI300XAtItsLimit) {
  const ChipTiming &chip = ChipTiming::find("mi300x");
  EXPECT_NEAR(sustainedClock(chip, {.hbmBytes = 4.07e12}, 1e9, 0), 1254, 125);
  const double peak = 304 * 2048 * 2.1e9 * 0.94;
  EXPECT_NEAR(sustainedClock(chip, {.hbmBytes = 1e12, .f16Flops = peak}, 1e9, 1), 1150, 115);
  EXPECT_EQ(sustainedClock(chip, {}, 1e9, 1), 2100);                // nothing to do
  EXPECT_EQ(sustainedClock(chip, {.hbmBytes = 1e14}, 1e9, 0), 900); // more than there can be
  EXPECT_LT(sustainedClock(chip, {.f16Flops = peak}, 1e9, 1), sustainedClock(chip, {.f16Flops = peak / 2}, 1e9, 1));
}

TEST(ClockModel, WithoutAKnownLimitOneClock) {
  const ChipTiming &chip = ChipTiming::find("mi250x");
  EXPECT_EQ(sustainedClock(chip, {.f16Flops = 1e15}, 1e9, 1), chip.sustainedClock);
}

} // namespace
