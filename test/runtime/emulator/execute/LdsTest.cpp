// LDS accesses, atomics and permutations.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

TEST(Lds, readsAndWritesOfEveryWidth) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, R"(
      ds_read_b32 v8, v2 offset:4
      ds_read_b64 v[10:11], v2 offset:8
      ds_read_b96 v[12:14], v2
      ds_read_b128 v[16:19], v2 offset:16
      ds_read_u8 v20, v2 offset:1
      ds_read_i8 v21, v2 offset:1
      ds_read_u16 v22, v2 offset:2
      ds_read_i16 v23, v2 offset:2
      ds_read_u16_d16 v24, v2
      ds_read_u16_d16_hi v25, v2
      ds_read2_b32 v[26:27], v2 offset0:1 offset1:3
      ds_read2_b64 v[28:31], v2 offset0:1 offset1:2
      ds_read2st64_b32 v[32:33], v2 offset0:1 offset1:2
      ds_write_b128 v3, v[16:19]
      ds_write2_b64 v4, v[16:17], v[18:19] offset0:0 offset1:2
      ds_write_b8 v5, v8
      ds_write_b16 v5, v8 offset:2
      ds_write_b16_d16_hi v5, v8 offset:4
      ds_write_b32 v6, v8)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    for (bool ordered : {true, false}) {
      s.lds = randomBytes(8192);
      std::vector<u8> before = s.lds;
      s.lds.resize(8192);
      s.wave().group->lds = s.lds.data();
      const_cast<Launch *>(s.wave().group->launch)->ldsBytes = 8192;
      u64 exec = ordered ? ~u64(0) : 0xf0f0f0f0f0f0f0f5ull;
      s.wave().setExec(exec);
      for (unsigned l = 0; l < 64; ++l) {
        u32 at = ordered ? l * 16 : (l * 7 % 64) * 16;
        s.wave().rows[2][l] = at;
        s.wave().rows[3][l] = 2048 + at;
        s.wave().rows[4][l] = 4096 + (ordered ? l * 24 : (63 - l) * 24);
        s.wave().rows[5][l] = 6144 + l * 8;
        s.wave().rows[6][l] = 6144 + 512 + l * 4;
      }
      s.run();
      for (unsigned l = 0; l < 64; ++l) {
        if (!(exec >> l & 1))
          continue;
        auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
        const u8 *at = before.data() + row(2);
        ASSERT_EQ(row(8), read<u32>(at + 4));
        ASSERT_EQ(s.lane<u64>(10, l), read<u64>(at + 8));
        ASSERT_EQ(row(14), read<u32>(at + 8));
        for (unsigned k = 0; k < 4; ++k)
          ASSERT_EQ(row(16 + k), read<u32>(at + 16 + 4 * k));
        ASSERT_EQ(row(20), at[1]);
        ASSERT_EQ(row(21), u32(int(int8_t(at[1]))));
        ASSERT_EQ(row(22), read<u16>(at + 2));
        ASSERT_EQ(row(23), u32(int(read<int16_t>(at + 2))));
        ASSERT_EQ(row(24), read<u16>(at)); // the other half is cleared
        ASSERT_EQ(row(25), u32(read<u16>(at)) << 16);
        ASSERT_EQ(row(26), read<u32>(at + 4));
        ASSERT_EQ(row(27), read<u32>(at + 12));
        ASSERT_EQ(s.lane<u64>(28, l), read<u64>(at + 8));
        ASSERT_EQ(s.lane<u64>(30, l), read<u64>(at + 16));
        ASSERT_EQ(row(32), read<u32>(at + 256));
        ASSERT_EQ(row(33), read<u32>(at + 512));
        for (unsigned k = 0; k < 4; ++k)
          ASSERT_EQ(read<u32>(s.lds.data() + row(3) + 4 * k), row(16 + k));
        ASSERT_EQ(read<u64>(s.lds.data() + row(4)), s.lane<u64>(16, l));
        ASSERT_EQ(read<u64>(s.lds.data() + row(4) + 16), s.lane<u64>(18, l));
        ASSERT_EQ(s.lds[row(5)], u8(row(8)));
        ASSERT_EQ(read<u16>(s.lds.data() + row(5) + 2), u16(row(8)));
        ASSERT_EQ(read<u16>(s.lds.data() + row(5) + 4), u16(row(8) >> 16));
        ASSERT_EQ(read<u32>(s.lds.data() + row(6)), row(8));
      }
    }
  }
}

