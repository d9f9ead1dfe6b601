// The heap's blocks and its limit.
#include "runtime/emulator/services/DeviceHeap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace nstf::emulator;
using services::DeviceHeap;

namespace {

constexpr uint64_t slab = DeviceHeap::slabBytes, page = Memory::pageBytes;

TEST(DeviceHeapTest, BlocksAreApartAndAligned) {
  Memory memory(256 * slab);
  DeviceHeap heap(memory);
  heap.prepare();
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() > 100 || (random() % 3 == 0 && !live.empty())) {
      const auto some = std::next(live.begin(), std::ptrdiff_t(random() % live.size()));
      EXPECT_TRUE(heap.free(some->first));
      EXPECT_FALSE(heap.free(some->first)) << "twice";
      live.erase(some);
      continue;
    }
    const uint64_t bytes = random() % 5 == 0 ? slab : random() % 100000 + 1, block = heap.allocate(bytes);
    ASSERT_NE(block, 0u);
    EXPECT_EQ(block % (bytes == slab ? slab : page), 0u);
    EXPECT_TRUE(memory.covers(block, bytes));
    const auto next = live.lower_bound(block);
    EXPECT_TRUE(next == live.end() || block + bytes <= next->first);
    EXPECT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= block);
    live.emplace(block, bytes);
  }
  const uint64_t before = memory.allocatedBytes();
  for (auto [block, bytes] : live)
    heap.free(block);
  EXPECT_LT(memory.allocatedBytes(), before);
  EXPECT_NE(heap.allocate(50 * slab), 0u) << "freed neighbours are one block";
}

TEST(DeviceHeapTest, TheLimitIsInWholeSlabs) {
  Memory memory(64 * slab);
  DeviceHeap heap(memory);
  heap.prepare();
  EXPECT_EQ(heap.getLimit(), memory.limit());
  EXPECT_FALSE(heap.setLimit(memory.limit() + 1));
  EXPECT_TRUE(heap.setLimit(slab + 1));
  EXPECT_EQ(heap.getLimit(), 2 * slab);
  EXPECT_EQ(heap.allocate(UINT64_MAX), 0u);
  EXPECT_EQ(heap.allocate(3 * slab), 0u);
  const uint64_t first = heap.allocate(slab), second = heap.allocate(slab - 1);
  EXPECT_NE(first, 0u);
  EXPECT_NE(second, 0u);
  EXPECT_EQ(heap.allocate(1), 0u) << "it is used up";
  EXPECT_TRUE(heap.free(second));
  EXPECT_NE(heap.allocate(1), 0u);
  EXPECT_TRUE(heap.setLimit(0));
  EXPECT_EQ(heap.allocate(1), 0u);
}

TEST(DeviceHeapTest, SharesTheDevicesMemory) {
  Memory memory(64 * slab);
  DeviceHeap heap(memory);
  heap.prepare();
  const uint64_t before = memory.allocatedBytes();
  ASSERT_NE(heap.allocate(10 * slab), 0u);
  EXPECT_EQ(memory.allocatedBytes(), before + 10 * slab);
  EXPECT_EQ(memory.allocate(60 * slab), nullptr);
  void *most = memory.allocate(50 * slab);
  ASSERT_NE(most, nullptr);
  EXPECT_EQ(heap.allocate(10 * slab), 0u);
  EXPECT_TRUE(memory.free(most));
  EXPECT_NE(heap.allocate(10 * slab), 0u);
}

} // namespace
