// Lane-by-lane vector instructions against scalar meanings written down from the ISA manuals, one line each.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;
using f16 = _Float16;

/// `text` has the destination in v[8:9], the sources in v[2:3], v[4:5] and v[6:7].
struct Case {
  const char *text;
  Kind result;
  std::vector<Kind> sources;
  std::function<u64(u64, u64, u64)> meaning;
  enum Chips { Both, Gfx90a, Gfx942 } chips = Both;
};

unsigned bytesOf(Kind kind) { return kind == Kind::u64 || kind == Kind::f64 ? 8 : 4; }
bool isNan(Kind kind, u64 v) {
  return kind == Kind::f32 ? std::isnan(as<f32>(v)) : kind == Kind::f64 ? std::isnan(as<f64>(v))
       : kind == Kind::f16 ? std::isnan(f32(as<f16>(v))) : false;
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
      ASSERT_EQ(got, expected) << std::hex << "lane " << std::dec << lane << std::hex << " a " << values[0][lane] << " b "
                               << values[1][lane] << " c " << values[2][lane] << " got " << got << " expected " << expected;
    }
  }
}

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

// clang-format off
#define CASE1(text, R, A, expression) {text, Kind::R, {Kind::A}, [](u64 a, u64, u64) -> u64 { (void)a; return u64(expression); }}
#define CASE2(text, R, A, B, expression) {text, Kind::R, {Kind::A, Kind::B}, [](u64 a, u64 b, u64) -> u64 { (void)a; (void)b; return u64(expression); }}
#define CASE3(text, R, A, B, C, expression) {text, Kind::R, {Kind::A, Kind::B, Kind::C}, [](u64 a, u64 b, u64 c) -> u64 { (void)a; (void)b; (void)c; return u64(expression); }}
// clang-format on

u32 sext24(u64 v) { return u32(i32(u32(v) << 8) >> 8); }
u32 permByte(u32 a, u32 b, u32 s) {
  if (s >= 13) return 0xff;
  if (s == 12) return 0;
  u64 both = u64(a) << 32 | b;
  if (s >= 8) return both >> ((s - 8) * 16 + 15) & 1 ? 0xff : 0;
  return both >> (8 * s) & 0xff;
}
u32 perm(u32 a, u32 b, u32 s) {
  u32 r = 0;
  for (int i = 0; i < 4; ++i)
    r |= permByte(a, b, s >> 8 * i & 0xff) << 8 * i;
  return r;
}
u32 bfe(u32 a, u32 o, u32 n) { return (u64(a) >> (o & 31)) & ((u64(1) << (n & 31)) - 1); }
u32 bfeSigned(u32 a, u32 o, u32 n) {
  o &= 31, n &= 31;
  if (!n) return 0;
  i64 wide = i32(a);
  return u32(i64(u64(wide >> o) << (64 - n)) >> (64 - n));
}
i32 med3(i32 a, i32 b, i32 c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
u32 sad8(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 32; i += 8)
    c += std::abs(int(a >> i & 255) - int(b >> i & 255));
  return c;
}

