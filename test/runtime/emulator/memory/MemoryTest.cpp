// The allocation registry: lookup, guard distance, use after free.
#include "runtime/emulator/memory/Memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace nstf::emulator {
namespace {
using testing::HasSubstr;

uint64_t getAddress(void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(Memory, AllocationIsZeroedAlignedAndExactlyAsLong) {
  Memory memory;
  auto *bytes = static_cast<unsigned char *>(memory.allocate(1000));
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(getAddress(bytes) % Memory::pageBytes, 0u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(bytes[i], 0);
  EXPECT_TRUE(memory.covers(getAddress(bytes), 1000));
  EXPECT_FALSE(memory.covers(getAddress(bytes), 1001));
  EXPECT_FALSE(memory.covers(getAddress(bytes) - 1, 1));
  EXPECT_EQ(memory.allocatedBytes(), 1000u);
}

TEST(Memory, GuardLiesBetweenNeighbours) {
  Memory memory;
  uint64_t a = getAddress(memory.allocate(4096)), b = getAddress(memory.allocate(4096));
  uint64_t distance = a < b ? b - a - 4096 : a - b - 4096;
  EXPECT_GE(distance, Memory::guardBytes);
}

TEST(Memory, TableFindsWithAndWithoutHint) {
  Memory memory;
  std::vector<uint64_t> begins;
  for (int i = 0; i < 100; ++i)
    begins.push_back(getAddress(memory.allocate(64 + i)));
  auto table = memory.regions();
  ASSERT_EQ(table->all().size(), 100u);
  const Region *hint = nullptr;
  for (int i = 0; i < 100; ++i) {
    const Region *region = table->find(begins[i] + 63, 1, hint);
    ASSERT_NE(region, nullptr);
    EXPECT_EQ(region->begin, begins[i]);
    EXPECT_EQ(hint, region);
    EXPECT_EQ(table->find(begins[i], 64 + i, hint), region);
    EXPECT_EQ(table->find(begins[i], 65 + i, hint), nullptr);
    EXPECT_EQ(hint, region) << "a miss must not spoil the hint";
    EXPECT_EQ(table->find(begins[i] + 64 + i), nullptr);
  }
  EXPECT_EQ(table->find(0), nullptr);
  EXPECT_EQ(table->find(UINT64_MAX), nullptr);
  EXPECT_EQ(table->find(begins[0] + 32, UINT64_MAX, hint), nullptr) << "the end must not wrap around";
}

TEST(Memory, SnapshotStaysAsItWas) {
  Memory memory;
  void *first = memory.allocate(16);
  auto before = memory.regions();
  EXPECT_EQ(before, memory.regions());
  memory.allocate(16);
  EXPECT_EQ(before->all().size(), 1u);
  EXPECT_EQ(memory.regions()->all().size(), 2u);
  EXPECT_TRUE(memory.free(first));
  EXPECT_EQ(before->all().size(), 1u);
}

TEST(Memory, FreedSpaceIsNotHandedOutAgain) {
  Memory memory;
  void *first = memory.allocate(1 << 20);
  EXPECT_TRUE(memory.free(first));
  EXPECT_FALSE(memory.free(first)) << "a second free must be refused";
  for (int i = 0; i < 1000; ++i) {
    void *other = memory.allocate(1 << 20);
    EXPECT_NE(other, first);
    EXPECT_TRUE(memory.free(other));
  }
  EXPECT_EQ(memory.allocatedBytes(), 0u);
}

TEST(Memory, LimitIsKept) {
  Memory memory(1000);
  void *most = memory.allocate(900);
  EXPECT_NE(most, nullptr);
  EXPECT_EQ(memory.allocate(101), nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX), nullptr);
  EXPECT_NE(memory.allocate(100), nullptr);
  EXPECT_TRUE(memory.free(most));
  EXPECT_NE(memory.allocate(900), nullptr);
}

TEST(Memory, OnlyBeginsCanBeFreed) {
  Memory memory;
  char *pointer = static_cast<char *>(memory.allocate(100));
  int local = 0;
  EXPECT_FALSE(memory.free(pointer + 1));
  EXPECT_FALSE(memory.free(&local));
  EXPECT_FALSE(memory.free(nullptr));
  EXPECT_TRUE(memory.free(pointer));
}

TEST(Memory, AdoptedMemoryIsVisibleUntilReleased) {
  Memory memory;
  std::vector<char> mine(100);
  EXPECT_TRUE(memory.adopt(mine.data(), mine.size(), RegionKind::Host));
  EXPECT_TRUE(memory.covers(getAddress(mine.data()), 100));
  EXPECT_FALSE(memory.adopt(mine.data() + 50, 10, RegionKind::Host)) << "it overlaps";
  EXPECT_FALSE(memory.free(mine.data())) << "it was not allocated here";
  EXPECT_TRUE(memory.release(mine.data()));
  EXPECT_FALSE(memory.covers(getAddress(mine.data()), 1));
  EXPECT_FALSE(memory.release(mine.data()));
}

TEST(Memory, SplitLeavesOnlyTheParts) {
  Memory memory;
  void *image = memory.allocate(3000, RegionKind::Code);
  uint64_t base = getAddress(image);
  EXPECT_TRUE(memory.split(
      image, {{base, base + 1000, false, RegionKind::Code, 0}, {base + 2000, base + 3000, true, RegionKind::Code, 0}}));
  Region region;
  ASSERT_TRUE(memory.find(base + 500, region));
  EXPECT_FALSE(region.writable);
  EXPECT_FALSE(memory.find(base + 1500, region)) << "the gap belongs to nobody";
  ASSERT_TRUE(memory.find(base + 2500, region));
  EXPECT_TRUE(region.writable);
  EXPECT_EQ(memory.regions()->all().size(), 2u);
  EXPECT_FALSE(memory.split(image, {{base, base + 3001, true, RegionKind::Code, 0}}));
  EXPECT_TRUE(memory.free(image));
  EXPECT_EQ(memory.regions()->all().size(), 0u);
}

TEST(Memory, PhysicalPagesFollowTheOrderOfAllocation) {
  uint64_t seen[2][4];
  for (uint64_t (&physical)[4] : seen) {
    Memory memory;
    const size_t bytes[] = {100, 3 * Memory::largePageBytes + 1, 1, 5000};
    for (unsigned i = 0; i < 4; ++i) {
      Region region;
      void *pointer = memory.allocate(bytes[i]);
      ASSERT_TRUE(memory.find(getAddress(pointer), region));
      physical[i] = region.physical;
      if (i == 0)
        memory.free(pointer); // its pages are not reused
    }
  }
  const uint64_t large = Memory::largePageBytes, page = Memory::pageBytes;
  const uint64_t expected[] = {0, large, 5 * large, 5 * large + page};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[0][i], expected[i]);
    EXPECT_EQ(seen[1][i], expected[i]) << "wherever the host puts it";
  }
}

