// The hazard check on pairs of instructions: found one wait state short of the table, silent with as many.
#include "runtime/emulator/checks/HazardClasses.h"
#include "test/runtime/emulator/checks/CheckedRun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using testing::HasSubstr;

namespace {

struct Case {
  const char *rule, *chips, *first, *second;
  unsigned states;
};

const Case cases[] = {
    {"ValuSgprVmem", "both", "v_readfirstlane_b32 s1, v3", "global_load_dword v1, v0, s[0:1]", 5},
    {"ValuSgprVmem", "both", "v_readfirstlane_b32 s8, v1", "buffer_load_dword v1, v0, s[4:7], s8 offen", 5},
    {"ValuSgprLaneSelect", "both", "v_readfirstlane_b32 s8, v1", "v_readlane_b32 s9, v0, s8", 4},
    {"ValuSgprLaneSelect", "both", "v_cmp_eq_u32 vcc, v0, v1", "v_writelane_b32 v4, 7, vcc_lo", 4},
    {"ValuVccDivFmas", "both", "v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v4, v0, v0, v0", 4},
    {"ValuVccExecZero", "both", "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v4, vccz", 5},
    {"ValuSgprValu", "gfx942", "v_readfirstlane_b32 s8, v1", "v_mov_b32 v4, s8", 2},
    {"ValuSgprValu", "gfx942", "v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v4, v0, v1, vcc", 2},
    {"ValuExecDpp", "both", "v_cmpx_eq_u32 v0, v0", "v_mov_b32_dpp v4, v0 row_shr:1", 5},
    {"ValuExecMatrix", "both", "v_cmpx_eq_u32 v0, v0", "v_mfma_f32_4x4x1f32 v[8:11], v0, v1, 0", 4},
    {"ValuExecLane", "gfx942", "v_cmpx_eq_u32 v0, v0", "v_readlane_b32 s8, v0, 0", 4},
    {"ValuVgprDpp", "both", "v_mov_b32 v1, v0", "v_mov_b32_dpp v4, v1 row_shr:1", 2},
    {"ValuVgprReadlane", "gfx942", "v_mov_b32 v1, v0", "v_readlane_b32 s8, v1, 0", 1},
    {"TransVgprValu", "gfx942", "v_exp_f32 v1, v0", "v_add_f32 v4, v1, v1", 1},
    {"PartialVgprValu", "gfx942", "v_add_u32_sdwa v1, v0, v0 dst_sel:WORD_1", "v_add_u32 v4, v1, v1", 1},
    {"PartialVgprValu", "gfx942", "v_fma_f16 v1, v0, v0, v0 op_sel:[0,0,0,1]", "v_add_u32 v4, v1, v1", 1},
    {"ValuVgprMatrix", "both", "v_mov_b32 v1, v0", "v_mfma_f32_4x4x1f32 v[8:11], v0, v1, 0", 2},
    {"WideStoreValu", "gfx90a", "global_store_dwordx4 v0, v[4:7], s[0:1]", "v_mov_b32 v7, v0", 1},
    {"WideStoreValu942", "gfx942", "global_store_dwordx4 v0, v[4:7], s[0:1]", "v_mov_b32 v7, v0", 2},
    {"SaluM0LdsDma", "both", "s_mov_b32 m0, 0", "buffer_load_dword v0, s[4:7], 0 offen lds", 1},
    {"SaluM0", "gfx90a", "s_mov_b32 m0, 0", "buffer_store_lds_dword s[4:7], s8 lds", 1},
    {"SetregGetreg", "both", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", "s_getreg_b32 s8, hwreg(HW_REG_MODE)",
     2},
    {"SetregSetreg", "both", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s9",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0", 2},
    {"DotSameAB", "both", "v_dot2_f32_f16 v1, v0, v0, v4", "v_dot2_f32_f16 v5, v1, v0, v4", 3},
    {"DotRead", "both", "v_dot2_f32_f16 v1, v0, v0, v4", "v_mov_b32 v5, v1", 3},
    {"DotWrite", "both", "v_dot2_f32_f16 v1, v0, v0, v4", "v_mov_b32 v1, v0", 3},
    {"DgemmFma64", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0",
     "v_fma_f64 v[14:15], v[4:5], v[4:5], v[4:5]", 2},
    // A matrix result read as SrcC, by partly the same registers or exactly the same …
    {"MatrixC90a", "gfx90a", "v_mfma_f32_4x4x1f32 v[8:11], v0, v1, 0", "v_mfma_f32_4x4x1f32 v[16:19], v0, v1, v[10:13]",
     2},
    {"MatrixC90a", "gfx90a", "v_mfma_f32_16x16x4f32 v[8:11], v0, v1, 0",
     "v_mfma_f32_4x4x1f32 v[16:19], v0, v1, v[10:13]", 8},
    {"MatrixC90a", "gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[0:1], 0",
     "v_mfma_f32_4x4x1f32 a[16:19], v0, v1, a[4:7]", 16},
    {"MatrixDoubleC90a", "gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[0:1], 0",
     "v_mfma_f64_4x4x4f64 a[16:17], v[4:5], v[4:5], a[4:5]", 17},
    {"XdlC942", "gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0",
     "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[0:1], v[10:13]", 5},
    {"XdlC942", "gfx942", "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[0:1], 0",
     "v_mfma_f32_16x16x4_f32 v[8:11], v0, v1, v[16:19]", 9},
    {"SingleC942", "gfx942", "v_mfma_f32_16x16x4_f32 v[8:11], v0, v1, 0",
     "v_mfma_f32_16x16x4_f32 v[16:19], v0, v1, v[10:13]", 8},
    {"ShortSameC942", "gfx942", "v_mfma_f32_4x4x1_16b_f32 v[8:11], v0, v1, 0",
     "v_mfma_f32_4x4x1_16b_f32 v[16:19], v0, v1, v[8:11]", 2},
    {"Double16C", "both", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], 0",
     "v_mfma_f64_16x16x4f64 v[20:27], v[4:5], v[4:5], v[10:17]", 9},
    {"Double4C", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0",
     "v_mfma_f64_16x16x4f64 v[16:23], v[4:5], v[4:5], v[8:15]", 4},
    {"Double4SameC", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0",
     "v_mfma_f64_4x4x4f64 v[10:11], v[4:5], v[4:5], v[8:9]", 4},
    // … as SrcA and SrcB …
    {"MatrixAB90a", "gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], 0",
     "v_mfma_f32_4x4x1f32 v[16:19], v8, v1, 0", 11},
    {"XdlAB942", "gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0",
     "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[10:11], 0", 7},
    {"SingleAB942", "gfx942", "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, 0",
     "v_mfma_f32_4x4x1_16b_f32 v[16:19], a5, v1, 0", 18},
    {"Double16AB", "both", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], 0",
     "v_mfma_f64_4x4x4f64 v[16:17], v[8:9], v[4:5], 0", 11},
    {"Double4AB", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0",
     "v_mfma_f64_4x4x4f64 v[16:17], v[8:9], v[4:5], 0", 6},
    // … and by other instructions.
    {"MatrixRead90a", "gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], 0", "v_mov_b32 v20, v9", 11},
    {"MatrixRead90a", "gfx90a", "v_mfma_f32_4x4x1f32 v[8:11], v0, v1, 0", "ds_write_b32 v0, v9", 5},
    {"XdlRead942", "gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0", "v_mov_b32 v20, v9", 7},
    {"XdlRead942", "gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[0:1], 0", "v_accvgpr_read_b32 v20, a9", 11},
    {"SingleRead942", "gfx942", "v_mfma_f32_16x16x4_f32 v[8:11], v0, v1, 0", "global_store_dword v0, v8, s[0:1]", 10},
    {"Double16Memory", "both", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], 0", "global_store_dword v0, v8, s[0:1]",
     18},
    {"Double4Memory", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0", "ds_write_b32 v0, v9", 9},
    {"Double16Valu", "both", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], 0", "v_mov_b32 v20, v8", 11},
    {"Double4Valu", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0", "v_mov_b32 v20, v8", 6},
    {"XdlWrite942", "gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0", "v_mov_b32 v9, v20", 7},
    {"MatrixWrite90a", "gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], 0", "ds_read_b32 v9, v0", 11},
    {"SingleWrite942", "gfx942", "v_mfma_f32_16x16x4_f32 v[8:11], v0, v1, 0", "v_mov_b32 v9, v20", 10},
    {"Double16Write", "both", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], 0", "v_mov_b32 v8, v20", 11},
    {"Double4Write", "both", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0", "v_mov_b32 v8, v20", 6},
    {"MatrixReadC90a", "gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], v[12:15]", "v_mov_b32 v13, v20", 7},
    {"XdlReadC942", "gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], v[12:15]", "v_mov_b32 v13, v20", 3},
};

/// s_nop instructions of exactly `states` wait states.
std::string nops(unsigned states) {
  std::string text;
  for (; states; states -= std::min(states, 16u))
    text += "s_nop " + std::to_string(std::min(states, 16u) - 1) + "\n";
  return text;
}

TEST(HazardCheck, EachRuleToTheWaitState) {
  for (const char *target : {"gfx90a", "gfx942"})
    for (const Case &c : cases) {
      std::string chips = c.chips;
      std::string end = "\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_nop 15\ns_nop 15";
      auto run = [&](unsigned states) {
        return checkedRun(target, std::string(c.first) + "\n" + nops(states) + c.second + end, "hazard:strict");
      };
      SCOPED_TRACE(std::string(target) + ": " + c.rule + ": " + c.first + "; " + c.second);
      if (chips != "both" && chips != target)
        continue;
      for (const Finding &finding : run(c.states))
        ADD_FAILURE() << "with as many wait states as the table asks: " << finding.text();
      std::vector<Finding> findings = run(c.states - 1);
      ASSERT_EQ(findings.size(), 1u);
      EXPECT_EQ(findings[0].check, "hazard");
      EXPECT_THAT(findings[0].text(), HasSubstr(std::string("(") + c.rule + ":"));
      EXPECT_THAT(findings[0].text(), HasSubstr("expected " + std::to_string(c.states) + " wait state"));
    }
}

TEST(HazardCheck, WhatTheHardwareKeepsApart) {
  struct {
    const char *target, *text;
  } fine[] = {
      {"gfx942", "v_mov_b32 v1, v0\n v_add_u32 v4, v1, v1\n global_store_dword v0, v4, s[0:1]"},
      {"gfx90a", "v_readfirstlane_b32 s8, v1\n v_mov_b32 v4, s8\n s_add_u32 s9, s8, 1"},
      {"gfx942", "s_mov_b32 s8, 0\n v_mov_b32 v4, s8\n v_readlane_b32 s10, v0, s8"},
      {"gfx942", "s_mov_b64 exec, -1\n v_mov_b32_dpp v4, v0 row_shr:1"},
      // Chains that accumulate.
      {"gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[0:1], 0\n"
                 "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[0:1], a[0:15]\n s_nop 15"},
      {"gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[0:1], 0\n"
                 "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[0:1], a[0:15]\n s_nop 15\n s_nop 15"},
      {"gfx90a", "v_dot2_f32_f16 v1, v0, v0, v4\n v_dot2_f32_f16 v1, v0, v0, v1"},
      // 64-bit stores, and wide buffer stores with an SGPR offset.
      {"gfx942", "global_store_dwordx2 v0, v[4:5], s[0:1]\n v_mov_b32 v4, v0"},
      {"gfx942", "buffer_store_dwordx4 v[4:7], v0, s[4:7], s8 offen\n v_mov_b32 v4, v0"},
      {"gfx942", "v_exp_f32 v1, v0\n v_exp_f32 v4, v1"},
      // SDWA that selects only in the source.
      {"gfx942", "v_cvt_pk_f32_fp8_sdwa v[2:3], v0 src0_sel:WORD_1\n v_cvt_pkrtz_f16_f32 v4, v2, v3"},
  };
  for (const auto &f : fine)
    for (const Finding &finding : checkedRun(f.target, f.text, "hazard:strict"))
      ADD_FAILURE() << f.target << ": " << f.text << ": " << finding.text();
}

TEST(HazardCheck, AcrossBranches) {
  // Four wait states along one path, two along the other.
  std::string text = "v_cmp_eq_u32 vcc, v0, v0\n s_cmp_eq_u32 s2, 0\n s_cbranch_scc1 near\n s_nop 1\n near:\n"
                     "v_div_fmas_f32 v4, v0, v0, v0";
  std::vector<Finding> findings = checkedRun("gfx90a", text, "hazard", 2);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].wave, 0u);
  EXPECT_EQ(findings[0].count, 1u);
}