TEST(Vector, integer32) {
  checkAll({
      CASE1("v_mov_b32 v8, v2", u32, u32, a),
      CASE1("v_not_b32 v8, v2", u32, u32, ~a),
      CASE1("v_bfrev_b32 v8, v2", u32, u32, __builtin_bitreverse32(u32(a))),
      CASE1("v_ffbh_u32 v8, v2", u32, u32, u32(a) ? std::countl_zero(u32(a)) : ~0u),
      CASE1("v_ffbl_b32 v8, v2", u32, u32, u32(a) ? std::countr_zero(u32(a)) : ~0u),
      CASE1("v_ffbh_i32 v8, v2", u32, u32, (u32(a) == 0 || u32(a) == ~0u) ? ~0u : u32(std::countl_zero(i32(a) < 0 ? ~u32(a) : u32(a)))),
      CASE2("v_add_u32 v8, v2, v4", u32, u32, u32, a + b),
      CASE2("v_sub_u32 v8, v2, v4", u32, u32, u32, a - b),
      CASE2("v_subrev_u32 v8, v2, v4", u32, u32, u32, b - a),
      CASE2("v_add_i32 v8, v2, v4", u32, u32, u32, a + b),
      CASE2("v_sub_i32 v8, v2, v4", u32, u32, u32, a - b),
      CASE2("v_mul_lo_u32 v8, v2, v4", u32, u32, u32, a * b),
      CASE2("v_mul_hi_u32 v8, v2, v4", u32, u32, u32, u64(u32(a)) * u32(b) >> 32),
      CASE2("v_mul_hi_i32 v8, v2, v4", u32, u32, u32, i64(i32(a)) * i32(b) >> 32),
      CASE2("v_mul_u32_u24 v8, v2, v4", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff)),
      CASE2("v_mul_i32_i24 v8, v2, v4", u32, u32, u32, i64(i32(sext24(a))) * i32(sext24(b))),
      CASE2("v_mul_hi_u32_u24 v8, v2, v4", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) >> 32),
      CASE2("v_mul_hi_i32_i24 v8, v2, v4", u32, u32, u32, i64(i32(sext24(a))) * i32(sext24(b)) >> 32),
      CASE2("v_min_i32 v8, v2, v4", u32, u32, u32, std::min(i32(a), i32(b))),
      CASE2("v_max_i32 v8, v2, v4", u32, u32, u32, std::max(i32(a), i32(b))),
      CASE2("v_min_u32 v8, v2, v4", u32, u32, u32, std::min(u32(a), u32(b))),
      CASE2("v_max_u32 v8, v2, v4", u32, u32, u32, std::max(u32(a), u32(b))),
      CASE2("v_and_b32 v8, v2, v4", u32, u32, u32, a & b),
      CASE2("v_or_b32 v8, v2, v4", u32, u32, u32, a | b),
      CASE2("v_xor_b32 v8, v2, v4", u32, u32, u32, a ^ b),
      CASE2("v_xnor_b32 v8, v2, v4", u32, u32, u32, ~(a ^ b)),
      CASE2("v_lshlrev_b32 v8, v2, v4", u32, shift, u32, u32(b) << (a & 31)),
      CASE2("v_lshrrev_b32 v8, v2, v4", u32, shift, u32, u32(b) >> (a & 31)),
      CASE2("v_ashrrev_i32 v8, v2, v4", u32, shift, u32, i32(b) >> (a & 31)),
      CASE2("v_bfm_b32 v8, v2, v4", u32, shift, shift, ((u64(1) << (a & 31)) - 1) << (b & 31)),
      CASE2("v_bcnt_u32_b32 v8, v2, v4", u32, u32, u32, std::popcount(u32(a)) + b),
      CASE2("v_cvt_pk_u16_u32 v8, v2, v4", u32, u32, u32, std::min<u64>(u32(a), 65535) | std::min<u64>(u32(b), 65535) << 16),
      CASE2("v_cvt_pk_i16_i32 v8, v2, v4", u32, u32, u32, u16(std::clamp(i32(a), -32768, 32767)) | u32(u16(std::clamp(i32(b), -32768, 32767))) << 16),
      CASE3("v_mad_u32_u24 v8, v2, v4, v6", u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c),
      CASE3("v_mad_i32_i24 v8, v2, v4, v6", u32, u32, u32, u32, i64(i32(sext24(a))) * i32(sext24(b)) + c),
      CASE3("v_bfe_u32 v8, v2, v4, v6", u32, u32, shift, shift, bfe(a, b, c)),
      CASE3("v_bfe_i32 v8, v2, v4, v6", u32, u32, shift, shift, bfeSigned(a, b, c)),
      CASE3("v_bfi_b32 v8, v2, v4, v6", u32, u32, u32, u32, (a & b) | (~a & c)),
      CASE3("v_alignbit_b32 v8, v2, v4, v6", u32, u32, u32, shift, (u64(u32(a)) << 32 | u32(b)) >> (c & 31)),
      CASE3("v_alignbyte_b32 v8, v2, v4, v6", u32, u32, u32, shift, (u64(u32(a)) << 32 | u32(b)) >> 8 * (c & 3)),
      CASE3("v_min3_i32 v8, v2, v4, v6", u32, u32, u32, u32, std::min({i32(a), i32(b), i32(c)})),
      CASE3("v_max3_u32 v8, v2, v4, v6", u32, u32, u32, u32, std::max({u32(a), u32(b), u32(c)})),
      CASE3("v_med3_i32 v8, v2, v4, v6", u32, u32, u32, u32, med3(i32(a), i32(b), i32(c))),
      CASE3("v_sad_u8 v8, v2, v4, v6", u32, u32, u32, u32, sad8(a, b, c)),
      CASE3("v_sad_u32 v8, v2, v4, v6", u32, u32, u32, u32, (u32(a) > u32(b) ? a - b : b - a) + c),
      CASE3("v_perm_b32 v8, v2, v4, v6", u32, u32, u32, u32, perm(a, b, c)),
      CASE3("v_lshl_add_u32 v8, v2, v4, v6", u32, u32, shift, u32, (u32(a) << (b & 31)) + c),
      CASE3("v_add_lshl_u32 v8, v2, v4, v6", u32, u32, u32, shift, u32(a + b) << (c & 31)),
      CASE3("v_add3_u32 v8, v2, v4, v6", u32, u32, u32, u32, a + b + c),
      CASE3("v_lshl_or_b32 v8, v2, v4, v6", u32, u32, shift, u32, u32(a) << (b & 31) | c),
      CASE3("v_and_or_b32 v8, v2, v4, v6", u32, u32, u32, u32, (a & b) | c),
      CASE3("v_or3_b32 v8, v2, v4, v6", u32, u32, u32, u32, a | b | c),
      CASE3("v_xad_u32 v8, v2, v4, v6", u32, u32, u32, u32, (a ^ b) + c),
      CASE2("v_add_u32 v8, v2, v4 clamp", u32, u32, u32, std::min(u64(u32(a)) + u32(b), u64(~0u))),
      CASE2("v_sub_u32 v8, v2, v4 clamp", u32, u32, u32, u32(a) > u32(b) ? a - b : 0),
      CASE2("v_add_i32 v8, v2, v4 clamp", u32, u32, u32, std::clamp(i64(i32(a)) + i32(b), i64(INT32_MIN), i64(INT32_MAX))),
      CASE2("v_sub_i32 v8, v2, v4 clamp", u32, u32, u32, std::clamp(i64(i32(a)) - i32(b), i64(INT32_MIN), i64(INT32_MAX))),
      CASE2("v_pk_add_u16 v8, v2, v4 clamp", u32, u32, u32, std::min(u16(a) + u16(b), 65535) | u32(std::min(u16(a >> 16) + u16(b >> 16), 65535)) << 16),
      {"v_mov_b64 v[8:9], v[2:3]", Kind::u64, {Kind::u64}, [](u64 a, u64, u64) { return a; }, Case::Gfx942},
      {"v_lshl_add_u64 v[8:9], v[2:3], v4, v[6:7]", Kind::u64, {Kind::u64, Kind::u16, Kind::u64}, [](u64 a, u64 b, u64 c) { return (a << (b & 7)) + c; }, Case::Gfx942},
      CASE2("v_lshlrev_b64 v[8:9], v2, v[4:5]", u64, shift, u64, b << (a & 63)),
      CASE2("v_lshrrev_b64 v[8:9], v2, v[4:5]", u64, shift, u64, b >> (a & 63)),
      CASE2("v_ashrrev_i64 v[8:9], v2, v[4:5]", u64, shift, u64, i64(b) >> (a & 63)),
      CASE3("v_mad_u64_u32 v[8:9], vcc, v2, v4, v[6:7]", u64, u32, u32, u64, u64(u32(a)) * u32(b) + c),
      CASE3("v_mad_i64_i32 v[8:9], vcc, v2, v4, v[6:7]", u64, u32, u32, u64, u64(i64(i32(a)) * i32(b)) + c),
      CASE3("v_dot4_i32_i8 v8, v2, v4, v6", u32, u32, u32, u32, [&] { u32 s = u32(c); for (int i = 0; i < 32; i += 8) s += u32(int8_t(a >> i) * int8_t(b >> i)); return s; }()),
      CASE3("v_dot2_u32_u16 v8, v2, v4, v6", u32, u32, u32, u32, u32(c) + u32(u16(a)) * u16(b) + u32(u16(a >> 16)) * u16(b >> 16)),
      CASE2("v_mov_b32 v8, v2\nv_dot4c_i32_i8 v8, v2, v4", u32, u32, u32, [&] { u32 s = u32(a); for (int i = 0; i < 32; i += 8) s += u32(int8_t(a >> i) * int8_t(b >> i)); return s; }()),
  });
}

