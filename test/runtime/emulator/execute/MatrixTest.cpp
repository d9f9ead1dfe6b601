// Matrix instructions element by element. The layout here is written from the tables of AMD's matrix instruction
// calculator, case by case, and shares nothing with the emulator's formula.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

enum class Element { f32, xf32, f16, bf16, i8, f64, fp8, bf8 };

struct Shape {
  const char *gfx90a, *gfx942; // names, or null
  unsigned rows, columns, depth, blocks;
  Element a, b;
};

unsigned bitsOf(Element e) {
  switch (e) {
  case Element::f64:
    return 64;
  case Element::f32:
  case Element::xf32:
    return 32;
  case Element::f16:
  case Element::bf16:
    return 16;
  default:
    return 8;
  }
}

float smallFloat(unsigned byte, unsigned exponentBits) {
  unsigned fractionBits = 7 - exponentBits;
  int bias = 1 << (exponentBits - 1);
  if (byte == 0x80)
    return NAN;
  unsigned fraction = byte % (1u << fractionBits), exponent = (byte & 0x7f) >> fractionBits;
  float v = exponent ? std::ldexp(1 + float(fraction) / float(1 << fractionBits), int(exponent) - bias)
                     : std::ldexp(float(fraction) / float(1 << fractionBits), 1 - bias);
  return byte & 0x80 ? -v : v;
}
double valueOf(Element e, u64 bits) {
  switch (e) {
  case Element::f32:
    return as<float>(bits);
  case Element::xf32:
    return as<float>(bits & 0xffffe000);
  case Element::f16:
    return float(as<_Float16>(bits));
  case Element::bf16:
    return as<float>(bits << 16);
  case Element::i8:
    return int8_t(bits);
  case Element::f64:
    return as<double>(bits);
  case Element::fp8:
    return smallFloat(unsigned(bits), 4);
  case Element::bf8:
    return smallFloat(unsigned(bits), 5);
  }
  return 0;
}
u64 randomElement(Element e, Operands &operands) {
  std::uniform_real_distribution<double> uniform(-2, 2);
  double v = uniform(operands.engine);
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
  default:
    return operands.engine() & 0x7f; // no NaN
  }
}

/// Where A[i][k] of block b is: lane, and number of the element in the lane.
struct Place {
  unsigned lane, element;
};
Place placeOfA(const Shape &s, unsigned b, unsigned i, unsigned k) {
  unsigned perLane = s.rows * s.depth * s.blocks / 64;
  if (s.blocks == 1)
    return {i + s.rows * (k / perLane), k % perLane};
  if (s.a == Element::f64) // 4x4x4, 4 blocks
    return {i + 4 * b + 16 * k, 0};
  return {i + s.rows * b, k}; // every lane holds its row's whole depth
}
Place placeOfD(const Shape &s, unsigned b, unsigned i, unsigned j) {
  if (s.a == Element::f64)
    return s.rows == 4 ? Place{j + 4 * b + 16 * i, 0} : Place{j + 16 * (i % 4), i / 4};
  switch (s.rows) {
  case 4:
    return {j + 4 * b, i};
  case 16:
    return {j + 16 * (i / 4), i % 4 + 4 * b};
  default:
    return {j + 32 * (i / 4 % 2), i % 4 + 4 * (i / 8) + 16 * b};
  }
}

u64 get(Snippet &s, unsigned row, Place p, unsigned bits) {
  if (bits == 64)
    return s.lane<u64>(row + 2 * p.element, p.lane);
  u32 word = s.wave().rows[row + p.element * bits / 32][p.lane];
  return bits == 32 ? word : word >> (p.element * bits % 32) & ((1u << bits) - 1);
}

