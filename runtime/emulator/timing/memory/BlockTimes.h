// Times of all lines of a block, computed together.
//
// A block has 8 lines in granules of two, and each granule has its own channel. The first lines of the four granules
// therefore never wait for each other, nor do the second lines: each step is computed for four lines at once.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

constexpr uint32_t granules = 4, linesOfGranule = 2, linesOfBlock = granules * linesOfGranule;

/// One time for each granule.
class Quad {
public:
  Quad() = default;
  Quad(double all) : of(Vector{} + all) {}
  Quad(double a, double b, double c, double d) : of{a, b, c, d} {}

  double operator[](uint32_t granule) const { return of[granule]; }
  void set(uint32_t granule, double time) { of[granule] = time; }

  friend Quad operator+(Quad a, Quad b) { return a.of + b.of; }
  friend Quad operator-(Quad a, Quad b) { return a.of - b.of; }
  friend Quad operator*(Quad a, Quad b) { return a.of * b.of; }
  Quad &operator+=(Quad b) { return *this = *this + b; }
  friend Quad later(Quad a, Quad b) { return a.of < b.of ? b.of : a.of; }
  /// Rounds down. Precondition: the times are positive.
  friend Quad whole(Quad times) {
    constexpr double noFractions = double(uint64_t(1) << 52); // doubles from here on are integers
    const Vector nearest = times.of + noFractions - noFractions;
    return nearest > times.of ? nearest - 1 : nearest;
  }
  friend double latest(Quad times) {
    const double a = times[0] < times[1] ? times[1] : times[0], b = times[2] < times[3] ? times[3] : times[2];
    return a < b ? b : a;
  }

private:
  using Vector = double __attribute__((vector_size(4 * sizeof(double))));
  Quad(const Vector &of) : of(of) {}
  Vector of;
};

// The same for one time.
inline double later(double a, double b) { return a < b ? b : a; }
inline double whole(double positive) { return double(int64_t(positive)); }

/// Indexed by the number of the line in its block.
struct BlockTimes {
  Quad of[linesOfGranule]; ///< first lines, second lines

  double operator[](uint32_t line) const { return of[line % 2][line / 2]; }
  void set(uint32_t line, double time) { of[line % 2].set(line / 2, time); }

  friend BlockTimes operator+(const BlockTimes &a, const BlockTimes &b) {
    return {a.of[0] + b.of[0], a.of[1] + b.of[1]};
  }
  friend double latest(const BlockTimes &times) { return latest(later(times.of[0], times.of[1])); }
};

} // namespace nstf::emulator::timing
