// Lane-by-lane integer instructions, carries, selection and lane access against scalar meanings written down from the
// ISA manuals, one line each.
#include "test/runtime/emulator/execute/VectorCases.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

u32 sext24(u64 v) { return u32(i32(u32(v) << 8) >> 8); }
u32 permByte(u32 a, u32 b, u32 s) {
  if (s >= 13)
    return 0xff;
  if (s == 12)
    return 0;
  u64 both = u64(a) << 32 | b;
  if (s >= 8)
    return both >> ((s - 8) * 16 + 15) & 1 ? 0xff : 0;
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
  if (!n)
    return 0;
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
      CASE1("v_ffbh_i32 v8, v2", u32, u32,
            (u32(a) == 0 || u32(a) == ~0u) ? ~0u : u32(std::countl_zero(i32(a) < 0 ? ~u32(a) : u32(a)))),
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
      CASE2("v_cvt_pk_u16_u32 v8, v2, v4", u32, u32, u32,
            std::min<u64>(u32(a), 65535) | std::min<u64>(u32(b), 65535) << 16),
      CASE2("v_cvt_pk_i16_i32 v8, v2, v4", u32, u32, u32,
            u16(std::clamp(i32(a), -32768, 32767)) | u32(u16(std::clamp(i32(b), -32768, 32767))) << 16),
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
      CASE2("v_add_i32 v8, v2, v4 clamp", u32, u32, u32,
            std::clamp(i64(i32(a)) + i32(b), i64(INT32_MIN), i64(INT32_MAX))),
      CASE2("v_sub_i32 v8, v2, v4 clamp", u32, u32, u32,
            std::clamp(i64(i32(a)) - i32(b), i64(INT32_MIN), i64(INT32_MAX))),
      CASE2("v_pk_add_u16 v8, v2, v4 clamp", u32, u32, u32,
            std::min(u16(a) + u16(b), 65535) | u32(std::min(u16(a >> 16) + u16(b >> 16), 65535)) << 16),
      {"v_mov_b64 v[8:9], v[2:3]", Kind::u64, {Kind::u64}, [](u64 a, u64, u64) { return a; }, Case::Gfx942},
      {"v_lshl_add_u64 v[8:9], v[2:3], v4, v[6:7]",
       Kind::u64,
       {Kind::u64, Kind::u16, Kind::u64},
       [](u64 a, u64 b, u64 c) { return (a << ((b & 7) > 4 ? 0 : b & 7)) + c; }, // shifts up to 4
       Case::Gfx942},
      CASE2("v_lshlrev_b64 v[8:9], v2, v[4:5]", u64, shift, u64, b << (a & 63)),
      CASE2("v_lshrrev_b64 v[8:9], v2, v[4:5]", u64, shift, u64, b >> (a & 63)),
      CASE2("v_ashrrev_i64 v[8:9], v2, v[4:5]", u64, shift, u64, i64(b) >> (a & 63)),
      CASE3("v_mad_u64_u32 v[8:9], vcc, v2, v4, v[6:7]", u64, u32, u32, u64, u64(u32(a)) * u32(b) + c),
      CASE3("v_mad_i64_i32 v[8:9], vcc, v2, v4, v[6:7]", u64, u32, u32, u64, u64(i64(i32(a)) * i32(b)) + c),
      CASE3("v_dot4_i32_i8 v8, v2, v4, v6", u32, u32, u32, u32,
            [&] {
              u32 s = u32(c);
              for (int i = 0; i < 32; i += 8)
                s += u32(int8_t(a >> i) * int8_t(b >> i));
              return s;
            }()),
      CASE3("v_dot2_u32_u16 v8, v2, v4, v6", u32, u32, u32, u32,
            u32(c) + u32(u16(a)) * u16(b) + u32(u16(a >> 16)) * u16(b >> 16)),
      CASE2("v_mov_b32 v8, v2\nv_dot4c_i32_i8 v8, v2, v4", u32, u32, u32,
            [&] {
              u32 s = u32(a);
              for (int i = 0; i < 32; i += 8)
                s += u32(int8_t(a >> i) * int8_t(b >> i));
              return s;
            }()),
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
      CASE2("v_pk_mul_lo_u16 v8, v2, v4 op_sel:[1,0] op_sel_hi:[0,1]", u32, u32, u32,
            u16((a >> 16 & 0xffff) * (b & 0xffff)) | u32(u16((a & 0xffff) * (b >> 16 & 0xffff))) << 16),
      CASE2("v_pk_max_i16 v8, v2, v4", u32, u32, u32,
            u16(std::max(i16(a), i16(b))) | u32(u16(std::max(i16(a >> 16), i16(b >> 16)))) << 16),
      CASE2("v_pk_lshlrev_b16 v8, v2, v4", u32, u32, u32,
            u16(b << (a & 15)) | u32(u16(u16(b >> 16) << (a >> 16 & 15))) << 16),
      CASE3("v_pk_mad_u16 v8, v2, v4, v6", u32, u32, u32, u32,
            u16(u16(a) * u32(u16(b)) + c) | u32(u16(u16(a >> 16) * u32(u16(b >> 16)) + (c >> 16))) << 16),
      CASE2("v_pack_b32_f16 v8, v2, v4", u32, u32, u32, u16(a) | u32(u16(b)) << 16),
      CASE2("v_pack_b32_f16 v8, v2, v4 op_sel:[1,0,0]", u32, u32, u32, u16(a >> 16) | u32(u16(b)) << 16),
      // The other half of the destination (here a) is kept.
      CASE3("v_mov_b32 v8, v2\nv_mad_u16 v8, v2, v4, v6 op_sel:[0,1,0,1]", u32, u32, u32, u32,
            u16(a) | u32(u16(u16(a) * u32(u16(b >> 16)) + c)) << 16),
  });
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

} // namespace
