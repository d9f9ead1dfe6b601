// Cosines and sines equal the C library's, rounded to f32: rows of rope tables, angles of all magnitudes, and angles
// close to multiples of π/2, where most bits cancel.
#include "support/SinCos.h"
#include "test/support/HostVectors.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace {

void expectLibrary(double position, const std::vector<double> &frequencies, double scale) {
  std::vector<float> cosines(frequencies.size()), sines(frequencies.size());
  nstf::support::fillSinCos(position, frequencies, scale, cosines, sines);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double angle = position * frequencies[i];
    auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    ASSERT_EQ(bits(cosines[i]), bits(static_cast<float>(scale * std::cos(angle)))) << angle;
    ASSERT_EQ(bits(sines[i]), bits(static_cast<float>(scale * std::sin(angle)))) << angle;
  }
}

TEST(SinCos, RowsOfRopeTables) {
  nstf::test::onEachKindOfVectors([] {
    std::mt19937_64 random(1);
    for (double theta : {10'000.0, 500'000.0, 1e6})
      for (int pairs : {1, 3, 8, 64}) {
        std::vector<double> frequencies;
        for (int i = 0; i < pairs; ++i)
          frequencies.push_back(std::pow(theta, -double(i) / pairs));
        for (int position = 0; position < 100; ++position)
          expectLibrary(position, frequencies, 1);
        for (int i = 0; i < 500; ++i)
          expectLibrary(double(random() % (1 << 24)), frequencies, i % 2 ? 1 : 1.1386294361119891);
      }
  });
}

TEST(SinCos, AnglesOfAllSizes) {
  nstf::test::onEachKindOfVectors([] {
    std::vector<double> angles = {0.0, -0.0, 1e-320, 1e300, -1e300, 0x1p27, std::nextafter(0x1p27, 0)};
    std::mt19937_64 random(2);
    for (int i = 0; i < 10'000; ++i)
      angles.push_back(std::ldexp(double(random() >> 11), int(random() % 100) - 110) * (i % 2 ? 1 : -1));
    for (int i = 0; i < 2'000; ++i) { // and close to multiples of π/2
      double angle = double(random() % (1 << (i % 26 + 1))) * (std::numbers::pi / 2);
      angles.push_back(angle);
      angles.push_back(std::nextafter(angle, 1e9));
    }
    for (double scale : {1.0, -2.5, 1e-40, 0.0})
      expectLibrary(1, angles, scale);
  });
}

} // namespace
