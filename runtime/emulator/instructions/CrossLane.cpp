// Vector instructions with masks, across lanes, or with special operands.
//
// v_cndmask, wide multiply-add with carry, lane counts and lane access, the division helpers, mixed-precision fma.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/CrossLane.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/Lanes-inl.h"

#include <bit>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// The second source where the mask has the lane's bit, else the first.
template <unsigned width> const MicroOp *conditionalMask(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), mask = w.scalarSource<uint64_t>(op->source[2]);
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(to, c, choose(maskOfBits(uint16_t(mask >> c * chunk)), loadRow(b, c), loadRow(a, c)),
             uint16_t(exec >> c * chunk));
  return op + 1;
}

/// 32 x 32 + 64 bits with carry out.
template <unsigned width, bool isSigned> const MicroOp *madWide(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), carry = 0;
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]), *d = w.row(op->source[2]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U64 addend = loadPair(d, c), sum;
    if constexpr (isSigned) {
      I64 x = convertTo<I64>(bitsAs<I32>(loadRow(a, c))), y = convertTo<I64>(bitsAs<I32>(loadRow(b, c)));
      U64 product = bitsAs<U64>(x * y);
      sum = product + addend;
      // Bit 64 of the exact sum: its sign, which is the 64-bit sum's sign unless that overflowed.
      U64 overflow = (product ^ sum) & (addend ^ sum);
      carry |= uint64_t(bitsOfMask((sum ^ overflow) >> 63 != 0ull)) << c * chunk;
    } else {
      sum = convertTo<U64>(loadRow(a, c)) * convertTo<U64>(loadRow(b, c)) + addend;
      carry |= uint64_t(bitsOfMask(sum < addend)) << c * chunk;
    }
    storePair(to, c, sum, uint16_t(exec >> c * chunk));
  }
  w.setScalar64(op->scalarDestination, carry & exec);
  return op + 1;
}

/// Number of lanes below this one whose bit in the first source is set, plus the second source; low: lanes 0 to 31.
template <unsigned width, bool high> const MicroOp *maskedCount(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned i = 0; i < width; ++i) {
    uint64_t below = (uint64_t(1) << i) - 1;
    uint32_t mask = uint32_t(high ? below >> 32 : below);
    uint32_t value = std::popcount(a[i] & mask) + b[i];
    if (exec >> i & 1)
      to[i] = value;
  }
  return op + 1;
}

