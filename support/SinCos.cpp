// The vector code is accurate to about 2^-49, which is more than f32 shows. If all numbers within 2^-44 of its result
// round to the same f32 (all but one of 2^19 numbers), the result of the C library, which is as accurate, rounds to
// that f32 too. If one number of a row is in doubt, the C library computes the row (Ziv, "Fast evaluation of elementary
// mathematical functions with correctly rounded last bit", 1991).
//
// The loop has no branches, so the compiler vectorizes it. Highway's foreach_target compiles it once for each vector
// instruction set; the best one that the machine has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/SinCos.cpp"
#include <hwy/foreach_target.h>

#include "support/SinCos.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nstf::support::HWY_NAMESPACE {

/// Whether all numbers within 2^-44 of `value` round to the same f32.
HWY_INLINE bool isSure(double value) {
  double margin = std::abs(value) * 0x1p-44;
  return static_cast<float>(value - margin) == static_cast<float>(value + margin);
}

/// Returns whether isSure holds for all results.
bool fillSure(double position, const double *HWY_RESTRICT frequencies, double scale, float *HWY_RESTRICT cosines,
              float *HWY_RESTRICT sines, size_t count) {
  // π/2 as a sum of three parts (Cody and Waite, 1980): two of 25 and 24 bits, whose products with 27-bit integers are
  // exact, and the rest.
  constexpr double part1 = 0x1.921fb5p+0, part2 = 0x1.110b46p-26, part3 = 0x1.1a62633145c07p-54;
  constexpr double integers = 0x1.8p52; // adding it rounds to an integer, in the low bits of the mantissa
  uint64_t doubts = 0;
  for (size_t i = 0; i < count; ++i) {
    double angle = position * frequencies[i];
    double shifted = angle * 0x1.45f306dc9c883p-1 + integers; // 2/π
    double turns = shifted - integers;
    uint64_t quadrant = std::bit_cast<uint64_t>(shifted);
    double x = ((angle - turns * part1) - turns * part2) - turns * part3; // at most π/4
    double z = x * x;
    // Taylor series; the next term is below 2^-56 of the sum.
    double sine = -1.0 / 1307674368000;
    sine = sine * z + 1.0 / 6227020800;
    sine = sine * z - 1.0 / 39916800;
    sine = sine * z + 1.0 / 362880;
    sine = sine * z - 1.0 / 5040;
    sine = sine * z + 1.0 / 120;
    sine = sine * z - 1.0 / 6;
    sine = x + x * z * sine;
    double cosine = 1.0 / 20922789888000;
    cosine = cosine * z - 1.0 / 87178291200;
    cosine = cosine * z + 1.0 / 479001600;
    cosine = cosine * z - 1.0 / 3628800;
    cosine = cosine * z + 1.0 / 40320;
    cosine = cosine * z - 1.0 / 720;
    cosine = cosine * z + 1.0 / 24;
    cosine = 1 - z * 0.5 + z * z * cosine;
    bool swapped = quadrant & 1;
    double c = scale * (swapped ? sine : cosine), s = scale * (swapped ? cosine : sine);
    c = (quadrant + 1) & 2 ? -c : c;
    s = quadrant & 2 ? -s : s;
    cosines[i] = static_cast<float>(c);
    sines[i] = static_cast<float>(s);
    // Beyond 2^27 the three parts of π/2 are not precise enough, and near multiples of π/2 cancellation leaves few bits
    // of x.
    bool inRange = std::abs(angle) < 0x1p27 && std::abs(x) > 0x1p-26;
    doubts |= !(inRange && isSure(c) && isSure(s));
  }
  return doubts == 0;
}

} // namespace nstf::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::support {

HWY_EXPORT(fillSure);

void fillSinCos(double position, std::span<const double> frequencies, double scale, std::span<float> cosines,
                std::span<float> sines) {
  if (HWY_DYNAMIC_DISPATCH(fillSure)(position, frequencies.data(), scale, cosines.data(), sines.data(),
                                     frequencies.size()))
    return;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double angle = position * frequencies[i];
    cosines[i] = static_cast<float>(scale * std::cos(angle));
    sines[i] = static_cast<float>(scale * std::sin(angle));
  }
}

} // namespace nstf::support
#endif
