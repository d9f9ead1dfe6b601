// Every form of every lane-by-lane instruction on both chips against its meaning.
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

TEST(VectorMeaning, integer) { check(integerMeanings()); }
TEST(VectorMeaning, packedInteger) { check(packedIntegerMeanings()); }
TEST(VectorMeaning, floatingPoint) { check(floatMeanings()); }
TEST(VectorMeaning, approximate) { check(approximateMeanings()); }
TEST(VectorMeaning, division) { check(divisionMeanings()); }
TEST(VectorMeaning, conversion) { check(conversionMeanings()); }
TEST(VectorMeaning, compare) { check(compareMeanings()); }

} // namespace
} // namespace nstf::emulator::meaning
