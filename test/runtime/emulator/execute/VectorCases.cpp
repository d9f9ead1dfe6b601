#include "test/runtime/emulator/execute/VectorCases.h"

#include <cmath>
#include <gtest/gtest.h>

namespace nstf::emulator::test {
namespace {

unsigned bytesOf(Kind kind) { return kind == Kind::u64 || kind == Kind::f64 ? 8 : 4; }
bool isNan(Kind kind, u64 v) {
  return kind == Kind::f32   ? std::isnan(as<f32>(v))
         : kind == Kind::f64 ? std::isnan(as<f64>(v))
         : kind == Kind::f16 ? std::isnan(f32(as<f16>(v)))
                             : false;
}

void check(const char *target, const Case &c) {
  SCOPED_TRACE(std::string(target) + ": " + c.text);
  Snippet snippet(target, c.text);
  ASSERT_EQ(snippet.program->trapCount(), 0u);
  Operands operands;
  for (unsigned round = 0; round < 24; ++round) {
    u64 values[3][64] = {}, old[64];
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned k = 0; k < c.sources.size(); ++k) {
        values[k][lane] = operands.next(c.sources[k]);
        snippet.setLane<u64>(2 + 2 * k, lane, values[k][lane]);
      }
      old[lane] = operands.engine();
      snippet.setLane<u64>(8, lane, old[lane]);
    }
    u64 exec = operands.exec(round);
    snippet.wave().setExec(exec);
    snippet.run();
    for (unsigned lane = 0; lane < 64; ++lane) {
      u64 got = snippet.lane<u64>(8, lane);
      if (!(exec >> lane & 1)) {
        ASSERT_EQ(got, old[lane]) << "disabled lane " << lane << " changed";
        continue;
      }
      u64 expected = c.meaning(values[0][lane], values[1][lane], values[2][lane]);
      if (bytesOf(c.result) == 4) {
        got = u32(got);
        expected = u32(expected);
      }
      if (isNan(c.result, expected)) {
        ASSERT_TRUE(isNan(c.result, got)) << std::hex << got;
        continue;
      }
      ASSERT_EQ(got, expected) << std::hex << "lane " << std::dec << lane << std::hex << " a " << values[0][lane]
                               << " b " << values[1][lane] << " c " << values[2][lane] << " got " << got << " expected "
                               << expected;
    }
  }
}

} // namespace

void checkAll(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    if (c.chips != Case::Gfx942)
      check("gfx90a", c);
    if (c.chips != Case::Gfx90a)
      check("gfx942", c);
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

} // namespace nstf::emulator::test
