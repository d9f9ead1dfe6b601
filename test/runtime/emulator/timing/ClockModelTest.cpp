// Clocks under the power limit: the published measurements that the model was fitted to, and its limits.
#include "runtime/emulator/timing/prediction/ClockModel.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

TEST(ClockModel, EnergyByTypeOfInstruction) {
  auto demand = [](Opcode opcode) {
    PowerDemand d;
    d.addInstructions(opcode, 1);
    return d;
  };
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_32X32X8F16).f16Flops, 16384);
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_32X32X4F16).f16Flops, 16384); // two blocks
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_16X16X16BF16_1K).bf16Flops, 8192);
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_4X4X4F16).f16Flops, 2048);
  EXPECT_EQ(demand(Opcode::V_MFMA_I32_16X16X32I8).eightBitFlops, 16384);
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_32X32X16_FP8_BF8).eightBitFlops, 32768);
  EXPECT_EQ(demand(Opcode::V_SMFMAC_F32_16X16X32_F16).f16Flops, 16384);
  EXPECT_EQ(demand(Opcode::V_MFMA_F32_32X32X2F32).vectorFlops, 4096);
  EXPECT_EQ(demand(Opcode::V_MFMA_F64_16X16X4F64).vectorFlops, 2048);
  EXPECT_EQ(demand(Opcode::V_MFMA_F64_4X4X4F64).vectorFlops, 512);
  EXPECT_EQ(demand(Opcode::V_FMA_F32).vectorFlops, 128);
  EXPECT_EQ(demand(Opcode::V_MOV_B32).vectorFlops, 128);
  EXPECT_EQ(demand(Opcode::S_NOP).vectorFlops, 0);
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
