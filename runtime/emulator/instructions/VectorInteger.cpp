// Integer and bit vector instructions.
//
// The meanings follow "CDNA3 Instruction Set Architecture", chapter "VOP1/VOP2/VOP3 instructions". "Reverse" forms swap
// their sources; shift counts wrap at the width.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/VectorInteger.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/IntegerSums-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename V> constexpr bool isSigned = std::is_same_v<V, I32> || std::is_same_v<V, I64>;
template <typename V> constexpr unsigned bitsOfLane = sizeof(V) / chunk * 8;

/// Signed arithmetic wraps: it is computed in the unsigned vectors.
template <typename V> HWY_INLINE auto wrapped(V v) {
  if constexpr (std::is_same_v<V, I32>)
    return bitsAs<U32>(v);
  else if constexpr (std::is_same_v<V, I64>)
    return bitsAs<U64>(v);
  else
    return v;
}

struct mov {
  template <typename T, typename V> static HWY_INLINE V run(V a) { return a; }
};
struct bitNot {
  template <typename T, typename V> static HWY_INLINE V run(V a) { return ~a; }
};
struct reverseBits {
  template <typename T> static HWY_INLINE U32 run(U32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
  }
};
HWY_INLINE U32 onesIn(U32 a) {
  a = a - (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0fu;
  return a * 0x01010101u >> 24;
}
HWY_INLINE U32 spreadDown(U32 a) {
  a |= a >> 1, a |= a >> 2, a |= a >> 4, a |= a >> 8;
  return a | a >> 16;
}
/// Counts from the top; -1 if no bit is set.
struct leadingZeros {
  template <typename T> static HWY_INLINE U32 run(U32 a) {
    return choose(a == 0u, U32(~0u), 32u - onesIn(spreadDown(a)));
  }
};
struct leadingSigns {
  template <typename T> static HWY_INLINE U32 run(I32 a) { return leadingZeros::run<T>(bitsAs<U32>(a ^ (a >> 31))); }
};
struct firstOne {
  template <typename T> static HWY_INLINE U32 run(U32 a) { return choose(a == 0u, U32(~0u), onesIn(~a & (a - 1u))); }
};
struct add {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return bitsAs<V>(wrapped(a) + wrapped(b)); }
};
struct sub {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return bitsAs<V>(wrapped(a) - wrapped(b)); }
};
struct subReverse {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return bitsAs<V>(wrapped(b) - wrapped(a)); }
};
struct mul {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return bitsAs<V>(wrapped(a) * wrapped(b)); }
};
struct addSaturated {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
    return inRange<T>(convertTo<I64>(a) + convertTo<I64>(b));
  }
};
struct subSaturated {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
    return inRange<T>(convertTo<I64>(a) - convertTo<I64>(b));
  }
};
struct subReverseSaturated {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
    return inRange<T>(convertTo<I64>(b) - convertTo<I64>(a));
  }
};
struct mulSaturated {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) {
    return inRange<T>(convertTo<I64>(a) * convertTo<I64>(b));
  }
};
struct madSaturated {
  template <typename T, typename V, typename C> static HWY_INLINE C run(V a, V b, C c) {
    return inRange<T>(convertTo<I64>(a) * convertTo<I64>(b) + convertTo<I64>(c));
  }
};
struct mulHigh {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b) {
    return convertTo<U32>(convertTo<U64>(a) * convertTo<U64>(b) >> 32);
  }
  template <typename T> static HWY_INLINE I32 run(I32 a, I32 b) {
    return convertTo<I32>(convertTo<I64>(a) * convertTo<I64>(b) >> 32);
  }
};
struct minimum {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return __builtin_elementwise_min(a, b); }
};
struct maximum {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return __builtin_elementwise_max(a, b); }
};
struct bitAnd {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return a & b; }
};
struct bitOr {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return a | b; }
};
struct bitXor {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return a ^ b; }
};
struct bitXnor {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b) { return ~(a ^ b); }
};
struct shiftLeftReverse {
  template <typename T> static HWY_INLINE U32 run(U32 n, U32 a) { return a << (n & 31u); }
  template <typename T> static HWY_INLINE U64 run(U32 n, U64 a) { return a << convertTo<U64>(n & 63u); }
};
struct shiftRightReverse {
  template <typename T> static HWY_INLINE U32 run(U32 n, U32 a) { return a >> (n & 31u); }
  template <typename T> static HWY_INLINE I32 run(I32 n, I32 a) { return a >> (n & 31); }
  template <typename T> static HWY_INLINE U64 run(U32 n, U64 a) { return a >> convertTo<U64>(n & 63u); }
  template <typename T> static HWY_INLINE I64 run(U32 n, I64 a) { return a >> convertTo<I64>(n & 63u); }
};
struct shiftLeftReverse16 {
  template <typename T, typename V> static HWY_INLINE V run(V n, V a) { return a << (n & 15); }
};
struct shiftRightReverse16 {
  template <typename T, typename V> static HWY_INLINE V run(V n, V a) { return a >> (n & 15); }
};
struct fieldMask {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b) { return ((1u << (a & 31u)) - 1u) << (b & 31u); }
};
struct countOnesAdd {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b) { return onesIn(a) + b; }
};
struct mad {
  template <typename T, typename V, typename C> static HWY_INLINE C run(V a, V b, C c) {
    return bitsAs<C>(wrapped(a) * wrapped(b) + wrapped(c));
  }
};
struct extractField {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 offset, U32 count) {
    return a >> (offset & 31u) & ((1u << (count & 31u)) - 1u);
  }
  template <typename T> static HWY_INLINE I32 run(I32 a, I32 offset, I32 count) {
    I32 o = offset & 31, n = count & 31;
    I32 fits = o + n < 32;
    I32 left = choose(fits, 32 - o - n, I32(0));
    I32 field = bitsAs<I32>(bitsAs<U32>(a) << (bitsAs<U32>(left) & 31u)) >> choose(fits, 32 - n, o);
    return choose(n == 0, I32(0), field);
  }
};
struct insertField {
  template <typename T> static HWY_INLINE U32 run(U32 mask, U32 a, U32 b) { return (mask & a) | (~mask & b); }
};
struct alignBit {
  template <typename T> static HWY_INLINE U32 run(U32 high, U32 low, U32 n) {
    n = n & 31u;
    return low >> n | choose(n == 0u, U32(0u), high << ((32u - n) & 31u));
  }
};
struct alignByte {
  template <typename T> static HWY_INLINE U32 run(U32 high, U32 low, U32 n) {
    return alignBit::run<T>(high, low, (n & 3u) * 8u);
  }
};
struct minimum3 {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    return minimum::run<T>(minimum::run<T>(a, b), c);
  }
};
struct maximum3 {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    return maximum::run<T>(maximum::run<T>(a, b), c);
  }
};
struct medianInteger {
  template <typename T, typename V> static HWY_INLINE V run(V a, V b, V c) {
    V low = minimum::run<T>(a, b), high = maximum::run<T>(a, b);
    return maximum::run<T>(low, minimum::run<T>(high, c));
  }
};
/// Average of bytes, rounded up if c's byte is odd.
struct lerp8 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) {
    U32 result = 0u;
    for (unsigned i = 0; i < 32; i += 8)
      result |= (((a >> i & 255u) + (b >> i & 255u) + (c >> i & 1u)) >> 1) << i;
    return result;
  }
};
/// Each byte of the selector selects a byte of {a, b} (b is bytes 0 to 3), a sign (8 to 11), 0 (12) or 0xff.
struct permuteBytes {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 selector) {
    U32 result = 0u;
    for (unsigned i = 0; i < 32; i += 8) {
      U32 s = selector >> i & 255u;
      U32 byte = choose((s & 4u) != 0u, a, b) >> ((s & 3u) * 8u) & 255u;
      // 8: sign of b's low half, 9: of b's high half, 10, 11: of a's
      U32 half = choose((s & 2u) != 0u, a, b) >> ((s & 1u) * 16u + 15u) & 1u;
      U32 value = choose(s < 8u, byte, choose(s < 12u, half * 255u, choose(s == 12u, U32(0u), U32(255u))));
      result |= value << i;
    }
    return result;
  }
};
struct shiftAdd {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 n, U32 c) { return (a << (n & 31u)) + c; }
  template <typename T> static HWY_INLINE U64 run(U64 a, U32 n, U64 c) {
    U32 count = n & 7u; // more than 4 is not supported and counts as 0
    return (a << convertTo<U64>(choose(count > 4u, U32(0u), count))) + c;
  }
};
struct addShift {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 n) { return (a + b) << (n & 31u); }
};
struct add3 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) { return a + b + c; }
};
struct shiftOr {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 n, U32 c) { return a << (n & 31u) | c; }
};
struct andOr {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) { return (a & b) | c; }
};
struct or3 {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) { return a | b | c; }
};
struct xorAdd {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b, U32 c) { return (a ^ b) + c; }
};
struct packHalves {
  template <typename T> static HWY_INLINE U32 run(U32 a, U32 b) { return a | b << 16; }
};
struct saturatePackBytes {
  template <typename T> static HWY_INLINE U32 run(U32 a) {
    I32 low = bitsAs<I32>(a << 16) >> 16, high = bitsAs<I32>(a) >> 16;
    return bitsAs<U32>(clampByte(low)) | bitsAs<U32>(clampByte(high)) << 8;
  }
  static HWY_INLINE I32 clampByte(I32 v) { return minimum::run<i32>(maximum::run<i32>(v, I32(0)), I32(255)); }
};
/// Add and subtract with carry: carry out and carry in are masks in SGPRs.
template <unsigned width, typename Meaning, bool hasCarryIn> const MicroOp *runCarry(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), carry = 0;
  uint64_t carryIn = hasCarryIn ? w.scalarSource<uint64_t>(op->source[2]) : 0;
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U64 x = convertTo<U64>(loadRow(a, c)), y = convertTo<U64>(loadRow(b, c));
    U64 in = convertTo<U64>(bitsAs<U32>(maskOfBits(uint16_t(carryIn >> c * chunk))) & 1u);
    if constexpr (std::is_same_v<Meaning, add>)
      x = x + y + in;
    else if constexpr (std::is_same_v<Meaning, sub>)
      x = x - y - in;
    else
      x = y - x - in;
    carry |= uint64_t(bitsOfMask((x >> 32 & 1ull) != 0ull)) << c * chunk;
    storeRow(to, c, convertTo<U32>(x), uint16_t(exec >> c * chunk));
  }
  w.setScalar64(op->scalarDestination, carry & exec);
  return op + 1;
}

} // namespace

void enterVectorIntegerFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
#define INTEGER1(name, D, A, meaning) SET(name) = runVector1<width, meaning, D, A>;
#define INTEGER2(name, D, A, B, meaning) SET(name) = runVector2<width, meaning, D, A, B>;
#define INTEGER3(name, D, A, B, C, meaning) SET(name) = runVector3<width, meaning, D, A, B, C>;
#define INTEGERACC(name, D, A, B, meaning) SET(name) = runVector3<width, meaning, D, A, B, D>;
#define CARRY(name, in, meaning) SET(name) = runCarry<width, meaning, in>;
#include "runtime/emulator/decode/Instructions.def"
  SET(V_MQSAD_U32_U8) = runQuadSadWide<width, maskedSad8>;
  SET(V_MQSAD_U32_U8_CLAMP) = runQuadSadWide<width, addedSaturated<maskedSad8>>;
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterVectorIntegerFor);
void enterVectorInteger(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterVectorIntegerFor)(table); }
} // namespace nstf::emulator
#endif
