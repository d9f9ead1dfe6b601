// The results of exact floating-point vector instructions.
#include "test/runtime/emulator/meaning/Meaning.h"

namespace nstf::emulator::meaning {

/// The minimum (`sign` -1) or the maximum (1) of two; between two zeros the one with that sign.
static u64 extreme(Format f, u64 a, u64 b, const Lane &l, int sign) {
  FloatMode mode = l.mode(f);
  bool ieee = l.machine.ieee();
  if (ieee && f.isSignaling(a))
    return quieted(f, a);
  if (ieee && f.isSignaling(b))
    return quieted(f, b);
  a = flushed(f, a, mode), b = flushed(f, b, mode);
  if (f.isNan(a))
    return b;
  if (f.isNan(b))
    return a;
  if (f.isZero(a) && f.isZero(b))
    return f.isNegative(a) == (sign < 0) ? a : b;
  return compare(getNumber(f, a), getNumber(f, b)) * sign > 0 ? a : b;
}
u64 lesser(Format f, u64 a, u64 b, const Lane &l) { return extreme(f, a, b, l, -1); }
u64 greater(Format f, u64 a, u64 b, const Lane &l) { return extreme(f, a, b, l, 1); }

namespace {

using enum Type;
#define IS(...) [=](Lane &l) -> u64 { return u64(__VA_ARGS__); }

u64 middle(Format f, const Lane &l) {
  if (f.isNan(l.a) || f.isNan(l.b) || f.isNan(l.c))
    return lesser(f, lesser(f, l.a, l.b, l), l.c, l);
  u64 most = greater(f, greater(f, l.a, l.b, l), l.c, l);
  auto equal = [&](u64 v) { return compare(getNumber(f, most), getNumber(f, v, l.mode(f))) == 0; };
  return equal(l.a) ? greater(f, l.b, l.c, l) : equal(l.b) ? greater(f, l.a, l.c, l) : greater(f, l.a, l.b, l);
}

/// Rounds twice and flushes denormals ("denormals are flushed") whatever MODE says.
u64 separate(Format f, u64 a, u64 b, u64 c, FloatMode mode) {
  mode.keepSources = mode.keepResults = false;
  u64 product = multiply(f, a, b, mode);
  if (f.isNan(a) || f.isNan(b) || f.isNan(c))
    return getNan(f, {a, b, c});
  return add(f, product, c, mode);
}
/// "0 times anything is 0."
u64 legacyProduct(u64 a, u64 b, const FloatMode &mode) {
  if (single.isZero(flushed(single, a, mode)) || single.isZero(flushed(single, b, mode)))
    return 0;
  return multiply(single, a, b, mode);
}

u64 rounded(Format f, u64 v, Rounding round, const FloatMode &mode) {
  if (f.isNan(v))
    return quieted(f, v);
  return getBits(f, integral(getNumber(f, v, mode), round), mode);
}
/// "D = S + -floor(S) … obey round mode, result clamped to" the largest number below 1.
u64 fraction(Format f, u64 v, const FloatMode &mode) {
  if (f.isNan(v) || f.isInfinite(v))
    return getNan(f, {v});
  Number n = getNumber(f, v, mode), floor = integral(n, Rounding::Down);
  u64 r = getBits(f, plus(n, negative(floor), mode.round), mode);
  return !f.isNegative(r) && r >= f.one() ? f.one() - 1 : r;
}
u64 scaledBy(Format f, u64 v, i64 exponent, const FloatMode &mode) {
  return f.isNan(v) ? quieted(f, v) : getBits(f, scaled(getNumber(f, v, mode), exponent), mode);
}
/// The significand in [1/2, 1). Subnormals keep their value whatever MODE says, because the instruction works on bits.
u64 significandOf(Format f, u64 v) {
  if (f.isNan(v))
    return quieted(f, v);
  Number n = getNumber(f, v);
  if (n.kind == Number::Finite) {
    u64 one = getBits(f, scaled(n, 0));
    while (f.exponentField(one) >= f.bias()) // to below 1 …
      n = scaled(n, -1), one = getBits(f, n);
    while (f.exponentField(one) < f.bias() - 1) // … and to at least 1/2
      n = scaled(n, 1), one = getBits(f, n);
    return one;
  }
  return getBits(f, n);
}

void addFamily(std::vector<VectorMeaning> &all, const char *suffix, Type t) {
  Format f = getFormat(t);
  auto name = [&](const char *n) { return std::string("V_") + n + suffix; };
  auto sub = [=](Lane &l, u64 a, u64 b) {
    Number n = plus(getNumber(f, a, l.mode(f)), negative(getNumber(f, b, l.mode(f))), l.mode(f).round);
    return n.kind == Number::Nan ? getNan(f, {l.a, l.b}) : getBits(f, n, l.mode(f));
  };
  u32 keeps = t == f16 ? KeepsHalf : 0;
  Type exponent = t == f16 ? b16 : b32;
  for (VectorMeaning m : std::vector<VectorMeaning>{
           {name("ADD_F"), t, {t, t}, IS(add(f, l.a, l.b, l.mode(f)))},
           {name("MUL_F"), t, {t, t}, IS(multiply(f, l.a, l.b, l.mode(f)))},
           {name("MIN_F"), t, {t, t}, IS(lesser(f, l.a, l.b, l))},
           {name("MAX_F"), t, {t, t}, IS(greater(f, l.a, l.b, l))},
           {name("FMA_F"), t, {t, t, t}, IS(fused(f, l.a, l.b, l.c, l.mode(f))), keeps},
           {name("FMAC_F"), t, {t, t}, IS(fused(f, l.a, l.b, l.c, l.mode(f))), Accumulates},
           {name("TRUNC_F"), t, {t}, IS(rounded(f, l.a, Rounding::Zero, l.mode(f)))},
           {name("CEIL_F"), t, {t}, IS(rounded(f, l.a, Rounding::Up, l.mode(f)))},
           {name("RNDNE_F"), t, {t}, IS(rounded(f, l.a, Rounding::NearestEven, l.mode(f)))},
           {name("FLOOR_F"), t, {t}, IS(rounded(f, l.a, Rounding::Down, l.mode(f)))},
           {name("FRACT_F"), t, {t}, IS(fraction(f, l.a, l.mode(f)))},
           {name("FREXP_MANT_F"), t, {t}, IS(significandOf(f, l.a))},
           {name("LDEXP_F"),
            t,
            {t, exponent},
            IS(scaledBy(f, l.a, t == f16 ? i64(i16(l.b)) : i64(i32(l.b)), l.mode(f)))},
       })
    all.push_back(m);
  if (t == f64)
    return;
  for (VectorMeaning m : std::vector<VectorMeaning>{
           {name("SUB_F"), t, {t, t}, IS(sub(l, l.a, l.b))},
           {name("SUBREV_F"), t, {t, t}, IS(sub(l, l.b, l.a))},
           {name("MAD_F"), t, {t, t, t}, IS(separate(f, l.a, l.b, l.c, l.mode(f))), keeps},
           {name("MAC_F"), t, {t, t}, IS(separate(f, l.a, l.b, l.c, l.mode(f))), Accumulates},
           {name("MADMK_F"), t, {t, t, t}, IS(separate(f, l.a, l.b, l.c, l.mode(f))), ConstantMiddle},
           {name("MADAK_F"), t, {t, t, t}, IS(separate(f, l.a, l.b, l.c, l.mode(f))), ConstantLast},
           {name("MIN3_F"), t, {t, t, t}, IS(lesser(f, lesser(f, l.a, l.b, l), l.c, l))},
           {name("MAX3_F"), t, {t, t, t}, IS(greater(f, greater(f, l.a, l.b, l), l.c, l))},
           {name("MED3_F"), t, {t, t, t}, IS(middle(f, l))},
       })
    all.push_back(m);
}

u64 negatedIf(u64 v, bool negate) { return negate ? v ^ single.sign() : v; }
/// The face of a cube that (x, y, z) points to.
enum Axis { X, Y, Z };
Axis majorAxis(const Lane &l) {
  FloatMode mode = l.mode(single);
  auto size = [&](u64 v) { return getNumber(single, single.magnitude(v), mode); };
  auto atLeast = [&](u64 v, u64 w) { return !single.isNan(v) && !single.isNan(w) && compare(size(v), size(w)) >= 0; };
  return atLeast(l.c, l.a) && atLeast(l.c, l.b) ? Z : atLeast(l.b, l.a) ? Y : X;
}
bool below0(u64 v, const Lane &l) {
  return !single.isNan(v) && single.isNegative(v) && !single.isZero(flushed(single, v, l.mode(single)));
}

} // namespace

std::vector<VectorMeaning> floatMeanings() {
  std::vector<VectorMeaning> all;
  addFamily(all, "16", f16);
  addFamily(all, "32", f32);
  addFamily(all, "64", f64);
  const Format f = single;
  for (VectorMeaning m : std::vector<VectorMeaning>{
           {"V_MUL_LEGACY_F32", f32, {f32, f32}, IS(legacyProduct(l.a, l.b, l.mode(f)))},
           {"V_MAD_LEGACY_F32",
            f32,
            {f32, f32, f32},
            IS(single.isZero(flushed(f, l.a, {Rounding::NearestEven, false, false})) ||
                       single.isZero(flushed(f, l.b, {Rounding::NearestEven, false, false}))
                   ? add(f, 0, l.c, {l.mode(f).round, false, false})
                   : separate(f, l.a, l.b, l.c, l.mode(f)))},
           {"V_FMAMK_F32", f32, {f32, f32, f32}, IS(fused(f, l.a, l.b, l.c, l.mode(f))), ConstantMiddle},
           {"V_FMAAK_F32", f32, {f32, f32, f32}, IS(fused(f, l.a, l.b, l.c, l.mode(f))), ConstantLast},
           {"V_FMA_LEGACY_F16", f16, {f16, f16, f16}, IS(fused(half, l.a, l.b, l.c, l.mode(half)))},
           {"V_MAD_LEGACY_F16", f16, {f16, f16, f16}, IS(separate(half, l.a, l.b, l.c, l.mode(half)))},
           {"V_PK_ADD_F32", pf32, {pf32, pf32}, IS(add(f, l.a, l.b, l.mode(f)))},
           {"V_PK_MUL_F32", pf32, {pf32, pf32}, IS(multiply(f, l.a, l.b, l.mode(f)))},
           {"V_PK_FMA_F32", pf32, {pf32, pf32, pf32}, IS(fused(f, l.a, l.b, l.c, l.mode(f)))},
           {"V_PK_ADD_F16", pf16, {pf16, pf16}, IS(add(half, l.a, l.b, l.mode(half)))},
           {"V_PK_MUL_F16", pf16, {pf16, pf16}, IS(multiply(half, l.a, l.b, l.mode(half)))},
           {"V_PK_MIN_F16", pf16, {pf16, pf16}, IS(lesser(half, l.a, l.b, l))},
           {"V_PK_MAX_F16", pf16, {pf16, pf16}, IS(greater(half, l.a, l.b, l))},
           {"V_PK_FMA_F16", pf16, {pf16, pf16, pf16}, IS(fused(half, l.a, l.b, l.c, l.mode(half)))},
           {"V_PK_FMAC_F16", pf16, {pf16, pf16}, IS(fused(half, l.a, l.b, l.c, l.mode(half))), Accumulates | PlainOnly},
           {"V_CUBEID_F32",
            f32,
            {f32, f32, f32},
            IS(fromHost(f, majorAxis(l) == Z   ? 4 + below0(l.c, l)
                           : majorAxis(l) == Y ? 2 + below0(l.b, l)
                                               : 0 + below0(l.a, l)))},
           {"V_CUBESC_F32",
            f32,
            {f32, f32, f32},
            IS(majorAxis(l) == Z   ? negatedIf(l.a, below0(l.c, l))
               : majorAxis(l) == Y ? l.a
                                   : negatedIf(l.c, !below0(l.a, l)))},
           {"V_CUBETC_F32",
            f32,
            {f32, f32, f32},
            IS(majorAxis(l) == Y ? negatedIf(l.c, below0(l.b, l)) : negatedIf(l.b, true))},
           {"V_CUBEMA_F32",
            f32,
            {f32, f32, f32},
            IS(multiply(f,
                        majorAxis(l) == Z   ? l.c
                        : majorAxis(l) == Y ? l.b
                                            : l.a,
                        0x40000000, l.mode(f)))},
       })
    all.push_back(m);
  return all;
}

} // namespace nstf::emulator::meaning