TEST(HazardCheck, JumpsBehindAJumpCount) {
  // Compilers place two branches at a block's end: both the one that jumps and the one after it count.
  std::string jump = "v_cmp_eq_u32 vcc, v0, v0\n s_cmp_eq_u32 s2, 0\n s_cbranch_scc1 near\n s_branch far\n near:\n";
  std::string use = "v_div_fmas_f32 v4, v0, v0, v0\n far:";
  EXPECT_EQ(checkedRun("gfx90a", jump + "s_nop 0\n" + use, "hazard").size(), 0u);
  EXPECT_EQ(checkedRun("gfx90a", jump + use, "hazard").size(), 1u);
}

TEST(HazardCheck, AdviceIsNoFinding) {
  const std::string end = "\ns_waitcnt vmcnt(0)\ns_nop 15\ns_nop 15";
  const struct {
    const char *rule, *text;
  } advised[] = {
      {"ValuSgprValu", "v_readfirstlane_b32 s8, v1\n v_mov_b32 v4, s8"},
      {"SaluM0LdsDma", "s_mov_b32 m0, 0\n buffer_load_dword v0, s[4:7], 0 offen lds"},
      {"XdlRead942PastJump", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0\n s_branch near\n s_nop 15\n near:\n"
                             "v_mov_b32 v20, v9"},
  };
  for (const auto &a : advised) {
    EXPECT_THAT(checkedRun("gfx942", a.text + end, "hazard"), testing::IsEmpty()) << a.rule;
    std::vector<Finding> findings = checkedRun("gfx942", a.text + end, "hazard:strict");
    ASSERT_EQ(findings.size(), 1u) << a.rule;
    EXPECT_EQ(findings[0].rule, a.rule);
  }
}

