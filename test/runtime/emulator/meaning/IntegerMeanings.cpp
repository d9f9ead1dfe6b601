// The results of integer and bit vector instructions.
#include "test/runtime/emulator/meaning/Meaning.h"

#include <limits>

namespace nstf::emulator::meaning {
namespace {

using enum Type;
// A function of one lane, `l`.
#define IS(...) [](Lane &l) -> u64 { return u64(__VA_ARGS__); }

i32 signed24(u64 v) { return i32(u32(v) << 8) >> 8; }
u32 unsigned24(u64 v) { return u32(v) & 0xffffff; }
i32 s32(u64 v) { return i32(u32(v)); }
i16 s16(u64 v) { return i16(u16(v)); }

u32 leadingZeros(u32 v) {
  for (u32 i = 0; i < 32; ++i)
    if (v >> (31 - i) & 1)
      return i;
  return ~0u;
}
u32 trailingZeros(u32 v) {
  for (u32 i = 0; i < 32; ++i)
    if (v >> i & 1)
      return i;
  return ~0u;
}
u32 leadingSigns(u32 v) {
  for (u32 i = 1; i < 32; ++i)
    if ((v >> (31 - i) & 1) != v >> 31)
      return i;
  return ~0u;
}
u32 reversed(u32 v) {
  u32 r = 0;
  for (u32 i = 0; i < 32; ++i)
    r |= (v >> i & 1) << (31 - i);
  return r;
}
u32 ones(u64 v) {
  u32 n = 0;
  for (; v; v &= v - 1)
    ++n;
  return n;
}
/// The field of `count` bits at `offset`, sign-extended; bits past 31 are copies of the sign.
u32 signedField(u32 v, u32 offset, u32 count) {
  u32 field = u32(s32(v) >> offset) & ((1u << count) - 1);
  return count && field >> (count - 1) & 1 ? field | ~((1u << count) - 1) : field;
}
template <typename T> T middle(T a, T b, T c) {
  T most = std::max({a, b, c});
  return most == a ? std::max(b, c) : most == b ? std::max(a, c) : std::max(a, b);
}
u64 difference(u64 a, u64 b) { return a > b ? a - b : b - a; }
/// Sum of absolute byte differences; if `masked`, without the bytes whose reference is 0.
u64 byteDifferences(u32 a, u32 b, bool masked = false) {
  u64 sum = 0;
  for (u32 i = 0; i < 32; i += 8)
    if (!masked || (b >> i & 0xff))
      sum += difference(a >> i & 0xff, b >> i & 0xff);
  return sum;
}
u32 permuted(u64 a, u64 b, u32 selector) {
  u8 in[8];
  for (u32 i = 0; i < 4; ++i)
    in[i] = u8(b >> 8 * i), in[4 + i] = u8(a >> 8 * i);
  u32 r = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 s = selector >> 8 * i & 0xff;
    u32 byte = s < 8 ? in[s] : s < 12 ? (in[2 * (s - 8) + 1] & 0x80 ? 0xff : 0) : s == 12 ? 0 : 0xff;
    r |= byte << 8 * i;
  }
  return r;
}
u32 averaged(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 i = 0; i < 32; i += 8)
    r |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
  return r;
}
u32 saturatedBytes(u32 v) {
  auto byte = [](i32 n) { return u32(n <= 0 ? 0 : n >= 255 ? 255 : n); };
  return byte(s16(v)) | byte(s16(v >> 16)) << 8;
}
/// The exact sum of the products of the fields; the caller adds c.
template <unsigned bits, bool isSigned> i128 dot(u32 a, u32 b) {
  auto field = [](u32 v, u32 at) {
    u32 f = v >> at & ((u64(1) << bits) - 1);
    return isSigned && f >> (bits - 1) ? i64(f) - (i64(1) << bits) : i64(f);
  };
  i128 sum = 0;
  for (u32 i = 0; i < 32; i += bits)
    sum += field(a, i) * field(b, i);
  return sum;
}
/// Four sums of byte differences, for slices of a that start one byte apart.
u64 slidingDifferences(const Lane &l, bool masked) {
  u64 r = 0;
  for (u32 k = 0; k < 4; ++k)
    r |= l.fit<u16>(i128(byteDifferences(u32(l.a >> 8 * k), u32(l.b), masked)) + (l.c >> 16 * k & 0xffff)) << 16 * k;
  return r;
}

u64 sum(Lane &l, i128 exact) {
  l.bitOut = exact < 0 || exact > i128(0xffffffff);
  return l.fit<u32>(exact);
}
i128 carryIn(const Lane &l) { return l.bit; }