TEST(Lds, permutations) {
  Snippet s("gfx942", R"(
    ds_swizzle_b32 v8, v2 offset:swizzle(BITMASK_PERM, "01pip")
    ds_swizzle_b32 v9, v2 offset:swizzle(QUAD_PERM, 3, 1, 0, 2)
    ds_swizzle_b32 v10, v2 offset:swizzle(SWAP, 16)
    ds_bpermute_b32 v11, v3, v2 offset:8
    ds_permute_b32 v12, v3, v2)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  Operands operands;
  for (unsigned round = 0; round < 8; ++round) {
    u64 exec = operands.exec(round);
    s.wave().setExec(exec);
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[2][l] = u32(operands.engine());
      s.wave().rows[3][l] = u32(operands.engine() % 64 * 4);
    }
    s.run();
    auto from = [&](unsigned lane) { return exec >> lane & 1 ? s.wave().rows[2][lane] : 0; };
    u32 pushed[64] = {};
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1)
        pushed[s.wave().rows[3][l] / 4] = s.wave().rows[2][l];
    const unsigned quad[] = {3, 1, 0, 2};
    for (unsigned l = 0; l < 64; ++l) {
      if (!(exec >> l & 1))
        continue;
      auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
      unsigned bits = (l & 0b00101) | 0b01000; // 0 1 p i p
      bits ^= 0b00010;
      bits = (bits & ~0b10010u) | ((l ^ 0b00010) & 0b00010);
      ASSERT_EQ(row(8), from((l & 32) | bits));
      ASSERT_EQ(row(9), from((l & ~3u) | quad[l & 3]));
      ASSERT_EQ(row(10), from(l ^ 16));
      ASSERT_EQ(row(11), from((row(3) / 4 + 2) % 64));
      ASSERT_EQ(row(12), pushed[l]);
    }
  }
}

TEST(Lds, atomics) {
  Snippet s("gfx942", R"(
    ds_add_u32 v2, v3
    ds_add_rtn_u32 v8, v4, v3
    ds_min_i32 v2, v5 offset:4
    ds_max_u32 v2, v5 offset:8
    ds_cmpst_rtn_b32 v9, v6, v7, v3 offset:64
    ds_add_f32 v2, v10 offset:12
    ds_add_u64 v2, v[12:13] offset:16
    ds_wrxchg_rtn_b32 v11, v14, v3 offset:1024
    ds_inc_u32 v2, v15 offset:24)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::fill(s.lds.begin(), s.lds.end(), 0);
  auto word = [&](unsigned at) -> u32 & { return *reinterpret_cast<u32 *>(s.lds.data() + at); };
  for (unsigned l = 0; l < 64; ++l) {
    s.wave().rows[2][l] = 0;
    s.wave().rows[3][l] = l + 1;
    s.wave().rows[4][l] = 32;
    s.wave().rows[5][l] = l * 3 - 50;
    s.wave().rows[6][l] = l * 8;
    s.wave().rows[7][l] = l % 2; // what to compare with
    word(64 + l * 8) = 1;
    s.setLane<float>(10, l, 0.5f);
    s.setLane<u64>(12, l, 0x100000000ull + l);
    s.wave().rows[14][l] = l * 4;
    word(1024 + l * 4) = 7000 + l;
    s.wave().rows[15][l] = 9; // counts 0 … 9
  }
  s.run();
  EXPECT_EQ(word(0), 65u * 32);
  EXPECT_EQ(word(32), 65u * 32);
  EXPECT_EQ(int(word(4)), -50);
  EXPECT_EQ(word(8), u32(-50 + 48)); // the largest as unsigned: -2
  EXPECT_EQ(read<float>(s.lds.data() + 12), 32.0f);
  EXPECT_EQ(read<u64>(s.lds.data() + 16), (u64(64) << 32) + 63 * 64 / 2);
  EXPECT_EQ(word(24), 4u); // 64 steps in a cycle of 10
  u32 sum = 0;
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(s.wave().rows[8][l], sum);
    sum += l + 1;
    EXPECT_EQ(s.wave().rows[9][l], 1u);
    EXPECT_EQ(word(64 + l * 8), l % 2 ? l + 1 : 1);
    EXPECT_EQ(s.wave().rows[11][l], 7000 + l);
    EXPECT_EQ(word(1024 + l * 4), l + 1);
  }
}

} // namespace
