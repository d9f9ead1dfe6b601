// The order in which lines leave a set, what a way tells of its line, and bundles of sets beside sets by themselves.
#include "runtime/emulator/timing/memory/TagArray.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nstf::emulator::timing;

namespace {

/// A set by itself: the only member of its bundle.
struct OneSet {
  TagArray::Bundle bundle;
  void put(uint64_t block, bool streaming = false) {
    TagArray::Found found;
    bundle.use(found, 1, block);
    ASSERT_FALSE(found.held);
    bundle.fill(found, 1, block, streaming);
  }
  bool use(uint64_t block) {
    TagArray::Found found;
    bundle.use(found, 1, block);
    return found.held;
  }
  bool holds(uint64_t block) const { return bundle.find(0, block) != TagArray::none; }
};

} // namespace

TEST(TagArray, TheLeastRecentlyUsedLeaves) {
  TagArray tags(2, 3);
  OneSet set{tags[1]};
  set.put(10), set.put(11), set.put(12);
  set.use(10);
  set.put(13); // 11 leaves
  EXPECT_FALSE(set.holds(11));
  for (uint64_t block : {10, 12, 13})
    EXPECT_TRUE(set.holds(block)) << block;
  EXPECT_EQ(tags[0].find(0, 10), TagArray::none);
  set.bundle.drop(0, set.bundle.find(0, 13));
  set.put(14); // takes its place
  EXPECT_TRUE(set.holds(12));
  set.put(15, true); // 12 leaves, and 15 is next to leave
  set.put(16);
  EXPECT_FALSE(set.holds(15));
  EXPECT_TRUE(set.holds(10));
}

TEST(TagArray, TheOrderOfAnyNumberOfWaysIsThatOfAList) {
  std::mt19937 random(1);
  for (uint32_t ways : {1, 2, 8, 16, 17, 40, 64, 256}) {
    TagArray tags(3, ways);
    std::vector<uint64_t> held; // from the most to the least recently used
    for (uint32_t i = 0; i < 3000; ++i) {
      OneSet set{tags[1]};
      const uint64_t block = random() % (2 * ways);
      const auto place = std::ranges::find(held, block);
      ASSERT_EQ(set.holds(block), place != held.end()) << ways << " ways, step " << i;
      if (place != held.end()) {
        held.erase(place);
        if (random() % 8 == 0) {
          set.bundle.drop(0, set.bundle.find(0, block));
          continue;
        }
        set.use(block);
      } else {
        TagArray::Found found;
        set.bundle.use(found, 1, block);
        set.bundle.fill(found, 1, block);
        set.bundle.setSectors(1, found, TagArray::changedSectors); // so that it says what leaves
        if (held.size() == ways) {
          ASSERT_EQ(found.leaves[0], held.back()) << ways << " ways, step " << i;
          held.pop_back();
        }
      }
      held.insert(held.begin(), block);
      if (random() % 1024 == 0) {
        tags.clear(random() % 2, 2);
        held.clear();
      }
    }
    EXPECT_EQ(tags[0].find(0, 0), TagArray::none);
  }
}

