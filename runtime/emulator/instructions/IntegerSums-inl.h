// Sums of absolute differences, and integer dot products.
//
// v_sad and related instructions, and v_dot on integers; with the clamp bit they saturate ("…Saturated").
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_INTEGERSUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_INTEGERSUMS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_INTEGERSUMS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_INTEGERSUMS_INL_H
#endif

#include "runtime/emulator/instructions/Lanes-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

/// Saturates the exact result to the type's range.
template <typename T, typename W> HWY_INLINE typename T::V inRange(W wide) {
  using Limits = std::numeric_limits<typename T::Scalar>;
  W low = W(int64_t(Limits::min())), high = W(int64_t(Limits::max()));
  return convertTo<typename T::V>(W(__builtin_elementwise_max(__builtin_elementwise_min(wide, high), low)));
}
HWY_INLINE U32 absoluteDifference(U32 a, U32 b) {
  return __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b);
}
struct sad8 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    for (unsigned i = 0; i < 32; i += 8)
      c += absoluteDifference(a >> i & 255u, b >> i & 255u);
    return c;
  }
};
struct sad8High {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    return (sad8::run<T>(a, b, U32(0u)) << 16) + c;
  }
};
struct sad16 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    return c + absoluteDifference(a & 0xffffu, b & 0xffffu) + absoluteDifference(a >> 16, b >> 16);
  }
};
struct sad32 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) { return c + absoluteDifference(a, b); }
};
/// Bytes of b that are 0 do not count.
struct maskedSad8 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    for (unsigned i = 0; i < 32; i += 8) {
      U32 y = b >> i & 255u;
      c += choose(y == 0u, U32(0u), absoluteDifference(a >> i & 255u, y));
    }
    return c;
  }
};
/// Adds the accumulator with saturation.
template <typename Sad> struct addedSaturated {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    return __builtin_elementwise_add_sat(Sad::template run<T>(a, b, U32(0u)), c);
  }
};
/// Four sums: the four bytes at offset 0, 1, 2 or 3 of a against b, each added to 16 bits of c.
template <typename Sad, bool saturates> struct quadSadOf {
  template <typename T> static HWY_INLINE U64 run(U64 a, U32 b, U64 c) {
    U64 result = 0ull;
    for (unsigned i = 0; i < 4; ++i) {
      U32 sum = Sad::template run<T>(convertTo<U32>(a >> 8 * i), b, convertTo<U32>(c >> 16 * i) & 0xffffu);
      sum = saturates ? __builtin_elementwise_min(sum, U32(0xffffu)) : sum & 0xffffu;
      result |= convertTo<U64>(sum) << 16 * i;
    }
    return result;
  }
};
using quadSad = quadSadOf<sad8, false>;
using quadSadSaturated = quadSadOf<sad8, true>;
using maskedQuadSad = quadSadOf<maskedSad8, false>;
using maskedQuadSadSaturated = quadSadOf<maskedSad8, true>;
/// The same with a 32-bit accumulator for each sum: four rows.
template <unsigned width, typename Sad> const MicroOp *runQuadSadWide(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]), *d = w.row(op->source[2]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U64 bytes = loadPair(a, c);
    U32 reference = loadRow(b, c), result[4];
    for (unsigned i = 0; i < 4; ++i)
      result[i] = Sad::template run<u32>(convertTo<U32>(bytes >> 8 * i), reference, loadRow(d + i * width, c));
    for (unsigned i = 0; i < 4; ++i)
      storeRow(to + i * width, c, result[i], uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

/// Dot products of packed integers added to c.
template <unsigned bits, bool isSignedField> struct dotProduct {
  template <typename T, typename C> static HWY_INLINE C run(U32 a, U32 b, C c) {
    U32 sum = bitsAs<U32>(c);
    for (unsigned i = 0; i < 32; i += bits)
      sum += field(a, i) * field(b, i);
    return bitsAs<C>(sum);
  }
  static HWY_INLINE U32 field(U32 v, unsigned i) {
    U32 top = v << (32 - bits - i);
    if constexpr (isSignedField)
      return bitsAs<U32>(bitsAs<I32>(top) >> (32 - bits));
    else
      return top >> (32 - bits);
  }
};
/// With the clamp bit: the exact sum, saturated.
template <unsigned bits, bool isSignedField> struct dotProductSaturated {
  using Exact = dotProduct<bits, isSignedField>;
  template <typename T, typename C> static HWY_INLINE C run(U32 a, U32 b, C c) {
    I64 sum = convertTo<I64>(c);
    for (unsigned i = 0; i < 32; i += bits) {
      U32 x = Exact::field(a, i), y = Exact::field(b, i);
      if constexpr (isSignedField)
        sum += convertTo<I64>(bitsAs<I32>(x)) * convertTo<I64>(bitsAs<I32>(y));
      else
        sum += convertTo<I64>(x) * convertTo<I64>(y);
    }
    return inRange<T>(sum);
  }
};
using dot2SignedSaturated = dotProductSaturated<16, true>;
using dot2UnsignedSaturated = dotProductSaturated<16, false>;
using dot4SignedSaturated = dotProductSaturated<8, true>;
using dot4UnsignedSaturated = dotProductSaturated<8, false>;
using dot8SignedSaturated = dotProductSaturated<4, true>;
using dot8UnsignedSaturated = dotProductSaturated<4, false>;
using dot2Signed = dotProduct<16, true>;
using dot2Unsigned = dotProduct<16, false>;
using dot4Signed = dotProduct<8, true>;
using dot4Unsigned = dotProduct<8, false>;
using dot8Signed = dotProduct<4, true>;
using dot8Unsigned = dotProduct<4, false>;

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