const MicroOp *readFirstLane(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  w.scalars[op->scalarDestination] = w.row(op->source[0])[exec ? std::countr_zero(exec) : 0];
  return op + 1;
}
template <unsigned width> const MicroOp *readLane(Wave &w, const MicroOp *op) {
  unsigned lane = w.scalarSource<uint32_t>(op->source[1]) % width;
  w.scalars[op->scalarDestination] = w.row(op->source[0])[lane];
  return op + 1;
}
template <unsigned width> const MicroOp *writeLane(Wave &w, const MicroOp *op) {
  unsigned lane = w.scalarSource<uint32_t>(op->source[1]) % width;
  unsigned row = op->destination;
  if (op->flags && (row += w.scalars[sgpr::m0] & 0xff) >= vgprRows) // s_set_gpr_idx_on redirects the destination
    throw WaveFault{op, "relative register index past v255"};
  w.rows[row][lane] = w.scalarSource<uint32_t>(op->source[0]);
  return op + 1;
}
template <unsigned width> const MicroOp *swap(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  uint32_t *a = w.destination(op), *b = w.rows[op->scalarDestination];
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 x = loadRow(a, c), y = loadRow(b, c);
    storeRow(a, c, y, uint16_t(exec >> c * chunk));
    storeRow(b, c, x, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

/// v_div_scale: scales numerator or denominator so that the following steps neither overflow nor lose bits; VCC tells
/// v_div_fmas to scale the quotient back. source: value to scale, denominator, numerator.
template <typename E> struct Division;
template <> struct Division<float> {
  using T = f32;
  static constexpr int scale = 64, nearMaximum = 96, tinyNumerator = 23, bias = 127;
};
template <> struct Division<double> {
  using T = f64;
  static constexpr int scale = 128, nearMaximum = 768, tinyNumerator = 53, bias = 1023;
};
template <typename E> int biasedExponent(E v) {
  if constexpr (sizeof(E) == 8)
    return int(__builtin_bit_cast(uint64_t, v) >> 52 & 0x7ff);
  else
    return int(__builtin_bit_cast(uint32_t, v) >> 23 & 0xff);
}
template <typename E> E divScale(E s0, E s1, E s2, bool &scaled) {
  using D = Division<E>;
  auto isSubnormal = [](E v) { return v != 0 && biasedExponent(v) == 0; };
  scaled = false;
  if (s2 == 0 || s1 == 0)
    return std::numeric_limits<E>::quiet_NaN();
  if (biasedExponent(s2) - biasedExponent(s1) >= D::nearMaximum) {
    scaled = true;
    return s0 == s1 ? std::ldexp(s0, D::scale) : s0;
  }
  if (isSubnormal(s1))
    return std::ldexp(s0, D::scale);
  bool tinyReciprocal = isSubnormal(E(1) / s1), tinyQuotient = isSubnormal(s2 / s1);
  if (tinyReciprocal && tinyQuotient) { // the manual says + scale, which overflows: 1 / 3e38 would be NaN
    scaled = true;
    return s0 == s1 ? std::ldexp(s0, -D::scale) : s0;
  }
  if (tinyReciprocal)
    return std::ldexp(s0, -D::scale);
  if (tinyQuotient) {
    scaled = true;
    return s0 == s2 ? std::ldexp(s0, D::scale) : s0;
  }
  if (biasedExponent(s2) <= D::tinyNumerator)
    return std::ldexp(s0, D::scale);
  return s0;
}
template <typename E> HWY_INLINE E laneOf(const uint32_t *row, unsigned i) {
  if constexpr (sizeof(E) == 8)
    return __builtin_bit_cast(double, uint64_t(row[i + Wave::width]) << 32 | row[i]);
  else
    return __builtin_bit_cast(float, row[i]);
}
template <typename E> HWY_INLINE void setLane(uint32_t *row, unsigned i, E value) {
  if constexpr (sizeof(E) == 8) {
    uint64_t bits = __builtin_bit_cast(uint64_t, value);
    row[i] = uint32_t(bits);
    row[i + Wave::width] = uint32_t(bits >> 32);
  } else {
    row[i] = __builtin_bit_cast(uint32_t, value);
  }
}
/// Whether denominator and numerator of all active lanes are in the middle of the range, where no scaling is needed.
template <typename E>
HWY_INLINE bool needNoScaling(const uint32_t *denominator, const uint32_t *numerator, unsigned c, uint16_t active) {
  constexpr unsigned top = sizeof(E) == 8 ? Wave::width : 0, shift = sizeof(E) == 8 ? 20 : 23;
  constexpr int bias = Division<E>::bias, last = 2 * bias + 1; // the exponent of infinity
  auto exponent = [&](const uint32_t *row)
                      HWY_ATTR { return bitsAs<I32>(loadRow(row + top, c) >> shift & uint32_t(last)); };
  I32 d = exponent(denominator), n = exponent(numerator);
  I32 middle = (d >= 1) & (d <= last - 3) & (n > Division<E>::tinyNumerator) & (n < last) &
               (n - d < Division<E>::nearMaximum) & (n - d > 2 - bias);
  return !(uint16_t(~bitsOfMask(middle)) & active);
}
template <unsigned width, typename E> const MicroOp *runDivScale(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), mask = 0;
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]), *d = w.row(op->source[2]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    uint16_t active = uint16_t(exec >> c * chunk);
    if (HWY_LIKELY(needNoScaling<E>(b, d, c, active))) {
      storeRow(to, c, loadRow(a, c), active);
      if (sizeof(E) == 8)
        storeRow(to + width, c, loadRow(a + width, c), active);
      continue;
    }
    for (; active; active &= active - 1) {
      unsigned i = c * chunk + std::countr_zero(active);
      bool scaled;
      setLane<E>(to, i, divScale(laneOf<E>(a, i), laneOf<E>(b, i), laneOf<E>(d, i), scaled));
      mask |= uint64_t(scaled) << i;
    }
  }
  w.setScalar64(op->scalarDestination, mask);
  return op + 1;
}

/// x * y + z times 2^by, rounded once, also to a subnormal. r is the rounded x * y + z. Scaling rounds r again, which
/// is wrong only if r lies half way between two results; the rounding error of r then decides.
double scaledOnce(double x, double y, double z, double r, int by) {
  if (std::isinf(r) && by < 0 && std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) // overflowed too early
    return std::fma(std::ldexp(x, by), y, std::ldexp(z, by));
  double scaled = std::ldexp(r, by);
  if (std::fpclassify(scaled) != FP_SUBNORMAL && scaled != 0)
    return scaled;
  double half = std::ldexp(1.0, -1075 - by), lost = std::fma(x, y, z - r); // z is nearly r: their difference is exact
  if (lost == 0 || std::fabs(r - std::ldexp(scaled, -by)) != half)
    return scaled;
  return std::ldexp(lost > 0 ? r + half : r - half, by);
}