TEST(HazardCheck, AdviceHasEvidenceAndRulesHaveNone) {
  for (const checks::HazardRule &rule : checks::hazardRules())
    EXPECT_EQ(rule.grade == checks::HazardGrade::Advice, *rule.evidence != 0) << rule.name;
}

// A branch that isn't taken, and one before both.
TEST(HazardCheck, ResultsOfMatricesOverBranches) {
  const std::string mfma = "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0\n";
  const std::string text = "s_cmp_eq_u32 s0, s0\n s_branch begin\n s_nop 0\n begin:\n" + mfma +
                           "s_cbranch_scc0 never\n v_mov_b32 v20, v9\n never:";
  std::vector<Finding> findings = checkedRun("gfx942", text, "hazard");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "XdlRead942");
}

// A matrix instruction waits until the one before it has left the pipe.
TEST(HazardCheck, MatrixInstructionsBetweenWait) {
  const std::string first = "v_mfma_f32_32x32x8_f16 v[32:47], v[0:1], v[0:1], 0\n"; // 8 passes, read after 11
  const std::string other = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[0:1], 0\n";
  const std::string last = "v_mov_b32 v20, v33\n s_nop 15";
  auto count = [&](const std::string &between) {
    return checkedRun("gfx942", first + between + last, "hazard").size();
  };
  EXPECT_EQ(count(other + nops(2)), 1u); // 7 that it waits for, itself, 2
  EXPECT_EQ(count(other + nops(3)), 0u);
  EXPECT_EQ(count("s_nop 7\n" + other + nops(1)), 1u); // it didn't wait
  EXPECT_EQ(count("s_nop 7\n" + other + nops(2)), 0u);
  EXPECT_EQ(count(other + "v_mfma_f32_4x4x4_16b_f16 a[16:19], v[0:1], v[0:1], 0\n"), 0u);
  // f64 has a pipe of its own, and nothing else gives time.
  EXPECT_EQ(count("v_mfma_f64_16x16x4_f64 v[48:55], v[4:5], v[4:5], 0\n" + nops(9)), 1u);
  EXPECT_EQ(count("v_exp_f32 v21, v0\n global_load_dword v22, v0, s[0:1]\n s_waitcnt vmcnt(0)\n" + nops(7)), 1u);
}

TEST(HazardCheck, DgemmBetweenAluAndMemory) {
  std::string dgemm = "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], 0\n";
  EXPECT_EQ(checkedRun("gfx90a", "v_mov_b32 v1, v0\n" + dgemm + "ds_write_b32 v0, v1", "hazard").size(), 1u);
  EXPECT_EQ(checkedRun("gfx90a", "v_mov_b32 v1, v0\n" + dgemm + "s_nop 0\n ds_write_b32 v0, v1", "hazard").size(), 0u);
  EXPECT_EQ(checkedRun("gfx90a", "v_mov_b32 v1, v0\n ds_write_b32 v0, v1", "hazard").size(), 0u);
  EXPECT_EQ(checkedRun("gfx942", "v_mov_b32 v1, v0\n" + dgemm + "ds_write_b32 v0, v1", "hazard").size(), 0u);
}

} // namespace
