// Random and edge operands.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace nstf::emulator::test {

/// An operand's type, which determines its edge cases.
enum class Kind { u16, f16, u32, f32, u64, f64, shift, packed };

inline const std::vector<uint64_t> &getEdges(Kind kind) {
  static const std::vector<uint64_t> halves = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00, 0x3800,
                                               0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x4248, 0x0401, 0x5640};
  static const std::vector<uint64_t> singles = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                                0x3f800000, 0xbf800000, 0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                                0xff800000, 0x7fc00000, 0xffc12345, 0x4b800000, 0x4f000000, 0xcf000000,
                                                0x4f800000, 0x3fc00000, 0xc0200000};
  static const std::vector<uint64_t> doubles = {0,
                                                0x8000000000000000ull,
                                                1,
                                                0x000fffffffffffffull,
                                                0x0010000000000000ull,
                                                0x3ff0000000000000ull,
                                                0xbff0000000000000ull,
                                                0x3fe0000000000000ull,
                                                0x7fefffffffffffffull,
                                                0x7ff0000000000000ull,
                                                0xfff0000000000000ull,
                                                0x7ff8000000000000ull,
                                                0xfff8000000012345ull,
                                                0x41dfffffffc00000ull,
                                                0xc1e0000000000000ull,
                                                0x4008000000000000ull};
  static const std::vector<uint64_t> integers = {
      0,      1,      2,      31,      32,       33,       63,       64,         0x7f,       0x80,       0xff,
      0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  static const std::vector<uint64_t> longs = {0,
                                              1,
                                              0xffffffff,
                                              0x100000000ull,
                                              0x7fffffffffffffffull,
                                              0x8000000000000000ull,
                                              0xffffffffffffffffull,
                                              0xffffffff00000000ull};
  switch (kind) {
  case Kind::f16:
    return halves;
  case Kind::f32:
    return singles;
  case Kind::f64:
    return doubles;
  case Kind::u64:
    return longs;
  default:
    return integers;
  }
}

class Operands {
public:
  std::mt19937_64 engine{12345};
  uint64_t next(Kind kind) {
    const std::vector<uint64_t> &edges = getEdges(kind);
    if (engine() % 3 == 0)
      return edges[engine() % edges.size()] |
             (kind == Kind::f16 || kind == Kind::u16 ? engine() << 16 & 0xffff0000 : 0);
    uint64_t bits = engine();
    switch (kind) {
    case Kind::f32: // close exponents, so that sums and products round
      if (engine() % 2)
        return (bits & 0x807fffff) | (120 + engine() % 16) << 23;
      return uint32_t(bits);
    case Kind::f64:
      if (engine() % 2)
        return (bits & 0x800fffffffffffffull) | (1015 + engine() % 16) << 52;
      return bits;
    case Kind::u64:
      return bits;
    case Kind::shift:
      return engine() % 2 ? engine() % 70 : uint32_t(bits);
    case Kind::packed: {
      const std::vector<uint64_t> &halves = getEdges(Kind::f16);
      if (engine() % 2)
        return halves[engine() % halves.size()] | halves[engine() % halves.size()] << 16;
      return uint32_t(bits);
    }
    default:
      return uint32_t(bits);
    }
  }
  /// All lanes, a few, or a random half.
  uint64_t exec(unsigned round) {
    switch (round % 4) {
    case 0:
      return ~uint64_t(0);
    case 1:
      return engine();
    case 2:
      return engine() & engine() & engine();
    default:
      return ~uint64_t(0) >> (engine() % 64);
    }
  }
};

template <typename T> T as(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T> uint64_t bits(T value) {
  uint64_t b = 0;
  std::memcpy(&b, &value, sizeof(T));
  return b;
}

/// Bytes to fill memory with, the same in every run.
inline std::vector<uint8_t> randomBytes(size_t count) {
  Operands operands;
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(operands.engine());
  return bytes;
}

/// The T at `at`, aligned or not.
template <typename T> T read(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

} // namespace nstf::emulator::test
