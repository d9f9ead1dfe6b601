#include "runtime/emulator/decode/Target.h"

namespace nstf::emulator {

const std::vector<Target> &Target::all() {
  static const std::vector<Target> targets = {
      {.name = "gfx90a",
       .architectedFlatScratch = false,
       .scopedStores = false,
       .matrixSums = MatrixSums::Pairwise,
       .singlePrecisionMatrixUnit = false,
       .hazards = HazardRules::Cdna2,
       .shiftAmountBug = true,
       .computeUnitsPerEngine = 14},
      {.name = "gfx942",
       .architectedFlatScratch = true,
       .scopedStores = true,
       .matrixSums = MatrixSums::CutProducts,
       .singlePrecisionMatrixUnit = true,
       .hazards = HazardRules::Cdna3,
       .shiftAmountBug = false,
       .computeUnitsPerEngine = 10},
  };
  return targets;
}

const Target *Target::find(const std::string &name) {
  for (const Target &target : all())
    if (target.name == name)
      return &target;
  return nullptr;
}

} // namespace nstf::emulator
