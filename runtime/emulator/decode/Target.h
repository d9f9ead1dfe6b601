// The chips the emulator can be.
//
// What execution must know of a chip: the name LLVM MC disassembles for, and the few points where the ABI or the
// meaning of an instruction differs between CDNA2 (gfx90a) and CDNA3 (gfx942).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator {

/// How matrix units add products of small float types (instructions/PairwiseMatrix.cpp,
/// instructions/CutProducts-inl.h).
enum class MatrixSums : uint8_t { Pairwise, CutProducts };

/// Which of checks/HazardTable.def's rules hold, of those for one generation.
enum class HazardRules : uint8_t { Cdna2, Cdna3 };

struct Target {
  std::string name;            ///< "gfx90a" or "gfx942", as in `-mcpu`
  bool architectedFlatScratch; ///< gfx942: no scratch SGPRs, the hardware holds the wave's scratch base
  bool scopedStores;           ///< gfx942: an atomic store has bits for its scope; gfx90a compiles it as any store
  MatrixSums matrixSums;
  bool singlePrecisionMatrixUnit; ///< gfx942: f32 matrix products have a unit of their own, with wait states of its own
  HazardRules hazards;
  bool shiftAmountBug;            ///< gfx90a: the last vector register as the amount of a 64-bit shift reads wrong
  uint32_t computeUnitsPerEngine; ///< as HW_ID counts them

  /// The target of that name, or nullptr.
  static const Target *find(const std::string &name);
  static const std::vector<Target> &all();
};

} // namespace nstf::emulator
