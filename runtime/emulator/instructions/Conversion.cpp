// Conversions between number formats.
//
// To integers: toward zero, saturating; NaN gives 0. To fp8: nearest even; too large values give NaN unless
// MODE.fp16_ovfl clamps.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Conversion.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/Lanes-inl.h"
#include "runtime/emulator/instructions/SmallFloats.h"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename T, typename V> HWY_INLINE typename T::V saturated(V v, double low, double high) {
  using S = std::conditional_t<std::is_same_v<V, F64>, double, float>;
  using I = typename T::V;
  // Limits within which the host's conversion works: the first values beyond them saturate.
  auto below = v <= V(S(low)), above = v >= V(S(high)), nan = v != v;
  V safe = choose(below | above | nan, V(0), v);
  I result = convertTo<I>(safe);
  I32 b = convertTo<I32>(below), a = convertTo<I32>(above);
  result = choose(b, I(typename T::Scalar(low)), result);
  return choose(a, I(typename T::Scalar(high - 1)), result);
}

struct convert {
  template <typename T, typename V> static HWY_INLINE typename T::V run(V a) {
    auto result = convertTo<typename T::V>(a);
    if constexpr (std::is_same_v<V, U32>) { // hosts without the conversion subtract: rounding down, 0 would be -0
      if constexpr (std::is_same_v<typename T::V, F64>)
        result = choose(convertTo<I64>(a == 0u), F64(0), result);
      else
        result = choose(a == 0u, F32(0), result);
    }
    return result;
  }
};
struct convertFloat {
  template <typename T> static HWY_INLINE typename T::V run(F64 a) {
    F32 r = convertTo<F32>(a);
    return HWY_UNLIKELY(any(isNan(r))) ? choose(isNan(r), quiet(r), r) : r;
  }
  template <typename T> static HWY_INLINE typename T::V run(F32 a) {
    if constexpr (std::is_same_v<T, f64>) {
      F64 r = convertTo<F64>(a);
      return HWY_UNLIKELY(any(isNan(r))) ? choose(isNan(r), quiet(r), r) : r;
    } else {
      return HWY_UNLIKELY(any(isNan(a))) ? choose(isNan(a), quiet(a), a) : a;
    }
  }
};
struct toUnsigned {
  template <typename T, typename V> static HWY_INLINE U32 run(V a) { return saturated<u32>(a, 0, 4294967296.0); }
};
struct toSigned {
  template <typename T, typename V> static HWY_INLINE I32 run(V a) {
    return saturated<i32>(a, -2147483648.0, 2147483648.0);
  }
};
struct toUnsigned16 {
  template <typename T> static HWY_INLINE U32 run(F32 a) { return saturated<u32>(a, 0, 65536.0) & 0xffffu; }
};
struct toSigned16 {
  template <typename T> static HWY_INLINE I32 run(F32 a) {
    I32 r = saturated<i32>(a, -2147483648.0, 2147483648.0);
    return __builtin_elementwise_max(__builtin_elementwise_min(r, I32(32767)), I32(-32768));
  }
};
struct toSignedHalfUp {
  template <typename T> static HWY_INLINE I32 run(F32 a) {
    F64 v = __builtin_elementwise_floor(convertTo<F64>(a) + 0.5);
    return saturated<i32>(v, -2147483648.0, 2147483648.0);
  }
};
struct toSignedFloor {
  template <typename T> static HWY_INLINE I32 run(F32 a) {
    return saturated<i32>(F32(__builtin_elementwise_floor(a)), -2147483648.0, 2147483648.0);
  }
};
template <unsigned byte> struct fromByte {
  template <typename T> static HWY_INLINE F32 run(U32 a) { return convertTo<F32>(a >> (byte * 8) & 255u); }
};
/// Four bits, signed, in units of 1/16.
struct fromOffsetNibble {
  template <typename T> static HWY_INLINE F32 run(U32 a) {
    return convertTo<F32>(bitsAs<I32>(a << 28) >> 28) * 0.0625f;
  }
};
/// v = m * 2^e with m in [1/2, 1); 0 for zero, infinity and NaN.
struct frexpExponent {
  static constexpr bool bitwise = true;
  template <typename T, typename V> static HWY_INLINE I32 run(V a) {
    return eachLane<I32>(
        [](auto v) {
          int e = 0;
          if (std::isfinite(v) && v != 0)
            std::frexp(v, &e);
          return e;
        },
        a);
  }
};
HWY_INLINE U32 halfTowardZero(F32 v) {
  U32 bits = toHalf(v);
  I32 tooFar = __builtin_elementwise_abs(fromHalf(bits)) > __builtin_elementwise_abs(v);
  return choose(tooFar, bits - 1u, bits);
}
struct packHalfTowardZero {
  template <typename T> static HWY_INLINE U32 run(F32 a, F32 b) { return halfTowardZero(a) | halfTowardZero(b) << 16; }
};
struct packUnsigned16 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b) {
    return __builtin_elementwise_min(a, U32(0xffffu)) | __builtin_elementwise_min(b, U32(0xffffu)) << 16;
  }
};
HWY_INLINE U32 clampSigned16(I32 v) {
  return bitsAs<U32>(__builtin_elementwise_max(__builtin_elementwise_min(v, I32(32767)), I32(-32768))) & 0xffffu;
}
struct packSigned16 {
  template <typename T> static HWY_INLINE U32 run(I32 a, I32 b) { return clampSigned16(a) | clampSigned16(b) << 16; }
};
HWY_INLINE I32 normalized(F32 v, float low, double scale) {
  F32 inside = choose(v > low, choose(v < 1.0f, v, F32(1)), choose(v == v, F32(low), F32(0)));
  return convertTo<I32>(F64(__builtin_elementwise_roundeven(convertTo<F64>(inside) * scale))); // exact before rounding
}
struct packNormSigned16 {
  template <typename T> static HWY_INLINE U32 run(F32 a, F32 b) {
    return clampSigned16(normalized(a, -1, 32767)) | clampSigned16(normalized(b, -1, 32767)) << 16;
  }
};
struct packNormUnsigned16 {
  template <typename T> static HWY_INLINE U32 run(F32 a, F32 b) {
    return bitsAs<U32>(normalized(a, 0, 65535)) | bitsAs<U32>(normalized(b, 0, 65535)) << 16;
  }
};
struct normSigned16 {
  template <typename T> static HWY_INLINE I32 run(F32 a) { return normalized(a, -1, 32767); }
};
struct normUnsigned16 {
  template <typename T> static HWY_INLINE U32 run(F32 a) { return bitsAs<U32>(normalized(a, 0, 65535)); }
};
struct packByte {
  template <typename T> static HWY_INLINE U32 run(F32 a, U32 byte, U32 old) {
    U32 value = __builtin_elementwise_min(saturated<u32>(a, 0, 4294967296.0), U32(255u)), shift = (byte & 3u) * 8u;
    return (old & ~(255u << shift)) | value << shift;
  }
};