TEST(Vector, integer16AndPacked) {
  checkAll({
      CASE2("v_add_u16 v8, v2, v4", u32, u16, u16, u16(a + b)),
      CASE2("v_sub_u16 v8, v2, v4", u32, u16, u16, u16(a - b)),
      CASE2("v_mul_lo_u16 v8, v2, v4", u32, u16, u16, u16(u32(u16(a)) * u16(b))),
      CASE2("v_lshlrev_b16 v8, v2, v4", u32, shift, u16, u16(b << (a & 15))),
      CASE2("v_lshrrev_b16 v8, v2, v4", u32, shift, u16, u16(b) >> (a & 15)),
      CASE2("v_ashrrev_i16 v8, v2, v4", u32, shift, u16, u16(i16(b) >> (a & 15))),
      CASE2("v_max_i16 v8, v2, v4", u32, u16, u16, u16(std::max(i16(a), i16(b)))),
      CASE2("v_min_u16 v8, v2, v4", u32, u16, u16, std::min(u16(a), u16(b))),
      CASE2("v_pk_add_u16 v8, v2, v4", u32, u32, u32, u16(a + b) | u32(u16((a >> 16) + (b >> 16))) << 16),
      CASE2("v_pk_sub_i16 v8, v2, v4", u32, u32, u32, u16(a - b) | u32(u16((a >> 16) - (b >> 16))) << 16),
      CASE2("v_pk_mul_lo_u16 v8, v2, v4 op_sel:[1,0] op_sel_hi:[0,1]", u32, u32, u32, u16((a >> 16 & 0xffff) * (b & 0xffff)) | u32(u16((a & 0xffff) * (b >> 16 & 0xffff))) << 16),
      CASE2("v_pk_max_i16 v8, v2, v4", u32, u32, u32, u16(std::max(i16(a), i16(b))) | u32(u16(std::max(i16(a >> 16), i16(b >> 16)))) << 16),
      CASE2("v_pk_lshlrev_b16 v8, v2, v4", u32, u32, u32, u16(b << (a & 15)) | u32(u16(u16(b >> 16) << (a >> 16 & 15))) << 16),
      CASE3("v_pk_mad_u16 v8, v2, v4, v6", u32, u32, u32, u32, u16(u16(a) * u32(u16(b)) + c) | u32(u16(u16(a >> 16) * u32(u16(b >> 16)) + (c >> 16))) << 16),
      CASE2("v_pack_b32_f16 v8, v2, v4", u32, u32, u32, u16(a) | u32(u16(b)) << 16),
      CASE2("v_pack_b32_f16 v8, v2, v4 op_sel:[1,0,0]", u32, u32, u32, u16(a >> 16) | u32(u16(b)) << 16),
      // The other half of the destination (here a) is kept.
      CASE3("v_mov_b32 v8, v2\nv_mad_u16 v8, v2, v4, v6 op_sel:[0,1,0,1]", u32, u32, u32, u32, u16(a) | u32(u16(u16(a) * u32(u16(b >> 16)) + c)) << 16),
  });
}

