// The results of conversions and division helpers.
#include "test/runtime/emulator/meaning/Meaning.h"

#include <array>

namespace nstf::emulator::meaning {
namespace {

using enum Type;
#define IS(...) [=](Lane &l) -> u64 { return u64(__VA_ARGS__); }

constexpr i128 one = 1;
/// "Out-of-range floating point values (including infinity) saturate. NAN is converted to 0."
template <typename T> u64 toInteger(Format f, u64 v, const Lane &l, Rounding round = Rounding::Zero) {
  i128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return u64(std::make_unsigned_t<T>(saturated(getNumber(f, v, l.mode(f)), low, high, round)));
}
u64 fromInteger(Format f, i64 v, const Lane &l) { return getBits(f, exactly(v), l.mode(f)); }

/// floor(v + 0.5), computed exactly.
u64 halfUp(u64 v, const Lane &l) {
  if (single.isNan(v))
    return 0;
  Number n = plus(getNumber(single, v, l.mode(single)), scaled(exactly(1), -1));
  return u32(saturated(n, -(one << 31), (one << 31) - 1, Rounding::Down));
}

i32 exponentOf(Format f, u64 v) {
  Number n = getNumber(f, v);
  if (n.kind != Number::Finite)
    return 0;
  int e = n.exponent;
  for (u128 s = n.significand; s; s >>= 1)
    ++e;
  return e; // v = m * 2^e, 1/2 <= m < 1
}

/// Maps [-1, 1] or [0, 1] to 16-bit integers, rounded to nearest even.
u16 normalized(Format f, u64 v, bool isSigned, const Lane &l) {
  i128 scale = isSigned ? 32767 : 65535;
  Number n = times(getNumber(f, v, l.mode(f)), exactly(i64(scale)));
  return u16(saturated(n, isSigned ? -scale : 0, scale, Rounding::NearestEven));
}
u64 byteOf(u64 v, const Lane &l) { return u64(saturated(getNumber(single, v, l.mode(single)), 0, 255)); }

u64 halfTowardZero(u64 v) { return convert(single, half, v, {}, {Rounding::Zero, true, true}); }

// fp8 of gfx942: E4M3 with bias 8, E5M2 with bias 16; 0x80 is NaN; no infinities, no -0.
Number numberOf8(u8 v, unsigned exponentBits) {
  unsigned fractionBits = 7 - exponentBits;
  Number n;
  if (v == 0x80)
    return {Number::Nan};
  int field = v >> fractionBits & ((1 << exponentBits) - 1);
  n.negative = v & 0x80;
  n.significand = (v & ((1 << fractionBits) - 1)) | (field ? 1 << fractionBits : 0);
  n.exponent = std::max(field, 1) - (1 << (exponentBits - 1)) - int(fractionBits);
  n.kind = n.significand ? Number::Finite : Number::Zero;
  return n;
}
u64 from8(u64 v, unsigned exponentBits) { return getBits(single, numberOf8(u8(v), exponentBits)); }

/// The result for numbers that are too large: NaN, or the largest number under MODE.fp16_ovfl.
u8 tooLarge8(const Number &n, const Lane &l) {
  if (!l.machine.overflowClamps())
    return 0x80;
  return u8((n.negative ? 0x80 : 0) | 0x7f);
}

/// Rounds to nearest even by searching the 128 magnitudes.
u8 to8(u64 v, unsigned exponentBits, const Lane &l) {
  Number n = getNumber(single, v);
  if (n.kind == Number::Nan)
    return 0x80;
  const u8 sign = n.negative ? 0x80 : 0, largest = tooLarge8(n, l);
  if (n.kind == Number::Infinite)
    return largest;
  n.negative = false;
  Number most = numberOf8(0x7f, exponentBits), beyond = plus(most, scaled(numberOf8(1, exponentBits), 0));
  // Numbers are too large from half a unit in the last place above the largest.
  Number step = plus(most, negative(numberOf8(0x7e, exponentBits)));
  beyond = plus(most, scaled(step, -1));
  if (compare(n, beyond) >= 0)
    return largest;
  u8 low = 0;
  while (low < 0x7f && compare(numberOf8(low + 1, exponentBits), n) <= 0)
    ++low;
  if (low < 0x7f) {
    Number middle = scaled(plus(numberOf8(low, exponentBits), numberOf8(low + 1, exponentBits)), -1);
    int order = compare(n, middle);
    if (order > 0 || (order == 0 && (low & 1)))
      ++low;
  }
  return low ? sign | low : 0;
}
/// Stochastic rounding: adds the upper random bits, aligned with the bits that will be cut off, and then cuts.
u8 to8Stochastic(u64 v, u32 random, unsigned exponentBits, const Lane &l) {
  Number n = getNumber(single, v);
  if (n.kind == Number::Nan)
    return 0x80;
  const u8 sign = n.negative ? 0x80 : 0, largest = tooLarge8(n, l);
  if (n.kind == Number::Infinite)
    return largest;
  if (n.kind == Number::Zero || single.isSubnormal(v))
    return 0;
  n.negative = false;
  // One unit in the last place at n: of its binade, or of the subnormals.
  unsigned fractionBits = 7 - exponentBits;
  int unit = std::max(n.exponent + 23, 1 - (1 << (exponentBits - 1))) - int(fractionBits);
  int cut = unit - n.exponent; // bits of the significand that are cut off
  if (cut > 60)
    return 0;
  u128 s = n.significand + (cut >= 32 ? u128(random) << (cut - 32) : u128(random >> (32 - cut)));
  n.significand = s >> cut;
  n.exponent = unit;
  if (!n.significand)
    return 0;
  for (unsigned code = 1; code < 0x80; ++code)
    if (compare(numberOf8(u8(code), exponentBits), n) == 0)
      return sign | u8(code);
  return largest;
}
u64 pair8(Lane &l, unsigned exponentBits) {
  u32 v = to8(l.a, exponentBits, l) | to8(l.b, exponentBits, l) << 8;
  return l.opSel & 8 ? (l.old & 0xffff) | v << 16 : (l.old & 0xffff0000) | v;
}
u64 stochastic8(Lane &l, unsigned exponentBits) {
  unsigned at = (l.opSel >> 2 & 3) * 8;
  return (l.old & ~(u64(0xff) << at)) | u64(to8Stochastic(l.a, u32(l.b), exponentBits, l)) << at;
}
/// Clamps each half of a two-number result to [0, 1].
u64 clamped(Format f, u64 v, const Lane &l) {
  if (!l.clamp)
    return v;
  if (f.isNan(v))
    return l.machine.dx10Clamp() ? 0 : v;
  return f.isNegative(v) ? 0 : std::min(v, f.one());
}
u64 bothFrom8(const Lane &l, unsigned exponentBits) {
  return clamped(single, from8(l.a, exponentBits), l) | clamped(single, from8(l.a >> 8, exponentBits), l) << 32;
}

// Division
u64 fixup(Format f, u64 q, u64 d, u64 n) {
  u64 sign = (d ^ n) & f.sign(), nan = f.sign() | f.infinity() | f.quietBit();
  if (f.isNan(n))
    return quieted(f, n);
  if (f.isNan(d))
    return quieted(f, d);
  if ((f.isZero(d) && f.isZero(n)) || (f.isInfinite(d) && f.isInfinite(n)))
    return nan;
  if (f.isZero(d) || f.isInfinite(n))
    return sign | f.infinity();
  if (f.isInfinite(d) || f.isZero(n))
    return sign;
  if (f.fractionBits > 10) { // unbiased, also of subnormals
    auto exponent = [&](u64 v) {
      Number m = getNumber(f, v);
      int e = m.exponent;
      for (u128 s = m.significand; s > 1; s >>= 1)
        ++e;
      return e;
    };
    if (exponent(n) - exponent(d) < (f.fractionBits == 23 ? -150 : -1075))
      return sign;
  }
  if (f.isNan(q)) // the steps before overflowed; not in the manual, see runtime/emulator/instructions/README.md
    return sign | f.infinity();
  return sign | f.magnitude(q);
}

} // namespace

std::vector<VectorMeaning> divisionMeanings() {
  std::vector<VectorMeaning> all;
  for (Type t : {f16, f32, f64}) {
    Format f = getFormat(t);
    std::string suffix = t == f16 ? "16" : t == f32 ? "32" : "64";
    all.push_back({"V_DIV_FIXUP_F" + suffix,
                   t,
                   {t, t, t},
                   IS(fixup(f, l.a, l.b, l.c)),
                   (t == f16 ? u32(KeepsHalf) : 0) | UsualMode});
    if (t == f16) {
      all.push_back({"V_DIV_FIXUP_LEGACY_F16", t, {t, t, t}, IS(fixup(f, l.a, l.b, l.c)), UsualMode});
      continue;
    }
  }
  return all;
}

std::vector<VectorMeaning> conversionMeanings() {
  auto mode = [](const Lane &l, Format from, Format to, u64 v) {
    // MODE's f64/f16 group governs every conversion from or to these types ("based on DP rounding mode", "… denorm
    // mode").
    bool toSingle = to.fractionBits == 23, fromDouble = from.fractionBits == 52;
    FloatMode source = to.fractionBits == 10 ? FloatMode() : l.mode(from);
    return convert(from, to, v, source, toSingle && fromDouble ? l.mode(doubled) : l.mode(to));
  };
  std::vector<VectorMeaning> all = {
      {"V_CVT_F32_I32", f32, {b32}, IS(fromInteger(single, i32(l.a), l))},
      {"V_CVT_F32_U32", f32, {b32}, IS(fromInteger(single, i64(l.a), l))},
      {"V_CVT_F64_I32", f64, {b32}, IS(fromInteger(doubled, i32(l.a), l))},
      {"V_CVT_F64_U32", f64, {b32}, IS(fromInteger(doubled, i64(l.a), l))},
      {"V_CVT_F16_U16", f16, {b16}, IS(fromInteger(half, i64(l.a), l))},
      {"V_CVT_F16_I16", f16, {b16}, IS(fromInteger(half, i16(l.a), l))},
      {"V_CVT_F64_F32", f64, {f32}, IS(mode(l, single, doubled, l.a))},
      {"V_CVT_F32_F64", f32, {f64}, IS(mode(l, doubled, single, l.a))},
      {"V_CVT_F32_F16", f32, {f16}, IS(mode(l, half, single, l.a))},
      {"V_CVT_F16_F32", f16, {f32}, IS(mode(l, single, half, l.a))},
      {"V_CVT_U16_F16", b16, {f16}, IS(toInteger<u16>(half, l.a, l))},
      {"V_CVT_I16_F16", b16, {f16}, IS(toInteger<i16>(half, l.a, l))},
      {"V_CVT_U32_F32", b32, {f32}, IS(toInteger<u32>(single, l.a, l))},
      {"V_CVT_I32_F32", b32, {f32}, IS(toInteger<i32>(single, l.a, l))},
      {"V_CVT_U32_F64", b32, {f64}, IS(toInteger<u32>(doubled, l.a, l))},
      {"V_CVT_I32_F64", b32, {f64}, IS(toInteger<i32>(doubled, l.a, l))},
      {"V_CVT_RPI_I32_F32", b32, {f32}, IS(halfUp(l.a, l))},
      {"V_CVT_FLR_I32_F32", b32, {f32}, IS(toInteger<i32>(single, l.a, l, Rounding::Down))},
      {"V_CVT_NORM_I16_F16", b16, {f16}, IS(normalized(half, l.a, true, l))},
      {"V_CVT_NORM_U16_F16", b16, {f16}, IS(normalized(half, l.a, false, l))},
      {"V_CVT_F32_UBYTE0", f32, {b32}, IS(fromInteger(single, l.a & 0xff, l))},
      {"V_CVT_F32_UBYTE1", f32, {b32}, IS(fromInteger(single, l.a >> 8 & 0xff, l))},
      {"V_CVT_F32_UBYTE2", f32, {b32}, IS(fromInteger(single, l.a >> 16 & 0xff, l))},
      {"V_CVT_F32_UBYTE3", f32, {b32}, IS(fromInteger(single, l.a >> 24 & 0xff, l))},
      {"V_CVT_OFF_F32_I4", f32, {b32}, IS(getBits(single, scaled(exactly(i64(l.a & 15) - (l.a & 8 ? 16 : 0)), -4)))},
      {"V_FREXP_EXP_I32_F32", b32, {f32}, IS(u32(exponentOf(single, l.a)))},
      {"V_FREXP_EXP_I32_F64", b32, {f64}, IS(u32(exponentOf(doubled, l.a)))},
      {"V_FREXP_EXP_I16_F16", b16, {f16}, IS(u16(exponentOf(half, l.a)))},
      {"V_CVT_PKRTZ_F16_F32",
       b32,
       {f32, f32},
       IS(clamped(half, halfTowardZero(l.a), l) | clamped(half, halfTowardZero(l.b), l) << 16)},
      {"V_CVT_PK_U16_U32", b32, {b32, b32}, IS(std::min<u64>(l.a, 65535) | std::min<u64>(l.b, 65535) << 16)},
      {"V_CVT_PK_I16_I32",
       b32,
       {b32, b32},
       IS(u16(std::clamp(i32(l.a), -32768, 32767)) | u64(u16(std::clamp(i32(l.b), -32768, 32767))) << 16)},
      {"V_CVT_PKNORM_I16_F32",
       b32,
       {f32, f32},
       IS(normalized(single, l.a, true, l) | u64(normalized(single, l.b, true, l)) << 16)},
      {"V_CVT_PKNORM_U16_F32",
       b32,
       {f32, f32},
       IS(normalized(single, l.a, false, l) | u64(normalized(single, l.b, false, l)) << 16)},
      {"V_CVT_PKNORM_I16_F16",
       b32,
       {f16, f16},
       IS(normalized(half, l.a, true, l) | u64(normalized(half, l.b, true, l)) << 16)},
      {"V_CVT_PKNORM_U16_F16",
       b32,
       {f16, f16},
       IS(normalized(half, l.a, false, l) | u64(normalized(half, l.b, false, l)) << 16)},
      {"V_CVT_PK_U8_F32",
       b32,
       {f32, b32, b32},
       IS((l.c & ~(u64(0xff) << 8 * (l.b & 3))) | byteOf(l.a, l) << 8 * (l.b & 3))},
      {"V_CVT_PKACCUM_U8_F32",
       b32,
       {f32, b32},
       IS((l.old & ~(u64(0xff) << 8 * (l.b & 3))) | byteOf(l.a, l) << 8 * (l.b & 3))},
      {"V_CVT_F32_FP8", f32, {b32}, IS(from8(l.a, 4)), ByteSelect},
      {"V_CVT_F32_BF8", f32, {b32}, IS(from8(l.a, 5)), ByteSelect},
      {"V_CVT_PK_F32_FP8", b64, {b32}, IS(bothFrom8(l, 4)), WordSelect},
      {"V_CVT_PK_F32_BF8", b64, {b32}, IS(bothFrom8(l, 5)), WordSelect},
      {"V_CVT_PK_FP8_F32", b32, {f32, f32}, IS(pair8(l, 4)), WholeRegister | WholeHalves},
      {"V_CVT_PK_BF8_F32", b32, {f32, f32}, IS(pair8(l, 5)), WholeRegister | WholeHalves},
      {"V_CVT_SR_FP8_F32", b32, {f32, b32}, IS(stochastic8(l, 4)), WholeRegister},
      {"V_CVT_SR_BF8_F32", b32, {f32, b32}, IS(stochastic8(l, 5)), WholeRegister},
  };
  return all;
}

} // namespace nstf::emulator::meaning