// fp8
// flags: see Translator::conversionFp8; bit 8: SDWA, with the bit offset of the byte or half in bits 4 and 5 (units of
// 8).

template <unsigned width, typename Format, bool pair> const MicroOp *fromSmall(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  unsigned shift = op->flags & 0x100 ? (op->flags >> 4 & 3) * 8 : 0;
  const uint32_t *from = w.row(op->source[0]);
  uint32_t *to = w.destination(op);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v = loadRow(from, c) >> shift;
    uint16_t active = uint16_t(exec >> c * chunk);
    auto decode = [](uint32_t x) { return Format::table[x & 255]; };
    F32 low = eachLane<F32>(decode, v), high = eachLane<F32>(decode, U32(v >> 8));
    storeRow(to, c, bitsAs<U32>(low), active);
    if (pair)
      storeRow(to + width, c, bitsAs<U32>(high), active);
  }
  return op + 1;
}

bool clampsOverflow(const Wave &w) { return w.mode >> 23 & 1; }

/// Writes two numbers into one half of the destination.
template <unsigned width, typename Format> const MicroOp *pairToSmall(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  bool saturate = clampsOverflow(w);
  unsigned shift = op->flags & 8 ? 16 : 0;
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  uint32_t *to = w.destination(op);
  for (unsigned i = 0; i < width; ++i)
    if (exec >> i & 1) {
      uint32_t value = Format::encode(a[i], false, 0, saturate) | uint32_t(Format::encode(b[i], false, 0, saturate))
                                                                      << 8;
      to[i] = (to[i] & ~(0xffffu << shift)) | value << shift;
    }
  return op + 1;
}

/// Writes one number, stochastically rounded with the bits of the second source, into one byte of the destination.
template <unsigned width, typename Format> const MicroOp *stochasticToSmall(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  bool saturate = clampsOverflow(w);
  unsigned shift = (op->flags >> 2 & 3) * 8;
  const uint32_t *a = w.row(op->source[0]), *random = w.row(op->source[1]);
  uint32_t *to = w.destination(op);
  for (unsigned i = 0; i < width; ++i)
    if (exec >> i & 1)
      to[i] = (to[i] & ~(0xffu << shift)) | uint32_t(Format::encode(a[i], true, random[i], saturate)) << shift;
  return op + 1;
}

} // namespace

void enterConversionFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
#define CONVERT1(name, D, A, meaning) SET(name) = runVector1<width, meaning, D, A>;
#define CONVERT2(name, D, A, B, meaning) SET(name) = runVector2<width, meaning, D, A, B>;
#define CONVERTACC(name, D, A, B, meaning) SET(name) = runVector3<width, meaning, D, A, B, D>;
#define CONVERT3(name, D, A, B, C, meaning) SET(name) = runVector3<width, meaning, D, A, B, C>;
#include "runtime/emulator/decode/Instructions.def"
  SET(V_CVT_F32_FP8) = fromSmall<width, Fp8, false>;
  SET(V_CVT_F32_BF8) = fromSmall<width, Bf8, false>;
  SET(V_CVT_PK_F32_FP8) = fromSmall<width, Fp8, true>;
  SET(V_CVT_PK_F32_BF8) = fromSmall<width, Bf8, true>;
  SET(V_CVT_PK_FP8_F32) = pairToSmall<width, Fp8>;
  SET(V_CVT_PK_BF8_F32) = pairToSmall<width, Bf8>;
  SET(V_CVT_SR_FP8_F32) = stochasticToSmall<width, Fp8>;
  SET(V_CVT_SR_BF8_F32) = stochasticToSmall<width, Bf8>;
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterConversionFor);
void enterConversion(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterConversionFor)(table); }
} // namespace nstf::emulator
#endif
