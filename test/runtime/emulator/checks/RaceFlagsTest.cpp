// The race check on lock-free code: flags of each form are clean as correct kernels use them, and a missing wait or a
// poll by a plain load is found.
#include "test/runtime/emulator/checks/MemoryCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator::test;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

enum class Mistake { None, NoWaitBeforeFlag, NoWaitAfterPoll, PlainPoll };

/// A kind of flag: by vector or scalar instructions, of 4 or 8 bytes, of one or several lanes.
struct Flag {
  const char *name;
  bool isScalar;
  unsigned bytes, lanes;
};
constexpr Flag flags[] = {
    {"vector, 4 bytes, one lane", false, 4, 1},
    {"vector, 8 bytes, one lane", false, 8, 1},
    {"vector, 4 bytes, four lanes", false, 4, 4},
    {"vector, 8 bytes, four lanes", false, 8, 4},
    {"scalar, 4 bytes", true, 4, 1},
    {"scalar, 8 bytes", true, 8, 1},
};

struct Chip {
  const char *name, *writeBack, *store, *load, *invalidate;
};
constexpr Chip chips[] = {
    {"gfx90a", "", "", " glc", "buffer_wbinvl1_vol\n"},
    {"gfx942", "buffer_wbl2 sc1\n", " sc1", " sc1", "buffer_inv sc1\n"},
};

std::string laneMask(unsigned lanes) { return "s_mov_b64 exec, " + std::to_string((1u << lanes) - 1) + "\n"; }
const char *const allLanes = "s_mov_b64 exec, -1\n";

/// Waits until the flags at offset 3072 are the workgroup's number.
std::string poll(const Chip &chip, const Flag &flag, Mistake mistake) {
  const std::string wide = flag.bytes == 8 ? "x2" : "", wait = mistake == Mistake::NoWaitAfterPoll ? "" : "s_waitcnt ";
  const std::string coherent = mistake == Mistake::PlainPoll ? "" : flag.isScalar ? " glc" : chip.load;
  const std::string counter = wait.empty() ? "" : flag.isScalar ? "lgkmcnt(0)\n" : "vmcnt(0)\n";
  if (flag.isScalar)
    return ".Lpoll\\@:\n s_load_dword" + wide + " s[12:" + (wide.empty() ? "12" : "13") + "], s[4:5], 0xc00" +
           coherent + "\n" + wait + counter + "s_cmp_lg_u32 s12, s2\n s_cbranch_scc1 .Lpoll\\@\n";
  return laneMask(flag.lanes) + ".Lpoll\\@:\n global_load_dword" + wide + " v[10:" + (wide.empty() ? "10" : "11") +
         "], v9, s[4:5] offset:3072" + coherent + "\n" + wait + counter +
         "v_cmp_ne_u32 vcc, s2, v10\n s_cbranch_vccnz .Lpoll\\@\n" + allLanes;
}

/// Sets the flags to the workgroup's number and one.
std::string set(const Chip &chip, const Flag &flag) {
  const std::string wide = flag.bytes == 8 ? "x2" : "";
  if (flag.isScalar)
    return "s_add_u32 s14, s2, 1\n s_mov_b32 s15, 7\n s_store_dword" + wide + " s[14:" + (wide.empty() ? "14" : "15") +
           "], s[4:5], 0xc00 glc\n s_dcache_wb\n";
  return laneMask(flag.lanes) + "s_add_u32 s14, s2, 1\n v_mov_b32 v12, s14\n v_mov_b32 v13, 7\n global_store_dword" +
         wide + " v9, v[12:" + (wide.empty() ? "12" : "13") + "], s[4:5] offset:3072" + chip.store + "\n" + allLanes;
}

std::string waitBeforeFlag(Mistake mistake) {
  return mistake == Mistake::NoWaitBeforeFlag ? "" : "s_waitcnt vmcnt(0)\n";
}

/// v9: the offset of a lane's flag.
std::string flagOffset(const Flag &flag) {
  return std::string("v_lshlrev_b32 v9, ") + (flag.bytes == 8 ? "3" : "2") + ", v0\n";
}

/// Split-K: each workgroup adds to the same sums when the one before it has.
std::string semaphore(const Chip &chip, const Flag &flag, Mistake mistake) {
  return flagOffset(flag) + poll(chip, flag, mistake) + chip.invalidate +
         "global_load_dword v6, v1, s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v6, 1, v6\n"
         "global_store_dword v1, v6, s[4:5]\n" +
         chip.writeBack + waitBeforeFlag(mistake) + set(chip, flag);
}

