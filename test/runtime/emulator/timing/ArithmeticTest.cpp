// Flops of instructions, and that each type of them has a peak rate.
#include "runtime/emulator/timing/prediction/Arithmetic.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/instructions/HandlerTable.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

TEST(Arithmetic, FlopsOfAWave) {
  struct Row {
    Opcode opcode;
    NumberType type;
    double flops;
  };
  for (const auto &[opcode, type, flops] : {
           Row{Opcode::V_ADD_F32, NumberType::f32, 64},
           Row{Opcode::V_FMAC_F32, NumberType::f32, 128},
           Row{Opcode::V_MAX_F32, NumberType::none, 0},
           Row{Opcode::V_PK_FMA_F32, NumberType::f32, 256},
           Row{Opcode::V_PK_MUL_F16, NumberType::f16, 128},
           Row{Opcode::V_FMA_F64, NumberType::f64, 128},
           Row{Opcode::V_DIV_FMAS_F64, NumberType::f64, 128},
           Row{Opcode::V_FMA_MIX_F32, NumberType::f32, 128},
           Row{Opcode::V_DOT2_F32_F16, NumberType::f16, 256},
           Row{Opcode::V_EXP_F32, NumberType::f32, 64},
           Row{Opcode::V_CVT_F32_I32, NumberType::none, 0},
           Row{Opcode::V_MUL_LO_U32, NumberType::none, 0},
           Row{Opcode::V_DOT4_I32_I8, NumberType::none, 0},
           Row{Opcode::V_MOV_B32, NumberType::none, 0},
           Row{Opcode::S_ADD_U32, NumberType::none, 0},
           Row{Opcode::V_MFMA_F32_32X32X4F16, NumberType::f16, 16384}, // two blocks
           Row{Opcode::V_MFMA_F32_16X16X32_BF8_FP8, NumberType::bf8, 16384},
           Row{Opcode::V_SMFMAC_F32_16X16X32_F16, NumberType::f16, 16384},
       }) {
    const Arithmetic arithmetic = getArithmetic(opcode);
    const std::string name(getInfo(opcode).name);
    EXPECT_EQ(arithmetic.flops, flops) << name;
    if (flops) {
      EXPECT_EQ(arithmetic.type, type) << name;
    }
  }
}

TEST(Arithmetic, IssuedToTheLastInstructionOfTheCode) {
  // v_add_f32 v0, v1, v2; the same of -v1, which takes two micro-ops; s_endpgm
  const std::vector<uint32_t> code = {0x02000501, 0xd1010000, 0x20020501, 0xbf810000};
  const std::span<const uint8_t> texts[] = {{reinterpret_cast<const uint8_t *>(code.data()), 4 * code.size()}};
  const auto program = decodeProgram(*Target::find("gfx942"), texts);
  StallTable stalls(program->instructionCount());
  stalls[0].issued = 5;
  stalls[1].issued = 7;
  stalls[2].issued = 3;
  const OpcodeCounts issued = countIssued(stalls, *program);
  EXPECT_EQ(issued[size_t(Opcode::V_ADD_F32)], 12u);
  EXPECT_EQ(issued[size_t(Opcode::S_ENDPGM)], 3u);
  EXPECT_EQ(std::accumulate(issued.begin(), issued.end(), uint64_t(0)), 15u);
}

// AMD's data sheets: 1307.4 TFLOP/s f16 of 304 compute units at 2.1 GHz, 383 of 220 at 1.7 GHz.
TEST(Arithmetic, PeakRatesOfMatrixCores) {
  const DeviceModel mi300x = DeviceModel::load("gfx942"), mi250x = DeviceModel::load("gfx90a");
  constexpr double clocksOfAPass = 4;
  EXPECT_NEAR(mi300x.matrixFlopsPerPass.at("f16") / clocksOfAPass * mi300x.simds * 304 * 2.1e-3, 1307.4, 0.1);
  EXPECT_NEAR(mi250x.matrixFlopsPerPass.at("f16") / clocksOfAPass * mi250x.simds * 220 * 1.7e-3, 383, 0.1);
}

} // namespace