/// a + b; if the sum is inexact, its last bit is set to odd. Rounding the result to fewer bits then rounds only once.
double sumToOdd(double a, double b) {
  double sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (lost == 0 || !std::isfinite(lost) || (bits & 1))
    return sum;
  return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Fused multiply-add, scaled back if VCC says so: up if the quotient is large, down if it is small.
template <unsigned width, typename E> const MicroOp *runDivFmas(Wave &w, const MicroOp *op) {
  using T = typename Division<E>::T;
  uint64_t exec = w.exec(), mask = w.scalar64(sgpr::vcc) & exec;
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]), *d = w.row(op->source[2]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    auto x = T::load(a, c), y = T::load(b, c), z = T::load(d, c);
    auto result = withNan(__builtin_elementwise_fma(x, y, z), x, y, z);
    for (uint16_t left = uint16_t(mask >> c * chunk); left; left &= left - 1) {
      unsigned i = std::countr_zero(left);
      if (result[i] != result[i])
        continue;
      int by = biasedExponent<E>(z[i]) > Division<E>::bias ? Division<E>::scale : -Division<E>::scale;
      if constexpr (sizeof(E) == 4) // one rounding, also to a subnormal
        result[i] = float(std::ldexp(sumToOdd(double(x[i]) * double(y[i]), double(z[i])), by));
      else
        result[i] = scaledOnce(x[i], y[i], z[i], result[i], by);
    }
    T::store(to, c, result, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

/// v_fma_mix: each source is an f32, or either half as f16 (flags: bit k: source k is f16; bit 4 + k: its high half; 8
/// + k: absolute; 12 + k: negative). Result: f32, or f16 in the low or high half.
template <unsigned width, int half> const MicroOp *fmaMix(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  bool usual = (w.mode & mode::floatMask) == mode::floatDefault; // f16 results follow the setting for f16
  halfMode = HalfMode::of(w);
  uint32_t *to = w.destination(op);
  const uint32_t *rows[3] = {w.row(op->source[0]), w.row(op->source[1]), w.row(op->source[2])};
  for (unsigned c = 0; c < width / chunk; ++c) {
    F32 v[3];
    for (unsigned k = 0; k < 3; ++k) {
      U32 bits = loadRow(rows[k], c);
      if (op->flags >> k & 1)
        v[k] = fromHalf((op->flags >> (4 + k) & 1 ? bits >> 16 : bits) & 0xffffu);
      else
        v[k] = bitsAs<F32>(bits);
      if (op->flags >> (8 + k) & 1)
        v[k] = __builtin_elementwise_abs(v[k]);
      if (op->flags >> (12 + k) & 1)
        v[k] = -v[k];
    }
    F32 r = withNan(__builtin_elementwise_fma(v[0], v[1], v[2]), v[0], v[1], v[2]);
    if (op->flags >> 16 & 1) {   // clamp
      I32 bits = bitsAs<I32>(r); // compared as integers: the host may treat subnormals as 0 here
      F32 inside = choose(bits > 0x3f800000, F32(1), choose(bits < 0, F32(0), r));
      r = choose(isNan(r), w.mode >> mode::dx10Clamp & 1 ? F32(0) : r, inside);
    }
    U32 old = loadRow(to, c);
    U32 rounded = half == 0 ? bitsAs<U32>(r) : usual ? toHalf(r) : bitsOfHalf(f16moded(), r);
    U32 bits = half == 0 ? rounded : half == 1 ? (old & 0xffff0000u) | rounded : (old & 0xffffu) | rounded << 16;
    storeRow(to, c, bits, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

} // namespace

void enterCrossLaneFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
  SET(V_CNDMASK_B32) = conditionalMask<width>;
  SET(V_MAD_U64_U32) = madWide<width, false>;
  SET(V_MAD_I64_I32) = madWide<width, true>;
  SET(V_MBCNT_LO_U32_B32) = maskedCount<width, false>;
  SET(V_MBCNT_HI_U32_B32) = maskedCount<width, true>;
  SET(V_READFIRSTLANE_B32) = readFirstLane;
  SET(V_READLANE_B32) = readLane<width>;
  SET(V_WRITELANE_B32) = writeLane<width>;
  SET(V_SWAP_B32) = swap<width>;
  SET(V_DIV_SCALE_F32) = runDivScale<width, float>;
  SET(V_DIV_SCALE_F64) = runDivScale<width, double>;
  SET(V_DIV_FMAS_F32) = runDivFmas<width, float>;
  SET(V_DIV_FMAS_F64) = runDivFmas<width, double>;
  SET(V_FMA_MIX_F32) = fmaMix<width, 0>;
  SET(V_FMA_MIXLO_F16) = fmaMix<width, 1>;
  SET(V_FMA_MIXHI_F16) = fmaMix<width, 2>;
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterCrossLaneFor);
void enterCrossLane(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterCrossLaneFor)(table); }
} // namespace nstf::emulator
#endif
