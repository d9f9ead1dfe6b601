// Floating-point vector instructions.
//
// The meanings follow "CDNA3 Instruction Set Architecture", chapter "VOP1/VOP2/VOP3 instructions". f16 is computed in
// f32 (the second rounding of sums and products has no effect, as 24 >= 2 * 11 + 2), its fused multiply-add in f64. The
// approximating instructions (rcp, rsq, sqrt, exp, log on f32) treat subnormals as zero and return none, like the
// hardware.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/VectorFloat.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/Lanes-inl.h"
#include "runtime/emulator/instructions/NumberChoice-inl.h"
#include "runtime/emulator/instructions/Transcendental-inl.h"

#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// Flushes subnormals to zeros of their sign.
HWY_INLINE F32 flushed(F32 v) {
  U32 bits = bitsAs<U32>(v);
  return bitsAs<F32>(choose((bits & 0x7f800000u) == 0u, bits & 0x80000000u, bits));
}
template <typename T, typename V> HWY_INLINE V flushedIf32(V v) {
  if constexpr (std::is_same_v<T, f32>)
    return flushed(v);
  else
    return v;
}

struct add {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return withNan(a + b, a, b); }
};
struct sub {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return withNan(a - b, a, b); }
};
struct subReverse {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return withNan(b - a, a, b); }
};
struct mul {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return withNan(a * b, a, b); }
};
/// 0 times anything is 0.
struct mulLegacy {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
    V product = withNan(a * b, a, b);
    return choose((a == 0) | (b == 0), V(0), product);
  }
};
struct fma {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    if constexpr (isHalf<T>) {
      // Exact in f64, except for bits that are too low to matter; the store rounds to halves.
      F64 wide = convertTo<F64>(a) * convertTo<F64>(b) + convertTo<F64>(c);
      return withNan(roundToOdd(wide), a, b, c);
    } else {
      return withNan(__builtin_elementwise_fma(a, b, c), a, b, c);
    }
  }
  /// f64 to f32 such that a later rounding to f16 gives the same result as from the f64: inexact results get an odd
  /// last bit.
  static HWY_INLINE F32 roundToOdd(F64 wide) {
    F32 narrow = convertTo<F32>(wide);
    F64 back = convertTo<F64>(narrow);
    I32 tooFar = convertTo<I32>(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(wide));
    I32 inexact = convertTo<I32>((back < wide) | (back > wide));
    U32 bits = bitsAs<U32>(narrow);
    U32 truncated = choose(tooFar, bits - 1u, bits);
    return bitsAs<F32>(choose(inexact, truncated | 1u, bits));
  }
};
struct fmaMiddle { // v_fmamk: the constant is the second source
  template <typename T, typename V> static HWY_INLINE V run(V a, V k, V c) { return fma::run<T>(a, k, c); }
};
/// The product with tiny results flushed. Whether a result is tiny is determined before it is rounded to a subnormal,
/// since that rounding may give the smallest normal number: the product is computed again, scaled up.
HWY_INLINE F32 flushedProduct(F32 a, F32 b) {
  const F32 smallest = 0x1p-126f;
  F32 product = a * b;
  if (HWY_UNLIKELY(any(__builtin_elementwise_abs(product) == smallest)))
    product = choose(__builtin_elementwise_abs(a * 0x1p100f * b) < 0x1p-26f, product * 0.0f, product);
  return flushed(product);
}
/// v_mad, v_mac: two roundings; subnormals are flushed regardless of MODE.
struct mad {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    if constexpr (isHalf<T>) {
      HalfMode flushing{std::is_same_v<T, f16> ? 0 : halfMode.round, false, false, false};
      auto rounded = [&](float v) { return float(__builtin_bit_cast(_Float16, uint16_t(roundToHalf(v, flushing)))); };
      auto flushedHalf = [](float v) { return std::fabs(v) < 0x1p-14f ? std::copysign(0.0f, v) : v; };
      V sum = eachLane<V>(
          [&](float x, float y, float z) { return rounded(rounded(flushedHalf(x) * flushedHalf(y)) + flushedHalf(z)); },
          a, b, c);
      return withNan(sum, a, b, c);
    } else {
      a = flushed(a), b = flushed(b), c = flushed(c);
      return flushed(withNan(flushedProduct(a, b) + c, a, b, c));
    }
  }
};
struct madMiddle {
  template <typename T, typename V> static HWY_INLINE V run(V a, V k, V c) { return mad::run<T>(a, k, c); }
};
struct madLegacy {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    a = flushed(a), b = flushed(b), c = flushed(c);
    V product = choose((a == 0) | (b == 0), V(0), withNan(flushedProduct(a, b), a, b));
    return flushed(withNan(product + c, product, c));
  }
};

