// Minimum, maximum and median of numbers.
//
// By the manual's V_MIN_F32, V_MAX_F32 and V_MED3_F32: a number wins over a NaN; with MODE.ieee a signaling NaN wins,
// made quiet; -0 is less than +0; subnormal sources are zeros if MODE says so. NaNs pass unchanged, so f16 uses its
// exact type. The default MODE has its own handlers; for others the rules are looked up.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_NUMBERCHOICE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_NUMBERCHOICE_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_NUMBERCHOICE_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_NUMBERCHOICE_INL_H
#endif

#include "runtime/emulator/instructions/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

template <typename V> constexpr bool isDouble = std::is_same_v<V, F64>;
template <typename V> using Bits = std::conditional_t<isDouble<V>, U64, U32>;

struct NumberRules {
  bool ieee, keepSources;
};
/// For the current handler, under a non-default MODE.
inline thread_local NumberRules numberRules;

template <typename V> HWY_INLINE auto isSignaling(V v) {
  if constexpr (isDouble<V>)
    return isNan(v) & ((bitsAs<U64>(v) & 0x0008000000000000ull) == 0ull);
  else
    return isNan(v) & ((bitsAs<U32>(v) & 0x00400000u) == 0u);
}

/// byMode: uses `numberRules` instead of the default rules.
template <bool byMode> struct Numbers {
  template <typename T, typename V> static HWY_INLINE V source(V v) {
    if constexpr (byMode)
      if (!numberRules.keepSources) {
        auto bits = bitsAs<Bits<V>>(v), magnitude = bits << 1 >> 1;
        const Bits<V> smallest = isDouble<V> ? Bits<V>(0x0010000000000000ull)
                                 : isHalf<T> ? Bits<V>(0x38800000u)
                                             : Bits<V>(0x00800000u);
        return bitsAs<V>(choose(magnitude < smallest, bits ^ magnitude, bits));
      }
    return v;
  }
  template <typename V> static HWY_INLINE V chooseNumber(V result, V a, V b) {
    auto nan = isNan(a) | isNan(b);
    if (HWY_UNLIKELY(any(nan))) {
      V number = choose(isNan(a), b, a);
      if (!byMode || numberRules.ieee) {
        number = choose(isSignaling(b), quiet(b), number);
        number = choose(isSignaling(a), quiet(a), number);
      }
      result = choose(nan, number, result);
    }
    return result;
  }

  struct minimum {
    template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
      a = source<T>(a), b = source<T>(b);
      V both = bitsAs<V>(bitsAs<Bits<V>>(a) | bitsAs<Bits<V>>(b)); // of equal numbers: themselves, or -0
      return chooseNumber(choose(a == b, both, choose(a < b, a, b)), a, b);
    }
  };
  struct maximum {
    template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
      a = source<T>(a), b = source<T>(b);
      V both = bitsAs<V>(bitsAs<Bits<V>>(a) & bitsAs<Bits<V>>(b));
      return chooseNumber(choose(a == b, both, choose(a > b, a, b)), a, b);
    }
  };
  struct minimum3 {
    template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
      return minimum::template run<T>(minimum::template run<T>(a, b), c);
    }
  };
  struct maximum3 {
    template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
      return maximum::template run<T>(maximum::template run<T>(a, b), c);
    }
  };
  struct median {
    template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
      V most = maximum3::template run<T>(a, b, c);
      V ofAB = maximum::template run<T>(a, b), ofAC = maximum::template run<T>(a, c),
        ofBC = maximum::template run<T>(b, c);
      V of = choose(most == source<T>(a), ofBC, choose(most == source<T>(b), ofAC, ofAB));
      auto nan = isNan(a) | isNan(b) | isNan(c);
      return choose(nan, minimum3::template run<T>(a, b, c), of);
    }
  };
};
// Names in the instruction list.
struct minNumber {
  template <bool byMode> using Of = typename Numbers<byMode>::minimum;
};
struct maxNumber {
  template <bool byMode> using Of = typename Numbers<byMode>::maximum;
};
struct minNumber3 {
  template <bool byMode> using Of = typename Numbers<byMode>::minimum3;
};
struct maxNumber3 {
  template <bool byMode> using Of = typename Numbers<byMode>::maximum3;
};
struct median {
  template <bool byMode> using Of = typename Numbers<byMode>::median;
};

/// Whether MODE is the default for this type; sets `numberRules` if not.
template <typename D> HWY_INLINE bool usualNumbers(const Wave &w) {
  constexpr bool isSingle = std::is_same_v<D, f32>;
  uint32_t keep = 1u << (isSingle ? mode::denormal32 : mode::denormal16_64), ieee = 1u << mode::ieee;
  if (HWY_LIKELY((w.mode & (keep | ieee)) == (keep | ieee)))
    return true;
  numberRules = {(w.mode & ieee) != 0, (w.mode & keep) != 0};
  return false;
}
template <unsigned width, typename Choice, typename D> const MicroOp *runChoice2(Wave &w, const MicroOp *op) {
  using E = Exact<D>;
  return usualNumbers<D>(w) ? runVector2<width, typename Choice::template Of<false>, E, E, E>(w, op)
                            : runVector2<width, typename Choice::template Of<true>, E, E, E>(w, op);
}
template <unsigned width, typename Choice, typename D> const MicroOp *runChoice3(Wave &w, const MicroOp *op) {
  using E = Exact<D>;
  return usualNumbers<D>(w) ? runVector3<width, typename Choice::template Of<false>, E, E, E, E>(w, op)
                            : runVector3<width, typename Choice::template Of<true>, E, E, E, E>(w, op);
}
template <typename Meaning> constexpr bool isChoice = requires { typename Meaning::template Of<false>; };

template <unsigned width, typename Meaning, typename D, typename A, typename B> constexpr Handler handlerOf2() {
  if constexpr (isChoice<Meaning>)
    return runChoice2<width, Meaning, D>;
  else
    return runVector2<width, Meaning, D, A, B>;
}
template <unsigned width, typename Meaning, typename D, typename A, typename B, typename C>
constexpr Handler handlerOf3() {
  if constexpr (isChoice<Meaning>)
    return runChoice3<width, Meaning, D>;
  else
    return runVector3<width, Meaning, D, A, B, C>;
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
