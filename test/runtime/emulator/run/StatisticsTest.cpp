// Counters for programs that are small enough to count by hand.
#include "runtime/emulator/run/Statistics.h"
#include "runtime/emulator/run/Dispatch.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using enum InstructionClass;

namespace {

constexpr uint64_t half = 0x00000000ffffffff; // EXEC with 32 lanes

class Statistics : public ::testing::TestWithParam<const char *> {
protected:
  /// Runs `text` after `prepare` and returns the counters.
  ExecutionStatistics run(const std::string &text, const std::function<void(Snippet &)> &prepare = {}) {
    Snippet snippet(GetParam(), text);
    snippet.allow(memory, sizeof(memory));
    uint64_t address = reinterpret_cast<uint64_t>(memory);
    for (unsigned lane = 0; lane < 64; ++lane) {
      snippet.setLane<uint64_t>(2, lane, address + lane * 16);
      snippet.wave().rows[4][lane] = lane * 16;
    }
    snippet.wave().setScalar64(20, address); // a buffer of 128 bytes without stride
    snippet.wave().scalars[22] = 128;
    if (prepare)
      prepare(snippet);
    ExecutionCounters counters(/*ldsBanks=*/32);
    snippet.count(counters);
    snippet.run();
    ExecutionStatistics sum;
    counters.addTo(sum);
    return sum;
  }
  static uint64_t total(const ExecutionStatistics &s) {
    uint64_t sum = 0;
    for (uint64_t one : s.instructions)
      sum += one;
    return sum;
  }
  static void expectBytes(const Traffic &traffic, uint64_t loaded, uint64_t stored) {
    EXPECT_EQ(traffic.loaded, loaded);
    EXPECT_EQ(traffic.stored, stored);
  }
  alignas(64) static inline char memory[4096];
};

TEST_P(Statistics, NothingButTheEnd) {
  ExecutionStatistics s = run("");
  EXPECT_EQ(s[Other], 1u); // s_endpgm
  EXPECT_EQ(total(s), 1u);
}

TEST_P(Statistics, ALoopOfTenRounds) {
  ExecutionStatistics s = run(R"(
    s_mov_b32 s40, 10
  loop:
    v_add_f32 v8, v9, v10
    s_sub_u32 s40, s40, 1
    s_cmp_lg_u32 s40, 0
    s_cbranch_scc1 loop
    s_nop 0)");
  EXPECT_EQ(s[Vector], 10u);
  EXPECT_EQ(s[Scalar], 1u + 2 * 10);
  EXPECT_EQ(s[Branch], 10u); // taken nine times, not taken once
  EXPECT_EQ(s[Other], 2u);   // s_nop, s_endpgm
  EXPECT_EQ(total(s), 43u);
}

TEST_P(Statistics, BranchesLeaveOutWhatTheySkip) {
  auto text = R"(
    s_cbranch_execz skip
    v_mov_b32 v8, 0
    v_mov_b32 v9, 0
  skip:
    s_branch end
    v_mov_b32 v10, 0
  end:)";
  EXPECT_EQ(run(text)[Vector], 2u);
  ExecutionStatistics none = run(text, [](Snippet &s) { s.wave().setExec(0); });
  EXPECT_EQ(none[Vector], 0u);
  EXPECT_EQ(none[Branch], 2u);
}

TEST_P(Statistics, ABranchToItselfCountsEveryTime) {
  // Decrements a lane's counter through VCC; the branch goes back to the v_sub.
  ExecutionStatistics s = run(R"(
    v_mov_b32 v8, 100
  again:
    v_subrev_co_u32 v8, vcc, 1, v8
    v_cmp_ne_u32 vcc, 0, v8
    s_cbranch_vccnz again)");
  EXPECT_EQ(s[Vector], 1u + 200);
  EXPECT_EQ(s[Branch], 100u);
}

TEST_P(Statistics, AnInstructionOfManyMicroOpsCountsOnce) {
  // SGPR operand, neg and abs, clamp; SDWA; DPP: each adds micro-ops.
  ExecutionStatistics s = run(R"(
    v_add_f32_e64 v8, -|s2|, v9 clamp
    v_add_f32_sdwa v8, v9, v10 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:DWORD
    v_add_f32_dpp v8, v9, v10 row_shr:1 row_mask:0xf bank_mask:0xf)");
  EXPECT_EQ(s[Vector], 3u);
  EXPECT_EQ(total(s), 4u);
}