void check(const char *target, const char *name, const Shape &shape, bool agprs, bool constant) {
  SCOPED_TRACE(std::string(target) + " " + name + (agprs ? " in AGPRs" : ""));
  unsigned elementBits = bitsOf(shape.a),
           resultRegisters = shape.rows * shape.columns * shape.blocks / 64 * (elementBits == 64 ? 2 : 1);
  unsigned sourceRegisters = shape.rows * shape.depth * shape.blocks * elementBits / 64 / 32;
  if (shape.a == Element::i8 || shape.a == Element::fp8 || shape.a == Element::bf8 || elementBits == 16)
    sourceRegisters = std::max(sourceRegisters, 1u);
  auto range = [](char file, unsigned first, unsigned count) {
    return count == 1
               ? file + std::to_string(first)
               : std::string(1, file) + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  };
  char file = agprs ? 'a' : 'v';
  Snippet s(target, std::string(name) + " " + range(file, 64, resultRegisters) + ", " + range('v', 8, sourceRegisters) +
                        ", " + range('v', 16, sourceRegisters) + ", " +
                        (constant ? "1.0" : range(file, 64, resultRegisters)));
  ASSERT_EQ(s.program->trapCount(), 0u);
  s.wave().setExec(0x5555); // doesn't matter
  Operands operands;
  unsigned result = (agprs ? agprRow : 0) + 64;
  for (int round = 0; round < 4; ++round) {
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned which = 0; which < 2; ++which) {
        Element e = which ? shape.b : shape.a;
        unsigned row = which ? 16 : 8;
        if (elementBits == 64) {
          s.setLane<u64>(row, l, randomElement(e, operands));
          continue;
        }
        for (unsigned r = 0; r < sourceRegisters; ++r) {
          u32 word = 0;
          for (unsigned at = 0; at < 32; at += elementBits)
            word |= u32(randomElement(e, operands)) << at;
          s.wave().rows[row + r][l] = word;
        }
      }
      for (unsigned r = 0; r < resultRegisters; r += elementBits == 64 ? 2 : 1) {
        double v = std::uniform_real_distribution<double>(-9, 9)(operands.engine);
        if (elementBits == 64)
          s.setLane<double>(result + r, l, v);
        else
          s.wave().rows[result + r][l] = shape.a == Element::i8 ? u32(int(v * 1e8)) : u32(bits(float(v)));
      }
    }
    std::vector<u64> before;
    unsigned resultBits = elementBits == 64 ? 64 : 32;
    for (unsigned b = 0; b < shape.blocks; ++b)
      for (unsigned i = 0; i < shape.rows; ++i)
        for (unsigned j = 0; j < shape.columns; ++j)
          before.push_back(constant ? (elementBits == 64 ? bits(1.0) : bits(1.0f))
                                    : get(s, result, placeOfD(shape, b, i, j), resultBits));
    s.run();
    size_t at = 0;
    for (unsigned b = 0; b < shape.blocks; ++b)
      for (unsigned i = 0; i < shape.rows; ++i)
        for (unsigned j = 0; j < shape.columns; ++j) {
          u64 c = before[at++], got = get(s, result, placeOfD(shape, b, i, j), resultBits), expected;
          auto a = [&](unsigned k) { return valueOf(shape.a, get(s, 8, placeOfA(shape, b, i, k), elementBits)); };
          auto y = [&](unsigned k) { return valueOf(shape.b, get(s, 16, placeOfA(shape, b, j, k), elementBits)); };
          if (shape.a == Element::i8) {
            u32 sum = u32(c);
            for (unsigned k = 0; k < shape.depth; ++k)
              sum += u32(int(a(k)) * int(y(k)));
            expected = sum;
          } else if (elementBits == 64) {
            double sum = as<double>(c);
            for (unsigned k = 0; k < shape.depth; ++k)
              sum = std::fma(a(k), y(k), sum);
            expected = bits(sum);
          } else {
            float sum = as<float>(c);
            for (unsigned k = 0; k < shape.depth; ++k)
              sum = std::fma(float(a(k)), float(y(k)), sum);
            expected = bits(sum);
          }
          ASSERT_EQ(got, expected) << "block " << b << " row " << i << " column " << j;
        }
  }
}

