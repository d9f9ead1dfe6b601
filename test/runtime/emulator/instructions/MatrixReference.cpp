#include "test/runtime/emulator/instructions/MatrixReference.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <algorithm>
#include <cmath>
#include <llvm/ADT/APInt.h>

namespace nstf::emulator::test {
namespace {

constexpr uint32_t nanBits = 0x7fc00000, infinityBits = 0x7f800000;

// gfx942

/// A number as a multiple of 2^-320.
using Exact = llvm::APInt;
constexpr unsigned width = 1024;
constexpr int lowest = -320;
Exact exact(int64_t significand, int exponent) {
  return Exact(width, uint64_t(significand), true) << unsigned(exponent - lowest);
}
/// Rounds down to a multiple of 2^exponent.
Exact cutDown(const Exact &x, int exponent) {
  unsigned bits = unsigned(std::max(0, exponent - lowest));
  return x.ashr(bits) << bits;
}
Exact cutTowardZero(const Exact &x, int exponent) {
  return x.isNegative() ? -cutDown(-x, exponent) : cutDown(x, exponent);
}

uint32_t roundToF32(const Exact &x) {
  if (x.isZero())
    return 0;
  uint32_t sign = x.isNegative() ? 0x80000000 : 0;
  Exact magnitude = x.abs();
  int top = int(magnitude.getActiveBits()) - 1 + lowest;
  int unit = std::max(top - 23, -149);
  unsigned drop = unsigned(unit - lowest);
  Exact kept = magnitude.lshr(drop), rest = magnitude - (kept << drop), half = Exact(width, 1) << (drop - 1);
  if (rest.ugt(half) || (rest == half && kept[0]))
    ++kept;
  uint64_t significand = kept.getZExtValue(); // at most 2^24
  uint64_t code = unit == -149 ? significand : significand + (uint64_t(unit + 149) << 23);
  return sign | uint32_t(std::min<uint64_t>(code, infinityBits));
}

struct Parts {
  bool nan = false, infinite = false, negative = false;
  int64_t significand = 0; // signed
  int exponent = -126;     // the value is significand * 2^(exponent - fractionBits)
  int fractionBits = 0;
};
Parts partsOf(Element type, uint64_t code) {
  int exponentBits = 8, fractionBits = 23, bias = 127;
  bool small = false;
  switch (type) {
  case Element::f16:
    exponentBits = 5, fractionBits = 10, bias = 15;
    break;
  case Element::bf16:
    fractionBits = 7;
    break;
  case Element::fp8:
    exponentBits = 4, fractionBits = 3, bias = 8, small = true;
    break;
  case Element::bf8:
    exponentBits = 5, fractionBits = 2, bias = 16, small = true;
    break;
  case Element::xf32:
    code &= ~uint64_t(0x1fff);
    break;
  default:
    break;
  }
  Parts p;
  p.fractionBits = fractionBits;
  int64_t fraction = int64_t(code & ((1u << fractionBits) - 1)),
          field = int64_t(code >> fractionBits) & ((1 << exponentBits) - 1);
  p.negative = code >> (exponentBits + fractionBits) & 1;
  if (small) {
    p.nan = code == 0x80;
  } else if (field == (1 << exponentBits) - 1) {
    p.nan = fraction != 0;
    p.infinite = !p.nan;
  }
  if (p.nan || p.infinite)
    return p;
  p.significand = field ? fraction | int64_t(1) << fractionBits : fraction;
  if (p.significand)
    p.exponent = int(field ? field : 1) - bias;
  if (p.negative)
    p.significand = -p.significand;
  return p;
}

struct Product {
  Exact value{width, 0};
  int exponent = 0;
};
/// Returns the largest exponent m, and the sum of the products, each cut toward zero to a multiple of 2^(m - 24).
std::pair<int, Exact> cutAndAdd(const std::vector<Product> &products) {
  int m = products[0].exponent;
  for (const Product &p : products)
    m = std::max(m, p.exponent);
  Exact sum(width, 0);
  for (const Product &p : products)
    sum += cutTowardZero(p.value, m - 24);
  return {m, sum};
}

uint32_t group942(Element typeA, Element typeB, std::span<const uint64_t> a, std::span<const uint64_t> b, uint32_t c) {
  bool apart = getBits(typeA) == 8;
  Parts addend = partsOf(Element::f32, c);
  bool nan = addend.nan, positive = addend.infinite && !addend.negative, negative = addend.infinite && addend.negative;
  bool overflows[2] = {};
  std::vector<Product> products;
  for (size_t k = 0; k < a.size(); ++k) {
    Parts x = partsOf(typeA, a[k]), y = partsOf(typeB, b[k]);
    bool minus = x.negative != y.negative;
    nan |= x.nan || y.nan;
    if (x.infinite || y.infinite) {
      bool zero = (!x.infinite && !x.significand) || (!y.infinite && !y.significand);
      nan |= zero;
      (minus ? negative : positive) |= !zero;
      continue;
    }
    if (x.nan || y.nan)
      continue;
    Product p{exact(x.significand * y.significand, x.exponent - x.fractionBits + y.exponent - y.fractionBits),
              x.exponent + y.exponent};
    if (p.value.abs().uge(exact(1, 128)))
      overflows[minus] = true;
    products.push_back(p);
  }
  if (nan || (positive && negative))
    return nanBits;
  if (positive || negative)
    return positive ? infinityBits : infinityBits | 0x80000000;
  if (overflows[0] || overflows[1])
    return overflows[0] && overflows[1] ? nanBits : overflows[0] ? infinityBits : infinityBits | 0x80000000;
  int m;
  Exact s(width, 0);
  if (apart) {
    std::vector<Product> halves[2];
    for (size_t k = 0; k < products.size(); ++k)
      halves[k % 2].push_back(products[k]);
    auto [m0, s0] = cutAndAdd(halves[0]);
    auto [m1, s1] = cutAndAdd(halves[1]);
    m = std::max(m0, m1);
    s = cutDown(s0, m - 24) + cutDown(s1, m - 24);
  } else {
    std::tie(m, s) = cutAndAdd(products);
  }
  int most = std::max(m, addend.exponent);
  Exact cutC = cutDown(exact(addend.significand, addend.exponent - 23), most - 24);
  if (apart && addend.exponent < most - 25)
    cutC = Exact(width, 0);
  return roundToF32(cutDown(s, most - 31) + cutC);
}

// gfx90a

float flushed(float v) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }

float tree90a(const std::vector<float> &a, const std::vector<float> &b, size_t first, size_t count) {
  if (count == 1)
    return flushed(a[first] * b[first]);
  float low = tree90a(a, b, first, count / 2), high = tree90a(a, b, first + count / 2, count / 2);
  return flushed(low + high);
}

uint32_t element90a(Element type, bool oldBf16, std::span<const uint64_t> a, std::span<const uint64_t> b, float c) {
  auto load = [&](std::span<const uint64_t> from) {
    std::vector<float> values;
    for (uint64_t code : from) {
      float v = float(getValue(type, code));
      values.push_back(std::fabs(v) < (type == Element::f16 ? 0x1p-14f : 0x1p-126f) ? 0 : v);
    }
    return values;
  };
  std::vector<float> x = load(a), y = load(b);
  if (std::fabs(c) < 0x1p-126f)
    c = 0;
  size_t group = oldBf16 ? 2 : 4;
  for (size_t k = 0; k < x.size(); k += group)
    c = flushed(c + tree90a(x, y, k, group));
  return uint32_t(bits(c));
}

} // namespace

uint32_t exactElement(const std::string &target, Element typeA, Element typeB, bool oldBf16,
                      std::span<const uint64_t> a, std::span<const uint64_t> b, uint32_t c) {
  uint32_t d = c;
  if (typeA == Element::f32) {
    float sum = as<float>(c);
    for (size_t k = 0; k < a.size(); ++k)
      sum = std::fma(as<float>(a[k]), as<float>(b[k]), sum);
    d = uint32_t(bits(sum));
  } else if (target == "gfx90a") {
    d = element90a(typeA, oldBf16, a, b, as<float>(c));
  } else {
    size_t group = typeA == Element::xf32 ? 4 : getBits(typeA) == 8 ? 16 : std::min<size_t>(8, a.size());
    for (size_t k = 0; k < a.size(); k += group)
      d = group942(typeA, typeB, a.subspan(k, group), b.subspan(k, group), d);
  }
  return (d & 0x7fffffff) > infinityBits ? nanBits : d;
}

} // namespace nstf::emulator::test
