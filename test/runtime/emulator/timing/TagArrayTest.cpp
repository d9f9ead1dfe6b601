// The order in which lines leave a set, and what a way tells of its line.
#include "runtime/emulator/timing/TagArray.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nstf::emulator::timing;

TEST(TagArray, theLeastRecentlyUsedLeaves) {
  TagArray tags(2, 3);
  TagArray::Set set = tags[1];
  auto put = [&](uint64_t line) { set.fill(set.victim(), line); };
  put(10), put(11), put(12);
  set.use(set.find(10));
  put(13); // 11 leaves
  EXPECT_EQ(set.find(11), TagArray::none);
  for (uint64_t line : {10, 12, 13})
    EXPECT_NE(set.find(line), TagArray::none) << line;
  EXPECT_EQ(tags[0].find(10), TagArray::none);
  set.drop(set.find(13));
  put(14); // takes its place
  EXPECT_NE(set.find(12), TagArray::none);
  set.fill(set.victim(), 15, true); // 12 leaves, and 15 is next to leave
  put(16);
  EXPECT_EQ(set.find(15), TagArray::none);
  EXPECT_NE(set.find(10), TagArray::none);
}

TEST(TagArray, theOrderOfAnyNumberOfWaysIsThatOfAList) {
  std::mt19937 random(1);
  for (uint32_t ways : {1, 2, 8, 16, 17, 40, 64, 256}) {
    TagArray tags(3, ways);
    std::vector<uint64_t> held; // from the most to the least recently used
    for (uint32_t i = 0; i < 3000; ++i) {
      TagArray::Set set = tags[1];
      const uint64_t line = random() % (2 * ways);
      const uint32_t way = set.find(line);
      const auto place = std::ranges::find(held, line);
      ASSERT_EQ(way != TagArray::none, place != held.end()) << ways << " ways, step " << i;
      if (place != held.end()) {
        held.erase(place);
        if (random() % 8 == 0) {
          set.drop(way);
          continue;
        }
        set.use(way);
      } else {
        if (held.size() == ways) {
          ASSERT_EQ(set.lineAt(set.victim()), held.back()) << ways << " ways, step " << i;
          held.pop_back();
        }
        set.fill(set.victim(), line);
      }
      held.insert(held.begin(), line);
      if (random() % 1024 == 0) {
        tags.clear(random() % 2, 2);
        held.clear();
      }
    }
    EXPECT_EQ(tags[0].find(0), TagArray::none);
  }
}

TEST(TagArray, timesAreHeldModulo32Bits) {
  TagArray tags(1, 4);
  TagArray::Set set = tags[0];
  double past = 1e9, now = 2e10;
  set.setReady(0, past);
  EXPECT_EQ(set.whenReady(0, now), now);
  set.setReady(0, now + 500);
  EXPECT_NEAR(set.whenReady(0, now), now + 500, 1);
}
