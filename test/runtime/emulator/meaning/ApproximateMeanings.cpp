// Reciprocals, roots, exponentials, sines, dot products.
//
// Special cases are exactly those in the manual's examples. Everything else must lie within the error that the manual
// states of the host's long double.
#include "test/runtime/emulator/meaning/Meaning.h"

#include <cmath>
#include <numbers>

namespace nstf::emulator::meaning {
namespace {

using enum Type;
#define IS(...) [=](Lane &l) -> u64 { return u64(__VA_ARGS__); }

u64 negativeNan(Format f) { return f.sign() | f.infinity() | f.quietBit(); }
/// "Denormals are flushed": for f32 whatever MODE says.
FloatMode modeOf(Format f, const Lane &l) {
  return f.fractionBits == 23 ? FloatMode{Rounding::NearestEven, false, false} : l.mode(f);
}
u64 approximated(Format f, u64 v, FloatMode mode, long double (*function)(long double)) {
  if (f.isNan(v))
    return quieted(f, v);
  mode.round = Rounding::NearestEven;
  long double value = function(toHost(f, flushed(f, v, mode)));
  return std::isnan(value) ? negativeNan(f) : fromHost(f, value, mode);
}
long double reciprocal(long double v) { return 1 / v; }
long double root(long double v) { return std::sqrt(v); }
long double reciprocalRoot(long double v) { return v == 0 ? 1 / v : 1 / std::sqrt(v); }
long double exponential(long double v) { return std::exp2(v); }
long double logarithm(long double v) { return v == 0 ? -HUGE_VALL : v < 0 ? std::nanl("") : std::log2(v); }
/// The argument is in revolutions; multiples of a quarter are exact. Beyond 256 the manual gives 0 for the sine and 1
/// for the cosine.
long double sine(long double v) {
  if (std::isinf(v))
    return std::nanl("");
  if (std::fabs(v) > 256)
    return 0;
  long double r = v - std::nearbyint(v), quarter = std::nearbyint(r * 4), rest = r - quarter / 4;
  long double s = std::sin(rest * 2 * std::numbers::pi_v<long double>),
              c = std::cos(rest * 2 * std::numbers::pi_v<long double>);
  switch (int(quarter) & 3) {
  case 0:
    return v == 0 ? v : s;
  case 1:
    return c;
  case 2:
    return -s;
  default:
    return -c;
  }
}
long double cosine(long double v) {
  if (std::isinf(v))
    return std::nanl("");
  if (std::fabs(v) > 256)
    return 1;
  long double r = std::fabs(v - std::nearbyint(v));
  return sine(r + 0.25L);
}

u64 products(u32 a, u32 b, u64 c, const Lane &l) {
  // Products of f16 are exact in f32. The upper one is added first, with one rounding per addition.
  FloatMode mode = l.mode(single);
  u64 sum = c;
  for (unsigned at : {16u, 0u}) {
    u64 x = convert(half, single, a >> at & 0xffff, {}, {}), y = convert(half, single, b >> at & 0xffff, {}, {});
    if (single.isNan(sum) || single.isNan(x) || single.isNan(y))
      continue;
    sum = fused(single, x, y, sum, mode);
  }
  u64 n[4] = {convert(half, single, a & 0xffff, {}, {}), convert(half, single, b & 0xffff, {}, {}),
              convert(half, single, a >> 16, {}, {}), convert(half, single, b >> 16, {}, {})};
  for (u64 v : {n[0], n[1], n[2], n[3], c})
    if (single.isNan(v))
      return quieted(single, v);
  return sum;
}

/// The first 1201 bits of 2/pi as a fraction.
unsigned twoOverPi(unsigned at) {
  static const char *const hex =
      "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E006492EEA09D1921C"
      "FE1DEB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE05980F"
      "EF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB1F8D5D085"
      "6033046FC7B6BABF";
  char c = hex[at / 4];
  unsigned digit = c <= '9' ? unsigned(c - '0') : unsigned(c - 'A' + 10);
  return at < 1201 ? digit >> (3 - at % 4) & 1 : 0;
}
u64 preop(u64 v, u64 segment, const FloatMode &mode) {
  unsigned shift = unsigned(segment & 31) * 53;
  int exponent = doubled.exponentField(v);
  if (exponent > 1077)
    shift += unsigned(exponent - 1077);
  Number n;
  n.kind = Number::Finite;
  for (unsigned i = 0; i < 53; ++i)
    n.significand = n.significand << 1 | (shift + i < 1201 ? twoOverPi(shift + i) : 0);
  if (!n.significand)
    return 0;
  n.exponent = -53 - int(shift) + (exponent >= 1968 ? 128 : 0);
  return getBits(doubled, n, mode);
}

} // namespace

std::vector<VectorMeaning> approximateMeanings() {
  std::vector<VectorMeaning> all;
  for (Type t : {f16, f32, f64}) {
    Format f = getFormat(t);
    std::string s = t == f16 ? "16" : t == f32 ? "32" : "64";
    u64 steps = t == f64 ? u64(1) << 29 : 1;
    all.push_back({"V_RCP_F" + s, t, {t}, IS(approximated(f, l.a, modeOf(f, l), reciprocal)), 0, steps});
    all.push_back({"V_RSQ_F" + s, t, {t}, IS(approximated(f, l.a, modeOf(f, l), reciprocalRoot)), 0, steps});
    all.push_back({"V_SQRT_F" + s, t, {t}, IS(approximated(f, l.a, modeOf(f, l), root)), 0, steps});
    if (t == f64)
      continue;
    all.push_back({"V_EXP_F" + s, t, {t}, IS(approximated(f, l.a, modeOf(f, l), exponential)), 0, 1});
    all.push_back({"V_LOG_F" + s, t, {t}, IS(approximated(f, l.a, modeOf(f, l), logarithm)), 0, 1});
    all.push_back({"V_SIN_F" + s, t, {t}, IS(approximated(f, l.a, t == f16 ? l.mode(f) : FloatMode(), sine)), 0, 1});
    all.push_back({"V_COS_F" + s, t, {t}, IS(approximated(f, l.a, t == f16 ? l.mode(f) : FloatMode(), cosine)), 0, 1});
  }
  const Format f = single;
  all.push_back({"V_RCP_IFLAG_F32", f32, {f32}, IS(approximated(f, l.a, modeOf(f, l), reciprocal)), 0, 1});
  all.push_back({"V_EXP_LEGACY_F32", f32, {f32}, IS(approximated(f, l.a, modeOf(f, l), exponential)), 0, 1});
  all.push_back({"V_LOG_LEGACY_F32", f32, {f32}, IS(approximated(f, l.a, modeOf(f, l), logarithm)), 0, 1});
  all.push_back({"V_TRIG_PREOP_F64", f64, {f64, b32}, IS(preop(l.a, l.b, l.mode(doubled)))});
  all.push_back({"V_DOT2_F32_F16", f32, {pf16, pf16, f32}, IS(products(u32(l.a), u32(l.b), l.c, l))});
  all.push_back({"V_DOT2C_F32_F16", f32, {pf16, pf16}, IS(products(u32(l.a), u32(l.b), l.c, l)), Accumulates});
  return all;
}

} // namespace nstf::emulator::meaning
