// Scalar ALU instructions against their meanings.
#include "test/runtime/emulator/meaning/ScalarMeaning.h"

#include <gtest/gtest.h>

namespace nstf::emulator::meaning {
namespace {

TEST(ScalarMeaning, All) {
  std::vector<Case> cases;
  for (const ScalarMeaning &m : scalarMeanings())
    addScalarCases(m, cases);
  for (const char *target : {"gfx90a", "gfx942"})
    runCases(target, cases);
}

} // namespace
} // namespace nstf::emulator::meaning
