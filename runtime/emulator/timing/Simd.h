// A SIMD: its waves, its vector unit and its matrix core.
//
// The matrix core takes one instruction at a time and has no queue. Vector instructions of any wave may go in its
// shadow, but for packed f32, which wait for its end, and for matrix instructions that take the vector unit along
// (Unit::MatrixVector).
#pragma once

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/TimedWave.h"

namespace nstf::emulator::timing {

/// What a wave's next instruction waits for beyond the wave itself.
enum class Needs : uint8_t { Nothing, Vector, Matrix, Packed, VectorMemory, Lds };
constexpr size_t needs = 6;

struct Simd {
  /// What each turn looks at of a wave.
  struct Seat {
    Clocks ready; ///< TimedWave::ready
    TimedWave *wave;
    const TraceBlock *trace; ///< what its next instruction accesses, and the one after that (TraceReader::behind)
    uint32_t rank;           ///< TimedWave::rank
    Needs needs;
    Slot slot;           ///< TimedWave::slot
    bool reachesOut : 1; ///< needs something outside the compute unit
    bool isOrdered : 1;  ///< other workgroups may notice when it executes
  };
  std::vector<Seat> seats;
  void leave(const TimedWave &wave);

  Clocks vectorFree = 0, matrixFree = 0;
  const TimedWave *vectorUser = nullptr, *matrixUser = nullptr; ///< who used them last
  uint8_t ldsPort = 0;

  /// When the units that a wave's next instruction needs here are free.
  Clocks freeFor(const ChipTiming &chip, const TimedWave &wave) const;
  /// That instruction begins; returns for how long it keeps its unit.
  Clocks begin(const ChipTiming &chip, const TimedWave &wave, Clocks now);
};

inline void Simd::leave(const TimedWave &wave) {
  seats[wave.seat] = seats.back();
  seats[wave.seat].wave->seat = wave.seat;
  seats.pop_back();
}

inline Clocks Simd::freeFor(const ChipTiming &chip, const TimedWave &wave) const {
  switch (wave.unit) {
  case Unit::PackedFloat: { // what it costs beyond the matrix instruction: a pause, then itself
    const Clocks cost = matrixUser == &wave ? chip.packedF32AfterMatrixClocks : chip.packedF32BesideMatrixClocks;
    return std::max(vectorFree, matrixFree + std::max<Clocks>(cost, chip.packedF32Clocks) - chip.packedF32Clocks);
  }
  case Unit::Matrix:
  case Unit::MatrixVector:
    return std::max(vectorFree, matrixFree);
  default:
    return vectorFree;
  }
}

inline Clocks Simd::begin(const ChipTiming &chip, const TimedWave &wave, Clocks now) {
  const TimingFact &fact = *wave.fact;
  vectorUser = &wave;
  switch (fact.unit) {
  case Unit::Matrix:
  case Unit::MatrixVector: {
    const Clocks clocks = Clocks(fact.passes) * chip.matrixPassClocks;
    matrixUser = &wave;
    matrixFree = now + clocks;
    if (fact.unit == Unit::MatrixVector)
      vectorFree = matrixFree;
    else
      vectorFree = now + (fact.is(TimingFact::sparse) ? chip.valuAfterSparseMatrixClocks : chip.valuAfterMatrixClocks);
    return clocks;
  }
  case Unit::Transcendental:
    vectorFree = now + chip.transcendentalClocks;
    return chip.transcendentalClocks;
  case Unit::Double:
    vectorFree = now + chip.f64Clocks;
    return chip.f64Clocks;
  case Unit::IntegerMultiply:
    vectorFree = now + chip.integerMultiplyClocks;
    return chip.integerMultiplyClocks;
  case Unit::PackedFloat:
    vectorFree = now + chip.packedF32Clocks;
    return chip.packedF32Clocks;
  default:
    vectorFree = now + chip.valuClocks;
    return chip.valuClocks;
  }
}

} // namespace nstf::emulator::timing
