// LDS instructions with two operands, counters, addresses by lane, and transfers between LDS and memory without
// registers.
#include "test/runtime/emulator/instructions/Operands.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <bit>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
const char *const targets[] = {"gfx90a", "gfx942"};

template <typename T> T ldsAt(const Snippet &s, size_t at) {
  T value;
  std::memcpy(&value, s.lds.data() + at, sizeof(T));
  return value;
}
template <typename T> void setLds(Snippet &s, size_t at, T value) { std::memcpy(s.lds.data() + at, &value, sizeof(T)); }

TEST(LdsSpecial, MaskedOrWrapAndConditionalExchange) {
  for (const char *target : targets) {
    Snippet s(target, R"(
      ds_mskor_rtn_b32 v10, v2, v4, v5
      ds_mskor_b64 v2, v[6:7], v[8:9] offset:512
      ds_wrap_rtn_b32 v12, v3, v4, v5 offset:1024
      ds_condxchg32_rtn_b64 v[14:15], v2, v[6:7] offset:2048)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    std::mt19937 random(5);
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[2][l] = l * 8;
      s.wave().rows[3][l] = l * 4;
      for (unsigned row : {4, 5, 6, 7, 8, 9})
        s.wave().rows[row][l] = row == 4 || row == 5 ? random() >> (l % 2 ? 0 : 20) : random();
    }
    for (size_t at = 0; at + 4 <= s.lds.size(); at += 4)
      setLds<u32>(s, at, u32(random() >> (at / 4 % 3 * 8)));
    std::vector<uint8_t> before = s.lds;
    auto old32 = [&](size_t at) {
      u32 v;
      std::memcpy(&v, before.data() + at, 4);
      return v;
    };
    auto old64 = [&](size_t at) { return old32(at) | u64(old32(at + 4)) << 32; };
    // mskor writes 8 l .. 8 l + 4 and 512 + 8 l ..; wrap is at 1024 + 4 l, condxchg at 2048 + 8 l.
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      SCOPED_TRACE(std::string(target) + " lane " + std::to_string(l));
      auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
      u32 a = row(4), b = row(5);
      ASSERT_EQ(row(10), old32(l * 8));
      ASSERT_EQ(ldsAt<u32>(s, l * 8), (old32(l * 8) & ~a) | b);
      u64 mask = row(6) | u64(row(7)) << 32, value = row(8) | u64(row(9)) << 32;
      ASSERT_EQ(ldsAt<u64>(s, 512 + l * 8), (old64(512 + l * 8) & ~mask) | value);
      u32 counter = old32(1024 + l * 4);
      ASSERT_EQ(row(12), counter);
      ASSERT_EQ(ldsAt<u32>(s, 1024 + l * 4), counter >= a ? counter - a : counter + b);
      for (unsigned half = 0; half < 2; ++half) {
        u32 was = old32(2048 + l * 8 + 4 * half), given = row(6 + half);
        ASSERT_EQ(row(14 + half), was);
        ASSERT_EQ(ldsAt<u32>(s, 2048 + l * 8 + 4 * half), given >> 31 ? given & 0x7fffffff : was);
      }
    }
  }
}

TEST(LdsSpecial, TwoExchanges) {
  for (const char *target : targets) {
    Snippet s(target, "ds_wrxchg2_rtn_b32 v[10:11], v2, v4, v5 offset0:1 offset1:0");
    ASSERT_EQ(s.program->trapCount(), 0u);
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[2][l] = l * 8;
      s.wave().rows[4][l] = 1000 + l;
      s.wave().rows[5][l] = 2000 + l;
      setLds<u32>(s, l * 8, l);
      setLds<u32>(s, l * 8 + 4, 100 + l);
    }
    s.wave().setExec(0x00ff00ff00ff00f1ull);
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      bool active = 0x00ff00ff00ff00f1ull >> l & 1;
      ASSERT_EQ(s.wave().rows[10][l], active ? 100 + l : 0);
      ASSERT_EQ(s.wave().rows[11][l], active ? l : 0);
      ASSERT_EQ(ldsAt<u32>(s, l * 8 + 4), active ? 1000 + l : 100 + l);
      ASSERT_EQ(ldsAt<u32>(s, l * 8), active ? 2000 + l : l);
    }
  }
}

