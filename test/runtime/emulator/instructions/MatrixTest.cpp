// Matrix instructions in fast mode, element by element on random operands: every form, with A, B, C and D in VGPRs or
// AGPRs.
#include "test/runtime/emulator/instructions/MatrixForms.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

uint64_t randomElement(Element e, Operands &operands) {
  double v = std::uniform_real_distribution<double>(-2, 2)(operands.engine);
  switch (e) {
  case Element::f32:
  case Element::xf32:
    return bits(float(v));
  case Element::f16:
    return bits(_Float16(v));
  case Element::bf16:
    return bits(float(v)) >> 16;
  case Element::f64:
    return bits(v);
  case Element::i8:
    return operands.engine() & 0xff;
  default:
    return operands.engine() & 0x7f; // no NaN
  }
}
uint64_t randomAddend(const MatrixForm &form, Operands &operands) {
  double v = std::uniform_real_distribution<double>(-9, 9)(operands.engine);
  return form.resultBits() == 64 ? bits(v) : form.a == Element::i8 ? uint32_t(operands.engine()) : bits(float(v));
}

uint64_t expectedElement(const MatrixForm &form, auto a, auto b, uint64_t c) {
  if (form.a == Element::i8) {
    uint32_t sum = uint32_t(c);
    for (unsigned k = 0; k < form.depth; ++k)
      sum += uint32_t(int(getValue(form.a, a(k))) * int(getValue(form.b, b(k))));
    return sum;
  }
  if (form.a == Element::f64) {
    double sum = as<double>(c);
    for (unsigned k = 0; k < form.depth; ++k)
      sum = std::fma(as<double>(a(k)), as<double>(b(k)), sum);
    return bits(sum);
  }
  float sum = as<float>(c);
  for (unsigned k = 0; k < form.depth; ++k)
    sum = std::fma(float(getValue(form.a, a(k))), float(getValue(form.b, b(k))), sum);
  return bits(sum);
}

/// `files`: where A, B, and C and D are, 'v' or 'a'. `constant`: C is 1.
void check(const std::string &target, const MatrixForm &form, const std::string &files, bool constant) {
  const char *name = form.name(target);
  SCOPED_TRACE(target + " " + name + " in " + files);
  unsigned rows[3] = {8, 24, 64};
  std::string d = registers(files[2], 64, form.resultRegisters());
  Snippet s(target, std::string(name) + " " + d + ", " + registers(files[0], 8, form.sourceRegisters()) + ", " +
                        registers(files[1], 24, form.sourceRegisters()) + ", " +
                        (!constant               ? d
                         : form.a == Element::i8 ? "1"
                                                 : "1.0"));
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned n = 0; n < 3; ++n)
    rows[n] += files[n] == 'a' ? agprRow : 0;
  s.wave().setExec(0x5555); // must not matter
  Operands operands;
  for (int round = 0; round < 2; ++round) {
    auto everyPlace = [&](auto function) {
      for (unsigned block = 0; block < form.blocks; ++block)
        for (unsigned i = 0; i < form.rows; ++i)
          for (unsigned j = 0; j < form.columns; ++j)
            function(block, i, j);
    };
    auto element = [&](unsigned n, unsigned block, unsigned i) {
      return [&s, &form, row = rows[n], e = n ? form.b : form.a, block, i](unsigned k) {
        return getElement(s, row, placeOfInput(form, block, i, k), getBits(e));
      };
    };
    for (unsigned block = 0; block < form.blocks; ++block)
      for (unsigned i = 0; i < form.rows; ++i)
        for (unsigned k = 0; k < form.depth; ++k)
          for (unsigned n = 0; n < 2; ++n)
            setElement(s, rows[n], placeOfInput(form, block, i, k), getBits(form.a),
                       randomElement(n ? form.b : form.a, operands));
    std::vector<uint64_t> expected;
    everyPlace([&](unsigned block, unsigned i, unsigned j) {
      uint64_t c = randomAddend(form, operands);
      setElement(s, rows[2], placeOfOutput(form, block, i, j), form.resultBits(), c);
      if (constant)
        c = form.resultBits() == 64 ? bits(1.0) : form.a == Element::i8 ? 1 : bits(1.0f);
      expected.push_back(expectedElement(form, element(0, block, i), element(1, block, j), c));
    });
    s.run();
    size_t at = 0;
    everyPlace([&](unsigned block, unsigned i, unsigned j) {
      uint64_t got = getElement(s, rows[2], placeOfOutput(form, block, i, j), form.resultBits());
      EXPECT_EQ(got, expected[at++]) << "block " << block << " row " << i << " column " << j;
    });
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Matrix, EveryElement) {
  for (const MatrixForm &form : matrixForms())
    for (const std::string target : {"gfx90a", "gfx942"})
      for (const char *files : {"vvv", "aaa", "vav", "ava"})
        if (form.name(target) && !form.sparse)
          check(target, form, files, false);
}
TEST(Matrix, ConstantAddend) {
  for (const MatrixForm &form : matrixForms())
    for (const std::string target : {"gfx90a", "gfx942"})
      if (form.name(target) && !form.sparse)
        check(target, form, "vva", true);
}

