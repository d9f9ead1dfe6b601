// Exp2, log2, sine.
//
// The hardware computes these within 1 ulp, from tables that are not published. This code computes them in f64 with
// fused multiply-adds in a fixed order (so all hosts give the same bits). The results are the correctly rounded f32 in
// all but about one case in 10^5. Polynomials: Taylor series, where the reduced argument makes them converge to 2^-45.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_TRANSCENDENTAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_TRANSCENDENTAL_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_TRANSCENDENTAL_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_TRANSCENDENTAL_INL_H
#endif

#include "runtime/emulator/instructions/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

HWY_INLINE F64 fusedMultiplyAdd(F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }

/// Round to the nearest integer, |v| < 2^51.
HWY_INLINE F64 nearest(F64 v) {
  const F64 shift = 6755399441055744.0; // 1.5 * 2^52
  return (v + shift) - shift;
}
/// 2^n for integers n in [-1022, 1023].
HWY_INLINE F64 powerOfTwo(F64 n) {
  const F64 shift = 6755399441055744.0;
  U64 bits = bitsAs<U64>(n + shift); // the low bits of the significand are n's
  return bitsAs<F64>((bits + 1023) << 52);
}

/// 2^x, |x| <= 1000.
HWY_INLINE F64 exp2Wide(F64 x) {
  F64 n = nearest(x);
  F64 t = (x - n) * 0.6931471805599453094; // e^t, |t| <= ln(2)/2
  F64 r = 1.0 / 479001600.0;
  const double inverseFactorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                      1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2,     1.0,        1.0};
  for (double factor : inverseFactorials)
    r = fusedMultiplyAdd(r, t, F64(factor));
  return r * powerOfTwo(n);
}

/// log2 of a normal positive number: 2 atanh(s) / ln 2 with s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
HWY_INLINE F64 log2Wide(F64 x) {
  U64 bits = bitsAs<U64>(x);
  U64 shifted = bits - 0x3fe6a09e667f3bcdull; // sqrt(1/2)
  I64 exponent = bitsAs<I64>(shifted) >> 52;
  F64 m = bitsAs<F64>(bits - (bitsAs<U64>(exponent) << 52));
  F64 s = (m - 1.0) / (m + 1.0), s2 = s * s;
  F64 r = 1.0 / 21;
  const double odd[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
  for (double factor : odd)
    r = fusedMultiplyAdd(r, s2, F64(factor));
  F64 e = convertTo<F64>(exponent);
  return fusedMultiplyAdd(s * r, F64(2.8853900817779268147), e);
}

/// sin(2 pi x) of a finite x: x is reduced to |x| <= 1/4 exactly, then the series is applied.
HWY_INLINE F64 sineOfRevolutions(F64 x) {
  F64 r = x - nearest(x); // [-1/2, 1/2]
  F64 magnitude = __builtin_elementwise_abs(r);
  F64 folded = choose(magnitude > 0.25, 0.5 - magnitude, magnitude);
  F64 t = folded * 6.283185307179586477, t2 = t * t;
  F64 s = -1.0 / 121645100408832000.0; // 1/19!
  const double series[] = {1.0 / 355687428096000.0,
                           -1.0 / 1307674368000.0,
                           1.0 / 6227020800.0,
                           -1.0 / 39916800.0,
                           1.0 / 362880.0,
                           -1.0 / 5040.0,
                           1.0 / 120.0,
                           -1.0 / 6.0,
                           1.0};
  for (double factor : series)
    s = fusedMultiplyAdd(s, t2, F64(factor));
  return choose(r < 0.0, -(s * t), s * t);
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
