// Times of a block's lines, all at once.
//
// A block is 8 lines in granules of two, and each granule has a channel of its own. So the first lines of all granules
// never wait for each other, nor do the second ones: what is worked out for one is worked out for four.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

constexpr uint32_t granules = 4, linesOfGranule = 2, linesOfBlock = granules * linesOfGranule;

/// A time of each granule.
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
  /// Of positive ones.
  friend Quad whole(Quad times) {
    constexpr double noFractions = double(uint64_t(1) << 52); // behind it doubles are whole
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

// The same for one.
inline double later(double a, double b) { return a < b ? b : a; }
inline double whole(double positive) { return double(int64_t(positive)); }

/// By number of the line in its block.
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