/// Look-back: each workgroup publishes a sum and a status word, and reads the sums of all before it.
std::string lookBack(const Chip &chip, const Flag &flag, Mistake mistake) {
  const std::string wide = flag.bytes == 8 ? "x2" : "";
  const std::string coherent = mistake == Mistake::PlainPoll ? "" : chip.load;
  return "s_mov_b64 exec, 1\n s_lshl_b32 s13, s2, 2\n v_mov_b32 v7, s13\n s_lshl_b32 s13, s2, " +
         std::string(flag.bytes == 8 ? "3" : "2") +
         "\n v_mov_b32 v8, s13\n v_mov_b32 v12, 1\n v_mov_b32 v13, 7\n global_store_dword v7, v7, s[4:5]\n" +
         chip.writeBack + waitBeforeFlag(mistake) + "global_store_dword" + wide +
         " v8, v[12:" + (wide.empty() ? "12" : "13") + "], s[4:5] offset:2048" + chip.store + "\n" + allLanes +
         flagOffset(flag) +
         "v_cmp_gt_u32 vcc, s2, v0\n s_and_b64 exec, exec, vcc\n s_cbranch_execz .Lfirst\\@\n .Lback\\@:\n"
         "global_load_dword" +
         wide + " v[10:" + (wide.empty() ? "10" : "11") + "], v9, s[4:5] offset:2048" + coherent + "\n" +
         (mistake == Mistake::NoWaitAfterPoll ? "" : "s_waitcnt vmcnt(0)\n") +
         "v_cmp_eq_u32 vcc, 0, v10\n s_cbranch_vccnz .Lback\\@\n" + chip.invalidate +
         "global_load_dword v6, v1, s[4:5]\n .Lfirst\\@:";
}

/// As a macro, so that labels are unique.
std::string body(const std::string &text) {
  static unsigned number = 0;
  const std::string name = "body" + std::to_string(number++);
  return ".macro " + name + "\n" + text + "\n.endm\n" + name;
}

using Pattern = std::string (*)(const Chip &, const Flag &, Mistake);

void expectCleanOrFound(Pattern pattern, std::span<const Flag> kinds) {
  constexpr std::pair<Mistake, const char *> mistakes[] = {{Mistake::None, "as it should be"},
                                                           {Mistake::NoWaitBeforeFlag, "no wait before the flag"},
                                                           {Mistake::NoWaitAfterPoll, "no wait after the poll"},
                                                           {Mistake::PlainPoll, "a plain poll"}};
  for (const Chip &chip : chips) {
    std::vector<std::string> bodies, names;
    for (const Flag &flag : kinds)
      for (const auto &[mistake, name] : mistakes) {
        bodies.push_back(body(pattern(chip, flag, mistake)));
        names.push_back(std::string(chip.name) + ": " + flag.name + ": " + name);
      }
    std::vector<MemoryCase> cases;
    for (size_t i = 0; i < bodies.size(); ++i)
      cases.push_back({names[i].c_str(), bodies[i].c_str(), {}, 64, 4});
    const auto found = findInMemoryCases(chip.name, "race", cases);
    for (size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(names[i]);
      if (i % std::size(mistakes) == 0)
        EXPECT_THAT(found[i], IsEmpty());
      else
        EXPECT_THAT(found[i], Contains(testing::StartsWith("race: 4 bytes loaded here and stored by wave 0 of")));
    }
  }
}

TEST(RaceFlagsTest, SplitK) { expectCleanOrFound(semaphore, flags); }
TEST(RaceFlagsTest, LookBack) { expectCleanOrFound(lookBack, std::span(flags).first(2)); }

// Two waves store data, one of them sets the flag; workgroup 1 polls it.
#define CREW(name, before, after)                                                                                      \
  "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .L" name "\n"                               \
  "global_store_dword v1, v1, s[4:5]\n" before "s_barrier\n v_cmp_eq_u32 vcc, 0, v0\n s_and_b64 exec, exec, vcc\n"     \
  "s_cbranch_execz .Lend" name "\n" after "global_store_dword v3, v4, s[4:5] offset:3072\n s_endpgm\n"                 \
  ".L" name ":\n s_mov_b64 exec, 1\n global_load_dword v5, v3, s[4:5] offset:3072 glc\n s_waitcnt vmcnt(0)\n"          \
  "v_readfirstlane_b32 s12, v5\n s_cmp_eq_u32 s12, 0\n s_cbranch_scc1 .L" name "\n s_mov_b64 exec, -1\n"               \
  "buffer_wbinvl1_vol\n global_load_dword v6, v1, s[4:5]\n .Lend" name ":"

// A lock that lane 0 takes by compare and swap, around a sum; it unlocks by a plain store.
#define LOCK(name, afterLock, beforeUnlock)                                                                            \
  "s_mov_b64 exec, 1\n v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n v_mov_b32 v5, 0\n .L" name ":\n"                            \
  "global_atomic_cmpswap v6, v3, v[4:5], s[4:5] offset:3072 glc\n" afterLock                                           \
  "v_readfirstlane_b32 s12, v6\n s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 .L" name "\n buffer_wbinvl1_vol\n"               \
  "global_load_dword v7, v3, s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v7, 1, v7\n global_store_dword v3, v7, "          \
  "s[4:5]\n" beforeUnlock "global_store_dword v3, v5, s[4:5] offset:3072"