// Float helpers written independently of the emulator's.
bool signaling(f32 v) { return v != v && !(bits(v) & 0x00400000); }
bool signaling(f64 v) { return v != v && !(bits(v) & 0x0008000000000000); }
template <typename T> T minNum(T a, T b) {
  if (signaling(a) || signaling(b)) return NAN;
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T maxNum(T a, T b) {
  if (signaling(a) || signaling(b)) return NAN;
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
f32 A(u64 v) { return as<f32>(v); }
f64 D(u64 v) { return as<f64>(v); }
f32 H(u64 v) { return f32(as<f16>(v)); }
u64 toH(f64 v) { return bits(f16(v)); }
f32 fract32(f32 a) { f32 r = a - std::floor(a); return r >= 1 ? 0x1.fffffep-1f : r; }
f32 flush(f32 a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
f32 saturate(f32 a) { return a > 0 ? (a < 1 ? a : 1) : 0; }
i32 toInt(f64 v) { return std::isnan(v) ? 0 : v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : i32(v); }
u32 toUint(f64 v) { return std::isnan(v) ? 0 : v >= 4294967295.0 ? UINT32_MAX : v <= 0 ? 0 : u32(v); }
f32 frexpMant(f32 a) { int e; return std::isfinite(a) ? std::frexp(a, &e) : a; }
i32 frexpExp(f64 a) { int e = 0; if (std::isfinite(a) && a != 0) std::frexp(a, &e); return e; }

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
      CASE3("v_fma_f32 v8, -v2, |v4|, -|v6|", f32, f32, f32, f32, bits(std::fma(-A(a), std::fabs(A(b)), -std::fabs(A(c))))),
      CASE3("v_mov_b32 v8, v6\nv_fmac_f32 v8, v2, v4", f32, f32, f32, f32, bits(std::fma(A(a), A(b), A(c)))),
      CASE3("v_max3_f32 v8, v2, v4, v6", f32, f32, f32, f32, bits(maxNum(maxNum(A(a), A(b)), A(c)))),
      CASE3("v_min3_f32 v8, v2, v4, v6", f32, f32, f32, f32, bits(minNum(minNum(A(a), A(b)), A(c)))),
      CASE2("v_add_f32 v8, v2, v4 clamp", f32, f32, f32, bits(saturate(A(a) + A(b)))),
      CASE2("v_mul_f32 v8, v2, v4 mul:4", f32, f32, f32, bits(A(a) * A(b) * 4)),
      CASE2("v_mul_f32 v8, v2, v4 div:2", f32, f32, f32, bits(A(a) * A(b) * 0.5f)),
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
      CASE3("v_mov_b32 v8, v6\nv_mov_b32 v9, v7\nv_fmac_f64 v[8:9], v[2:3], v[4:5]", f64, f64, f64, f64, bits(std::fma(D(a), D(b), D(c)))),
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
      CASE2("v_max_f16 v8, v2, v4", f16, f16, f16, toH(maxNum(H(a), H(b)))),
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
      v_cvt_pkrtz_f16_f32 v41, v2, v4)");
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
        f32 a0 = H(row(2)), a1 = H(row(2) >> 16), b0 = H(row(4)), b1 = H(row(4) >> 16), c0 = H(row(6)), c1 = H(row(6) >> 16);
        auto equal = [](f32 got, f32 expected) { return expected != expected ? got != got : bits(got) == bits(expected); };
        ASSERT_TRUE(halvesEqual(row(20), a0 + b0, a1 + b1));
        ASSERT_TRUE(halvesEqual(row(21), a1 * -b0, -a0 * b1));
        ASSERT_TRUE(halvesEqual(row(22), f64(a0) * b0 + c0, f64(a1) * b1 + c1));
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
          if (v != v) return std::isnan(H(h));
          if (std::isinf(v)) return H(h) == v;
          f32 got = H(h), next = H(u16(h + 1));
          return std::fabs(got) <= std::fabs(v) && (std::fabs(next) > std::fabs(v)) && std::signbit(got) == std::signbit(v);
        };
        ASSERT_TRUE(towardZero(u16(row(41)), single(2)) && towardZero(u16(row(41) >> 16), single(4)));
      }
    }
  }
}

