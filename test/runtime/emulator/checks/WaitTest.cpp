// The wait check on a few instructions: what it must report and what it must not.
#include "test/runtime/emulator/checks/CheckedRun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using testing::HasSubstr;

namespace {

struct Case {
  const char *name, *text;
  std::vector<const char *> found; ///< a part of each finding's text, in order
  unsigned waves = 1;
};

const Case cases[] = {
    {"load used at once",
     "global_load_dword v1, v0, s[0:1]\n v_add_u32 v4, v1, v1",
     {"v1 is read before 'global_load_dword v1, v0, s[0:1]'"}},
    {"says what the wait should have been",
     "global_load_dword v1, v0, s[0:1]\n global_load_dword v4, v0, s[0:1]\n global_load_dword v5, v0, s[0:1]\n"
     "s_waitcnt vmcnt(3)\n v_mov_b32 v6, v4",
     {"expected s_waitcnt vmcnt(1) (outstanding: vmcnt 3)"}},
    {"waited", "global_load_dword v1, v0, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, v1, v1", {}},
    {"waited in order",
     "global_load_dword v1, v0, s[0:1]\n global_load_dword v4, v0, s[0:1]\n s_waitcnt vmcnt(1)\n v_mov_b32 v6, v1",
     {}},
    {"stores count too",
     "global_load_dword v1, v0, s[0:1]\n global_store_dword v0, v0, s[0:1]\n s_waitcnt vmcnt(1)\n v_mov_b32 v6, v1",
     {}},
    {"stores don't hold their data", "global_store_dword v0, v1, s[0:1]\n v_mov_b32 v1, 0", {}},
    {"the counter holds 63",
     "global_load_dword v1, v0, s[0:1]\n global_load_dword v5, v0, s[0:1]\n .rept 62\n global_load_dword v4, v0, "
     "s[0:1]\n"
     ".endr\n v_mov_b32 v6, v1\n v_mov_b32 v6, v5",
     {"v5 is read before"}},
    {"overwritten", "global_load_dword v1, v0, s[0:1]\n v_mov_b32 v1, 0", {"v1 is overwritten before"}},
    {"loads overwrite in order", "global_load_dword v1, v0, s[0:1]\n global_load_dword v1, v0, s[0:1] offset:4", {}},
    {"LDS and memory don't", "global_load_dword v1, v0, s[0:1]\n ds_read_b32 v1, v0", {"v1 is overwritten before"}},
    {"one register of four",
     "global_load_dwordx4 v[4:7], v0, s[0:1]\n v_mov_b32 v8, v3\n v_mov_b32 v8, v7",
     {"v7 is read before"}},
    {"accumulation registers", "global_load_dword a1, v0, s[0:1]\n v_accvgpr_read_b32 v1, a1", {"a1 is read before"}},
    {"as an address", "global_load_dword v4, v0, s[0:1]\n ds_read_b32 v5, v4", {"v4 is read before"}},
    {"as data", "global_load_dword v4, v0, s[0:1]\n global_store_dword v0, v4, s[0:1]", {"v4 is read before"}},
    {"LDS in order",
     "ds_read_b32 v1, v0\n ds_read_b32 v4, v0\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v5, v1\n v_mov_b32 v5, v4",
     {"v4 is read before 'ds_read_b32 v4, v0'"}},
    {"scalar loads come in any order",
     "s_load_dword s8, s[0:1], 0x0\n s_load_dword s9, s[0:1], 0x4\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s10, s8",
     {
         "s8 is read before",
     }},
    {"all of them", "s_load_dwordx2 s[8:9], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_mov_b32 s10, s9", {}},
    {"a scalar load doesn't show that LDS is done",
     "ds_read_b32 v1, v0\n s_load_dword s8, s[0:1], 0x0\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v4, v1",
     {"expected s_waitcnt lgkmcnt(0)"}},
    {"vmcnt for LDS is no wait", "ds_read_b32 v1, v0\n s_waitcnt vmcnt(0)\n v_mov_b32 v4, v1", {"v1 is read before"}},
    {"s_memtime", "s_memtime s[8:9]\n s_add_u32 s8, s8, 1", {"s[8:9]"}},
    {"atomics that return",
     "v_mov_b32 v1, 0\n global_atomic_add v1, v0, v1, s[0:1] glc\n v_mov_b32 v4, v1",
     {"which returns a value there"}},
    {"flat needs both", "flat_load_dword v1, v[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v4, v1", {}},
    {"flat not waited for", "flat_load_dword v1, v[2:3]\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v4, v1", {"vmcnt(0)"}},
    {"other lanes",
     "s_mov_b64 exec, 1\n global_load_dword v1, v0, s[0:1]\n s_mov_b64 exec, 2\n v_mov_b32 v1, 0\n s_mov_b64 exec, 3\n"
     "v_mov_b32 v4, v1",
     {"v1 is read before"}},
    {"vcc", "s_load_dwordx2 vcc, s[0:1], 0x0\n v_cndmask_b32 v4, v0, v0, vcc", {"vcc is read before"}},
    {"at a branch", "s_load_dwordx2 vcc, s[0:1], 0x0\n s_cbranch_vccz 0", {"vcc is read before"}},
    {"found once, not again and again",
     "global_load_dword v1, v0, s[0:1]\n v_mov_b32 v4, v1\n v_mov_b32 v4, v1",
     {"v1 is read before"}},
    {"loads into LDS",
     "s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v0, s[4:7], 0 offen lds\n ds_read_b32 v4, v0\n s_waitcnt "
     "lgkmcnt(0)",
     {"LDS is used before 'buffer_load_dword v0, s[4:7], 0 offen lds'"}},
    {"loads into LDS, waited for",
     "s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v0, s[4:7], 0 offen lds\n s_waitcnt vmcnt(0)\n ds_read_b32 v4, v0\n"
     "s_waitcnt lgkmcnt(0)",
     {}},
    {"barrier without a wait",
     "s_lshl_b32 s3, s2, 8\n v_add_u32 v1, s3, v0\n ds_write_b32 v1, v0\n s_barrier\n v_xor_b32 v4, 0x100, v1\n"
     "ds_read_b32 v5, v4\n s_waitcnt lgkmcnt(0)",
     {"LDS that wave 1 writes by 'ds_write_b32 v1, v0'"},
     2},
    {"barrier with a wait",
     "s_lshl_b32 s3, s2, 8\n v_add_u32 v1, s3, v0\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
     "v_xor_b32 v4, 0x100, v1\n ds_read_b32 v5, v4\n s_waitcnt lgkmcnt(0)",
     {},
     2},
    {"a second barrier makes it good",
     "s_lshl_b32 s3, s2, 8\n v_add_u32 v1, s3, v0\n ds_write_b32 v1, v0\n s_barrier\n s_waitcnt lgkmcnt(0)\n "
     "s_barrier\n"
     "v_xor_b32 v4, 0x100, v1\n ds_read_b32 v5, v4\n s_waitcnt lgkmcnt(0)",
     {},
     2},
    {"reads under way, overwritten behind the barrier",
     "s_lshl_b32 s3, s2, 8\n v_add_u32 v1, s3, v0\n ds_read_b32 v5, v1\n s_barrier\n v_xor_b32 v4, 0x100, v1\n"
     "ds_write_b32 v4, v0\n s_waitcnt lgkmcnt(0)",
     {"LDS that wave 1 reads"},
     2},
    {"own LDS behind a barrier",
     "s_lshl_b32 s3, s2, 8\n v_add_u32 v1, s3, v0\n ds_write_b32 v1, v0\n s_barrier\n ds_read_b32 v5, v1\n"
     "s_waitcnt lgkmcnt(0)",
     {},
     2},
};

TEST(WaitCheck, FindsWhatIsWrongAndNothingElse) {
  for (const char *target : {"gfx90a", "gfx942"})
    for (const Case &c : cases) {
      SCOPED_TRACE(std::string(target) + ": " + c.name);
      std::string text = c.text;
      if (size_t at = text.find(" glc"); at != text.npos && std::string(target) == "gfx942")
        text.replace(at, 4, " sc0");
      std::vector<Finding> findings = checkedRun(target, text, "wait", c.waves);
      ASSERT_GE(findings.size(), c.found.size());
      for (size_t i = 0; i < c.found.size(); ++i) {
        EXPECT_EQ(findings[i].check, "wait");
        EXPECT_THAT(findings[i].text(), HasSubstr(c.found[i]));
      }
      for (size_t i = c.found.size() + (c.waves > 1 && !c.found.empty()); i < findings.size(); ++i)
        ADD_FAILURE() << "also found: " << findings[i].text();
    }
}

std::vector<std::string_view> namesOf(std::string_view text) {
  std::vector<std::string_view> names;
  const auto set = checks::CheckSet::parse(text, "--check");
  for (const checks::CheckInfo &check : checks::allChecks())
    if (set.has(check))
      names.push_back(check.name);
  return names;
}

TEST(CheckSet, Names) {
  using checks::CheckSet;
  EXPECT_FALSE(CheckSet::parse("", "--check").any());
  EXPECT_EQ(namesOf("wait,hazard"), (std::vector<std::string_view>{"hazard", "wait"}));
  EXPECT_TRUE(CheckSet::parse("race,backward", "--check").backward);
  EXPECT_FALSE(CheckSet::parse("race", "--check").backward);
  EXPECT_EQ(namesOf("all").size(), checks::allChecks().size());
  try {
    CheckSet::parse("wait,waits", "--check");
    FAIL();
  } catch (const std::invalid_argument &error) {
    EXPECT_THAT(error.what(), testing::StartsWith("--check: expected memory, uninit, "));
    EXPECT_THAT(error.what(), testing::EndsWith("wait, backward or all but got 'waits', did you mean 'wait'?"));
  }
  EXPECT_TRUE(CheckSet::parse("all,hazard:strict", "--check").strictHazards);
  EXPECT_FALSE(CheckSet::parse("all", "--check").strictHazards);
  EXPECT_TRUE(CheckSet::parse("hazard:strict", "--check").any());
  EXPECT_THROW(CheckSet::parse("backward", "--check"), std::invalid_argument) << "it checks nothing by itself";
}

} // namespace
