// The vector code is accurate to about 2^-49, more than f32 shows: where everything within 2^-44 of its result rounds
// to one f32 (all but one of 2^19 numbers), the C library's result, which is as accurate, rounds to that too. A row
// where one number is in doubt is computed by the C library (Ziv, "Fast evaluation of elementary mathematical functions
// with correctly rounded last bit", 1991).
//
// The loop has no branches, so the compiler turns it into vectors; Highway's foreach_target compiles it once for each
// kind of vectors and takes the machine's at run time.
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

/// Whether all numbers within 2^-44 of `value` are one f32.
HWY_INLINE bool isSure(double value) {
  double margin = std::abs(value) * 0x1p-44;
  return static_cast<float>(value - margin) == static_cast<float>(value + margin);
}

/// Returns whether all numbers are sure.
bool fillSure(double position, const double *HWY_RESTRICT frequencies, double scale, float *HWY_RESTRICT cosines,
              float *HWY_RESTRICT sines, size_t count) {
  // π/2 in three parts (Cody and Waite, 1980): 25 and 24 bits, of which 27-bit multiples are exact, and the rest.
  constexpr double part1 = 0x1.921fb5p+0, part2 = 0x1.110b46p-26, part3 = 0x1.1a62633145c07p-54;
  constexpr double integers = 0x1.8p52; // adding it rounds to an integer, which stands in the low bits
  uint64_t doubts = 0;
  for (size_t i = 0; i < count; ++i) {
    double angle = position * frequencies[i];
    double shifted = angle * 0x1.45f306dc9c883p-1 + integers; // 2/π
    double turns = shifted - integers;
    uint64_t quadrant = std::bit_cast<uint64_t>(shifted);
    double x = ((angle - turns * part1) - turns * part2) - turns * part3; // at most π/4
    double z = x * x;
    // Taylor series: the next term is below 2^-56 of the sum.
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
    // Past 2^27 the parts of π/2 are too few, and near its multiples little of x is left.
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