struct ldexp {
  template <typename T> static HWY_INLINE F32 run(F32 a, I32 exponent) {
    I32 e = choose(exponent > 400, I32(400), choose(exponent < -400, I32(-400), exponent));
    F64 scaled = convertTo<F64>(a) * powerOfTwo(convertTo<F64>(e)); // exact; the conversion back rounds once
    if constexpr (isHalf<T>)
      return withNan(fma::roundToOdd(scaled), a);
    else
      return withNan(convertTo<F32>(scaled), a);
  }
  template <typename T> static HWY_INLINE F64 run(F64 a, I32 exponent) {
    return withNan(
        eachLane<F64>([](double v, int32_t e) { return std::ldexp(v, e < -5000  ? -5000
                                                                     : e > 5000 ? 5000
                                                                                : e); }, a,
                      exponent),
        a);
  }
};
struct trunc {
  template <typename T, typename V> static HWY_INLINE V run(V a) { return withNan(__builtin_elementwise_trunc(a), a); }
};
struct ceil {
  template <typename T, typename V> static HWY_INLINE V run(V a) { return withNan(__builtin_elementwise_ceil(a), a); }
};
struct floor {
  template <typename T, typename V> static HWY_INLINE V run(V a) { return withNan(__builtin_elementwise_floor(a), a); }
};
struct roundEven {
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    return withNan(__builtin_elementwise_roundeven(a), a);
  }
};
/// Never 1: tiny negative numbers give the largest number below 1.
struct fract {
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    V part = a - __builtin_elementwise_floor(a);
    V below1;
    if constexpr (isHalf<T>)
      below1 = V(0.99951171875f);
    else if constexpr (isDouble<V>)
      below1 = V(0x1.fffffffffffffp-1);
    else
      below1 = V(0x1.fffffep-1f);
    return withNan(choose(part > below1, below1, part), a);
  }
};
/// Results of the functions below outside their domain: 0xffc00000, 0xfe00 in the manual's examples.
template <typename V> HWY_INLINE V outsideDomain(V result, V a) {
  auto nan = isNan(result);
  if (HWY_UNLIKELY(any(nan)))
    result = choose(nan, choose(isNan(a), quiet(a), -defaultNan(a)), result);
  return result;
}
struct rcp {
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    a = flushedIf32<T>(a);
    return withNan(flushedIf32<T>(V(1) / a), a);
  }
};
struct rsq {
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    a = flushedIf32<T>(a);
    if constexpr (isDouble<V>) {
      return outsideDomain(1.0 / __builtin_elementwise_sqrt(a), a);
    } else {
      F64 root = __builtin_elementwise_sqrt(convertTo<F64>(a));
      return outsideDomain(convertTo<F32>(1.0 / root), a);
    }
  }
};
struct sqrt {
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    a = flushedIf32<T>(a);
    return outsideDomain(__builtin_elementwise_sqrt(a), a);
  }
};
struct exp2 {
  template <typename T> static HWY_INLINE F32 run(F32 a) {
    a = flushedIf32<T>(a);
    F32 bounded = choose(a > 200.0f, F32(200.0f), choose(a < -200.0f, F32(-200.0f), a));
    F32 result = flushedIf32<T>(convertTo<F32>(exp2Wide(convertTo<F64>(bounded))));
    return choose(isNan(a), quiet(a), result);
  }
};
struct log2 {
  template <typename T> static HWY_INLINE F32 run(F32 a) {
    a = flushedIf32<T>(a);
    F32 result = convertTo<F32>(log2Wide(convertTo<F64>(a)));
    const float infinity = std::numeric_limits<float>::infinity();
    result = choose(a == infinity, a, result);
    result = choose(a == 0.0f, F32(-infinity), result);
    result = choose(a < 0.0f, -defaultNan(a), result);
    return choose(isNan(a), quiet(a), result);
  }
};
/// v_sin, v_cos take revolutions; outside [-256, 256] the hardware returns 0 for sin and 1 for cos.
struct sinRevolutions {
  template <typename T> static HWY_INLINE F32 run(F32 a) { return wave(a, 0.0, 0.0f); }
  static HWY_INLINE F32 wave(F32 a, double shift, float outside) {
    F32 magnitude = __builtin_elementwise_abs(a);
    I32 inside = magnitude <= 256.0f;
    F32 result = convertTo<F32>(sineOfRevolutions(convertTo<F64>(choose(inside, a, F32(0))) + shift));
    result = choose(inside, result, F32(outside));
    result = choose(magnitude == std::numeric_limits<float>::infinity(), -defaultNan(a), result);
    return choose(isNan(a), quiet(a), result);
  }
};
struct cosRevolutions {
  template <typename T> static HWY_INLINE F32 run(F32 a) { return sinRevolutions::wave(a, 0.25, 1.0f); }
};
struct frexpMantissa {
  static constexpr bool bitwise = true;
  template <typename T, typename V> static HWY_INLINE V run(V a) {
    V r = eachLane<V>(
        [](auto v) {
          int exponent;
          return std::isfinite(v) ? std::frexp(v, &exponent) : v;
        },
        a);
    return withNan(r, a);
  }
};
/// Corrects the quotient `q` of n/d from v_div_fmas where the previous steps cannot: sign and special cases.
struct divFixup {
  static constexpr bool bitwise = true;
  template <typename T, typename V> static HWY_INLINE V run(V q, V d, V n) {
    if constexpr (std::is_same_v<T, f32>) { // special values are very rare
      I32 dExponent = bitsAs<I32>(bitsAs<U32>(d) >> 23 & 255u), nExponent = bitsAs<I32>(bitsAs<U32>(n) >> 23 & 255u);
      I32 special = (dExponent == 0) | (dExponent == 255) | (nExponent == 0) | (nExponent == 255) |
                    (nExponent - dExponent < -149) | isNan(q);
      if (HWY_LIKELY(!any(special))) {
        U32 sign = (bitsAs<U32>(d) ^ bitsAs<U32>(n)) & 0x80000000u;
        return bitsAs<V>((bitsAs<U32>(q) & 0x7fffffffu) | sign);
      }
    }
    V result = eachLane<V>([](auto q, auto d, auto n) { return one<T>(q, d, n); }, q, d, n);
    result = choose(isNan(d), quiet(d), result);
    return choose(isNan(n), quiet(n), result);
  }
  template <typename T, typename E> static HWY_INLINE E one(E q, E d, E n) {
    using Limits = std::numeric_limits<E>;
    E sign = std::signbit(d) != std::signbit(n) ? E(-1) : E(1);
    if ((d == 0 && n == 0) || (std::isinf(d) && std::isinf(n)))
      return std::copysign(Limits::quiet_NaN(), E(-1));
    if (d == 0 || std::isinf(n))
      return sign * Limits::infinity();
    if (std::isinf(d) || n == 0)
      return sign * E(0);
    if constexpr (!isHalf<T>)
      if (std::ilogb(n) - std::ilogb(d) < (sizeof(E) == 8 ? -1075 : -150))
        return sign * E(0);
    if (q != q) // the previous steps overflowed
      return sign * Limits::infinity();
    return std::copysign(std::fabs(q), sign);
  }
};
/// Bits of 2/pi for the argument reduction of sin and cos: 53 bits from bit 53 * segment on, scaled to their place.
struct trigPreop {
  template <typename T> static HWY_INLINE F64 run(F64 a, I32 segment) {
    return eachLane<F64>([](double v, int32_t s) { return one(v, s); }, a, segment);
  }
  static double one(double value, int32_t segment) {
    static constexpr uint64_t twoOverPi[] = {
        0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull, 0xFE5163ABDEBBC561ull,
        0xB7246E3A424DD2E0ull, 0x06492EEA09D1921Cull, 0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull,
        0xE99C7026B45F7E41ull, 0x3991D639835339F4ull, 0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full,
        0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull, 0x7527BAC7EBE5F17Bull,
        0x3D0739F78A5292EAull, 0x6BFB5FB1F8D5D085ull, 0x6033046FC7B6BABFull, 0};
    int exponent = int(__builtin_bit_cast(uint64_t, value) >> 52 & 0x7ff);
    unsigned shift = unsigned(segment & 31) * 53;
    if (exponent > 1077)
      shift += exponent - 1077;
    if (shift > 1200)
      return 0;
    unsigned word = shift / 64, bit = shift % 64;
    uint64_t bits = twoOverPi[word] << bit | (bit ? twoOverPi[word + 1] >> (64 - bit) : 0);
    if (unsigned left = 1201 - shift; left < 64) // the table ends here
      bits &= ~uint64_t(0) << (64 - left);
    int scale = -53 - int(shift);
    if (exponent >= 1968)
      scale += 128;
    return std::ldexp(double(bits >> 11), scale);
  }
};
/// Cube maps: the face selected by the largest of three coordinates (if equal, z before y before x), the other two
/// coordinates relative to it, and twice the largest.
struct CubeFace {
  I32 z, y; // else x
  CubeFace(F32 px, F32 py, F32 pz) {
    F32 ax = __builtin_elementwise_abs(px), ay = __builtin_elementwise_abs(py), az = __builtin_elementwise_abs(pz);
    z = (az >= ax) & (az >= ay);
    y = ~z & (ay >= ax);
  }
  HWY_INLINE F32 pick(F32 ofX, F32 ofY, F32 ofZ) const { return choose(z, ofZ, choose(y, ofY, ofX)); }
};
struct cubeFace {
  template <typename T> static HWY_INLINE F32 run(F32 x, F32 y, F32 z) {
    auto signOf = [](F32 v, float positive, float negative) { return choose(v < 0.0f, F32(negative), F32(positive)); };
    return CubeFace(x, y, z).pick(signOf(x, 0, 1), signOf(y, 2, 3), signOf(z, 4, 5));
  }
};
struct cubeS {
  template <typename T> static HWY_INLINE F32 run(F32 x, F32 y, F32 z) {
    return CubeFace(x, y, z).pick(choose(x < 0.0f, z, -z), x, choose(z < 0.0f, -x, x));
  }
};
struct cubeT {
  template <typename T> static HWY_INLINE F32 run(F32 x, F32 y, F32 z) {
    return CubeFace(x, y, z).pick(-y, choose(y < 0.0f, -z, z), -y);
  }
};
struct cubeMajorAxis {
  template <typename T> static HWY_INLINE F32 run(F32 x, F32 y, F32 z) {
    return CubeFace(x, y, z).pick(x, y, z) * 2.0f;
  }
};
struct pkMov { // has a handler of its own
  template <typename T> static HWY_INLINE U32 run(U32 a, U32) { return a; }
};
/// c + a.x * b.x + a.y * b.y, each step an f32 fused multiply-add.
struct dot2 {
  template <typename T> static HWY_INLINE F32 run(U32 a, U32 b, F32 c) {
    F32 a0 = fromHalf(a & 0xffffu), a1 = fromHalf(a >> 16), b0 = fromHalf(b & 0xffffu), b1 = fromHalf(b >> 16);
    F32 first = __builtin_elementwise_fma(a1, b1, c);
    return withNan(__builtin_elementwise_fma(a0, b0, first), a0, b0, a1, b1, c);
  }
};

/// v_pk_mov_b32: the low result is the half of the first source that its op_sel selects, the high result that of the
/// second source; the selected halves are in the low rows.
template <unsigned width> const MicroOp *runPackedMove(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 low = loadRow(a, c), high = loadRow(b, c);
    storeRow(to, c, low, uint16_t(exec >> c * chunk));
    storeRow(to + width, c, high, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

} // namespace

void enterVectorFloatFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
#define FLOAT1(name, D, A, meaning) SET(name) = runVector1<width, meaning, D, A>;
#define FLOAT2(name, D, A, B, meaning) SET(name) = handlerOf2<width, meaning, D, A, B>();
#define FLOAT3(name, D, A, B, C, meaning) SET(name) = handlerOf3<width, meaning, D, A, B, C>();
#define FLOATACC(name, D, A, B, meaning) SET(name) = runVector3<width, meaning, D, A, B, D>;
#include "runtime/emulator/decode/Instructions.def"
  SET(V_PK_MOV_B32) = runPackedMove<width>;
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterVectorFloatFor);
void enterVectorFloat(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterVectorFloatFor)(table); }
} // namespace nstf::emulator
#endif