TEST(Vector, carriesAndSelection) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, R"(
      v_add_co_u32 v20, s[30:31], v2, v4
      v_addc_co_u32 v21, vcc, v3, v5, s[30:31]
      v_sub_co_u32 v22, vcc, v2, v4
      v_subb_co_u32 v23, vcc, v3, v5, vcc
      v_subrev_co_u32 v24, s[34:35], v2, v4
      v_subbrev_co_u32 v25, s[36:37], v3, v5, s[34:35]
      v_cndmask_b32 v26, v2, v4, s[38:39]
      s_mov_b64 vcc, s[38:39]
      v_cndmask_b32 v27, v2, v4, vcc
      v_cndmask_b32 v28, -v2, |v4|, s[38:39]
      v_mbcnt_lo_u32_b32 v29, s40, v6
      v_mbcnt_hi_u32_b32 v29, s41, v29
      v_readfirstlane_b32 s42, v2
      v_readlane_b32 s43, v2, s44
      v_mov_b32 v30, v2
      v_writelane_b32 v30, s44, 7
      v_mov_b32 v31, v2
      v_mov_b32 v32, v4
      v_swap_b32 v31, v32)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    Operands operands;
    for (unsigned round = 0; round < 20; ++round) {
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 2; r < 8; ++r)
          s.wave().rows[r][l] = u32(operands.next(Kind::u32));
      u64 exec = operands.exec(round), mask = operands.engine(), counted = operands.engine();
      if (!exec)
        exec = 1;
      s.wave().setExec(exec);
      s.wave().setScalar64(38, mask);
      s.wave().setScalar64(40, counted);
      s.wave().scalars[44] = u32(operands.engine() % 64);
      u32 lane7 = s.wave().rows[30][7];
      s.run();
      (void)lane7;
      Wave &w = s.wave();
      u64 carry = 0;
      for (unsigned l = 0; l < 64; ++l) {
        auto row = [&](unsigned r) { return w.rows[r][l]; };
        if (!(exec >> l & 1))
          continue;
        u64 a = row(2) | u64(row(3)) << 32, b = row(4) | u64(row(5)) << 32;
        carry |= ((u64(row(2)) + row(4)) >> 32) << l;
        ASSERT_EQ(row(20) | u64(row(21)) << 32, a + b);
        ASSERT_EQ(row(22) | u64(row(23)) << 32, a - b);
        ASSERT_EQ(row(24) | u64(row(25)) << 32, b - a);
        bool second = mask >> l & 1;
        ASSERT_EQ(row(26), second ? row(4) : row(2));
        ASSERT_EQ(row(27), row(26));
        ASSERT_EQ(row(28), second ? row(4) & 0x7fffffff : row(2) ^ 0x80000000);
        ASSERT_EQ(row(29), std::popcount(counted & ((u64(1) << l) - 1)) + row(6));
        if (l != 7)
          ASSERT_EQ(row(30), row(2));
        ASSERT_EQ(row(31), row(4));
        ASSERT_EQ(row(32), row(2));
      }
      ASSERT_EQ(w.scalar64(30), carry);
      ASSERT_EQ(w.scalars[42], w.rows[2][std::countr_zero(exec)]);
      ASSERT_EQ(w.scalars[43], w.rows[2][w.scalars[44]]);
      ASSERT_EQ(w.rows[30][7], w.scalars[44]);
    }
  }
}

