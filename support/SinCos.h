// Cosines and sines in float32 that are those of the C library in float64, rounded: the same bits, many at a time.
#pragma once

#include <span>

namespace nstf::support {

/// For each frequency, with angle = position · frequency: cosines[i] = float(scale · std::cos(angle)) and sines[i] =
/// float(scale · std::sin(angle)). Precondition: the three have one length.
void fillSinCos(double position, std::span<const double> frequencies, double scale, std::span<float> cosines,
                std::span<float> sines);

} // namespace nstf::support