TEST(LdsSpecial, ExchangesFarApart) {
  for (const char *target : targets) {
    Snippet s(target, "ds_wrxchg2st64_rtn_b64 v[12:15], v3, v[6:7], v[8:9] offset0:1 offset1:2", 4096);
    ASSERT_EQ(s.program->trapCount(), 0u);
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[3][l] = l * 8;
      s.setLane<u64>(6, l, l * 0x100000001ull);
      s.setLane<u64>(8, l, ~u64(l));
      setLds<u64>(s, 512 + l * 8, 7 * l);
      setLds<u64>(s, 1024 + l * 8, 9 * l);
    }
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      ASSERT_EQ(s.lane<u64>(12, l), 7 * l);
      ASSERT_EQ(s.lane<u64>(14, l), 9 * l);
      ASSERT_EQ(ldsAt<u64>(s, 512 + l * 8), l * 0x100000001ull);
      ASSERT_EQ(ldsAt<u64>(s, 1024 + l * 8), ~u64(l));
    }
  }
}

TEST(LdsSpecial, CountersAndAddressesByLane) {
  for (const char *target : targets) {
    Snippet s(target, "ds_append v8 offset:16\nds_append v9 offset:16\nds_consume v10 offset:16\n"
                      "ds_write_addtid_b32 v2 offset:64\nds_read_addtid_b32 v11 offset:64\n"
                      "ds_read_addtid_b32 a12 offset:68\nds_nop");
    ASSERT_EQ(s.program->trapCount(), 0u);
    u64 exec = 0x8000000000000ff0ull;
    u32 count = u32(std::popcount(exec));
    s.wave().setExec(exec);
    s.wave().scalars[sgpr::m0] = 0xabcd0020;
    setLds<u32>(s, 0x30, 5);
    setLds<u32>(s, 0x60 + 4 * 12, 777); // no lane writes there
    for (unsigned l = 0; l < 64; ++l)
      s.wave().rows[2][l] = l + 40;
    s.run();
    EXPECT_EQ(ldsAt<u32>(s, 0x30), 5 + count);
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1) {
        EXPECT_EQ(s.wave().rows[8][l], 5u);
        EXPECT_EQ(s.wave().rows[9][l], 5 + count);
        EXPECT_EQ(s.wave().rows[10][l], 5 + 2 * count);
        EXPECT_EQ(ldsAt<u32>(s, 0x60 + 4 * l), l + 40);
        EXPECT_EQ(s.wave().rows[11][l], l + 40);
        if (l == 11)
          EXPECT_EQ(s.wave().rows[agprRow + 12][l], 777u);
      } else {
        EXPECT_EQ(s.wave().rows[8][l], 0u);
        EXPECT_EQ(s.wave().rows[11][l], 0u);
      }
  }
}

TEST(LdsSpecial, LoadsFromScratchAndStoresToABuffer) {
  {
    const char *target = "gfx942";
    Snippet s(target, "scratch_load_lds_ushort off, s4 offset:2");
    ASSERT_EQ(s.program->trapCount(), 0u);
    std::vector<u32> scratch(64 * 4);
    s.wave().scratch = reinterpret_cast<u64>(scratch.data());
    const_cast<Launch *>(s.wave().group->launch)->scratchBytes = 16;
    for (unsigned l = 0; l < 64; ++l)
      scratch[2 * 64 + l] = 0xbeef0000u + l * 0x10001u; // the dword at offset 8 of each lane
    s.wave().scalars[4] = 8;
    s.wave().scalars[sgpr::m0] = 32;
    s.run();
    for (unsigned l = 0; l < 64; ++l)
      ASSERT_EQ(ldsAt<u32>(s, 34 + l * 4), 0xbeefu + l) << target;
  }
  Snippet s("gfx90a", "buffer_store_lds_dword s[4:7], s8 offset:8 lds");
  ASSERT_EQ(s.program->trapCount(), 0u);
  // Address: base + soffset + offset. ADD_TID with stride 4 gives each lane a dword.
  std::vector<u32> memory(80, 1);
  s.allow(memory.data(), memory.size() * 4);
  s.wave().setScalar64(4, reinterpret_cast<u64>(memory.data()) | u64(4) << 48);
  s.wave().scalars[6] = 60; // records: the last four lanes are out of range
  s.wave().scalars[7] = 1u << 23;
  s.wave().scalars[8] = 4;
  s.wave().scalars[sgpr::m0] = 16;
  for (unsigned l = 0; l < 64; ++l)
    setLds<u32>(s, 24 + l * 4, 500 + l);
  s.run();
  for (unsigned i = 0; i < 80; ++i)
    ASSERT_EQ(memory[i], i >= 3 && i < 63 ? 500 + i - 3 : 1) << i;
}

} // namespace
