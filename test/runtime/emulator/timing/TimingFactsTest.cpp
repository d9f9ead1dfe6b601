// What timing knows of single instructions, and which of them execute at their time.
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

/// The facts of a program, from its first instruction on.
struct Facts {
  Facts(const std::string &target, const std::string &text)
      : code(test::assemble(target, text + "\ns_endpgm\n")), bytes(code),
        program(decodeProgram(*Target::find(target), {&bytes, 1})) {
    launch.target = Target::find(target);
    launch.program = program.get();
    launch.entry = program->at(reinterpret_cast<uint64_t>(code.data()));
    facts = std::make_unique<TimingFacts>(launch);
  }
  const TimingFact &operator[](uint32_t i) const { return (*facts)[i]; }
  /// Numbers of the stops.
  std::vector<uint32_t> stops() const {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < facts->size(); ++i)
      if ((*facts)[i].is(TimingFact::known) && (*facts)[i].is(TimingFact::stop))
        found.push_back(i);
    return found;
  }
  std::vector<uint8_t> code;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const DecodedProgram> program;
  Launch launch = {};
  std::unique_ptr<TimingFacts> facts;
};

TEST(TimingFacts, Units) {
  const struct {
    const char *target, *text;
    Unit unit;
  } cases[] = {
      {"gfx942", "v_add_f32 v0, v1, v2", Unit::Vector},
      {"gfx942", "v_exp_f32 v0, v1", Unit::Transcendental},
      {"gfx942", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", Unit::Double},
      {"gfx942", "v_mul_lo_u32 v0, v1, v2", Unit::IntegerMultiply},
      {"gfx942", "v_mul_lo_u16 v0, v1, v2", Unit::Vector},
      {"gfx942", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", Unit::PackedFloat},
      {"gfx942", "v_pk_fma_f16 v0, v1, v2, v3", Unit::Vector},
      {"gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", Unit::Matrix},
      {"gfx942", "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[0:3]", Unit::MatrixVector},
      {"gfx90a", "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]", Unit::Matrix},
      {"gfx90a", "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]", Unit::MatrixVector},
      {"gfx942", "s_add_u32 s0, s1, s2", Unit::Scalar},
      {"gfx942", "s_load_dword s0, s[2:3], 0", Unit::ScalarMemory},
      {"gfx942", "global_load_dword v0, v[2:3], off", Unit::VectorMemory},
      {"gfx942", "flat_store_dword v[2:3], v0", Unit::VectorMemory},
      {"gfx942", "ds_read_b128 v[0:3], v4", Unit::Lds},
      {"gfx942", "s_branch 0", Unit::Branch},
      {"gfx942", "s_sendmsg sendmsg(MSG_INTERRUPT)", Unit::Message},
      {"gfx942", "s_waitcnt vmcnt(3)", Unit::Internal},
      {"gfx942", "s_barrier", Unit::Internal},
  };
  for (const auto &c : cases)
    EXPECT_EQ(Facts(c.target, c.text)[0].unit, c.unit) << c.target << ": " << c.text;
}

TEST(TimingFacts, Numbers) {
  EXPECT_EQ(Facts("gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]")[0].passes, 8u);
  EXPECT_EQ(Facts("gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]")[0].passes, 16u);
  EXPECT_EQ(Facts("gfx942", "s_nop 6")[0].immediate, 7u) << "issue slots";
  EXPECT_EQ(Facts("gfx942", "s_setprio 3")[0].immediate, 3u);
  EXPECT_EQ(Facts("gfx942", "s_sleep 5")[0].immediate, 5u);
  Facts wait("gfx942", "s_waitcnt vmcnt(17) lgkmcnt(2)");
  EXPECT_EQ(wait[0].waitVm, 17u);
  EXPECT_EQ(wait[0].waitLgkm, 2u);
  EXPECT_EQ(wait[0].waitExp, TimingFact::noWait);
  EXPECT_EQ(Facts("gfx942", "global_load_dwordx3 v[0:2], v[4:5], off")[0].bytes, 12u);
  EXPECT_EQ(Facts("gfx942", "s_load_dwordx8 s[0:7], s[8:9], 0")[0].bytes, 32u);
  EXPECT_EQ(Facts("gfx942", "ds_read2_b64 v[0:3], v4 offset1:1")[0].bytes, 8u) << "of each";
  Facts sizes("gfx942", "s_nop 0\nv_fma_f32 v0, v1, v2, v3\ns_nop 0\nv_fma_f32 v0, v1, v2, v3");
  EXPECT_EQ(sizes[0].size, 4u);
  EXPECT_EQ(sizes[1].size, 8u);
  EXPECT_TRUE(sizes[1].is(TimingFact::crosses));
  EXPECT_FALSE(sizes[3].is(TimingFact::crosses));
}

TEST(TimingFacts, WhatOthersMayHearOrTellStops) {
  const struct {
    const char *target, *text;
    bool stop;
  } cases[] = {
      {"gfx942", "global_load_dword v0, v[2:3], off sc1", true},
      {"gfx942", "global_load_dword v0, v[2:3], off sc0", true},
      {"gfx942", "global_load_dword v0, v[2:3], off nt", false},
      {"gfx942", "global_load_dword v0, v[2:3], off", false},
      {"gfx942", "global_atomic_add v[2:3], v0, off", true},
      {"gfx942", "global_atomic_add v1, v[2:3], v0, off sc0", true},
      {"gfx942", "buffer_inv sc1", true},
      {"gfx942", "buffer_wbl2 sc1", true},
      {"gfx942", "s_load_dword s0, s[2:3], 0 glc", true},
      {"gfx942", "ds_add_u32 v0, v1", false},
      {"gfx942", "ds_gws_barrier v0 gds", true},
      {"gfx942", "s_sleep 1", true},
      {"gfx942", "s_memtime s[0:1]", true},
      {"gfx942", "s_memrealtime s[0:1]", true},
      {"gfx942", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", true},
      {"gfx942", "s_getreg_b32 s0, hwreg(HW_REG_XCC_ID, 0, 4)", true},
      {"gfx942", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", false},
      {"gfx942", "s_barrier", false},
      {"gfx90a", "global_load_dword v0, v[2:3], off glc", true},
      {"gfx90a", "global_load_dword v0, v[2:3], off slc", false},
      {"gfx90a", "buffer_wbinvl1_vol", true},
  };
  for (const auto &c : cases)
    EXPECT_EQ(Facts(c.target, c.text)[0].is(TimingFact::stop), c.stop) << c.target << ": " << c.text;
}

TEST(TimingFacts, ACoherentStoreStopsWhereAnotherWaveMayHearIt) {
  using Numbers = std::vector<uint32_t>;
  const std::string store = "global_store_dword v[2:3], v0, off sc1\n";
  EXPECT_EQ(Facts("gfx942", store).stops(), Numbers{}) << "nobody listens";
  EXPECT_EQ(Facts("gfx942", store + "global_load_dword v0, v[2:3], off").stops(), Numbers{});
  EXPECT_EQ(Facts("gfx942", store + "s_sleep 1").stops(), Numbers{1});
  EXPECT_EQ(Facts("gfx942", store + "global_load_dword v0, v[2:3], off sc1").stops(), (Numbers{0, 1}));
  EXPECT_EQ(Facts("gfx942", store + "global_atomic_add v[2:3], v0, off").stops(), (Numbers{0, 1}));
  EXPECT_EQ(Facts("gfx942", store + "buffer_inv sc1").stops(), (Numbers{0, 1}));
  EXPECT_EQ(Facts("gfx942", store + "ds_gws_barrier v0 gds").stops(), (Numbers{0, 1}));
  EXPECT_EQ(Facts("gfx942", store + "again:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                                    "v_readfirstlane_b32 s0, v0\ns_cmp_eq_u32 s0, 0\ns_cbranch_scc1 again")
                .stops(),
            (Numbers{0, 1}))
      << "a plain load that is polled";
  EXPECT_EQ(Facts("gfx942", store + "s_swappc_b64 s[30:31], s[4:5]").stops(), Numbers{0})
      << "what is called may listen";
  EXPECT_EQ(Facts("gfx90a", "global_store_dword v[2:3], v0, off glc").stops(), Numbers{});
  EXPECT_EQ(Facts("gfx90a", "global_store_dword v[2:3], v0, off glc\nglobal_load_dword v0, v[2:3], off glc").stops(),
            (Numbers{0, 1}));
}

TEST(TimingFacts, PlainReleasesAreGfx90as) {
  const std::string store = "s_waitcnt vmcnt(0)\nglobal_store_dword v[2:3], v0, off\n";
  EXPECT_FALSE(Facts("gfx90a", store).facts->releasesByPlainStores());
  EXPECT_TRUE(Facts("gfx90a", store + "global_load_dword v0, v[2:3], off glc").facts->releasesByPlainStores());
  EXPECT_TRUE(Facts("gfx90a", store + "global_atomic_add v[2:3], v0, off").facts->releasesByPlainStores());
  EXPECT_FALSE(Facts("gfx942", store + "global_load_dword v0, v[2:3], off sc1").facts->releasesByPlainStores());
}

TEST(PollingLoads, ALoadThatEndsItsLoopStops) {
  using Numbers = std::vector<uint32_t>;
  for (const char *target : {"gfx90a", "gfx942"}) {
    EXPECT_EQ(Facts(target, "again:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                            "v_readfirstlane_b32 s0, v0\ns_cmp_eq_u32 s0, 0\ns_cbranch_scc1 again")
                  .stops(),
              Numbers{0})
        << "memory";
    EXPECT_EQ(Facts(target, "again:\nds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 0, v0\n"
                            "s_cbranch_vccnz again")
                  .stops(),
              Numbers{0})
        << "LDS";
    EXPECT_EQ(Facts(target, "again:\ns_load_dword s0, s[2:3], 0\ns_waitcnt lgkmcnt(0)\ns_cmp_lg_u32 s0, s4\n"
                            "s_cbranch_scc0 done\ns_sleep 1\ns_branch again\ndone:")
                  .stops(),
              (Numbers{0, 4}))
        << "scalar, left from the middle";
    EXPECT_EQ(Facts(target, "s_mov_b32 s1, 0\nagain:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                            "v_readfirstlane_b32 s0, v0\ns_cmp_eq_u32 s0, 0\ns_cbranch_scc1 not_yet\n"
                            "s_mov_b32 s1, 1\nnot_yet:\ns_cmp_eq_u32 s1, 0\ns_cbranch_scc1 again")
                  .stops(),
              Numbers{1})
        << "by a branch that chooses";
    EXPECT_EQ(Facts(target, "s_mov_b64 s[4:5], 0\nagain:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                            "v_cmp_ne_u32 vcc, 0, v0\ns_or_b64 s[4:5], vcc, s[4:5]\n"
                            "s_andn2_b64 exec, exec, s[4:5]\ns_cbranch_execnz again")
                  .stops(),
              Numbers{1})
        << "lane by lane";
    EXPECT_EQ(Facts(target, "outer:\nagain:\nds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)\n"
                            "v_cmp_eq_u32 vcc, 0, v0\ns_cbranch_vccnz again\ns_sub_u32 s0, s0, 1\n"
                            "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 outer")
                  .stops(),
              Numbers{0})
        << "in an inner loop";
  }
}

TEST(PollingLoads, WhatACompareAndSwapBeginsWithStops) {
  const std::string loop = "s_load_dword s0, s[8:9], 0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s0\ns_mov_b64 s[6:7], 0\n"
                           "again:\nv_add_f32 v2, v3, v4\n";
  const std::string end = "s_waitcnt vmcnt(0)\nv_cmp_eq_u32 s[0:1], v2, v3\ns_or_b64 s[6:7], s[0:1], s[6:7]\n"
                          "v_mov_b32 v3, v2\ns_andn2_b64 exec, exec, s[6:7]\ns_cbranch_execnz again";
  EXPECT_EQ(Facts("gfx90a", loop + "global_atomic_cmpswap v2, v5, v[2:3], s[8:9] glc\n" + end).stops(),
            (std::vector<uint32_t>{0, 5}));
  EXPECT_EQ(Facts("gfx942", loop + "global_atomic_cmpswap v2, v5, v[2:3], s[8:9] sc0\n" + end).stops(),
            (std::vector<uint32_t>{0, 5}));
}

TEST(PollingLoads, LoopsThatCountDont) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    EXPECT_TRUE(Facts(target, "again:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\nds_write_b32 v1, v0\n"
                              "s_barrier\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\nv_add_f32 v5, v5, v4\n"
                              "s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again")
                    .stops()
                    .empty())
        << "loads feed arithmetic";
    EXPECT_TRUE(Facts(target, "again:\nglobal_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                              "v_cmp_ne_u32 vcc, 0, v0\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz skip\n"
                              "v_add_u32 v5, v5, v0\nskip:\ns_or_b64 exec, exec, s[2:3]\nv_add_u32 v6, 1, v6\n"
                              "v_cmp_gt_u32 vcc, s7, v6\ns_and_b64 exec, exec, vcc\ns_cbranch_execnz again")
                    .stops()
                    .empty())
        << "lanes leave by a counter, a value only masks some of the work";
    EXPECT_TRUE(Facts(target, "s_load_dword s0, s[2:3], 0\ns_waitcnt lgkmcnt(0)\nagain:\ns_sub_u32 s0, s0, 1\n"
                              "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again")
                    .stops()
                    .empty())
        << "the bound was loaded before";
  }
}

} // namespace
