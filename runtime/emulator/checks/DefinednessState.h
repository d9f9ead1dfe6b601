// Undefined bits of a wave's registers.
//
// Each register bit has a shadow bit that says whether it is undefined, and each register an origin of its undefined
// bits. The most frequent query is whether any lane of a row is undefined. Each row therefore has a mask of lanes; bits
// and origins are valid only for the lanes in the mask.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <unordered_map>
#include <vector>

namespace nstf::emulator::checks {

/// Origin of an undefined value: a register or memory that was never written.
struct Origin {
  enum Kind : uint8_t { None, Vector, Scalar, Lds, Scratch, Global };
  uint64_t word = 0; ///< kind in the top byte; below it the register's number, the offset or the address
  Origin() = default;
  Origin(Kind kind, uint64_t value) : word(uint64_t(kind) << 56 | (value & 0xffffffffffffff)) {}
  Kind kind() const { return Kind(word >> 56); }
  uint64_t value() const { return word & 0xffffffffffffff; }
};

/// A value and which of its bits are undefined.
struct Bits {
  uint64_t value = 0, undefined = 0;
};

/// The undefined bits of a lane's result, and their origin.
struct Undefined {
  uint64_t bits = 0;
  Origin origin;
};

/// Shadow of a workgroup's LDS: the undefined bits of each byte; by dword, the origins of undefined values stored
/// there.
struct LdsShadow {
  std::vector<uint8_t> bits;
  std::unordered_map<uint64_t, Origin> origins;
};

/// The struct is large, but a kernel touches only the rows that it uses; calloc makes the untouched ones free of cost.
struct WaveShadow {
  uint64_t undefined[registerRows]; ///< lanes with an undefined bit
  uint64_t fresh[registerRows];     ///< of these, lanes never written: all bits undefined
  uint32_t bits[registerRows][Wave::width];
  Origin origins[registerRows][Wave::width];
  uint32_t scalars[sgpr::count];
  Origin scalarOrigins[sgpr::count];
  LdsShadow *lds;
  uint32_t dma[Wave::width]; ///< undefined bits of the data that an LDS-DMA load moves
  Origin dmaOrigins[Wave::width];
  /// Open choices: code that selects values by lanes with an undefined condition (DefinednessChoices.cpp). Each has the
  /// instructions that begin and end it; the innermost is the last.
  struct ChoiceUnderWay {
    uint32_t begin, join;
    uint64_t lanes;
    Origin origin;
  } choices[8];
  unsigned choiceDepth;
  static constexpr uint32_t noChoice = ~0u;
  uint32_t choiceJoin; ///< end of the innermost choice

  static WaveShadow *make() {
    void *memory = std::calloc(1, sizeof(WaveShadow));
    if (!memory)
      throw std::bad_alloc();
    return static_cast<WaveShadow *>(memory);
  }

  uint32_t laneBits(unsigned row, unsigned lane) const {
    if (!(undefined[row] >> lane & 1))
      return 0;
    return fresh[row] >> lane & 1 ? ~0u : bits[row][lane];
  }
  Origin laneOrigin(unsigned row, unsigned lane) const {
    return fresh[row] >> lane & 1 ? Origin(Origin::Vector, row) : origins[row][lane];
  }
  void setLane(unsigned row, unsigned lane, uint32_t value, Origin origin) {
    uint64_t bit = uint64_t(1) << lane;
    fresh[row] &= ~bit;
    if (!value) {
      undefined[row] &= ~bit;
      return;
    }
    undefined[row] |= bit;
    bits[row][lane] = value;
    origins[row][lane] = origin;
  }
  void define(unsigned row, uint64_t lanes) {
    undefined[row] &= ~lanes;
    fresh[row] &= ~lanes;
  }
  /// The result of a lane-wise instruction, in one or two rows. `result(lane)` gives the undefined bits for the `lanes`
  /// with undefined operands; the other lanes of `exec` become defined. All results are computed before any is set, as
  /// the result's rows may be the operands'.
  template <typename F> void setLanes(unsigned row, unsigned rows, uint64_t exec, uint64_t lanes, F result) {
    if (!lanes) { // nearly always
      for (unsigned k = 0; k < rows; ++k)
        define(row + k, exec);
      return;
    }
    Undefined results[Wave::width];
    for (uint64_t left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(std::countr_zero(left));
      results[lane] = result(lane);
    }
    for (unsigned k = 0; k < rows; ++k)
      define(row + k, exec);
    for (uint64_t left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(std::countr_zero(left));
      for (unsigned k = 0; k < rows; ++k)
        setLane(row + k, lane, uint32_t(results[lane].bits >> 32 * k), results[lane].origin);
    }
  }
  uint64_t scalar64(unsigned index) const { return scalars[index] | uint64_t(scalars[index + 1]) << 32; }
  void setScalar(unsigned index, uint32_t value, Origin origin) {
    scalars[index] = value;
    scalarOrigins[index] = origin;
  }
  void setScalar64(unsigned index, uint64_t value, Origin origin) {
    setScalar(index, uint32_t(value), origin);
    setScalar(index + 1, uint32_t(value >> 32), origin);
  }
  Origin scalarOrigin(unsigned index) const {
    return scalarOrigins[index].kind() == Origin::None ? Origin(Origin::Scalar, index) : scalarOrigins[index];
  }
};

/// The origin of the first undefined byte.
template <typename Map>
inline Origin originAt(const Map &origins, uint64_t at, const uint8_t *bits, unsigned bytes, Origin::Kind unwritten) {
  unsigned i = 0;
  while (i + 1 < bytes && !bits[i])
    ++i;
  auto found = origins.find((at + i) / 4);
  return found == origins.end() ? Origin(unwritten, at + i) : found->second;
}

/// Whether a vector source is a register; constants are always defined.
inline bool isRegister(SourceRef ref) { return !(ref & constantSource); }
inline unsigned getRow(SourceRef ref) { return ref / (Wave::width * 4); }
inline unsigned getScalar(SourceRef ref) { return ref / 4; }

} // namespace nstf::emulator::checks
