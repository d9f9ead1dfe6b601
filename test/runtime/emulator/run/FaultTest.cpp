// What stops a wave, and the message for it.
#include "runtime/emulator/run/Finding.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

std::string getFault(Snippet &s) {
  try {
    s.run();
  } catch (const WaveFault &fault) {
    return fault.what + (fault.lane >= 0 ? ", lane " + std::to_string(fault.lane) : "") + ": " +
           s.program->getText(fault.op);
  }
  return "no fault";
}

TEST(Faults, NameLaneAndInstruction) {
  std::vector<u32> data(64);
  u64 address = reinterpret_cast<u64>(data.data());
  Snippet load("gfx942", "s_nop 0\nglobal_load_dword v8, v[2:3], off");
  load.allow(data.data(), 256);
  for (unsigned l = 0; l < 64; ++l)
    load.setLane<u64>(2, l, address + l * 4 + (l >= 17 ? 1 << 20 : 0));
  EXPECT_EQ(getFault(load), "load of 4 bytes outside every allocation, lane 17: global_load_dword v8, v[2:3], off");
  load.wave().setExec(0x1ffff);
  EXPECT_EQ(getFault(load), "no fault");

  Snippet store("gfx942", "global_store_dword v[2:3], v8, off");
  store.allow(data.data(), 256, false);
  for (unsigned l = 0; l < 64; ++l)
    store.setLane<u64>(2, l, address + l * 4);
  EXPECT_EQ(getFault(store), "store to read-only memory, lane 0: global_store_dword v[2:3], v8, off");

  Snippet scalar("gfx942", "s_load_dwordx4 s[4:7], s[2:3], 0xf8");
  scalar.allow(data.data(), 256);
  scalar.wave().setScalar64(2, address);
  EXPECT_EQ(getFault(scalar), "load of 16 bytes outside every allocation: s_load_dwordx4 s[4:7], s[2:3], 0xf8");

  Snippet trap("gfx942", "s_mov_b32 s2, 1\ns_trap 2");
  EXPECT_EQ(getFault(trap), "trap 2 (abort or assertion): s_trap 2");
  Snippet unknown("gfx90a", "s_mov_b32 s2, 1\nv_screen_partition_4se_b32 v0, v1"); // listed in NotExecuted.def
  EXPECT_EQ(unknown.program->trapCount(), 1u);
  EXPECT_EQ(getFault(unknown), "no meaning for this instruction (a graphics table of pixels to shader engines, whose "
                               "contents depend on the chip): v_screen_partition_4se_b32_e32 v0, v1");
  Snippet nothing("gfx942", ".long 0xfffffffe");
  EXPECT_EQ(getFault(nothing).substr(0, 49), "no meaning for this instruction: no instruction: ");
}

TEST(Fault, IsOneLineWhateverTheKernelIsCalled) {
  Finding finding;
  finding.what = "trap 2";
  finding.kernel = "two\nlines\x1b[0m";
  EXPECT_EQ(finding.text(), "trap 2: kernel 'two\\nlines\\x1b[0m'") << "of the whole launch";
  finding.instruction = "s_trap 2";
  EXPECT_THAT(finding.text(), testing::StartsWith("trap 2: kernel 'two\\nlines\\x1b[0m', pc"));
}

} // namespace
