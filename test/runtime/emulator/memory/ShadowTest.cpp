// Which bits of memory have been written, against a plain array of bytes; and the effect of the host's copies.
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nstf::emulator;

namespace {

TEST(ShadowTest, IsWhatAnArrayOfBytesWouldBe) {
  constexpr uint64_t base = 0x7f0000003f00, size = 100'000; // several pages, starting inside one
  Shadow shadow;
  std::vector<uint8_t> model(size, 0);
  std::mt19937 random(1);
  for (int step = 0; step < 2000; ++step) {
    uint64_t at = random() % size, bytes = std::min<uint64_t>(random() % (step % 7 ? 70 : 40'000), size - at);
    switch (random() % 4) {
    case 0:
      shadow.setDefined(base + at, bytes);
      std::fill_n(model.begin() + long(at), bytes, 0);
      break;
    case 1:
      shadow.setUndefined(base + at, bytes);
      std::fill_n(model.begin() + long(at), bytes, 0xff);
      break;
    case 2: {
      uint8_t bits[64];
      bytes = std::min<uint64_t>(bytes, sizeof(bits));
      for (uint8_t &b : bits)
        b = random() % 3 ? 0 : uint8_t(random());
      shadow.store(base + at, unsigned(bytes), bits);
      std::copy_n(bits, bytes, model.begin() + long(at));
      break;
    }
    case 3: { // they may overlap
      uint64_t from = random() % (size - bytes + 1);
      shadow.copy(base + at, base + from, bytes);
      std::vector<uint8_t> piece(model.begin() + long(from), model.begin() + long(from + bytes));
      std::copy(piece.begin(), piece.end(), model.begin() + long(at));
      break;
    }
    }
    uint64_t where = random() % size, count = std::min<uint64_t>(random() % 300, size - where);
    std::vector<uint8_t> bits(count);
    shadow.load(base + where, unsigned(count), bits.data());
    ASSERT_TRUE(std::equal(bits.begin(), bits.end(), model.begin() + long(where))) << "step " << step;
    ASSERT_EQ(shadow.isDefined(base + where, count), isZero(model.data() + where, count)) << "step " << step;
  }
  shadow.setDefined(base, size);
  EXPECT_TRUE(shadow.empty()) << "what is wholly defined needs no shadow";
}

TEST(ShadowTest, DeviceMemoryIsUndefinedUntilTheHostWrites) {
  Memory memory;
  auto *before = static_cast<char *>(memory.allocate(64));
  memory.trackDefinedness();
  auto *device = static_cast<char *>(memory.allocate(100'000)), *other = static_cast<char *>(memory.allocate(100'000));
  auto *host = static_cast<char *>(memory.allocate(100'000, RegionKind::Host));
  auto isDefined = [&](const void *pointer, uint64_t bytes) {
    return memory.definedness()->isDefined(reinterpret_cast<uint64_t>(pointer), bytes);
  };
  EXPECT_TRUE(isDefined(before, 64)) << "nobody watched then";
  EXPECT_TRUE(isDefined(host, 100'000));
  EXPECT_FALSE(isDefined(device + 99'999, 1));
  memory.hostWrites(device, 10);
  EXPECT_TRUE(isDefined(device, 10));
  EXPECT_FALSE(isDefined(device + 10, 1));
  memory.hostCopies(other + 5, device, 20);
  EXPECT_FALSE(isDefined(other + 4, 1));
  EXPECT_TRUE(isDefined(other + 5, 10)) << "a copy between allocations carries what is defined";
  EXPECT_FALSE(isDefined(other + 15, 1));
  memory.hostCopies(host, device, 20);
  EXPECT_TRUE(isDefined(host, 20)) << "the host may write its memory unseen";
  memory.hostCopies(device, host, 20);
  EXPECT_TRUE(isDefined(device, 20));
  memory.free(device);
  memory.free(other);
  EXPECT_TRUE(memory.definedness()->empty());
}

} // namespace
