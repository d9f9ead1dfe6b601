// The chips that can be emulated.
//
// The properties of a chip on which execution depends: the name for LLVM MC's disassembler, and the few points where
// the ABI or the semantics of an instruction differ between CDNA2 (gfx90a) and CDNA3 (gfx942).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator {

/// How matrix units add products of small float types (instructions/PairwiseMatrix.cpp,
/// instructions/CutProducts-inl.h).
enum class MatrixSums : uint8_t { Pairwise, CutProducts };

/// Which generation's rules of checks/HazardTable.def apply, among those that depend on it.
enum class HazardRules : uint8_t { Cdna2, Cdna3 };

struct Target {
  std::string name;            ///< "gfx90a" or "gfx942", as in `-mcpu`
  bool architectedFlatScratch; ///< gfx942: no scratch SGPRs; the hardware holds the wave's scratch base
  bool scopedStores;           ///< gfx942: an atomic store has scope bits; gfx90a compiles it as a plain store
  MatrixSums matrixSums;
  bool singlePrecisionMatrixUnit; ///< gfx942: f32 matrix products have their own unit, with its own wait states
  HazardRules hazards;
  bool shiftAmountBug;            ///< gfx90a: the last vector register as the amount of a 64-bit shift is read wrongly
  uint32_t computeUnitsPerEngine; ///< in the numbering of HW_ID

  /// The target with this name, or nullptr.
  static const Target *find(const std::string &name);
  static const std::vector<Target> &all();
};

} // namespace nstf::emulator
