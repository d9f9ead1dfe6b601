// What of a kernel decides where its waves go and what they access.
#include "runtime/emulator/timing/record/Outline.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

/// A letter for each instruction: x: it is executed, -: it isn't. "none": there is no outline.
std::string outlineOf(const std::string &text) {
  const std::vector<uint8_t> code = test::assemble("gfx942", text + "\ns_endpgm\n");
  const std::span<const uint8_t> bytes(code);
  const auto program = decodeProgram(*Target::find("gfx942"), {&bytes, 1});
  Launch launch = {};
  launch.target = Target::find("gfx942");
  launch.program = program.get();
  launch.entry = program->at(reinterpret_cast<uint64_t>(code.data()));
  const TimingFacts facts(launch);
  const std::optional<Outline> outline = facts.outline();
  if (!outline)
    return "none";
  std::string letters;
  for (uint32_t i = 0; i < facts.size() && facts[i].internal != InternalKind::End; ++i)
    letters += outline->executes(i) ? 'x' : '-';
  return letters;
}

TEST(Outline, WhatIsOnlyComputedIsNotExecuted) {
  EXPECT_EQ(outlineOf(R"(
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_mul_f32 v3, v2, v2
    v_mfma_f32_16x16x4_f32 a[0:3], v2, v3, a[0:3]
    v_accvgpr_read_b32 v4, a0
    global_store_dword v1, v4, s[2:3])"),
            "x-x----");
}

TEST(Outline, WhatDecidesABranchIsExecuted) {
  EXPECT_EQ(outlineOf(R"(
    loop:
    s_add_u32 s0, s0, 1
    s_add_u32 s4, s4, s0
    v_add_f32 v0, v0, v1
    s_cmp_lt_u32 s0, s1
    s_cbranch_scc1 loop
    v_mov_b32 v2, 0
    global_store_dword v2, v0, s[2:3])"),
            "x--xxx-");
  EXPECT_EQ(outlineOf(R"(
    loop:
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32 vcc, 0, v1
    v_add_f32 v3, v1, v1
    s_cbranch_vccz loop)"),
            "none")
      << "it polls";
}

TEST(Outline, WhatAnAddressIsMadeOfIsExecuted) {
  EXPECT_EQ(outlineOf(R"(
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v1, 2, v1
    global_load_dword v2, v1, s[0:1])"),
            "xxx-");
  EXPECT_EQ(outlineOf(R"(
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    global_load_dword v2, v1, s[0:1]
    global_store_dword v1, v2, s[0:1])"),
            "none")
      << "what is loaded may have been stored";
}

TEST(Outline, WhatGoesThroughLdsIsExecutedWhereSomeOfItDecides) {
  EXPECT_EQ(outlineOf(R"(
    ds_write_b32 v0, v1
    ds_read_b32 v2, v0
    v_add_u32 v3, v2, v2
    ds_read_b32 v4, v0)"),
            "----");
  EXPECT_EQ(outlineOf(R"(
    ds_write_b32 v0, v1
    ds_read_b32 v2, v0
    v_add_u32 v3, v2, v2
    ds_read_b32 v4, v3)"),
            "xxx-");
  EXPECT_EQ(outlineOf(R"(
    s_mov_b32 m0, s8
    buffer_load_dword v0, s[4:7], 0 offen lds
    ds_read_b32 v2, v1)"),
            "x--");
}

TEST(Outline, ARegisterMayHoldNumbersFirstAndAnAddressLater) {
  EXPECT_EQ(outlineOf(R"(
    v_mul_f32 v1, v2, v2
    v_mov_b32 v1, 4
    ds_read_b32 v4, v1)"),
            "-x-");
}

TEST(Outline, OnlyLanesThatAreWrittenAreReplaced) {
  // Those that the narrower EXEC leaves out keep what was multiplied.
  EXPECT_EQ(outlineOf(R"(
    v_mul_f32 v1, v2, v2
    s_and_saveexec_b64 s[4:5], vcc
    v_mov_b32 v1, 4
    s_or_b64 exec, exec, s[4:5]
    ds_read_b32 v4, v1)"),
            "xxxx-");
  EXPECT_EQ(outlineOf(R"(
    v_mul_f32 v1, v2, v2
    s_and_saveexec_b64 s[4:5], vcc
    v_mov_b32 v1, 4
    ds_read_b32 v4, v1)"),
            "-xx-");
  EXPECT_EQ(outlineOf(R"(
    v_mul_f32 v3, v2, v2
    v_mov_b32 v3, 4
    s_and_saveexec_b64 s[4:5], vcc
    v_mov_b32 v1, 4
    s_or_b64 exec, exec, s[4:5]
    ds_read_b32 v4, v3)"),
            "-xx-x-")
      << "at the beginning EXEC holds every lane there is";
}

TEST(Outline, OtherLanesCount) {
  EXPECT_EQ(outlineOf(R"(
    v_mul_f32 v1, v2, v2
    s_and_saveexec_b64 s[4:5], vcc
    v_mov_b32 v1, 4
    v_readlane_b32 s0, v1, 3
    s_load_dword s1, s[2:3], s0)"),
            "xxxxx");
}

TEST(Outline, ThereIsNoneOfWhatIsNotKnown) {
  EXPECT_EQ(outlineOf("s_swappc_b64 s[0:1], s[2:3]"), "none");
  EXPECT_EQ(outlineOf("s_movrels_b32 s0, s1"), "none");
  EXPECT_EQ(outlineOf("global_atomic_add v0, v1, s[0:1]"), "none");
  EXPECT_EQ(outlineOf("ds_add_u32 v0, v1"), "none");
  EXPECT_EQ(outlineOf("s_memtime s[0:1]"), "none");
  EXPECT_EQ(outlineOf("global_load_dword v0, v1, s[0:1] sc1"), "none");
  EXPECT_EQ(outlineOf("global_store_dword v0, v1, s[0:1] sc1"), "-") << "a store tells and hears nothing";
}

} // namespace