const Shape shapes[] = {
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, Element::f32, Element::f32},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, Element::f32, Element::f32},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, Element::f32, Element::f32},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, Element::f32, Element::f32},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, Element::f32, Element::f32},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, Element::f16, Element::f16},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, Element::f16, Element::f16},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, Element::f16, Element::f16},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, Element::f16, Element::f16},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, Element::f16, Element::f16},
    {"v_mfma_f32_32x32x2bf16", nullptr, 32, 32, 2, 2, Element::bf16, Element::bf16},
    {"v_mfma_f32_16x16x2bf16", nullptr, 16, 16, 2, 4, Element::bf16, Element::bf16},
    {"v_mfma_f32_4x4x2bf16", nullptr, 4, 4, 2, 16, Element::bf16, Element::bf16},
    {"v_mfma_f32_32x32x4bf16", nullptr, 32, 32, 4, 1, Element::bf16, Element::bf16},
    {"v_mfma_f32_16x16x8bf16", nullptr, 16, 16, 8, 1, Element::bf16, Element::bf16},
    {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, Element::bf16, Element::bf16},
    {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, Element::bf16, Element::bf16},
    {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, Element::bf16, Element::bf16},
    {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, Element::bf16, Element::bf16},
    {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, Element::bf16, Element::bf16},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, Element::i8, Element::i8},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, Element::i8, Element::i8},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, Element::i8, Element::i8},
    {"v_mfma_i32_32x32x8i8", nullptr, 32, 32, 8, 1, Element::i8, Element::i8},
    {"v_mfma_i32_16x16x16i8", nullptr, 16, 16, 16, 1, Element::i8, Element::i8},
    {nullptr, "v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, Element::i8, Element::i8},
    {nullptr, "v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, Element::i8, Element::i8},
    {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, Element::f64, Element::f64},
    {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, Element::f64, Element::f64},
    {nullptr, "v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, Element::xf32, Element::xf32},
    {nullptr, "v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, Element::xf32, Element::xf32},
    {nullptr, "v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, Element::fp8, Element::fp8},
    {nullptr, "v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, Element::bf8, Element::fp8},
    {nullptr, "v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, Element::fp8, Element::bf8},
    {nullptr, "v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, Element::bf8, Element::bf8},
};

TEST(Matrix, everyElement) {
  for (const Shape &shape : shapes)
    for (bool agprs : {false, true}) {
      if (shape.gfx90a)
        check("gfx90a", shape.gfx90a, shape, agprs, false);
      if (shape.gfx942)
        check("gfx942", shape.gfx942, shape, agprs, false);
    }
}
TEST(Matrix, constantAddend) {
  for (const Shape &shape : shapes)
    if (shape.gfx942 && shape.a != Element::i8)
      check("gfx942", shape.gfx942, shape, true, true);
}

TEST(Matrix, broadcastsOfBlocksAndLanes) {
  // cbsz 2, abid 1: every four blocks use A's second block of them; blgp 3 rotates B's lanes by 16.
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

TEST(Matrix, sparse) {
  const Shape sparseShapes[] = {
      {nullptr, "v_smfmac_f32_16x16x32_f16", 16, 16, 32, 1, Element::f16, Element::f16},
      {nullptr, "v_smfmac_f32_32x32x16_bf16", 32, 32, 16, 1, Element::bf16, Element::bf16},
      {nullptr, "v_smfmac_i32_32x32x32_i8", 32, 32, 32, 1, Element::i8, Element::i8},
      {nullptr, "v_smfmac_f32_16x16x64_bf8_fp8", 16, 16, 64, 1, Element::bf8, Element::fp8},
  };
  Operands operands;
  for (const Shape &shape : sparseShapes)
    for (unsigned abid : {0u, 1u}) {
      SCOPED_TRACE(shape.gfx942);
      unsigned results = shape.rows * shape.columns / 64, bitsOfElement = bitsOf(shape.a);
      unsigned perLane = shape.rows * shape.depth / 64; // of the dense matrices
      Snippet s("gfx942", std::string(shape.gfx942) + " v[64:" + std::to_string(63 + results) +
                              "], v[8:9], v[16:19], v4" + (abid ? " abid:1" : ""));
      ASSERT_EQ(s.program->trapCount(), 0u);
      for (unsigned l = 0; l < 64; ++l) {
        for (unsigned r = 0; r < 6; ++r) {
          u32 word = 0;
          for (unsigned at = 0; at < 32; at += bitsOfElement)
            word |= u32(randomElement(r < 2 ? shape.a : shape.b, operands)) << at;
          s.wave().rows[r < 2 ? 8 + r : 14 + r][l] = word;
        }
        // Two different ones of four each, ascending.
        u32 index = 0;
        const u32 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
        for (unsigned at = 0; at < 32; at += 4)
          index |= pairs[operands.engine() % 6] << at;
        s.wave().rows[4][l] = index;
        for (unsigned r = 0; r < results; ++r)
          s.wave().rows[64 + r][l] = shape.a == Element::i8 ? u32(operands.engine() % 1000) : u32(bits(float(l) - 20));
      }
      std::vector<u64> before;
      for (unsigned i = 0; i < shape.rows; ++i)
        for (unsigned j = 0; j < shape.columns; ++j)
          before.push_back(get(s, 64, placeOfD(shape, 0, i, j), 32));
      s.run();
      for (unsigned i = 0; i < shape.rows; ++i)
        for (unsigned j = 0; j < shape.columns; ++j) {
          float sum = as<float>(before[i * shape.columns + j]);
          u32 integers = u32(before[i * shape.columns + j]);
          for (unsigned n = 0; n < shape.depth / 2; ++n) { // the n-th element of the row that is there
            unsigned lane = i + shape.rows * (n / (perLane / 2)), element = n % (perLane / 2);
            unsigned which = s.wave().rows[4][lane] >> (abid * perLane + 2 * element) & 3, k = n / 2 * 4 + which;
            double a = valueOf(shape.a, get(s, 8, {lane, element}, bitsOfElement));
            double y = valueOf(shape.b, get(s, 16, {j + shape.columns * (k / perLane), k % perLane}, bitsOfElement));
            sum = std::fma(float(a), float(y), sum);
            integers += u32(int(a) * int(y));
          }
          u64 expected = shape.a == Element::i8 ? integers : bits(sum);
          ASSERT_EQ(get(s, 64, placeOfD(shape, 0, i, j), 32), expected) << i << ' ' << j;
        }
    }
}

TEST(Matrix, negatedDoubles) {
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

TEST(Matrix, smallFloatConversions) {
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
      float fp8 = smallFloat(byte, 4), bf8 = smallFloat(byte, 5);
      auto same = [](float a, float b) { return a != a ? b != b : a == b; };
      ASSERT_TRUE(same(s.lane<float>(8, l), fp8));
      ASSERT_TRUE(same(s.lane<float>(9, l), bf8));
      ASSERT_TRUE(same(s.lane<float>(10, l), fp8) && same(s.lane<float>(11, l), fp8));
      ASSERT_EQ(s.wave().rows[12][l] & 0xffff, byte * 0x101u); // what is representable comes back
      ASSERT_EQ(s.wave().rows[13][l] & 0xff, byte);
      // Anything else: the nearest fp8, ties to even; too large is NaN.
      unsigned got = s.wave().rows[12][l] >> 16 & 0xff;
      float magnitude = std::fabs(bf8);
      if (bf8 != bf8 || magnitude > 240 * (1 + 1.0f / 32)) {
        ASSERT_EQ(got, 0x80u) << bf8;
        continue;
      }
      float best = std::fabs(smallFloat(got, 4) - bf8);
      for (unsigned other = 0; other < 256; ++other)
        if (other != 0x80)
          ASSERT_LE(best, std::fabs(smallFloat(other, 4) - bf8)) << bf8 << ' ' << other;
    }
  }
}

} // namespace
