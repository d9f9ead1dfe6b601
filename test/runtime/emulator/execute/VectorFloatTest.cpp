// Floating-point vector instructions and conversions against scalar meanings written down from the ISA manuals.
#include "test/runtime/emulator/execute/VectorCases.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

// Float helpers written independently of the emulator's.
bool signaling(f32 v) { return v != v && !(bits(v) & 0x00400000); }
bool signaling(f64 v) { return v != v && !(bits(v) & 0x0008000000000000); }
template <typename T> T minNum(T a, T b) {
  if (signaling(a) || signaling(b))
    return NAN;
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == 0 && b == 0)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T maxNum(T a, T b) {
  if (signaling(a) || signaling(b))
    return NAN;
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
u64 toH(f64 v) { return bits(f16(v)); }
f32 fract32(f32 a) {
  f32 r = a - std::floor(a);
  return r >= 1 ? 0x1.fffffep-1f : r;
}
f32 flush(f32 a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
/// A product with subnormals flushed, then scaled; never -0.
f32 scaled(f32 a, f32 b, f32 factor) {
  f32 result = flush(flush(flush(a) * flush(b)) * factor);
  return result == 0 ? 0 : result;
}
bool signalingHalf(u64 a) { return (a & 0x7c00) == 0x7c00 && (a & 0x1ff) && !(a & 0x200); }
f32 saturate(f32 a) { return a > 0 ? (a < 1 ? a : 1) : 0; }
i32 toInt(f64 v) { return std::isnan(v) ? 0 : v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : i32(v); }
u32 toUint(f64 v) { return std::isnan(v) ? 0 : v >= 4294967295.0 ? UINT32_MAX : v <= 0 ? 0 : u32(v); }
f32 frexpMant(f32 a) {
  int e;
  return std::isfinite(a) ? std::frexp(a, &e) : a;
}
i32 frexpExp(f64 a) {
  int e = 0;
  if (std::isfinite(a) && a != 0)
    std::frexp(a, &e);
  return e;
}

TEST(Vector, float32) {
  checkAll({
      CASE2("v_add_f32 v8, v2, v4", f32, f32, f32, bits(A(a) + A(b))),
      CASE2("v_sub_f32 v8, v2, v4", f32, f32, f32, bits(A(a) - A(b))),
      CASE2("v_subrev_f32 v8, v2, v4", f32, f32, f32, bits(A(b) - A(a))),
      CASE2("v_mul_f32 v8, v2, v4", f32, f32, f32, bits(A(a) * A(b))),
      CASE2("v_mul_legacy_f32 v8, v2, v4", f32, f32, f32, bits(A(a) == 0 || A(b) == 0 ? 0.0f : A(a) * A(b))),
      CASE2("v_min_f32 v8, v2, v4", f32, f32, f32, bits(minNum(A(a), A(b)))),
      CASE2("v_max_f32 v8, v2, v4", f32, f32, f32, bits(maxNum(A(a), A(b)))),
      CASE3("v_fma_f32 v8, v2, v4, v6", f32, f32, f32, f32, bits(std::fma(A(a), A(b), A(c)))),
      CASE3("v_fma_f32 v8, -v2, |v4|, -|v6|", f32, f32, f32, f32,
            bits(std::fma(-A(a), std::fabs(A(b)), -std::fabs(A(c))))),
      CASE3("v_mov_b32 v8, v6\nv_fmac_f32 v8, v2, v4", f32, f32, f32, f32, bits(std::fma(A(a), A(b), A(c)))),
      CASE3("v_max3_f32 v8, v2, v4, v6", f32, f32, f32, f32, bits(maxNum(maxNum(A(a), A(b)), A(c)))),
      CASE3("v_min3_f32 v8, v2, v4, v6", f32, f32, f32, f32, bits(minNum(minNum(A(a), A(b)), A(c)))),
      CASE2("v_add_f32 v8, v2, v4 clamp", f32, f32, f32, bits(saturate(A(a) + A(b)))),
      // omod counts only where results are flushed and MODE.ieee is off
      CASE2("v_mul_f32 v8, v2, v4 mul:4", f32, f32, f32, bits(A(a) * A(b))),
      CASE2("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), 0x1c0\nv_mul_f32 v8, v2, v4 mul:4", f32, f32, f32,
            bits(scaled(A(a), A(b), 4))),
      CASE2("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), 0x1c0\nv_mul_f32 v8, v2, v4 div:2", f32, f32, f32,
            bits(scaled(A(a), A(b), 0.5f))),
      CASE2("v_ldexp_f32 v8, v2, v4", f32, f32, u32, bits(std::ldexp(A(a), i32(b)))),
      CASE1("v_trunc_f32 v8, v2", f32, f32, bits(std::trunc(A(a)))),
      CASE1("v_ceil_f32 v8, v2", f32, f32, bits(std::ceil(A(a)))),
      CASE1("v_floor_f32 v8, v2", f32, f32, bits(std::floor(A(a)))),
      CASE1("v_rndne_f32 v8, v2", f32, f32, bits(std::nearbyint(A(a)))),
      CASE1("v_fract_f32 v8, v2", f32, f32, bits(fract32(A(a)))),
      CASE1("v_rcp_f32 v8, v2", f32, f32, bits(flush(1 / flush(A(a))))),
      CASE1("v_sqrt_f32 v8, v2", f32, f32, bits(std::sqrt(flush(A(a))))),
      CASE1("v_rsq_f32 v8, v2", f32, f32, bits(f32(1 / std::sqrt(f64(flush(A(a))))))),
      CASE1("v_frexp_mant_f32 v8, v2", f32, f32, bits(frexpMant(A(a)))),
      CASE1("v_frexp_exp_i32_f32 v8, v2", u32, f32, frexpExp(A(a))),
      CASE1("v_cvt_f32_i32 v8, v2", f32, u32, bits(f32(i32(a)))),
      CASE1("v_cvt_f32_u32 v8, v2", f32, u32, bits(f32(u32(a)))),
      CASE1("v_cvt_i32_f32 v8, v2", u32, f32, toInt(A(a))),
      CASE1("v_cvt_u32_f32 v8, v2", u32, f32, toUint(A(a))),
      CASE1("v_cvt_flr_i32_f32 v8, v2", u32, f32, toInt(std::floor(A(a)))),
      CASE1("v_cvt_rpi_i32_f32 v8, v2", u32, f32, toInt(std::floor(f64(A(a)) + 0.5))),
      CASE1("v_cvt_f32_ubyte2 v8, v2", f32, u32, bits(f32(a >> 16 & 255))),
      CASE1("v_cvt_off_f32_i4 v8, v2", f32, u32, bits(f32((int(a & 15) ^ 8) - 8) / 16)),
      CASE1("v_cvt_f16_f32 v8, v2", f16, f32, toH(A(a))),
      CASE1("v_cvt_f32_f16 v8, v2", f32, f16, bits(H(a))),
      // Constants of every kind.
      CASE1("v_add_f32 v8, 1.0, v2", f32, f32, bits(A(a) + 1)),
      CASE1("v_mul_f32 v8, 0.15915494, v2", f32, f32, bits(A(a) * 0.15915494f)),
      CASE1("v_mul_f32 v8, 0x40490fdb, v2", f32, f32, bits(A(a) * A(0x40490fdb))),
      CASE1("s_mov_b32 s20, 0x3fc00000\nv_fma_f32 v8, v2, s20, -s20", f32, f32, bits(std::fma(A(a), 1.5f, -1.5f))),
      CASE1("v_add_u32 v8, -16, v2", u32, u32, a - 16),
      CASE1("s_mov_b32 vcc_hi, 77\nv_add_u32 v8, vcc_hi, v2", u32, u32, a + 77),
      CASE1("s_mov_b32 m0, 5\nv_add_u32 v8, m0, v2", u32, u32, a + 5),
  });
}

TEST(Vector, float64AndFloat16) {
  checkAll({
      CASE2("v_add_f64 v[8:9], v[2:3], v[4:5]", f64, f64, f64, bits(D(a) + D(b))),
      CASE2("v_mul_f64 v[8:9], v[2:3], -v[4:5]", f64, f64, f64, bits(D(a) * -D(b))),
      CASE2("v_min_f64 v[8:9], v[2:3], v[4:5]", f64, f64, f64, bits(minNum(D(a), D(b)))),
      CASE2("v_max_f64 v[8:9], v[2:3], |v[4:5]|", f64, f64, f64, bits(maxNum(D(a), std::fabs(D(b))))),
      CASE3("v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]", f64, f64, f64, f64, bits(std::fma(D(a), D(b), D(c)))),
      CASE3("v_mov_b32 v8, v6\nv_mov_b32 v9, v7\nv_fmac_f64 v[8:9], v[2:3], v[4:5]", f64, f64, f64, f64,
            bits(std::fma(D(a), D(b), D(c)))),
      CASE1("v_add_f64 v[8:9], v[2:3], 1.0", f64, f64, bits(D(a) + 1)),
      CASE1("v_rcp_f64 v[8:9], v[2:3]", f64, f64, bits(1 / D(a))),
      CASE1("v_sqrt_f64 v[8:9], v[2:3]", f64, f64, bits(std::sqrt(D(a)))),
      CASE1("v_trunc_f64 v[8:9], v[2:3]", f64, f64, bits(std::trunc(D(a)))),
      CASE1("v_floor_f64 v[8:9], v[2:3]", f64, f64, bits(std::floor(D(a)))),
      CASE1("v_rndne_f64 v[8:9], v[2:3]", f64, f64, bits(std::nearbyint(D(a)))),
      CASE2("v_ldexp_f64 v[8:9], v[2:3], v4", f64, f64, shift, bits(std::ldexp(D(a), i32(b)))),
      CASE1("v_cvt_f32_f64 v8, v[2:3]", f32, f64, bits(f32(D(a)))),
      CASE1("v_cvt_f64_f32 v[8:9], v2", f64, f32, bits(f64(A(a)))),
      CASE1("v_cvt_f64_i32 v[8:9], v2", f64, u32, bits(f64(i32(a)))),
      CASE1("v_cvt_f64_u32 v[8:9], v2", f64, u32, bits(f64(u32(a)))),
      CASE1("v_cvt_i32_f64 v8, v[2:3]", u32, f64, toInt(D(a))),
      CASE1("v_cvt_u32_f64 v8, v[2:3]", u32, f64, toUint(D(a))),
      CASE1("v_frexp_exp_i32_f64 v8, v[2:3]", u32, f64, frexpExp(D(a))),
      CASE2("v_add_f16 v8, v2, v4", f16, f16, f16, toH(H(a) + H(b))),
      CASE2("v_sub_f16 v8, v2, v4", f16, f16, f16, toH(H(a) - H(b))),
      CASE2("v_mul_f16 v8, v2, v4", f16, f16, f16, toH(H(a) * H(b))),
      CASE2("v_max_f16 v8, v2, v4", f16, f16, f16,
            signalingHalf(a) || signalingHalf(b) ? 0x7e00 : toH(maxNum(H(a), H(b)))),
      // 53 bits hold a product of halves and nearly every sum; the rest can't round differently.
      CASE3("v_mov_b32 v8, 0\nv_fma_f16 v8, v2, v4, v6", f16, f16, f16, f16, toH(f64(H(a)) * H(b) + H(c))),
      CASE1("v_cvt_f16_u16 v8, v2", f16, u16, toH(u16(a))),
      CASE1("v_cvt_f16_i16 v8, v2", f16, u16, toH(i16(a))),
      CASE1("v_cvt_u16_f16 v8, v2", u32, f16, std::min(toUint(H(a)), 65535u)),
      CASE1("v_cvt_i16_f16 v8, v2", u32, f16, u16(std::clamp(toInt(H(a)), -32768, 32767))),
      CASE1("v_trunc_f16 v8, v2", f16, f16, toH(std::trunc(H(a)))),
      CASE2("v_ldexp_f16 v8, v2, v4", f16, f16, shift, toH(std::ldexp(f64(H(a)), i16(b)))),
  });
}

bool halvesEqual(u32 got, f64 low, f64 high) {
  auto same = [](u16 h, f64 v) { return v != v ? std::isnan(H(h)) : h == u16(toH(v)); };
  return same(u16(got), low) && same(u16(got >> 16), high);
}

TEST(Vector, packedFloats) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, R"(
      v_pk_add_f16 v20, v2, v4
      v_pk_mul_f16 v21, v2, v4 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1] neg_hi:[1,0]
      v_pk_fma_f16 v22, v2, v4, v6
      v_pk_add_f32 v[24:25], v[2:3], v[4:5]
      v_pk_mul_f32 v[26:27], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1]
      v_pk_fma_f32 v[28:29], v[2:3], v[4:5], v[6:7] neg_lo:[1,0,0] neg_hi:[0,0,1]
      v_pk_mul_f32 v[30:31], v[2:3], s[20:21] op_sel_hi:[1,0]
      v_pk_mov_b32 v[32:33], v[2:3], v[4:5] op_sel:[1,0]
      v_pk_mov_b32 v[34:35], v[2:3], v[4:5] op_sel:[0,1]
      v_fma_mix_f32 v36, v2, v4, v6 op_sel_hi:[1,1,0]
      v_fma_mix_f32 v37, v2, -v4, |v6| op_sel:[1,0,0] op_sel_hi:[1,0,0]
      v_mov_b32 v38, v6
      v_fma_mixlo_f16 v38, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[1,1,1]
      v_mov_b32 v39, v6
      v_fma_mixhi_f16 v39, v2, v4, v6 op_sel_hi:[1,1,1]
      v_dot2_f32_f16 v40, v2, v4, v6
      v_cvt_pkrtz_f16_f32 v41, v2, v4
      v_mov_b32 v42, v6
      v_pk_fmac_f16 v42, v2, v4)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    Operands operands;
    for (int round = 0; round < 30; ++round) {
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 2; r < 8; ++r)
          s.wave().rows[r][l] = u32(operands.next(r % 2 == 0 && round % 2 ? Kind::packed : Kind::f32));
      f32 scale = 1.75f;
      s.wave().scalars[20] = u32(bits(scale));
      s.run();
      for (unsigned l = 0; l < 64; ++l) {
        auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
        auto single = [&](unsigned r) { return A(row(r)); };
        f32 a0 = H(row(2)), a1 = H(row(2) >> 16), b0 = H(row(4)), b1 = H(row(4) >> 16), c0 = H(row(6)),
            c1 = H(row(6) >> 16);
        auto equal = [](f32 got, f32 expected) {
          return expected != expected ? got != got : bits(got) == bits(expected);
        };
        ASSERT_TRUE(halvesEqual(row(20), a0 + b0, a1 + b1));
        ASSERT_TRUE(halvesEqual(row(21), a1 * -b0, -a0 * b1));
        ASSERT_TRUE(halvesEqual(row(22), f64(a0) * b0 + c0, f64(a1) * b1 + c1));
        ASSERT_TRUE(halvesEqual(row(42), f64(a0) * b0 + c0, f64(a1) * b1 + c1));
        ASSERT_TRUE(equal(single(24), single(2) + single(4)) && equal(single(25), single(3) + single(5)));
        ASSERT_TRUE(equal(single(26), single(3) * single(4)) && equal(single(27), single(2) * single(5)));
        ASSERT_TRUE(equal(single(28), std::fma(-single(2), single(4), single(6))));
        ASSERT_TRUE(equal(single(29), std::fma(single(3), single(5), -single(7))));
        ASSERT_TRUE(equal(single(30), single(2) * scale) && equal(single(31), single(3) * scale));
        ASSERT_TRUE(row(32) == row(3) && row(33) == row(4));
        ASSERT_TRUE(row(34) == row(2) && row(35) == row(5));
        ASSERT_TRUE(equal(single(36), std::fma(a0, b0, single(6))));
        ASSERT_TRUE(equal(single(37), std::fma(a1, -single(4), std::fabs(single(6)))));
        ASSERT_TRUE(halvesEqual(row(38), std::fma(a1, b0, c0), c1));
        ASSERT_TRUE(halvesEqual(row(39), c0, std::fma(a0, b0, c0)));
        ASSERT_TRUE(equal(single(40), std::fma(a0, b0, std::fma(a1, b1, single(6)))));
        auto towardZero = [](u16 h, f32 v) {
          if (v != v)
            return std::isnan(H(h));
          if (std::isinf(v))
            return H(h) == v;
          f32 got = H(h), next = H(u16(h + 1));
          return std::fabs(got) <= std::fabs(v) && (std::fabs(next) > std::fabs(v)) &&
                 std::signbit(got) == std::signbit(v);
        };
        ASSERT_TRUE(towardZero(u16(row(41)), single(2)) && towardZero(u16(row(41) >> 16), single(4)));
      }
    }
  }
}

TEST(Vector, nansAreTheSameOnEveryHost) {
  Snippet s("gfx942", "v_add_f32 v8, v2, v4\nv_fma_f32 v9, v2, v4, v6\nv_mul_f32 v10, v4, v2\nv_max_f32 v11, v2, v4");
  auto set = [&](u32 a, u32 b, u32 c) {
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[2][l] = a;
      s.wave().rows[4][l] = b;
      s.wave().rows[6][l] = c;
    }
    s.run();
  };
  set(0x7f800000, 0xff800000, 0x7f800000); // no NaN among the sources: the default one
  EXPECT_EQ(s.wave().rows[8][3], 0x7fc00000u);
  EXPECT_EQ(s.wave().rows[9][3], 0x7fc00000u);
  set(0x7f812345, 0xffc54321, 0x3f800000); // the first one, made quiet
  EXPECT_EQ(s.wave().rows[8][3], 0x7fc12345u);
  EXPECT_EQ(s.wave().rows[9][3], 0x7fc12345u);
  EXPECT_EQ(s.wave().rows[10][3], 0xffc54321u);
  EXPECT_EQ(s.wave().rows[11][3], 0x7fc12345u); // signaling NaNs win over numbers, too
}

} // namespace
