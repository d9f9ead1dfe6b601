// Float32 cosines and sines that equal the C library's float64 results, rounded, bit for bit; computed in vectors.
#pragma once

#include <span>

namespace nstf::support {

/// For each frequency, with angle = position · frequency: cosines[i] = float(scale · std::cos(angle)) and sines[i] =
/// float(scale · std::sin(angle)). Precondition: the three spans have the same length.
void fillSinCos(double position, std::span<const double> frequencies, double scale, std::span<float> cosines,
                std::span<float> sines);

} // namespace nstf::support