TEST(Matrix, DestinationOverAddend) {
  // D is two registers above C: the instruction must read C before it writes D.
  for (const std::string mode : {"fast", "exact"})
    for (const std::string target : {"gfx90a", "gfx942"}) {
      std::string name = target == "gfx90a" ? "v_mfma_f32_4x4x4f16" : "v_mfma_f32_4x4x4_16b_f16";
      Snippet s(target, name + " a[2:5], v[0:1], v[2:3], a[0:3]", 64,
                mode == "fast" ? MatrixMode::Fast : MatrixMode::Exact);
      ASSERT_EQ(s.program->trapCount(), 0u);
      for (unsigned l = 0; l < 64; ++l) {
        for (unsigned r = 0; r < 4; ++r)
          s.wave().rows[r][l] = 0x3c003c00; // 1, 1
        for (unsigned r = 0; r < 6; ++r)
          s.setLane<float>(agprRow + r, l, float(100 * r + l));
      }
      s.run();
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 0; r < 4; ++r)
          ASSERT_EQ(s.lane<float>(agprRow + 2 + r, l), float(100 * r + l + 4));
    }
}

TEST(Matrix, DestinationOverSources) {
  Snippet s("gfx90a", "v_mfma_f32_4x4x1f32 v[0:3], v0, v1, v[0:3]");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 4; ++r)
      s.setLane<float>(r, l, float(l + r));
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 4; ++r)
      ASSERT_EQ(s.lane<float>(r, l), float(l / 4 * 4 + r) * float(l + 1) + float(l + r));
}

TEST(Matrix, BroadcastsOfBlocksAndLanes) {
  // cbsz 2, abid 1: each four blocks share A's second block; blgp 3 rotates B's lanes by 16.
  Snippet s("gfx90a", "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3] cbsz:2 abid:1 blgp:3");
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<float>(2, l, float(l + 1));
    s.setLane<float>(3, l, float(l * l));
    for (unsigned r = 0; r < 4; ++r)
      s.setLane<float>(agprRow + r, l, 0);
  }
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 4; ++r) {
      unsigned block = l / 4, from = block / 4 * 4 + 1, b = (l + 16) % 64;
      ASSERT_EQ(s.lane<float>(agprRow + r, l), float(from * 4 + r + 1) * float(b * b));
    }
}

TEST(Matrix, NegatedDoubles) {
  Snippet s("gfx942", "v_mfma_f64_16x16x4_f64 v[20:27], v[2:3], v[4:5], v[20:27] neg:[1,0,1]");
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<double>(2, l, 1);
    s.setLane<double>(4, l, 3);
    for (unsigned r = 0; r < 8; r += 2)
      s.setLane<double>(20 + r, l, 5);
  }
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    ASSERT_EQ(s.lane<double>(20, l), -17.0);
}

TEST(Matrix, SmallFloatConversions) {
  Snippet s("gfx942", R"(
    v_cvt_f32_fp8 v8, v2
    v_cvt_f32_bf8_sdwa v9, v2 src0_sel:BYTE_2
    v_cvt_pk_f32_fp8 v[10:11], v2
    v_mov_b32 v12, 0
    v_cvt_pk_fp8_f32 v12, v8, v8
    v_cvt_pk_fp8_f32 v12, v9, v9 op_sel:[0,0,1]
    v_mov_b32 v13, 0
    v_cvt_pk_bf8_f32 v13, v9, v8)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned first = 0; first < 256; first += 64) {
    for (unsigned l = 0; l < 64; ++l)
      s.wave().rows[2][l] = (first + l) * 0x01010101u;
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      unsigned byte = first + l;
      float fp8 = float(getValue(Element::fp8, byte)), bf8 = float(getValue(Element::bf8, byte));
      auto same = [](float a, float b) { return a != a ? b != b : a == b; };
      ASSERT_TRUE(same(s.lane<float>(8, l), fp8));
      ASSERT_TRUE(same(s.lane<float>(9, l), bf8));
      ASSERT_TRUE(same(s.lane<float>(10, l), fp8) && same(s.lane<float>(11, l), fp8));
      ASSERT_EQ(s.wave().rows[12][l] & 0xffff, byte * 0x101u); // representable values come back
      ASSERT_EQ(s.wave().rows[13][l] & 0xff, byte);
      // Other values round to the nearest fp8, ties to even; too large ones are NaN.
      unsigned got = s.wave().rows[12][l] >> 16 & 0xff;
      float magnitude = std::fabs(bf8);
      if (bf8 != bf8 || magnitude > 240 * (1 + 1.0f / 32)) {
        ASSERT_EQ(got, 0x80u) << bf8;
        continue;
      }
      float best = std::fabs(float(getValue(Element::fp8, got)) - bf8);
      for (unsigned other = 0; other < 256; ++other)
        if (other != 0x80)
          ASSERT_LE(best, std::fabs(float(getValue(Element::fp8, other)) - bf8)) << bf8 << ' ' << other;
    }
  }
}

} // namespace
