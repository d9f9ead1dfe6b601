// Hardware registers, relative SGPRs and register indices, and the ways in which a wave ends.
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
const char *const targets[] = {"gfx90a", "gfx942"};

TEST(HardwareRegisters, ReadWhatTheWaveIs) {
  for (const char *target : targets) {
    Snippet s(target, R"(
      s_getreg_b32 s0, hwreg(HW_REG_MODE)
      s_getreg_b32 s1, hwreg(HW_REG_STATUS)
      s_cmp_eq_u32 s40, s40
      s_getreg_b32 s2, hwreg(HW_REG_STATUS, 0, 1)
      s_getreg_b32 s3, hwreg(HW_REG_LDS_ALLOC, 12, 9)
      s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)
      s_getreg_b32 s5, hwreg(HW_REG_IB_STS)
      s_getreg_b32 s6, hwreg(HW_REG_GPR_ALLOC, 8, 6)
      s_getreg_b32 s7, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
      s_getreg_b32 s8, hwreg(HW_REG_SH_MEM_BASES, 0, 16))",
              5000);
    ASSERT_EQ(s.program->trapCount(), 0u);
    Wave &w = s.wave();
    w.setScalar64(sgpr::sharedBase, u64(0x10000) << 32);
    w.setScalar64(sgpr::vcc, 1);
    s.run();
    EXPECT_EQ(w.scalars[0], w.mode);
    EXPECT_EQ(w.scalars[1] >> 9 & 1, 0u) << "EXEC is not zero";
    EXPECT_EQ(w.scalars[1] >> 10 & 1, 0u) << "VCC is not zero";
    EXPECT_EQ(w.scalars[1] >> 16 & 1, 1u) << "valid";
    EXPECT_EQ(w.scalars[2], 1u) << "SCC";
    EXPECT_EQ(w.scalars[3], 10u) << "512-byte granules of 5000 bytes";
    EXPECT_EQ(w.scalars[4], 0u);
    EXPECT_EQ(w.scalars[5], 0u);
    EXPECT_EQ(w.scalars[6], 31u) << "256 VGPRs in granules of 8, less one";
    // The upper halves of the apertures' addresses.
    EXPECT_EQ(w.scalars[7], 1u);
    EXPECT_EQ(w.scalars[8], 2u);
  }
}

TEST(HardwareRegisters, TellWhereTheDriverPutTheWave) {
  for (const char *target : targets) {
    bool isMi300 = std::string(target) == "gfx942";
    Snippet s(target, "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)" +
                          std::string(isMi300 ? "\ns_getreg_b32 s1, hwreg(HW_REG_XCC_ID, 0, 4)" : ""));
    ASSERT_EQ(s.program->trapCount(), 0u);
    s.wave().place = {.xcd = 5, .computeUnit = 23, .simd = 2, .slot = 7};
    s.run();
    const u32 engine = isMi300 ? 2 : 1, unit = isMi300 ? 3 : 9; // engines of 10 and 14 compute units
    EXPECT_EQ(s.wave().scalars[0], 7u | 2u << 4 | unit << 8 | engine << 13);
    EXPECT_EQ(s.wave().scalars[1], isMi300 ? 5u : 0u);
  }
}

TEST(HardwareRegisters, WritesChangeModeOnlyWhereAsked) {
  for (const char *target : targets) {
    Snippet s(target, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\ns_getreg_b32 s0, hwreg(HW_REG_MODE)\n"
                      "s_mov_b32 s2, 0x3f\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s2\n"
                      "s_getreg_b32 s1, hwreg(HW_REG_MODE)\ns_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 32), 0xffff");
    u32 before = s.wave().mode;
    s.run();
    EXPECT_EQ(s.wave().scalars[0], (before & ~15u) | 5);
    EXPECT_EQ(s.wave().scalars[1], (before & ~255u) | 0xf5);
  }
}

TEST(RelativeRegisters, ScalarMoves) {
  for (const char *target : targets) {
    Snippet s(target, "s_mov_b32 m0, 4\ns_movrels_b32 s20, s4\ns_movrels_b64 s[22:23], s[4:5]\ns_movreld_b32 s30, s4\n"
                      "s_movreld_b64 s[36:37], s[6:7]\ns_mov_b32 m0, 3\ns_movreld_b32 s50, 0x12345678");
    ASSERT_EQ(s.program->trapCount(), 0u);
    Wave &w = s.wave();
    for (unsigned i = 0; i < 12; ++i)
      w.scalars[i] = 100 + i;
    s.run();
    EXPECT_EQ(w.scalars[20], 108u);
    EXPECT_EQ(w.scalar64(22), 108u | u64(109) << 32);
    EXPECT_EQ(w.scalars[34], 104u);
    EXPECT_EQ(w.scalar64(40), 106u | u64(107) << 32);
    EXPECT_EQ(w.scalars[53], 0x12345678u);
    Snippet wild(target, "s_movrels_b32 s20, s4");
    wild.wave().scalars[sgpr::m0] = 98;
    EXPECT_THROW(wild.run(), WaveFault);
    wild.wave().scalars[sgpr::m0] = 0xffffffff; // the index is unsigned
    EXPECT_THROW(wild.run(), WaveFault);
  }
}