TEST_P(Statistics, EveryClass) {
  bool cdna3 = std::string(GetParam()) == "gfx942";
  ExecutionStatistics s =
      run(std::string(cdna3 ? "v_mfma_f32_16x16x4_f32" : "v_mfma_f32_16x16x4f32") + R"( a[0:3], v8, v9, a[0:3]
    v_accvgpr_read_b32 v12, a0
    v_readfirstlane_b32 s4, v8
    ds_read_b32 v8, v4
    ds_bpermute_b32 v8, v4, v9
    global_load_dword v8, v[2:3], off
    buffer_load_dword v8, v4, s[20:23], 0 offen
    s_load_dwordx2 s[6:7], s[20:21], 0x0
    s_memtime s[8:9]
    s_getpc_b64 s[10:11]
    s_getreg_b32 s12, hwreg(HW_REG_MODE)
    s_waitcnt vmcnt(0)
    s_barrier)");
  EXPECT_EQ(s[Matrix], 1u);
  EXPECT_EQ(s[Vector], 2u);
  EXPECT_EQ(s[Lds], 2u);
  EXPECT_EQ(s[VectorMemory], 2u);
  EXPECT_EQ(s[ScalarMemory], 2u);
  EXPECT_EQ(s[Scalar], 2u);
  EXPECT_EQ(s[Branch], 0u);
  EXPECT_EQ(s[Other], 3u); // s_waitcnt, s_barrier, s_endpgm
  expectBytes(s[MemorySpace::Scalar], 8, 0);
}

TEST_P(Statistics, BytesAreThoseOfActiveLanes) {
  auto text = R"(
    global_load_dwordx4 v[8:11], v[2:3], off
    global_store_dwordx2 v[2:3], v[8:9], off
    global_store_byte v[2:3], v8, off)";
  ExecutionStatistics all = run(text), some = run(text, [](Snippet &s) { s.wave().setExec(half); }),
                      none = run(text, [](Snippet &s) { s.wave().setExec(0); });
  expectBytes(all[MemorySpace::Global], 64 * 16, 64 * (8 + 1));
  expectBytes(some[MemorySpace::Global], 32 * 16, 32 * (8 + 1));
  expectBytes(none[MemorySpace::Global], 0, 0);
  for (const ExecutionStatistics *s : {&all, &some, &none})
    EXPECT_EQ((*s)[VectorMemory], 3u); // a wave issues them whatever EXEC is
}

TEST_P(Statistics, BuffersMoveWhatIsInside) {
  // 16 bytes per lane and 128 bytes in the buffer: 8 lanes. With offset 8 only half of the eighth lane's bytes are in
  // range.
  expectBytes(run("buffer_load_dwordx4 v[8:11], v4, s[20:23], 0 offen")[MemorySpace::Global], 128, 0);
  expectBytes(run("buffer_load_dwordx4 v[8:11], v4, s[20:23], 0 offen offset:8")[MemorySpace::Global], 120, 0);
  expectBytes(run("buffer_store_dword v8, v4, s[20:23], 0 offen")[MemorySpace::Global], 0, 8 * 4);
  auto masked = run("buffer_load_dword v8, v4, s[20:23], 0 offen", [](Snippet &s) { s.wave().setExec(0xf0); });
  expectBytes(masked[MemorySpace::Global], 4 * 4, 0);
}

TEST_P(Statistics, TypedBuffersMoveElements) {
  auto s = run("tbuffer_load_format_xyzw v[8:11], v4, s[20:23], 0 format:[BUF_DATA_FORMAT_16_16] offen");
  expectBytes(s[MemorySpace::Global], 8 * 4, 0); // every 16 bytes of 128
  s = run("tbuffer_store_format_x v8, v4, s[20:23], 0 format:[BUF_DATA_FORMAT_8] offen");
  expectBytes(s[MemorySpace::Global], 0, 8);
}

TEST_P(Statistics, ScalarAndLdsSpecials) {
  expectBytes(run("ds_read_addtid_b32 v8\nds_wrxchg2_rtn_b32 v[8:9], v4, v10, v11 offset1:1")[MemorySpace::Lds],
              64 * 4 + 64 * 8, 64 * 8);
  auto s = run("s_movrels_b32 s4, s5\ns_atc_probe 0, s[4:5], 0x0\nds_nop");
  EXPECT_EQ(s[Scalar], 1u);
  EXPECT_EQ(s[ScalarMemory], 1u);
  EXPECT_EQ(s[Lds], 1u);
}

