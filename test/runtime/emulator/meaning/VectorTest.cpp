// Every form of every lane-wise instruction on both chips against its meaning.
#include "test/runtime/emulator/meaning/Meaning.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>

namespace nstf::emulator::meaning {
namespace {

void check(const std::vector<VectorMeaning> &meanings) {
  std::vector<Case> cases;
  for (const VectorMeaning &m : meanings)
    addVectorCases(m, cases);
  std::set<std::string> ran;
  for (const char *target : {"gfx90a", "gfx942"})
    for (const std::string &name : runCases(target, cases))
      ran.insert(name);
  for (const VectorMeaning &m : meanings)
    if (!ran.contains(m.name))
      std::cout << "neither chip has " << m.name << '\n';
}

TEST(VectorMeaning, Integer) { check(integerMeanings()); }
TEST(VectorMeaning, PackedInteger) { check(packedIntegerMeanings()); }
TEST(VectorMeaning, FloatingPoint) { check(floatMeanings()); }
TEST(VectorMeaning, Approximate) { check(approximateMeanings()); }
TEST(VectorMeaning, Division) { check(divisionMeanings()); }
TEST(VectorMeaning, Conversion) { check(conversionMeanings()); }
TEST(VectorMeaning, Compare) { check(compareMeanings()); }

} // namespace
} // namespace nstf::emulator::meaning