/// The bits below this lane in a 32-lane mask.
u32 below(unsigned lane, unsigned first) {
  u32 mask = 0;
  for (unsigned i = 0; i < 32; ++i)
    mask |= u32(first + i < lane) << i;
  return mask;
}

} // namespace

std::vector<VectorMeaning> integerMeanings() {
  std::vector<VectorMeaning> all = {
      {"V_MOV_B32", b32, {b32}, IS(l.a)},
      {"V_MOV_B64", b64, {b64}, IS(l.a)},
      {"V_NOT_B32", b32, {b32}, IS(~l.a)},
      {"V_BFREV_B32", b32, {b32}, IS(reversed(u32(l.a)))},
      {"V_FFBH_U32", b32, {b32}, IS(leadingZeros(u32(l.a)))},
      {"V_FFBL_B32", b32, {b32}, IS(trailingZeros(u32(l.a)))},
      {"V_FFBH_I32", b32, {b32}, IS(leadingSigns(u32(l.a)))},
      {"V_SAT_PK_U8_I16", b32, {b32}, IS(saturatedBytes(u32(l.a)))},
      {"V_PRNG_B32", b32, {b32}, IS((l.a << 1) ^ (l.a >> 31 ? 197 : 0))},

      {"V_ADD_U32", b32, {b32, b32}, IS(l.fit<u32>(i128(l.a) + l.b))},
      {"V_SUB_U32", b32, {b32, b32}, IS(l.fit<u32>(i128(l.a) - l.b))},
      {"V_SUBREV_U32", b32, {b32, b32}, IS(l.fit<u32>(i128(l.b) - l.a))},
      {"V_ADD_I32", b32, {b32, b32}, IS(l.fit<i32>(i128(s32(l.a)) + s32(l.b)))},
      {"V_SUB_I32", b32, {b32, b32}, IS(l.fit<i32>(i128(s32(l.a)) - s32(l.b)))},
      {"V_MUL_LO_U32", b32, {b32, b32}, IS(l.a * l.b)},
      {"V_MUL_LO_I32", b32, {b32, b32}, IS(l.a * l.b)},
      {"V_MUL_HI_U32", b32, {b32, b32}, IS(l.a * l.b >> 32)},
      {"V_MUL_HI_I32", b32, {b32, b32}, IS(i64(s32(l.a)) * s32(l.b) >> 32)},
      {"V_MUL_U32_U24", b32, {b32, b32}, IS(l.fit<u32>(i128(unsigned24(l.a)) * unsigned24(l.b)))},
      {"V_MUL_I32_I24", b32, {b32, b32}, IS(l.fit<i32>(i128(signed24(l.a)) * signed24(l.b)))},
      {"V_MUL_HI_U32_U24", b32, {b32, b32}, IS(u64(unsigned24(l.a)) * unsigned24(l.b) >> 32)},
      {"V_MUL_HI_I32_I24", b32, {b32, b32}, IS(i64(signed24(l.a)) * signed24(l.b) >> 32)},
      {"V_MIN_I32", b32, {b32, b32}, IS(s32(l.a) < s32(l.b) ? l.a : l.b)},
      {"V_MAX_I32", b32, {b32, b32}, IS(s32(l.a) >= s32(l.b) ? l.a : l.b)},
      {"V_MIN_U32", b32, {b32, b32}, IS(l.a < l.b ? l.a : l.b)},
      {"V_MAX_U32", b32, {b32, b32}, IS(l.a >= l.b ? l.a : l.b)},
      {"V_AND_B32", b32, {b32, b32}, IS(l.a & l.b)},
      {"V_OR_B32", b32, {b32, b32}, IS(l.a | l.b)},
      {"V_XOR_B32", b32, {b32, b32}, IS(l.a ^ l.b)},
      {"V_XNOR_B32", b32, {b32, b32}, IS(~(l.a ^ l.b))},
      {"V_LSHLREV_B32", b32, {shift, b32}, IS(l.b << (l.a & 31))},
      {"V_LSHRREV_B32", b32, {shift, b32}, IS(l.b >> (l.a & 31))},
      {"V_ASHRREV_I32", b32, {shift, b32}, IS(s32(l.b) >> (l.a & 31))},
      {"V_LSHLREV_B64", b64, {shift, b64}, IS(l.b << (l.a & 63))},
      {"V_LSHRREV_B64", b64, {shift, b64}, IS(l.b >> (l.a & 63))},
      {"V_ASHRREV_I64", b64, {shift, b64}, IS(i64(l.b) >> (l.a & 63))},
      {"V_BFM_B32", b32, {shift, shift}, IS(((1u << (l.a & 31)) - 1) << (l.b & 31))},
      {"V_BCNT_U32_B32", b32, {b32, b32}, IS(ones(l.a) + l.b)},
      {"V_MBCNT_LO_U32_B32", b32, {b32, b32}, IS(ones(l.a & below(l.lane, 0)) + l.b)},
      {"V_MBCNT_HI_U32_B32", b32, {b32, b32}, IS(ones(l.a & below(l.lane, 32)) + l.b)},
      {"V_ADD_U16", b16, {b16, b16}, IS(l.fit<u16>(i128(l.a) + l.b))},
      {"V_SUB_U16", b16, {b16, b16}, IS(l.fit<u16>(i128(l.a) - l.b))},
      {"V_SUBREV_U16", b16, {b16, b16}, IS(l.fit<u16>(i128(l.b) - l.a))},
      {"V_ADD_I16", b16, {b16, b16}, IS(l.fit<i16>(i128(s16(l.a)) + s16(l.b)))},
      {"V_SUB_I16", b16, {b16, b16}, IS(l.fit<i16>(i128(s16(l.a)) - s16(l.b)))},
      {"V_MUL_LO_U16", b16, {b16, b16}, IS(l.fit<u16>(i128(l.a) * l.b))},
      {"V_LSHLREV_B16", b16, {b16, b16}, IS(l.b << (l.a & 15))},
      {"V_LSHRREV_B16", b16, {b16, b16}, IS(l.b >> (l.a & 15))},
      {"V_ASHRREV_I16", b16, {b16, b16}, IS(s16(l.b) >> (l.a & 15))},
      {"V_MAX_U16", b16, {b16, b16}, IS(l.a >= l.b ? l.a : l.b)},
      {"V_MAX_I16", b16, {b16, b16}, IS(s16(l.a) >= s16(l.b) ? l.a : l.b)},
      {"V_MIN_U16", b16, {b16, b16}, IS(l.a < l.b ? l.a : l.b)},
      {"V_MIN_I16", b16, {b16, b16}, IS(s16(l.a) < s16(l.b) ? l.a : l.b)},

      {"V_MAD_U32_U24", b32, {b32, b32, b32}, IS(l.fit<u32>(i128(unsigned24(l.a)) * unsigned24(l.b) + l.c))},
      {"V_MAD_I32_I24", b32, {b32, b32, b32}, IS(l.fit<i32>(i128(signed24(l.a)) * signed24(l.b) + s32(l.c)))},
      {"V_MAD_U16", b16, {b16, b16, b16}, IS(l.fit<u16>(i128(l.a) * l.b + l.c)), KeepsHalf},
      {"V_MAD_I16", b16, {b16, b16, b16}, IS(l.fit<i16>(i128(s16(l.a)) * s16(l.b) + s16(l.c))), KeepsHalf},
      {"V_MAD_LEGACY_U16", b16, {b16, b16, b16}, IS(l.fit<u16>(i128(l.a) * l.b + l.c))},
      {"V_MAD_LEGACY_I16", b16, {b16, b16, b16}, IS(l.fit<i16>(i128(s16(l.a)) * s16(l.b) + s16(l.c)))},
      {"V_MAD_U32_U16", b32, {b16, b16, b32}, IS(l.fit<u32>(i128(l.a) * l.b + l.c))},
      {"V_MAD_I32_I16", b32, {b16, b16, b32}, IS(l.fit<i32>(i128(s16(l.a)) * s16(l.b) + s32(l.c)))},
      {"V_BFE_U32", b32, {b32, shift, shift}, IS(l.a >> (l.b & 31) & ((1u << (l.c & 31)) - 1))},
      {"V_BFE_I32", b32, {b32, shift, shift}, IS(signedField(u32(l.a), l.b & 31, l.c & 31))},
      {"V_BFI_B32", b32, {b32, b32, b32}, IS((l.a & l.b) | (~l.a & l.c))},
      {"V_ALIGNBIT_B32", b32, {b32, b32, shift}, IS((l.a << 32 | l.b) >> (l.c & 31))},
      {"V_ALIGNBYTE_B32", b32, {b32, b32, shift}, IS((l.a << 32 | l.b) >> 8 * (l.c & 3))},
      {"V_MIN3_I32", b32, {b32, b32, b32}, IS(std::min({s32(l.a), s32(l.b), s32(l.c)}))},
      {"V_MAX3_I32", b32, {b32, b32, b32}, IS(std::max({s32(l.a), s32(l.b), s32(l.c)}))},
      {"V_MED3_I32", b32, {b32, b32, b32}, IS(middle(s32(l.a), s32(l.b), s32(l.c)))},
      {"V_MIN3_U32", b32, {b32, b32, b32}, IS(std::min({l.a, l.b, l.c}))},
      {"V_MAX3_U32", b32, {b32, b32, b32}, IS(std::max({l.a, l.b, l.c}))},
      {"V_MED3_U32", b32, {b32, b32, b32}, IS(middle(l.a, l.b, l.c))},
      {"V_MIN3_I16", b16, {b16, b16, b16}, IS(std::min({s16(l.a), s16(l.b), s16(l.c)}))},
      {"V_MAX3_I16", b16, {b16, b16, b16}, IS(std::max({s16(l.a), s16(l.b), s16(l.c)}))},
      {"V_MED3_I16", b16, {b16, b16, b16}, IS(middle(s16(l.a), s16(l.b), s16(l.c)))},
      {"V_MIN3_U16", b16, {b16, b16, b16}, IS(std::min({l.a, l.b, l.c}))},
      {"V_MAX3_U16", b16, {b16, b16, b16}, IS(std::max({l.a, l.b, l.c}))},
      {"V_MED3_U16", b16, {b16, b16, b16}, IS(middle(l.a, l.b, l.c))},
      {"V_SAD_U8", b32, {b32, b32, b32}, IS(l.fit<u32>(i128(byteDifferences(l.a, l.b)) + l.c))},
      {"V_SAD_HI_U8", b32, {b32, b32, b32}, IS(l.fit<u32>(i128(byteDifferences(l.a, l.b) << 16) + l.c))},
      {"V_SAD_U16",
       b32,
       {b32, b32, b32},
       IS(l.fit<u32>(i128(difference(u16(l.a), u16(l.b))) + difference(l.a >> 16, l.b >> 16) + l.c))},
      {"V_SAD_U32", b32, {b32, b32, b32}, IS(l.fit<u32>(i128(difference(l.a, l.b)) + l.c))},
      {"V_MSAD_U8", b32, {b32, b32, b32}, IS(l.fit<u32>(i128(byteDifferences(l.a, l.b, true)) + l.c))},
      {"V_QSAD_PK_U16_U8", b64, {b64, b32, b64}, IS(slidingDifferences(l, false))},
      {"V_MQSAD_PK_U16_U8", b64, {b64, b32, b64}, IS(slidingDifferences(l, true))},
      {"V_LERP_U8", b32, {b32, b32, b32}, IS(averaged(l.a, l.b, l.c))},
      {"V_PERM_B32", b32, {b32, b32, b32}, IS(permuted(l.a, l.b, u32(l.c)))},
      {"V_LSHL_ADD_U32", b32, {b32, shift, b32}, IS((l.a << (l.b & 31)) + l.c)},
      {"V_ADD_LSHL_U32", b32, {b32, b32, shift}, IS((l.a + l.b) << (l.c & 31))},
      {"V_ADD3_U32", b32, {b32, b32, b32}, IS(l.a + l.b + l.c)},
      {"V_LSHL_OR_B32", b32, {b32, shift, b32}, IS(l.a << (l.b & 31) | l.c)},
      {"V_AND_OR_B32", b32, {b32, b32, b32}, IS((l.a & l.b) | l.c)},
      {"V_OR3_B32", b32, {b32, b32, b32}, IS(l.a | l.b | l.c)},
      {"V_XAD_U32", b32, {b32, b32, b32}, IS((l.a ^ l.b) + l.c)},
      // "The design treats unsupported shift counts as a shift of zero": 0 to 4 are supported.
      {"V_LSHL_ADD_U64", b64, {b64, shift, b64}, IS((l.a << ((l.b & 7) > 4 ? 0 : l.b & 7)) + l.c)},
      {"V_PACK_B32_F16", b32, {f16, f16}, IS(l.a | l.b << 16)},

      {"V_DOT4_I32_I8", b32, {b32, b32, b32}, IS(l.fit<i32>(dot<8, true>(l.a, l.b) + s32(l.c)))},
      {"V_DOT4_U32_U8", b32, {b32, b32, b32}, IS(l.fit<u32>(dot<8, false>(l.a, l.b) + l.c))},
      {"V_DOT8_I32_I4", b32, {b32, b32, b32}, IS(l.fit<i32>(dot<4, true>(l.a, l.b) + s32(l.c)))},
      {"V_DOT8_U32_U4", b32, {b32, b32, b32}, IS(l.fit<u32>(dot<4, false>(l.a, l.b) + l.c))},
      {"V_DOT2_I32_I16", b32, {p16, p16, b32}, IS(l.fit<i32>(dot<16, true>(l.a, l.b) + s32(l.c)))},
      {"V_DOT2_U32_U16", b32, {p16, p16, b32}, IS(l.fit<u32>(dot<16, false>(l.a, l.b) + l.c))},
      {"V_DOT2C_I32_I16", b32, {b32, b32}, IS(l.fit<i32>(dot<16, true>(l.a, l.b) + s32(l.c))), Accumulates},
      {"V_DOT4C_I32_I8", b32, {b32, b32}, IS(l.fit<i32>(dot<8, true>(l.a, l.b) + s32(l.c))), Accumulates},
      {"V_DOT8C_I32_I4", b32, {b32, b32}, IS(l.fit<i32>(dot<4, true>(l.a, l.b) + s32(l.c))), Accumulates},

      {"V_ADD_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.a) + l.b)), MaskOut},
      {"V_SUB_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.a) - l.b)), MaskOut},
      {"V_SUBREV_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.b) - l.a)), MaskOut},
      {"V_ADDC_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.a) + l.b + carryIn(l))), MaskOut | MaskIn},
      {"V_SUBB_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.a) - l.b - carryIn(l))), MaskOut | MaskIn},
      {"V_SUBBREV_CO_U32", b32, {b32, b32}, IS(sum(l, i128(l.b) - l.a - carryIn(l))), MaskOut | MaskIn},
      {"V_CNDMASK_B32", b32, {f32, f32}, IS(l.bit ? l.b : l.a), MaskIn},
      // The flag is bit 64 of the exact result.
      {"V_MAD_U64_U32",
       b64,
       {b32, b32, b64},
       IS((l.bitOut = (u128(l.a) * l.b + l.c) >> 64 & 1, l.fit<u64>(i128(u128(l.a) * l.b + l.c)))),
       MaskOut},
      {"V_MAD_I64_I32",
       b64,
       {b32, b32, b64},
       IS((l.bitOut = i128(i64(s32(l.a)) * s32(l.b)) + i64(l.c) < 0,
           l.fit<i64>(i128(i64(s32(l.a)) * s32(l.b)) + i64(l.c)))),
       MaskOut},
  };
  return all;
}

std::vector<VectorMeaning> packedIntegerMeanings() {
  return {
      {"V_PK_ADD_U16", p16, {p16, p16}, IS(l.fit<u16>(i128(l.a) + l.b))},
      {"V_PK_SUB_U16", p16, {p16, p16}, IS(l.fit<u16>(i128(l.a) - l.b))},
      {"V_PK_ADD_I16", p16, {p16, p16}, IS(l.fit<i16>(i128(s16(l.a)) + s16(l.b)))},
      {"V_PK_SUB_I16", p16, {p16, p16}, IS(l.fit<i16>(i128(s16(l.a)) - s16(l.b)))},
      {"V_PK_MUL_LO_U16", p16, {p16, p16}, IS(l.a * l.b)},
      {"V_PK_MIN_U16", p16, {p16, p16}, IS(l.a < l.b ? l.a : l.b)},
      {"V_PK_MAX_U16", p16, {p16, p16}, IS(l.a >= l.b ? l.a : l.b)},
      {"V_PK_MIN_I16", p16, {p16, p16}, IS(s16(l.a) < s16(l.b) ? l.a : l.b)},
      {"V_PK_MAX_I16", p16, {p16, p16}, IS(s16(l.a) >= s16(l.b) ? l.a : l.b)},
      {"V_PK_LSHLREV_B16", p16, {p16, p16}, IS(l.b << (l.a & 15))},
      {"V_PK_LSHRREV_B16", p16, {p16, p16}, IS(l.b >> (l.a & 15))},
      {"V_PK_ASHRREV_I16", p16, {p16, p16}, IS(s16(l.b) >> (l.a & 15))},
      {"V_PK_MAD_U16", p16, {p16, p16, p16}, IS(l.fit<u16>(i128(l.a) * l.b + l.c))},
      {"V_PK_MAD_I16", p16, {p16, p16, p16}, IS(l.fit<i16>(i128(s16(l.a)) * s16(l.b) + s16(l.c)))},
  };
}

} // namespace nstf::emulator::meaning