TEST_P(Statistics, LdsAndItsAtomics) {
  expectBytes(run("ds_read_b128 v[8:11], v4\nds_write_b32 v4, v8")[MemorySpace::Lds], 64 * 16, 64 * 4);
  expectBytes(run("ds_read2_b64 v[8:11], v4 offset1:1")[MemorySpace::Lds], 64 * 16, 0);
  expectBytes(run("ds_add_u32 v4, v8")[MemorySpace::Lds], 0, 64 * 4);
  expectBytes(run("ds_add_rtn_u32 v8, v4, v9")[MemorySpace::Lds], 64 * 4, 64 * 4);
  expectBytes(run("ds_swizzle_b32 v8, v9 offset:swizzle(SWAP,16)")[MemorySpace::Lds], 0, 0);
}

TEST_P(Statistics, ClocksOfBankConflicts) {
  // Lanes are 16 bytes apart. In half a wave four lanes access each of eight banks; of 16 lanes with 8 bytes each, two
  // do.
  auto s = run("ds_read_b32 v8, v4\nds_add_u32 v4, v8\nds_read2_b64 v[8:11], v4 offset1:1\nds_write_b128 v4, v[8:11]\n"
               "ds_bpermute_b32 v8, v4, v9");
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_READ_B32)], 2u * 3);
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_ADD_U32)], 2u * 3);
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_READ2_B64)], 2u * 4 * 1);
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_WRITE_B128)], 0u);
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_BPERMUTE_B32)], 0u);
  s = run("ds_read_b32 v8, v4", [](Snippet &s) { s.wave().setExec(0b100000001); });
  EXPECT_EQ(s.conflictClocks[unsigned(Opcode::DS_READ_B32)], 1u);
}

TEST_P(Statistics, BytesOfEachStore) {
  auto s = run("global_store_dword v[2:3], v8, off\nglobal_store_dword v[2:3], v8, off\n"
               "buffer_store_dwordx2 v[8:9], v4, s[20:23], 0 offen\nglobal_load_dword v8, v[2:3], off");
  EXPECT_EQ(s.storedBy[unsigned(Opcode::GLOBAL_STORE_DWORD)], 2u * 64 * 4);
  EXPECT_EQ(s.storedBy[unsigned(Opcode::BUFFER_STORE_DWORDX2)], 8u * 8); // as many as fit into 128 bytes
  EXPECT_EQ(s.storedBy[unsigned(Opcode::GLOBAL_LOAD_DWORD)], 0u);
}

TEST_P(Statistics, FlatGoesByTheAddress) {
  ExecutionStatistics s = run("flat_load_dwordx2 v[8:9], v[2:3]", [](Snippet &s) {
    for (unsigned lane = 0; lane < 24; ++lane) // the others stay in global memory
      s.setLane<uint64_t>(2, lane, uint64_t(sharedApertureHigh) << 32 | lane * 8);
  });
  expectBytes(s[MemorySpace::Lds], 24 * 8, 0);
  expectBytes(s[MemorySpace::Global], 40 * 8, 0);
}

TEST_P(Statistics, GlobalAtomics) {
  expectBytes(run("global_atomic_add v[2:3], v8, off")[MemorySpace::Global], 0, 64 * 4);
  const char *returns = std::string(GetParam()) == "gfx942" ? "sc0" : "glc";
  auto s = run(std::string("global_atomic_add_x2 v[8:9], v[2:3], v[8:9], off ") + returns);
  expectBytes(s[MemorySpace::Global], 64 * 8, 64 * 8);
}

TEST_P(Statistics, AModeOfItsOwnCountsTheSame) {
  // Rounding towards zero uses the other run loop.
  ExecutionStatistics s =
      run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15\nv_add_f32 v8, v9, v10\nv_mov_b32 v8, 0");
  EXPECT_EQ(s[Vector], 2u);
  EXPECT_EQ(s[Scalar], 1u);
  EXPECT_EQ(s[Other], 1u);
}

INSTANTIATE_TEST_SUITE_P(Chips, Statistics, ::testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
