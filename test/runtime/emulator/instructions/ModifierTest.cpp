// Relative register indices. DPP, SDWA and the other modifiers are in meaning/VectorTest.cpp.
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

TEST(Modifiers, RelativeRegisters) {
  Snippet s("gfx90a", R"(
    s_set_gpr_idx_on s2, gpr_idx(SRC0)
    v_mov_b32 v8, v10
    s_set_gpr_idx_off
    s_set_gpr_idx_on s2, gpr_idx(DST)
    v_mov_b32 v20, v4
    s_set_gpr_idx_off
    v_mov_b32 v9, v10)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 40; ++r)
      s.wave().rows[r][l] = r * 100 + l;
  s.wave().scalars[2] = 5;
  s.wave().setExec(0xff00ff);
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    bool active = 0xff00ffu >> (l & 31) & 1 && l < 32;
    ASSERT_EQ(s.wave().rows[8][l], active ? 1500 + l : 800 + l);
    ASSERT_EQ(s.wave().rows[25][l], active ? 400 + l : 2500 + l);
    ASSERT_EQ(s.wave().rows[20][l], 2000 + l);
    ASSERT_EQ(s.wave().rows[9][l], active ? 1000 + l : 900 + l);
  }
}

} // namespace
