// Undefined bits of a wave's registers.
//
// Beside each register bit one that says whether it is undefined, and beside each register where that comes from. What
// is asked nearly always is whether any lane of a row is undefined, so each row has a mask of lanes; bits and origins
// are kept for the lanes of the mask only.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <unordered_map>
#include <vector>

namespace nstf::emulator::checks {

/// Where an undefined value was born: a register or memory that nobody wrote.
struct Origin {
  enum Kind : uint8_t { None, Vector, Scalar, Lds, Scratch, Global };
  uint64_t word = 0; ///< kind above the register's number, the offset or the address
  Origin() = default;
  Origin(Kind kind, uint64_t value) : word(uint64_t(kind) << 56 | (value & 0xffffffffffffff)) {}
  Kind kind() const { return Kind(word >> 56); }
  uint64_t value() const { return word & 0xffffffffffffff; }
};

/// A value and which of its bits are undefined.
struct Bits {
  uint64_t value = 0, undefined = 0;
};

/// What is undefined of a lane's result, and where that comes from.
struct Undefined {
  uint64_t bits = 0;
  Origin origin;
};

/// The LDS of a workgroup: the undefined bits of each byte; origins by dword, of undefined values stored there.
struct LdsShadow {
  std::vector<uint8_t> bits;
  std::unordered_map<uint64_t, Origin> origins;
};

/// Large, but only the rows that a kernel uses are ever touched; made by calloc so that the rest costs nothing.
struct WaveShadow {
  uint64_t undefined[registerRows]; ///< lanes with an undefined bit
  uint64_t fresh[registerRows];     ///< of these the ones never written: all bits undefined
  uint32_t bits[registerRows][Wave::width];
  Origin origins[registerRows][Wave::width];
  uint32_t scalars[sgpr::count];
  Origin scalarOrigins[sgpr::count];
  LdsShadow *lds;
  uint32_t dma[Wave::width]; ///< undefined bits of what an LDS-DMA load is moving
  Origin dmaOrigins[Wave::width];
  /// Choices of values by lanes whose condition is undefined (DefinednessChoices.cpp), by the instructions that begin
  /// and end them, the innermost last.
  struct ChoiceUnderWay {
    uint32_t begin, join;
    uint64_t lanes;
    Origin origin;
  } choices[8];
  unsigned choiceDepth;
  static constexpr uint32_t noChoice = ~0u;
  uint32_t choiceJoin; ///< of the innermost

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
  /// The result of an instruction that goes lane by lane, of one or two rows: `result(lane)` says what is undefined of
  /// the `lanes` whose operands are, the others of `exec` are defined. Nothing is set before all is asked for, as the
  /// result may stand where the operands do.
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

/// Row of a vector source that is a register; constants are always defined.
inline bool isRegister(SourceRef ref) { return !(ref & constantSource); }
inline unsigned rowOf(SourceRef ref) { return ref / (Wave::width * 4); }
inline unsigned scalarOf(SourceRef ref) { return ref / 4; }

} // namespace nstf::emulator::checks