// A poll with a younger load in flight.
#define POLL(name, wait)                                                                                               \
  "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .L" name "\n"                               \
  "global_store_dword v1, v1, s[4:5]\n global_load_dword v7, v1, s[4:5] offset:1024\n s_waitcnt vmcnt(1)\n"            \
  "s_mov_b64 exec, 1\n global_store_dword v3, v4, s[4:5] offset:3072\n s_endpgm\n"                                     \
  ".L" name ":\n global_load_dword v5, v3, s[4:5] offset:3072 glc\n"                                                   \
  "global_load_dword v7, v1, s[4:5] offset:1024\n" wait "v_readfirstlane_b32 s12, v5\n s_cmp_eq_u32 s12, 0\n"          \
  "s_cbranch_scc1 .L" name "\n buffer_wbinvl1_vol\n global_load_dword v6, v1, s[4:5]"

TEST(RaceFlagsTest, WaitsOfEachKind) {
  const std::vector<MemoryCase> clean = {
      {"each wave waits before the barrier", CREW("a", "s_waitcnt vmcnt(0)\n", ""), {}, 128, 2},
      {"the wave of the flag waits behind the barrier", CREW("b", "", "s_waitcnt vmcnt(0)\n"), {}, 128, 2},
      {"a lock", LOCK("c", "s_waitcnt vmcnt(0)\n", "s_waitcnt vmcnt(0)\n"), {}, 64, 4},
      {"a wait that leaves the younger load", POLL("d", "s_waitcnt vmcnt(1)\n"), {}, 64, 2},
  };
  runMemoryCases("gfx90a", "race", clean);
  const std::vector<MemoryCase> wrong = {
      {"nobody waits for the other wave's data", CREW("a", "", ""), {}, 128, 2},
      {"the unlocking store doesn't wait", LOCK("b", "s_waitcnt vmcnt(0)\n", ""), {}, 64, 4},
      {"the locking operation isn't waited for", LOCK("c", "", "s_waitcnt vmcnt(0)\n"), {}, 64, 4},
      {"a wait that leaves the poll", POLL("d", "s_waitcnt vmcnt(2)\n"), {}, 64, 2},
      {"a wait for something else", POLL("e", "s_waitcnt lgkmcnt(0)\n"), {}, 64, 2},
  };
  const auto found = findInMemoryCases("gfx90a", "race", wrong);
  for (size_t i = 0; i < wrong.size(); ++i)
    EXPECT_THAT(found[i], Contains(HasSubstr("nothing orders the two workgroups"))) << wrong[i].name;
}

TEST(RaceFlagsTest, WhatIsNoFlag) {
  const std::vector<MemoryCase> cases = {
      {"two bytes",
       "v_lshlrev_b32 v2, 1, v0\n global_store_short v2, v0, s[4:5]\n global_load_ushort v3, v2, s[4:5] glc",
       {},
       64,
       2},
      {"16 bytes",
       "v_lshlrev_b32 v2, 4, v0\n v_mov_b32 v4, s2\n global_store_dwordx4 v2, v[4:7], s[4:5]\n"
       "global_load_dword v3, v2, s[4:5] glc",
       {},
       64,
       2},
      {"8 bytes at a multiple of 4",
       "v_lshlrev_b32 v2, 3, v0\n v_mov_b32 v4, s2\n"
       "global_store_dwordx2 v2, v[4:5], s[4:5] offset:4\n"
       "global_load_dword v3, v2, s[4:5] offset:4 glc",
       {},
       64,
       2},
      {"added to without the old value",
       "v_mov_b32 v4, s2\n s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .Ladd\n"
       "global_store_dword v1, v4, s[4:5]\n s_endpgm\n .Ladd:\n"
       "global_atomic_add v1, v4, s[4:5]",
       {},
       64,
       2},
      {"two plain stores that nobody reads", "v_mov_b32 v4, s2\n global_store_dword v1, v4, s[4:5]", {}, 64, 2},
  };
  for (const char *chip : {"gfx90a", "gfx942"}) {
    std::vector<std::string> bodies;
    std::vector<MemoryCase> here;
    for (const MemoryCase &test : cases)
      bodies.push_back(test.body);
    for (size_t i = 0; i < cases.size(); ++i) {
      for (size_t at; chip == std::string("gfx942") && (at = bodies[i].find(" glc")) != bodies[i].npos;)
        bodies[i].replace(at, 4, " sc1");
      here.push_back({cases[i].name, bodies[i].c_str(), {}, cases[i].block, cases[i].grid});
    }
    const auto found = findInMemoryCases(chip, "race", here);
    for (size_t i = 0; i < here.size(); ++i)
      EXPECT_THAT(found[i], Contains(HasSubstr("nothing orders the two workgroups"))) << chip << ": " << here[i].name;
  }
}

} // namespace
