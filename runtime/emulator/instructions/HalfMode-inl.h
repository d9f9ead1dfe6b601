// Types of f16 operands for non-default settings of MODE.
//
// A part of Lanes-inl.h, which includes this file after its types.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_HALFMODE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_HALFMODE_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_HALFMODE_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_HALFMODE_INL_H
#endif

#include "runtime/emulator/instructions/HalfMode.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

/// f16 under `halfMode`.
struct f16moded {};
HWY_INLINE F32 getHalf(f16moded, U32 bits) {
  bits &= 0xffffu;
  return fromHalf(halfMode.keepSources ? bits : choose((bits & 0x7c00u) == 0u, bits & 0x8000u, bits));
}
HWY_INLINE U32 bitsOfHalf(f16moded, F32 v) {
  U32 r;
  for (unsigned i = 0; i < chunk; ++i)
    r[i] = roundToHalf(v[i], halfMode);
  return r;
}

/// f16 with unchanged NaNs, including signaling ones, which conversions would make quiet.
struct f16exact {};
HWY_INLINE F32 getHalf(f16exact, U32 bits) {
  bits &= 0xffffu;
  F32 v = fromHalf(bits);
  I32 nan = v != v;
  if (HWY_UNLIKELY(any(nan)))
    v = choose(nan, bitsAs<F32>((bits & 0x8000u) << 16 | 0x7f800000u | (bits & 0x3ffu) << 13), v);
  return v;
}
HWY_INLINE U32 bitsOfHalf(f16exact, F32 v) {
  U32 r = toHalf(v), bits = bitsAs<U32>(v);
  I32 nan = v != v;
  if (HWY_UNLIKELY(any(nan)))
    r = choose(nan, (bits >> 16 & 0x8000u) | 0x7c00u | (bits >> 13 & 0x3ffu), r);
  return r;
}

/// A half in a register of its own, converted by one of these types.
template <typename H> struct HalfBy : H {
  using V = F32;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return getHalf(H(), loadRow(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storeRow(row, c, bitsOfHalf(H(), v), exec);
  }
};

template <typename T, typename H> struct WithHalf {
  using type = T;
};
template <typename H> struct WithHalf<f16, H> {
  using type = HalfBy<H>;
};
template <typename H> struct WithHalf<Pair16<f16>, H> {
  using type = Pair16<HalfBy<H>>;
};
template <typename T> using Moded = typename WithHalf<T, f16moded>::type;
template <typename T> using Exact = typename WithHalf<T, f16exact>::type;
template <typename... T> constexpr bool anyHalf = (!std::is_same_v<T, Moded<T>> || ...);
template <typename T>
constexpr bool isHalf = std::is_same_v<T, f16> || std::is_base_of_v<f16moded, T> || std::is_base_of_v<f16exact, T>;

/// Meanings that operate on bits declare `bitwise`; MODE does not affect them.
template <typename Meaning> constexpr bool obeysMode = !requires { Meaning::bitwise; };
/// Whether a handler must continue with Moded types; sets `halfMode`.
template <typename Meaning, typename... T> HWY_INLINE bool needsHalfMode(const Wave &w) {
  if constexpr (anyHalf<T...> && obeysMode<Meaning>) {
    if (HWY_UNLIKELY(!HalfMode::isUsual(w))) {
      halfMode = HalfMode::of(w);
      return true;
    }
  }
  return false;
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