TEST(Memory, PartsKeepTheirPhysicalPlaces) {
  Memory memory;
  memory.allocate(1);
  void *image = memory.allocate(3000, RegionKind::Code);
  const uint64_t base = getAddress(image);
  ASSERT_TRUE(memory.split(image, {{base, base + 1000, false}, {base + 2000, base + 3000, true}}));
  Region region;
  ASSERT_TRUE(memory.find(base + 2500, region));
  EXPECT_EQ(region.physical, Memory::pageBytes + 2000);
}

TEST(Memory, DescribeNamesWhatIsThere) {
  Memory memory;
  uint64_t live = getAddress(memory.allocate(4096));
  void *gone = memory.allocate(512);
  memory.free(gone);
  EXPECT_THAT(memory.describe(0), HasSubstr("null pointer"));
  EXPECT_THAT(memory.describe(16), HasSubstr("null pointer plus 16 bytes"));
  EXPECT_THAT(memory.describe(live + 4), HasSubstr("4 bytes into allocation 1"));
  EXPECT_THAT(memory.describe(live + 4096), HasSubstr("0 bytes past the end of allocation 1"));
  EXPECT_THAT(memory.describe(live - 8), HasSubstr("8 bytes before the begin of allocation 1"));
  EXPECT_THAT(memory.describe(getAddress(gone) + 8), HasSubstr("8 bytes into allocation 2"));
  EXPECT_THAT(memory.describe(getAddress(gone) + 8), HasSubstr("was freed"));
}

} // namespace
} // namespace nstf::emulator
