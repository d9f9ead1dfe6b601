#include "runtime/emulator/decode/Target.h"

namespace nstf::emulator {

const std::vector<Target> &Target::all() {
  static const std::vector<Target> targets = {
      {.name = "gfx90a", .architectedFlatScratch = false, .matrixSums = MatrixSums::Pairwise},
      {.name = "gfx942", .architectedFlatScratch = true, .matrixSums = MatrixSums::CutProducts},
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
