// Elements of matrix operands in registers.
//
// The element types of matrix instructions, and functions that extract all elements of A and B from their registers.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXELEMENTS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXELEMENTS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXELEMENTS_INL_H
#endif

#include "runtime/emulator/instructions/Lanes-inl.h"
#include "runtime/emulator/instructions/SmallFloats.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

// Element types: the number in a register, the type of the multiplication, and element `local` of 16 lanes.
struct FromF32 {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    return bitsAs<F32>(loadRow(rows + local * Wave::width, c));
  }
};
/// The low 13 bits are truncated.
struct FromXf32 {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    return bitsAs<F32>(loadRow(rows + local * Wave::width, c) & 0xffffe000u);
  }
};
struct FromF16 {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    return fromHalf(loadRow(rows + local / 2 * Wave::width, c) >> (local % 2 * 16) & 0xffffu);
  }
};
struct FromBf16 {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    return bitsAs<F32>(loadRow(rows + local / 2 * Wave::width, c) >> (local % 2 * 16) << 16);
  }
};
/// As f32: sums of the products of one instruction (at most 32 * 2^14) are exact.
struct FromI8 {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    return convertTo<F32>(bitsAs<I32>(loadRow(rows + local / 4 * Wave::width, c) << (24 - local % 4 * 8)) >> 24);
  }
};
/// fp8, bf8: the exponent is converted to f32's bias; a subnormal is the difference to the smallest normal.
template <typename Format> struct FromSmall {
  using Value = float;
  static HWY_INLINE F32 element(const uint32_t *rows, unsigned local, unsigned c) {
    constexpr unsigned shift = 23 - Format::fractionBits;
    constexpr uint32_t rebias = uint32_t(127 - Format::bias) << 23, smallest = uint32_t(128 - Format::bias) << 23;
    U32 word = loadRow(rows + local / 4 * Wave::width, c), byte = word >> (local % 4 * 8) & 255u;
    U32 magnitude = (byte & 127u) << shift;
    F32 normal = bitsAs<F32>(magnitude + rebias);
    F32 subnormal = bitsAs<F32>(magnitude | smallest) - bitsAs<F32>(U32(smallest));
    U32 value = bitsAs<U32>(choose(bitsAs<I32>(magnitude) < int32_t(1u << 23), subnormal, normal));
    value |= (byte & 128u) << 24;
    return bitsAs<F32>(choose(byte == 0x80u, U32(0x7fc00000u), value));
  }
};
using FromFp8 = FromSmall<Fp8>;
using FromBf8 = FromSmall<Bf8>;
struct FromF64 {
  using Value = double;
  static HWY_INLINE F64 element(const uint32_t *rows, unsigned local, unsigned c) {
    return bitsAs<F64>(loadPair(rows + local * 2 * Wave::width, c));
  }
};

HWY_INLINE F32 multiplyAdd(F32 a, F32 b, F32 c) { return __builtin_elementwise_fma(a, b, c); }
HWY_INLINE F64 multiplyAdd(F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }

HWY_INLINE F32 oneNan(F32 v) { return HWY_UNLIKELY(any(isNan(v))) ? choose(isNan(v), defaultNan(v), v) : v; }
HWY_INLINE F64 oneNan(F64 v) { return HWY_UNLIKELY(any(isNan(v))) ? choose(isNan(v), defaultNan(v), v) : v; }
/// The same for several vectors: one branch for all, so that the preceding code is not split.
template <typename V, unsigned count> HWY_INLINE void oneNanAll(V (&v)[count]) {
  static_assert(count % 2 == 0);
  auto nan = isNan(v[0]) | isNan(v[1]); // the host compares two for the price of one
  for (unsigned n = 2; n < count; n += 2)
    nan |= isNan(v[n]) | isNan(v[n + 1]);
  if (HWY_UNLIKELY(any(nan != 0)))
    for (unsigned n = 0; n < count; ++n)
      v[n] = choose(isNan(v[n]), defaultNan(v[n]), v[n]);
}

// Names of the types of A and B in the instruction list.
template <typename A, typename B> struct Types {
  using FromA = A;
  using FromB = B;
};
namespace matrixType {
using f32 = Types<FromF32, FromF32>;
using xf32 = Types<FromXf32, FromXf32>;
using f16 = Types<FromF16, FromF16>;
using bf16 = Types<FromBf16, FromBf16>;
using i8 = Types<FromI8, FromI8>;
using f64 = Types<FromF64, FromF64>;
using FP8_FP8 = Types<FromFp8, FromFp8>;
using FP8_BF8 = Types<FromFp8, FromBf8>;
using BF8_FP8 = Types<FromBf8, FromFp8>;
using BF8_BF8 = Types<FromBf8, FromBf8>;
} // namespace matrixType

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