TEST(RelativeRegisters, IndexAndModeChangeWhileOn) {
  for (const char *target : targets) {
    Snippet s(target, R"(
      s_set_gpr_idx_on s0, gpr_idx(SRC0)
      v_mov_b32 v8, v10
      s_set_gpr_idx_idx s1
      v_mov_b32 v9, v10
      s_set_gpr_idx_mode gpr_idx(DST)
      v_mov_b32 v20, v3
      s_set_gpr_idx_off
      v_mov_b32 v30, v10)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    Wave &w = s.wave();
    w.scalars[0] = 2;
    w.scalars[1] = 5;
    for (unsigned row = 0; row < 40; ++row)
      w.rows[row][7] = 1000 + row;
    s.run();
    EXPECT_EQ(w.rows[8][7], 1012u);
    EXPECT_EQ(w.rows[9][7], 1015u);
    EXPECT_EQ(w.rows[25][7], 1003u);
    EXPECT_EQ(w.rows[20][7], 1020u);
    EXPECT_EQ(w.rows[30][7], 1010u);
    EXPECT_EQ(w.scalars[sgpr::m0] & 0xff, 5u);
    EXPECT_EQ(w.scalars[sgpr::m0] >> 12 & 15, 8u);
  }
}

/// The index applies to every instruction that writes a vector register: wide results, carries, selects, single lanes.
TEST(RelativeRegisters, ResultsOfEveryForm) {
  for (const char *target : targets) {
    Snippet s(target, R"(
      s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)
      v_lshlrev_b64 v[20:21], v2, v[4:5]
      v_add_f64 v[24:25], v[6:7], v[4:5]
      v_addc_co_u32 v30, vcc, v2, v3, vcc
      v_cndmask_b32 v31, v2, v3, vcc
      v_writelane_b32 v32, s1, 5
      v_readlane_b32 s4, v2, 7
      v_cmp_eq_u32 s[6:7], v2, v3
      v_mad_u64_u32 v[34:35], s[8:9], v2, v3, v[4:5]
      s_set_gpr_idx_off)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    Wave &w = s.wave();
    w.scalars[0] = 2; // v2 means v4; results go two registers further
    w.scalars[1] = 4711;
    w.setScalar64(sgpr::vcc, 0x5555555555555555ull);
    for (unsigned l = 0; l < 64; ++l) {
      w.rows[2][l] = 1;
      w.rows[3][l] = 100 + l;
      w.rows[4][l] = l % 3; // read as v2
      w.rows[5][l] = 0x40000000;
      s.setLane<double>(8, l, 1.5 * l); // read as v[6:7]
    }
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      u64 wide = (l % 3) | u64(0x40000000) << 32;
      ASSERT_EQ(s.lane<u64>(22, l), wide << (l % 3));
      double addend;
      std::memcpy(&addend, &wide, 8);
      ASSERT_EQ(s.lane<double>(26, l), 1.5 * l + addend);
      ASSERT_EQ(w.rows[32][l], l % 3 + 100 + l + !(l & 1));
      ASSERT_EQ(w.rows[33][l], l % 3) << "the carry out was 0, so the first source";
      ASSERT_EQ(w.rows[34][l], l == 5 ? 4711u : 0u);
      ASSERT_EQ(s.lane<u64>(36, l), (l % 3) * u64(100 + l) + wide);
    }
    EXPECT_EQ(w.scalars[4], 1u);
    EXPECT_EQ(w.scalar64(6), 0u);
    for (unsigned row : {20, 21, 24, 25, 30, 31})
      EXPECT_EQ(w.rows[row][1], 0u) << row;
  }
}

TEST(Endings, KillHaltAndReturn) {
  Snippet kill("gfx942", "s_mov_b32 s0, 1\ns_setkill 0\ns_mov_b32 s0, 2\ns_setkill 1\ns_mov_b32 s0, 3");
  kill.run();
  EXPECT_EQ(kill.wave().scalars[0], 2u);
  EXPECT_EQ(kill.wave().status, WaveStatus::Ended);
  Snippet breakpoint("gfx942", "s_trap 3\ns_mov_b32 s0, 4");
  breakpoint.run();
  EXPECT_EQ(breakpoint.wave().scalars[0], 4u) << "without a debugger a breakpoint is nothing";
  for (const char *text : {"s_sendmsghalt 1", "s_sethalt 1", "s_trap 2", "s_trap 1"}) {
    Snippet halt("gfx90a", text);
    EXPECT_THROW(halt.run(), WaveFault);
  }
  Snippet back("gfx942", "s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, 16\ns_addc_u32 s3, s3, 0\ns_rfe_b64 s[2:3]\n"
                         "s_mov_b32 s0, 1\ns_mov_b32 s1, 1");
  back.run();
  EXPECT_EQ(back.wave().scalars[0], 0u);
  EXPECT_EQ(back.wave().scalars[1], 1u);
}

TEST(Endings, WhatIsNothingHere) {
  Snippet s("gfx90a", R"(
    s_cbranch_cdbgsys 1
    s_mov_b32 s0, 1
    s_cbranch_cdbguser 1
    s_mov_b32 s1, 1
    s_cbranch_cdbgsys_or_user 1
    s_mov_b32 s2, 1
    s_cbranch_cdbgsys_and_user 1
    s_mov_b32 s3, 1
    s_sendmsg 1
    s_dcache_wb
    s_dcache_inv
    s_dcache_discard s[4:5], 0x0
    s_atc_probe 0, s[4:5], 0x0
    v_clrexcp
    s_icache_inv
    s_ttracedata
    s_wakeup
    s_incperflevel 1)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  s.run();
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(s.wave().scalars[i], 1u);
}

} // namespace
