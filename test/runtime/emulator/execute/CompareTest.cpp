// v_cmp, v_cmpx and class tests.
#include "test/runtime/emulator/execute/VectorCases.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

TEST(Vector, comparisons) {
  struct Comparison {
    const char *name;
    std::function<bool(u64, u64)> meaning;
    Kind kind;
  };
#define INTEGERS(suffix, kind, T)                                                                                      \
  {"eq_" suffix, [](u64 a, u64 b) { return T(a) == T(b); }, Kind::kind},                                               \
      {"ne_" suffix, [](u64 a, u64 b) { return T(a) != T(b); }, Kind::kind},                                           \
      {"lt_" suffix, [](u64 a, u64 b) { return T(a) < T(b); }, Kind::kind},                                            \
      {"le_" suffix, [](u64 a, u64 b) { return T(a) <= T(b); }, Kind::kind},                                           \
      {"gt_" suffix, [](u64 a, u64 b) { return T(a) > T(b); }, Kind::kind},                                            \
      {"ge_" suffix, [](u64 a, u64 b) { return T(a) >= T(b); }, Kind::kind}
#define FLOATS(suffix, kind, T)                                                                                        \
  {"eq_" suffix, [](u64 a, u64 b) { return T(a) == T(b); }, Kind::kind},                                               \
      {"neq_" suffix, [](u64 a, u64 b) { return !(T(a) == T(b)); }, Kind::kind},                                       \
      {"lt_" suffix, [](u64 a, u64 b) { return T(a) < T(b); }, Kind::kind},                                            \
      {"nlt_" suffix, [](u64 a, u64 b) { return !(T(a) < T(b)); }, Kind::kind},                                        \
      {"gt_" suffix, [](u64 a, u64 b) { return T(a) > T(b); }, Kind::kind},                                            \
      {"ngt_" suffix, [](u64 a, u64 b) { return !(T(a) > T(b)); }, Kind::kind},                                        \
      {"le_" suffix, [](u64 a, u64 b) { return T(a) <= T(b); }, Kind::kind},                                           \
      {"nle_" suffix, [](u64 a, u64 b) { return !(T(a) <= T(b)); }, Kind::kind},                                       \
      {"ge_" suffix, [](u64 a, u64 b) { return T(a) >= T(b); }, Kind::kind},                                           \
      {"nge_" suffix, [](u64 a, u64 b) { return !(T(a) >= T(b)); }, Kind::kind},                                       \
      {"lg_" suffix, [](u64 a, u64 b) { return T(a) < T(b) || T(a) > T(b); }, Kind::kind},                             \
      {"nlg_" suffix, [](u64 a, u64 b) { return !(T(a) < T(b) || T(a) > T(b)); }, Kind::kind},                         \
      {"o_" suffix, [](u64 a, u64 b) { return T(a) == T(a) && T(b) == T(b); }, Kind::kind},                            \
      {"u_" suffix, [](u64 a, u64 b) { return T(a) != T(a) || T(b) != T(b); }, Kind::kind}
  std::vector<Comparison> comparisons = {
      INTEGERS("u32", u32, u32), INTEGERS("i32", u32, i32), INTEGERS("u16", u16, u16),
      INTEGERS("i16", u16, i16), INTEGERS("u64", u64, u64), INTEGERS("i64", u64, i64),
      FLOATS("f32", f32, A),     FLOATS("f64", f64, D),     FLOATS("f16", f16, H)};
  for (const char *target : {"gfx90a", "gfx942"})
    for (const Comparison &c : comparisons) {
      SCOPED_TRACE(c.name);
      bool wide = c.kind == Kind::u64 || c.kind == Kind::f64;
      std::string operands32 = wide ? "v[2:3], v[4:5]" : "v2, v4", name = c.name;
      Snippet s(target, "v_cmp_" + name + " vcc, " + operands32 + "\nv_cmp_" + name + " s[30:31], " + operands32 +
                            "\ns_mov_b64 s[32:33], exec\nv_cmpx_" + name + " s[34:35], " + operands32);
      ASSERT_EQ(s.program->trapCount(), 0u);
      Operands operands;
      for (unsigned round = 0; round < 12; ++round) {
        u64 exec = operands.exec(round), expected = 0;
        for (unsigned l = 0; l < 64; ++l) {
          u64 a = operands.next(c.kind), b = operands.engine() % 4 ? operands.next(c.kind) : a;
          s.setLane<u64>(2, l, a);
          s.setLane<u64>(4, l, b);
          expected |= u64((exec >> l & 1) && c.meaning(a, b)) << l;
        }
        s.wave().setExec(exec);
        s.run();
        ASSERT_EQ(s.wave().scalar64(sgpr::vcc), expected);
        ASSERT_EQ(s.wave().scalar64(30), expected);
        ASSERT_EQ(s.wave().scalar64(34), expected);
        ASSERT_EQ(s.wave().exec(), expected);
      }
    }
}

TEST(Vector, classes) {
  Snippet s("gfx942",
            "v_cmp_class_f32 vcc, v2, v4\nv_cmp_class_f64 s[30:31], v[6:7], v4\nv_cmp_class_f16 s[32:33], v8, v4");
  const u32 f32Of[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                       0x80000000, 0,          1,          0x3f800000, 0x7f800000};
  const u64 f64Of[] = {0x7ff0000000000001,
                       0x7ff8000000000000,
                       0xfff0000000000000,
                       0xbff0000000000000,
                       0x8000000000000001,
                       0x8000000000000000,
                       0,
                       1,
                       0x3ff0000000000000,
                       0x7ff0000000000000};
  const u16 f16Of[] = {0x7c01, 0x7e00, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7c00};
  for (unsigned wanted = 0; wanted < 10; ++wanted) {
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[2][l] = f32Of[l % 10];
      s.setLane<u64>(6, l, f64Of[l % 10]);
      s.wave().rows[8][l] = f16Of[l % 10];
      s.wave().rows[4][l] = 1u << wanted;
    }
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      ASSERT_EQ(s.wave().scalar64(sgpr::vcc) >> l & 1, l % 10 == wanted);
      ASSERT_EQ(s.wave().scalar64(30) >> l & 1, l % 10 == wanted);
      ASSERT_EQ(s.wave().scalar64(32) >> l & 1, l % 10 == wanted);
    }
  }
}

} // namespace
