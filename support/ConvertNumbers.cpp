// Plain loops without branches, which the compiler vectorizes. Highway's foreach_target compiles them once for each
// vector instruction set; the best one that the machine has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/ConvertNumbers.cpp"
#include <hwy/foreach_target.h>

#include "support/ConvertNumbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace nstf::support::HWY_NAMESPACE {

// The formats. Each has its storage type, the float type that represents all its values, and conversions from both.

struct F64 {
  using Stored = double;
  static HWY_INLINE double widen(double value) { return value; }
  static HWY_INLINE double round(double value) { return value; }
};

struct F32 {
  using Stored = float;
  static HWY_INLINE float widen(float value) { return value; }
  static HWY_INLINE float round(double value) { return static_cast<float>(value); }
  static HWY_INLINE float round(float value) { return value; }
};

/// Rounds `value` to f32 such that rounding the result again, to fewer bits, equals rounding once: the last bit of an
/// inexact result is set, so the result is never a tie and stays on the side of the tie where `value` is.
HWY_INLINE uint32_t roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  double back = nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  uint32_t away = std::abs(back) > std::abs(value);
  uint32_t inexact = back != value;
  return (bits - away) | inexact;
}
HWY_INLINE uint32_t roundToOdd(float value) { return std::bit_cast<uint32_t>(value); }

struct BF16 {
  using Stored = uint16_t;
  static HWY_INLINE float widen(uint16_t value) { return std::bit_cast<float>(uint32_t(value) << 16); }
  template <typename Value> static HWY_INLINE uint16_t round(Value value) {
    uint32_t bits = roundToOdd(value), magnitude = bits & 0x7fffffff;
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; // overflow carries into the exponent
    return static_cast<uint16_t>(magnitude > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
  }
};

struct F16 {
  using Stored = uint16_t;
  static HWY_INLINE float widen(uint16_t value) {
    uint32_t sign = uint32_t(value & 0x8000) << 16, magnitude = uint32_t(value & 0x7fff) << 13;
    uint32_t normal = magnitude + (112u << 23), infinite = magnitude + (224u << 23);
    uint32_t small = std::bit_cast<uint32_t>(static_cast<float>(value & 0x3ff) * 0x1p-24f);
    uint32_t bits = magnitude < 0x00800000 ? small : magnitude < 0x0f800000 ? normal : infinite;
    return std::bit_cast<float>(sign | bits);
  }
  template <typename Value> static HWY_INLINE uint16_t round(Value value) {
    uint32_t bits = roundToOdd(value), magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    // Below 2^-14, adding 0.5 rounds to the multiples of 2^-24, which are f16's subnormals.
    uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
    uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    uint32_t result = magnitude < 0x38800000 ? small : magnitude < 0x47800000 ? normal : 0x7c00;
    return static_cast<uint16_t>((magnitude > 0x7f800000 ? nan : result) | (bits >> 16 & 0x8000));
  }
};

template <typename From, typename To>
void convertLoop(const std::byte *HWY_RESTRICT from, std::byte *HWY_RESTRICT to, size_t count) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, count * sizeof(typename From::Stored));
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    typename From::Stored stored;
    std::memcpy(&stored, from + i * sizeof(stored), sizeof(stored));
    typename To::Stored result = To::round(From::widen(stored));
    std::memcpy(to + i * sizeof(result), &result, sizeof(result));
  }
}

using Loop = void (*)(const std::byte *, std::byte *, size_t);
template <typename From>
constexpr std::array<Loop, 4> loopsFrom = {convertLoop<From, F64>, convertLoop<From, F32>, convertLoop<From, F16>,
                                           convertLoop<From, BF16>};
constexpr std::array<std::array<Loop, 4>, 4> loops = {loopsFrom<F64>, loopsFrom<F32>, loopsFrom<F16>, loopsFrom<BF16>};

void convertFloats(const std::byte *from, FloatFormat fromFormat, std::byte *to, FloatFormat toFormat, size_t count) {
  loops[static_cast<size_t>(fromFormat)][static_cast<size_t>(toFormat)](from, to, count);
}

} // namespace nstf::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::support {

HWY_EXPORT(convertFloats);

std::optional<FloatFormat> floatFormatFromName(std::string_view name) {
  constexpr std::array<std::string_view, 4> names = {"f64", "f32", "f16", "bf16"};
  auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<FloatFormat>(found - names.begin()));
}

void convertNumbers(const std::byte *from, FloatFormat fromFormat, std::byte *to, FloatFormat toFormat, size_t count) {
  HWY_DYNAMIC_DISPATCH(convertFloats)(from, fromFormat, to, toFormat, count);
}

} // namespace nstf::support
#endif