TEST(Vector, comparisons) {
  struct Comparison {
    const char *name;
    std::function<bool(u64, u64)> meaning;
    Kind kind;
  };
#define INTEGERS(suffix, kind, T)                                                                                          \
  {"eq_" suffix, [](u64 a, u64 b) { return T(a) == T(b); }, Kind::kind},                                                   \
  {"ne_" suffix, [](u64 a, u64 b) { return T(a) != T(b); }, Kind::kind},                                                   \
  {"lt_" suffix, [](u64 a, u64 b) { return T(a) < T(b); }, Kind::kind},                                                    \
  {"le_" suffix, [](u64 a, u64 b) { return T(a) <= T(b); }, Kind::kind},                                                   \
  {"gt_" suffix, [](u64 a, u64 b) { return T(a) > T(b); }, Kind::kind},                                                    \
  {"ge_" suffix, [](u64 a, u64 b) { return T(a) >= T(b); }, Kind::kind}
#define FLOATS(suffix, kind, T)                                                                                            \
  {"eq_" suffix, [](u64 a, u64 b) { return T(a) == T(b); }, Kind::kind},                                                   \
  {"neq_" suffix, [](u64 a, u64 b) { return !(T(a) == T(b)); }, Kind::kind},                                               \
  {"lt_" suffix, [](u64 a, u64 b) { return T(a) < T(b); }, Kind::kind},                                                    \
  {"nlt_" suffix, [](u64 a, u64 b) { return !(T(a) < T(b)); }, Kind::kind},                                                \
  {"gt_" suffix, [](u64 a, u64 b) { return T(a) > T(b); }, Kind::kind},                                                    \
  {"ngt_" suffix, [](u64 a, u64 b) { return !(T(a) > T(b)); }, Kind::kind},                                                \
  {"le_" suffix, [](u64 a, u64 b) { return T(a) <= T(b); }, Kind::kind},                                                   \
  {"nle_" suffix, [](u64 a, u64 b) { return !(T(a) <= T(b)); }, Kind::kind},                                               \
  {"ge_" suffix, [](u64 a, u64 b) { return T(a) >= T(b); }, Kind::kind},                                                   \
  {"nge_" suffix, [](u64 a, u64 b) { return !(T(a) >= T(b)); }, Kind::kind},                                               \
  {"lg_" suffix, [](u64 a, u64 b) { return T(a) < T(b) || T(a) > T(b); }, Kind::kind},                                     \
  {"nlg_" suffix, [](u64 a, u64 b) { return !(T(a) < T(b) || T(a) > T(b)); }, Kind::kind},                                 \
  {"o_" suffix, [](u64 a, u64 b) { return T(a) == T(a) && T(b) == T(b); }, Kind::kind},                                    \
  {"u_" suffix, [](u64 a, u64 b) { return T(a) != T(a) || T(b) != T(b); }, Kind::kind}
  std::vector<Comparison> comparisons = {INTEGERS("u32", u32, u32), INTEGERS("i32", u32, i32), INTEGERS("u16", u16, u16),
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
  Snippet s("gfx942", "v_cmp_class_f32 vcc, v2, v4\nv_cmp_class_f64 s[30:31], v[6:7], v4\nv_cmp_class_f16 s[32:33], v8, v4");
  const u32 f32Of[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0, 1, 0x3f800000, 0x7f800000};
  const u64 f64Of[] = {0x7ff0000000000001, 0x7ff8000000000000, 0xfff0000000000000, 0xbff0000000000000, 0x8000000000000001,
                       0x8000000000000000, 0, 1, 0x3ff0000000000000, 0x7ff0000000000000};
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
