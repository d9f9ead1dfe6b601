// A SIMD: its waves, its vector unit and its matrix core.
//
// The matrix core executes one instruction at a time and has no queue. While it is busy, vector instructions of any
// wave may issue, with two exceptions: packed f32 instructions wait for its end, and matrix instructions that also
// occupy the vector unit (Unit::MatrixVector) block it.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/compute_unit/TimedWave.h"

namespace nstf::emulator::timing {

/// The resource for which a wave's next instruction waits.
enum class Needs : uint8_t { Nothing, Vector, Matrix, Packed, VectorMemory, Lds };
constexpr size_t needs = 6;

struct Simd {
  /// The data of a wave that each turn reads.
  struct Seat {
    Clocks ready; ///< TimedWave::ready
    TimedWave *wave;
    const TraceBlock *trace; ///< accesses of its next instruction, and the entry after that (TraceReader::behind)
    uint32_t rank;           ///< TimedWave::rank
    Needs needs;
    Slot slot;           ///< TimedWave::slot
    bool reachesOut : 1; ///< its next instruction needs something outside the compute unit
    bool isOrdered : 1;  ///< other workgroups may observe when it executes
  };
  std::vector<Seat> seats;
  void leave(const TimedWave &wave);

  Clocks vectorFree = 0, matrixFree = 0;
  const TimedWave *vectorUser = nullptr, *matrixUser = nullptr; ///< last users
  uint8_t ldsPort = 0;

  /// When the units that a wave's next instruction needs on this SIMD are free.
  Clocks freeFor(const ChipTiming &chip, const TimedWave &wave) const;
  /// Begins that instruction; returns the clocks for which it occupies its unit.
  Clocks begin(const ChipTiming &chip, const TimedWave &wave, Clocks now);
};

inline void Simd::leave(const TimedWave &wave) {
  seats[wave.seat] = seats.back();
  seats[wave.seat].wave->seat = wave.seat;
  seats.pop_back();
}

inline Clocks Simd::freeFor(const ChipTiming &chip, const TimedWave &wave) const {
  switch (wave.unit) {
  case Unit::PackedFloat: { // its cost in addition to the matrix instruction: a pause, then its own clocks
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
