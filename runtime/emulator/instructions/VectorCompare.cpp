// v_cmp and v_cmpx.
//
// The result is one bit for each lane in SGPRs or VCC, 0 for lanes that EXEC disables; v_cmpx also writes it to EXEC.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/VectorCompare.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

// Spellings in the list. Class tests operate on the bits of their first source.
namespace type {
using U16 = u16;
using I16 = i16;
using F16 = f16;
using U32 = u32;
using I32 = i32;
using F32 = f32;
using U64 = u64;
using I64 = i64;
using F64 = f64;
using F16bits = u16;
using F32bits = u32;
using F64bits = u64;
} // namespace type

struct never {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return (a == b) & (a != b); }
};
struct always {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return (a == b) | (a != b); }
};
struct less {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a < b; }
};
struct equal {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a == b; }
};
struct lessEqual {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a <= b; }
};
struct greater {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a > b; }
};
struct notEqual {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a != b; }
};
struct greaterEqual {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return a >= b; }
};
struct lessOrGreater {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return (a < b) | (a > b); }
};
struct ordered {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return (a == a) & (b == b); }
};
struct unordered {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return (a != a) | (b != b); }
};
struct notGreaterEqual {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return ~(a >= b); }
};
struct notLessOrGreater {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return ~((a < b) | (a > b)); }
};
struct notGreater {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return ~(a > b); }
};
struct notLessEqual {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return ~(a <= b); }
};
struct notLess {
  template <typename A, typename V> static HWY_INLINE auto run(V a, V b) { return ~(a < b); }
};

/// Bit k of the second source selects class k: 0 signaling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -subnormal, 5
/// -0, 6 +0, 7 +subnormal, 8 +normal, 9 +infinity.
struct floatClass {
  template <typename A, typename V> static HWY_INLINE I32 run(V bits, U32 wanted) {
    constexpr unsigned size = std::is_same_v<A, u64> ? 64 : std::is_same_v<A, u16> ? 16 : 32;
    constexpr unsigned fraction = size == 64 ? 52 : size == 16 ? 10 : 23;
    using E = std::conditional_t<size == 64, uint64_t, uint32_t>;
    constexpr E exponentMask = ((E(1) << (size - 1 - fraction)) - 1) << fraction, fractionMask = (E(1) << fraction) - 1;
    U32 index;
    for (unsigned i = 0; i < chunk; ++i) {
      E v = bits[i], exponent = v & exponentMask, rest = v & fractionMask;
      bool negative = v >> (size - 1) & 1;
      if (exponent == exponentMask && rest)
        index[i] = rest >> (fraction - 1) ? 1 : 0;
      else if (exponent == exponentMask)
        index[i] = negative ? 2 : 9;
      else if (exponent)
        index[i] = negative ? 3 : 8;
      else if (rest)
        index[i] = negative ? 4 : 7;
      else
        index[i] = negative ? 5 : 6;
    }
    return (wanted >> index & 1u) != 0u;
  }
};

template <unsigned width, typename Meaning, typename A, typename B, bool toExec>
const MicroOp *runCompare(Wave &w, const MicroOp *op) {
  if (needsHalfMode<Meaning, A, B>(w))
    return runCompare<width, Meaning, Moded<A>, Moded<B>, toExec>(w, op);
  uint64_t exec = w.exec(), result = 0;
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned c = 0; c < width / chunk; ++c)
    result |= uint64_t(bitsOfMask(Meaning::template run<A>(A::load(a, c), B::load(b, c)))) << c * chunk;
  result &= exec;
  w.setScalar64(op->scalarDestination, result);
  if (toExec)
    w.setExec(result);
  return op + 1;
}

} // namespace

void enterVectorCompareFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define COMPARE(name, A, B, meaning)                                                                                   \
  table[unsigned(Opcode::V_CMP_##name)] = runCompare<width, meaning, type::A, type::B, false>;                         \
  table[unsigned(Opcode::V_CMPX_##name)] = runCompare<width, meaning, type::A, type::B, true>;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterVectorCompareFor);
void enterVectorCompare(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterVectorCompareFor)(table); }
} // namespace nstf::emulator
#endif
