// Exact binary numbers.
//
// Floating point as the ISA manuals define it: operands are numbers, the operation is exact, and the result is rounded
// once to the destination's format under MODE. Nothing here uses the host's floating point, except toHost and fromHost.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace nstf::emulator::meaning {

using u8 = uint8_t;
using i8 = int8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using u128 = unsigned __int128;
using i128 = __int128;

struct Format {
  unsigned exponentBits, fractionBits;
  constexpr unsigned bits() const { return 1 + exponentBits + fractionBits; }
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr u64 sign() const { return u64(1) << (bits() - 1); }
  constexpr u64 fraction() const { return (u64(1) << fractionBits) - 1; }
  constexpr u64 infinity() const { return ((u64(1) << exponentBits) - 1) << fractionBits; }
  constexpr u64 largest() const { return infinity() - 1; }
  constexpr u64 quietBit() const { return u64(1) << (fractionBits - 1); }
  constexpr u64 magnitude(u64 v) const { return v & (sign() - 1); }
  constexpr u64 mask() const { return sign() | (sign() - 1); }
  constexpr bool isNan(u64 v) const { return magnitude(v) > infinity(); }
  constexpr bool isSignaling(u64 v) const { return isNan(v) && !(v & quietBit()); }
  constexpr bool isInfinite(u64 v) const { return magnitude(v) == infinity(); }
  constexpr bool isZero(u64 v) const { return magnitude(v) == 0; }
  constexpr bool isSubnormal(u64 v) const { return !isZero(v) && magnitude(v) <= fraction(); }
  constexpr bool isNegative(u64 v) const { return v & sign(); }
  constexpr int exponentField(u64 v) const { return int(magnitude(v) >> fractionBits); }
  constexpr u64 one() const { return u64(bias()) << fractionBits; }
};
constexpr Format half{5, 10}, single{8, 23}, doubled{11, 52}, brain{8, 7};

/// In the order of MODE.round.
enum class Rounding : u8 { NearestEven, Up, Down, Zero };
/// MODE for one of its two groups of formats.
struct FloatMode {
  Rounding round = Rounding::NearestEven;
  bool keepSources = true, keepResults = true; ///< keep subnormals; otherwise they become zeros with their sign
};

struct Number {
  enum Kind : u8 { Nan, Infinite, Zero, Finite } kind = Zero;
  bool negative = false;
  int exponent = 0;     ///< of the significand's last bit
  u128 significand = 0; ///< for Finite; below 2^120
  bool more = false;    ///< the value is above by less than one unit of the last bit
};

Number getNumber(Format, u64 bits, const FloatMode & = {});
/// Rounds; a NaN becomes the format's default NaN.
u64 getBits(Format, Number, const FloatMode & = {});
Number exactly(i64 value);
/// significand * 2^exponent.
Number scaled(Number, i64 exponent);
Number negative(Number);
Number times(Number, Number);
/// The rounding decides the sign of an exact zero.
Number plus(Number, Number, Rounding = Rounding::NearestEven);
/// Rounds to an integer.
Number integral(Number, Rounding);
/// Returns -1, 0 or 1; neither may be NaN.
int compare(const Number &, const Number &);
/// Rounds to an integer and saturates to [low, high]; NaN gives 0.
i128 saturated(const Number &, i128 low, i128 high, Rounding = Rounding::Zero);

/// The NaN result of an operation: the first source that is NaN, made quiet, else the positive default NaN.
u64 getNan(Format, std::initializer_list<u64> sources);
inline u64 quieted(Format f, u64 v) { return v | f.quietBit(); }
inline u64 flushed(Format f, u64 v, const FloatMode &mode) {
  return f.isSubnormal(v) && !mode.keepSources ? v & f.sign() : v & f.mask();
}

/// Arithmetic with these NaN results.
u64 add(Format, u64 a, u64 b, const FloatMode &);
u64 multiply(Format, u64 a, u64 b, const FloatMode &);
u64 fused(Format, u64 a, u64 b, u64 c, const FloatMode &);
/// Converts to another format. A NaN keeps its upper fraction bits.
u64 convert(Format from, Format to, u64 v, const FloatMode &fromMode, const FloatMode &toMode);

/// For approximate functions: the host's long double, which represents every format exactly.
long double toHost(Format, u64 bits);
u64 fromHost(Format, long double value, const FloatMode & = {});
/// The number of steps between two values of the format; NaN is 0 steps only from NaN.
u64 stepsApart(Format, u64 a, u64 b);

} // namespace nstf::emulator::meaning
