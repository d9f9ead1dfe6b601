// Control flow, hardware registers and vector skip. The results of single scalar instructions are in
// meaning/ScalarTest.cpp.
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

TEST(Scalar, BranchesAndCalls) {
  Snippet s("gfx942", R"(
    s_mov_b32 s2, 0
    s_mov_b32 s3, 10
  loop:
    s_add_u32 s2, s2, s3
    s_sub_u32 s3, s3, 1
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 loop
    s_getpc_b64 s[4:5]
  here:
    s_add_u32 s4, s4, function-here
    s_addc_u32 s5, s5, 0
    s_swappc_b64 s[6:7], s[4:5]
    s_add_u32 s2, s2, 1
    s_call_b64 s[6:7], function
    s_mov_b64 vcc, 0
    s_cbranch_vccnz bad
    s_mov_b64 exec, 0
    s_cbranch_execz good
  bad:
    s_mov_b32 s2, 0
  good:
    s_endpgm
  function:
    s_add_u32 s2, s2, 1000
    s_setpc_b64 s[6:7])");
  s.run();
  EXPECT_EQ(s.wave().scalars[2], 55u + 1000 + 1 + 1000);
}

TEST(Scalar, HardwareRegisters) {
  Snippet s("gfx90a", R"(
    s_getreg_b32 s2, hwreg(HW_REG_MODE)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
    s_getreg_b32 s3, hwreg(HW_REG_MODE, 4, 4)
    v_mul_f32 v2, v0, v1
    v_add_f32 v3, v4, v5
    s_mov_b32 s4, 3
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4
    v_mul_f32 v6, v0, v1
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
    v_add_f32 v7, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
    v_add_f32 v8, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
    v_add_f32 v9, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
    v_add_f32 v10, v4, v5)");
  float half = 0x1p-1f, tiny = 0x1p-126f, one = 1, small = 0x1.8p-24f;
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane(0, l, half);
    s.setLane(1, l, tiny);
    s.setLane(4, l, one);
    s.setLane(5, l, small);
  }
  u32 mode = s.wave().mode;
  s.run();
  EXPECT_EQ(s.wave().scalars[2], mode);
  EXPECT_EQ(s.wave().scalars[3], 0xcu);
  EXPECT_EQ(s.lane<float>(2, 5), 0.0f);          // subnormals are flushed
  EXPECT_EQ(s.lane<float>(6, 5), 0x1p-127f);     // subnormals are kept
  EXPECT_EQ(s.lane<float>(7, 5), 0x1.000002p0f); // rounded up
  EXPECT_EQ(s.lane<float>(8, 5), 1.0f);          // rounded down
  EXPECT_EQ(s.lane<float>(9, 5), 1.0f);          // rounded toward zero
  EXPECT_EQ(s.lane<float>(10, 5), 0x1.000002p0f);
  EXPECT_EQ(s.wave().mode, mode);
}

TEST(Scalar, VectorInstructionsAreSkipped) {
  Snippet s("gfx90a", R"(
    s_setvskip s2, s3
    v_mov_b32 v1, 1.0
    v_add_f32_dpp v2, v3, v3 row_shr:1 row_mask:0xf bank_mask:0xf
    v_cmp_eq_u32 vcc, v0, v0
    s_mov_b32 s4, 7
    v_readfirstlane_b32 s5, v0
    s_setvskip 0, 0
    v_mov_b32 v4, 1.0)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (bool skip : {true, false}) {
    s.wave().scalars[2] = skip ? 0x20 : 0;
    s.wave().scalars[3] = 5;
    s.wave().scalars[5] = 99;
    s.wave().setScalar64(sgpr::vcc, 0);
    for (unsigned r = 0; r < 5; ++r)
      s.wave().rows[r][9] = 0;
    s.run();
    EXPECT_EQ(s.lane<float>(1, 9), skip ? 0.0f : 1.0f);
    EXPECT_EQ(s.wave().scalar64(sgpr::vcc), skip ? 0 : ~u64(0));
    EXPECT_EQ(s.wave().scalars[4], 7u);
    EXPECT_EQ(s.wave().scalars[5], skip ? 99u : 0u);
    EXPECT_EQ(s.lane<float>(4, 9), 1.0f);
    EXPECT_EQ(s.wave().exec(), ~u64(0));
  }
}

} // namespace