/// Blocks as a whole, by a half and by a line, in sets that march in step, that part, and that are emptied.
TEST(TagArray, ABundleDoesWhatItsSetsWouldDoByThemselves) {
  constexpr uint32_t ways = 16;
  for (uint32_t members : {2, 4, 8}) {
    std::mt19937 random(members);
    const uint32_t all = (1u << members) - 1;
    for (uint32_t partsOf1000 : {0, 3, 300}) {
      TagArray together(1, ways, members), apart(members, ways);
      for (uint32_t step = 0; step < 4000; ++step) {
        const uint64_t block = random() % (2 * ways);
        const bool isPart = random() % 1000 < partsOf1000, streaming = random() % 8 == 0;
        const uint32_t asked = !isPart ? all : random() % 2 ? 1u << random() % members : all >> members / 2;
        const uint64_t wanted = TagArray::forAll(random() % 2 ? 3 : 0);
        uint64_t sectors = (random() % 4 ? TagArray::forAll(3) : 0x3012301230123013) | TagArray::forAll(0x10);
        if (random() % 4096 == 0) {
          together.clear(0, 1);
          apart.clear(0, members);
        }
        TagArray::Found found;
        together[0].use(found, asked, block, wanted);
        const uint32_t missing = asked & ~found.held;
        if (missing)
          together[0].fill(found, missing, block, streaming);
        const TagArray::Found before = found;
        together[0].setSectors(asked, found, sectors);
        for (uint32_t member = 0; member < members; ++member) {
          if (!(asked >> member & 1))
            continue;
          TagArray::Bundle set = apart[member];
          TagArray::Found one;
          set.use(one, 1, block, wanted >> 8 * member);
          ASSERT_EQ(one.held, before.held >> member & 1) << members << " members, step " << step;
          ASSERT_EQ(one.complete, before.complete >> member & 1) << members << " members, step " << step;
          if (!one.held)
            set.fill(one, 1, block, streaming);
          ASSERT_EQ(one.getSectors(0), before.getSectors(member)) << members << " members, step " << step;
          if (!one.held && one.getSectors(0) & TagArray::changedSectors)
            ASSERT_EQ(one.leaves[0], before.leaves[member]) << members << " members, step " << step;
          set.setSectors(1, one, sectors >> 8 * member & 0xff);
        }
        if (random() % 8 == 0) {
          sectors = random() % 2 ? TagArray::forAll(3) : 0x0312031203120312;
          together[0].setSectors(asked, found, sectors);
          const uint32_t dropped = random() % 4 ? all : asked, kept = together[0].dropUnchanged(dropped, block);
          for (uint32_t member = 0; member < members; ++member) {
            TagArray::Bundle set = apart[member];
            if (const uint32_t way = set.find(0, block); way != TagArray::none && asked >> member & 1)
              set.sectors(0, way) = uint8_t(sectors >> 8 * member);
            if (dropped >> member & 1)
              ASSERT_EQ(set.dropUnchanged(1, block), kept >> member & 1) << members << " members, step " << step;
            if (kept >> member & 1)
              ASSERT_EQ(set.sectors(0, set.find(0, block)),
                        together[0].sectors(member, together[0].find(member, block)));
          }
        }
        for (uint32_t member = 0; member < members; ++member)
          for (uint64_t any = 0; any < 2 * ways; any += 7)
            ASSERT_EQ(together[0].find(member, any) == TagArray::none, apart[member].find(0, any) == TagArray::none)
                << members << " members, step " << step;
      }
    }
  }
}

TEST(TagArray, BytesOfMembersChangePlaces) {
  const uint64_t bytes = 0x8070605040302010;
  for (uint32_t flip = 0; flip < 8; ++flip)
    for (uint32_t member = 0; member < 8; ++member)
      EXPECT_EQ(uint8_t(TagArray::exchange(bytes, flip) >> 8 * member), uint8_t(bytes >> 8 * (member ^ flip)));
  for (uint32_t members = 0; members < 256; ++members) {
    EXPECT_EQ(TagArray::getMembers(TagArray::getBytes(members)), members);
    EXPECT_EQ(TagArray::getMembers(TagArray::getBytes(members) & TagArray::forAll(0x10)), members);
    for (uint32_t member = 0; member < 8; ++member)
      EXPECT_EQ(uint8_t(TagArray::getBytes(members) >> 8 * member), members >> member & 1 ? 0xff : 0);
  }
}

TEST(TagArray, TimesAreHeldModulo32Bits) {
  ReadyTime time;
  const double past = 1e9, now = 2e10;
  time.set(past);
  EXPECT_EQ(time.after(now), now);
  time.set(now + 500);
  EXPECT_NEAR(time.after(now), now + 500, 1);
}
