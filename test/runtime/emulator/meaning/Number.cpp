#include "test/runtime/emulator/meaning/Number.h"

#include <algorithm>
#include <cmath>

namespace nstf::emulator::meaning {
namespace {

int topBit(u128 v) {
  u64 high = u64(v >> 64);
  return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(u64(v));
}

/// Whether rounding increments the kept magnitude: `halfBit` is the first bit that is dropped, `rest` whether any other
/// one is set.
bool goesUp(Rounding round, bool negative, bool odd, bool halfBit, bool rest) {
  switch (round) {
  case Rounding::NearestEven:
    return halfBit && (rest || odd);
  case Rounding::Up:
    return !negative && (halfBit || rest);
  case Rounding::Down:
    return negative && (halfBit || rest);
  default:
    return false;
  }
}

/// The magnitude in units of 2^unit, rounded.
u128 inUnits(const Number &n, int unit, Rounding round) {
  int shift = unit - n.exponent;
  if (shift <= 0)
    return n.significand << -shift;
  u128 kept = shift > 127 ? 0 : n.significand >> shift;
  bool halfBit = shift <= 128 && (n.significand >> (shift - 1) & 1);
  bool rest = n.more || (shift > 128 ? n.significand != 0 : shift > 1 && (n.significand << (129 - shift)) != 0);
  return kept + goesUp(round, n.negative, kept & 1, halfBit, rest);
}

} // namespace

Number getNumber(Format f, u64 v, const FloatMode &mode) {
  Number n;
  v = flushed(f, v, mode);
  n.negative = f.isNegative(v);
  if (f.isNan(v))
    n.kind = Number::Nan;
  else if (f.isInfinite(v))
    n.kind = Number::Infinite;
  else if (!f.isZero(v)) {
    n.kind = Number::Finite;
    int field = f.exponentField(v);
    n.significand = (v & f.fraction()) | (field ? u64(1) << f.fractionBits : 0);
    n.exponent = std::max(field, 1) - f.bias() - int(f.fractionBits);
  }
  return n;
}

u64 getBits(Format f, Number n, const FloatMode &mode) {
  u64 sign = n.negative ? f.sign() : 0;
  switch (n.kind) {
  case Number::Nan:
    return f.infinity() | f.quietBit();
  case Number::Infinite:
    return sign | f.infinity();
  case Number::Zero:
    return sign;
  case Number::Finite:
    break;
  }
  const int smallest = 1 - f.bias() - int(f.fractionBits); // the unit of subnormals
  int precise = n.exponent + topBit(n.significand) - int(f.fractionBits);
  if (!mode.keepResults && precise < smallest) {
    // The result is tiny if it is when rounded to full precision with an unbounded exponent.
    if (topBit(inUnits(n, precise, mode.round)) + precise < smallest + int(f.fractionBits))
      return sign;
  }
  int unit = std::max(precise, smallest);
  u64 kept = u64(inUnits(n, unit, mode.round)); // the carry of 1.11…1 increments the exponent
  if (unit - smallest > 2 * f.bias())
    kept = f.infinity();
  else
    kept += u64(unit - smallest) << f.fractionBits;
  if (kept >= f.infinity()) {
    bool toInfinity = mode.round == Rounding::NearestEven || mode.round == (n.negative ? Rounding::Down : Rounding::Up);
    kept = toInfinity ? f.infinity() : f.largest();
  }
  return sign | kept;
}

Number exactly(i64 value) {
  Number n;
  n.negative = value < 0;
  n.significand = value < 0 ? -u128(i128(value)) : u128(value);
  n.kind = value ? Number::Finite : Number::Zero;
  return n;
}
Number scaled(Number n, i64 exponent) {
  n.exponent = int(std::clamp<i64>(n.exponent + exponent, -100000, 100000));
  return n;
}
Number negative(Number n) {
  n.negative = !n.negative;
  return n;
}

Number times(Number a, Number b) {
  Number n;
  n.negative = a.negative != b.negative;
  bool zero = a.kind == Number::Zero || b.kind == Number::Zero,
       infinite = a.kind == Number::Infinite || b.kind == Number::Infinite;
  if (a.kind == Number::Nan || b.kind == Number::Nan || (zero && infinite))
    n.kind = Number::Nan;
  else if (infinite)
    n.kind = Number::Infinite;
  else if (!zero) {
    n.kind = Number::Finite;
    n.significand = a.significand * b.significand;
    n.exponent = a.exponent + b.exponent;
  }
  return n;
}

Number plus(Number a, Number b, Rounding round) {
  Number zero;
  zero.negative = round == Rounding::Down;
  if (a.kind == Number::Nan || b.kind == Number::Nan)
    return {Number::Nan};
  if (a.kind == Number::Infinite)
    return b.kind == Number::Infinite && a.negative != b.negative ? Number{Number::Nan} : a;
  if (b.kind == Number::Infinite)
    return b;
  if (a.kind == Number::Zero && b.kind == Number::Zero)
    return a.negative == b.negative ? a : zero;
  if (a.kind == Number::Zero)
    return b;
  if (b.kind == Number::Zero)
    return a;
  // Move both top bits to 120, then shift the smaller number to the larger one's unit.
  for (Number *n : {&a, &b}) {
    int up = 120 - topBit(n->significand);
    n->significand <<= up;
    n->exponent -= up;
  }
  if (a.exponent < b.exponent)
    std::swap(a, b);
  int down = a.exponent - b.exponent;
  bool lost = down > 120 || (b.significand & ((u128(1) << down) - 1)) != 0;
  u128 small = down > 120 ? 0 : b.significand >> down;
  Number n = a;
  n.more = lost;
  if (a.negative == b.negative) {
    n.significand += small;
  } else {
    if (a.significand < small || (a.significand == small && lost)) { // equal exponents, so no bit is lost
      n.significand = small - a.significand;
      n.negative = b.negative;
    } else {
      n.significand = a.significand - small - lost;
    }
    if (!n.significand && !n.more)
      return zero;
  }
  while (n.significand >> 113 || (n.significand > 1 && !(n.significand & 1) && !n.more)) { // keeps headroom
    n.more |= n.significand & 1;
    n.significand >>= 1;
    ++n.exponent;
  }
  return n;
}

Number integral(Number n, Rounding round) {
  if (n.kind != Number::Finite || n.exponent >= 0)
    return n;
  n.significand = inUnits(n, 0, round);
  n.exponent = 0;
  n.more = false;
  if (!n.significand)
    n.kind = Number::Zero;
  return n;
}

int compare(const Number &a, const Number &b) {
  if (a.kind == Number::Infinite || b.kind == Number::Infinite) {
    auto rank = [](const Number &n) { return n.kind == Number::Infinite ? (n.negative ? -1 : 1) : 0; };
    return (rank(a) > rank(b)) - (rank(a) < rank(b));
  }
  Number d = plus(a, negative(b));
  return d.kind == Number::Zero ? 0 : d.negative ? -1 : 1;
}

i128 saturated(const Number &n, i128 low, i128 high, Rounding round) {
  if (n.kind == Number::Nan)
    return 0;
  if (n.kind == Number::Infinite)
    return n.negative ? low : high;
  Number whole = integral(n, round);
  if (whole.kind == Number::Zero)
    return std::clamp<i128>(0, low, high);
  if (topBit(whole.significand) + whole.exponent > 100)
    return whole.negative ? low : high;
  i128 value = i128(whole.significand << whole.exponent);
  return std::clamp(whole.negative ? -value : value, low, high);
}

u64 getNan(Format f, std::initializer_list<u64> sources) {
  for (u64 v : sources)
    if (f.isNan(v))
      return quieted(f, v) & f.mask();
  return f.infinity() | f.quietBit();
}

u64 add(Format f, u64 a, u64 b, const FloatMode &mode) {
  Number n = plus(getNumber(f, a, mode), getNumber(f, b, mode), mode.round);
  return n.kind == Number::Nan ? getNan(f, {a, b}) : getBits(f, n, mode);
}
u64 multiply(Format f, u64 a, u64 b, const FloatMode &mode) {
  Number n = times(getNumber(f, a, mode), getNumber(f, b, mode));
  return n.kind == Number::Nan ? getNan(f, {a, b}) : getBits(f, n, mode);
}
u64 fused(Format f, u64 a, u64 b, u64 c, const FloatMode &mode) {
  Number n = plus(times(getNumber(f, a, mode), getNumber(f, b, mode)), getNumber(f, c, mode), mode.round);
  return n.kind == Number::Nan ? getNan(f, {a, b, c}) : getBits(f, n, mode);
}

u64 convert(Format from, Format to, u64 v, const FloatMode &fromMode, const FloatMode &toMode) {
  if (from.isNan(v)) {
    u64 fraction = v & from.fraction();
    fraction = to.fractionBits >= from.fractionBits ? fraction << (to.fractionBits - from.fractionBits)
                                                    : fraction >> (from.fractionBits - to.fractionBits);
    return (from.isNegative(v) ? to.sign() : 0) | to.infinity() | to.quietBit() | fraction;
  }
  return getBits(to, getNumber(from, v, fromMode), toMode);
}

long double toHost(Format f, u64 v) {
  Number n = getNumber(f, v);
  if (n.kind == Number::Nan)
    return std::nanl("");
  long double m = n.kind == Number::Infinite ? HUGE_VALL : std::ldexp((long double)u64(n.significand), n.exponent);
  return n.negative ? -m : m;
}
u64 fromHost(Format f, long double value, const FloatMode &mode) {
  Number n;
  n.negative = std::signbit(value);
  if (std::isnan(value))
    n.kind = Number::Nan;
  else if (std::isinf(value))
    n.kind = Number::Infinite;
  else if (value != 0) {
    n.kind = Number::Finite;
    int exponent;
    n.significand = u64(std::ldexp(std::frexp(std::fabs(value), &exponent), 63));
    n.exponent = exponent - 63;
  }
  return getBits(f, n, mode);
}

u64 stepsApart(Format f, u64 a, u64 b) {
  if (f.isNan(a) || f.isNan(b))
    return f.isNan(a) && f.isNan(b) ? 0 : ~u64(0);
  auto position = [&](u64 v) { return f.isNegative(v) ? -i64(f.magnitude(v)) : i64(f.magnitude(v)); };
  i64 d = position(a) - position(b);
  return d < 0 ? -u64(d) : u64(d);
}

} // namespace nstf::emulator::meaning
