// LDS, global, flat, scratch and buffer memory.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"
#include "runtime/emulator/execute/Dispatch.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

std::vector<u8> randomBytes(size_t count) {
  Operands operands;
  std::vector<u8> bytes(count);
  for (u8 &b : bytes)
    b = u8(operands.engine());
  return bytes;
}
template <typename T> T read(const u8 *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

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

TEST(Global, loadsAndStores) {
  for (const char *target : {"gfx90a", "gfx942"})
    for (const char *space : {"global", "flat"}) {
      std::string g = space, off = g == "global" ? ", off" : "";
      std::string text = g + "_load_ubyte v8, v[2:3]" + off + "\n" + g + "_load_sshort v9, v[2:3]" + off + " offset:2\n" + g +
                         "_load_dword v10, v[2:3]" + off + " offset:4\n" + g + "_load_dwordx2 v[12:13], v[2:3]" + off + "\n" + g +
                         "_load_dwordx3 v[14:16], v[2:3]" + off + "\n" + g + "_load_dwordx4 a[20:23], v[2:3]" + off +
                         "\n" + g + "_load_short_d16_hi v24, v[2:3]" + off + "\n" + g + "_store_dwordx4 v[4:5], a[20:23]" + off + "\n" +
                         g + "_store_byte v[6:7], v10" + off + "\n" + g + "_store_short v[6:7], v10" + off + " offset:2\n" + g +
                         "_store_dwordx3 v[6:7], v[14:16]" + off + " offset:4";
      SCOPED_TRACE(std::string(target) + " " + text);
      Snippet s(target, text);
      ASSERT_EQ(s.program->trapCount(), 0u);
      std::vector<u8> data = randomBytes(64 * 16), out(64 * 16), small(64 * 16);
      s.allow(data.data(), data.size(), false);
      s.allow(out.data(), out.size());
      s.allow(small.data(), small.size());
      for (bool ordered : {true, false}) {
        u64 exec = ordered ? ~u64(0) : 0x123456789abcdef1ull;
        s.wave().setExec(exec);
        std::fill(out.begin(), out.end(), 0);
        for (unsigned l = 0; l < 64; ++l) {
          u64 at = (ordered ? l : l * 29 % 64) * 16;
          s.setLane<u64>(2, l, reinterpret_cast<u64>(data.data()) + at);
          s.setLane<u64>(4, l, reinterpret_cast<u64>(out.data()) + at);
          s.setLane<u64>(6, l, reinterpret_cast<u64>(small.data()) + at);
        }
        s.run();
        for (unsigned l = 0; l < 64; ++l) {
          u64 place = (ordered ? l : l * 29 % 64) * 16;
          const u8 *at = data.data() + place;
          if (!(exec >> l & 1)) {
            ASSERT_EQ(read<u64>(out.data() + place), 0u);
            continue;
          }
          auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
          ASSERT_EQ(row(8), at[0]);
          ASSERT_EQ(row(9), u32(int(read<int16_t>(at + 2))));
          ASSERT_EQ(row(10), read<u32>(at + 4));
          ASSERT_EQ(s.lane<u64>(12, l), read<u64>(at));
          for (unsigned k = 0; k < 3; ++k)
            ASSERT_EQ(row(14 + k), read<u32>(at + 4 * k));
          for (unsigned k = 0; k < 4; ++k)
            ASSERT_EQ(s.wave().rows[agprRow + 20 + k][l], read<u32>(at + 4 * k));
          ASSERT_EQ(row(24), u32(read<u16>(at)) << 16);
          ASSERT_EQ(std::memcmp(out.data() + place, at, 16), 0);
          ASSERT_EQ(small[place], at[4]);
          ASSERT_EQ(read<u16>(small.data() + place + 2), read<u16>(at + 4));
          ASSERT_EQ(std::memcmp(small.data() + place + 4, at, 12), 0);
        }
      }
    }
}

TEST(Global, scalarBaseAndNegativeOffset) {
  Snippet s("gfx942", "global_load_dword v8, v2, s[20:21] offset:-8\nglobal_store_dword v2, v8, s[22:23]");
  std::vector<u32> data(80), out(80);
  for (unsigned i = 0; i < 80; ++i)
    data[i] = i * i;
  s.allow(data.data(), 320, false);
  s.allow(out.data(), 320);
  s.wave().setScalar64(20, reinterpret_cast<u64>(data.data()));
  s.wave().setScalar64(22, reinterpret_cast<u64>(out.data()));
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[2][l] = 8 + 4 * l;
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    ASSERT_EQ(out[l + 2], l * l);
}

TEST(Global, atomics) {
  Snippet s("gfx942", R"(
    global_atomic_add v[2:3], v8, off
    global_atomic_add v9, v[2:3], v8, off offset:4 sc0
    global_atomic_cmpswap v10, v[4:5], v[12:13], off sc0
    global_atomic_add_f32 v[2:3], v14, off offset:8
    global_atomic_smax v[2:3], v15, off offset:12
    global_atomic_add_x2 v[2:3], v[16:17], off offset:16
    flat_atomic_add_f64 v[2:3], v[18:19] offset:24
    global_atomic_pk_add_f16 v[2:3], v20, off offset:32
    global_atomic_swap v21, v[6:7], v8, off sc0)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  alignas(8) u32 memory[16] = {}, own[64] = {}, swapped[64];
  memory[3] = u32(-1000);
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<u64>(2, l, reinterpret_cast<u64>(memory));
    s.setLane<u64>(4, l, reinterpret_cast<u64>(own + l));
    s.setLane<u64>(6, l, reinterpret_cast<u64>(swapped + l));
    s.wave().rows[8][l] = l;
    own[l] = l % 3;
    swapped[l] = 900 + l;
    s.wave().rows[12][l] = 500 + l; // new
    s.wave().rows[13][l] = 2;       // compared with
    s.setLane<float>(14, l, 0.25f);
    s.wave().rows[15][l] = u32(int(l) - 100);
    s.setLane<u64>(16, l, 0xffffffffull);
    s.setLane<double>(18, l, 0.125);
    s.wave().rows[20][l] = 0x3c004000; // 2 and 1
  }
  s.allow(memory, sizeof(memory));
  s.allow(own, sizeof(own));
  s.allow(swapped, sizeof(swapped));
  s.run();
  EXPECT_EQ(memory[0], 63u * 32);
  EXPECT_EQ(read<float>(reinterpret_cast<u8 *>(memory + 2)), 16.0f);
  EXPECT_EQ(int(memory[3]), -37);
  EXPECT_EQ(read<u64>(reinterpret_cast<u8 *>(memory + 4)), 0xffffffffull * 64);
  EXPECT_EQ(read<double>(reinterpret_cast<u8 *>(memory + 6)), 8.0);
  EXPECT_EQ(memory[8], 0x54005800u); // 128 and 64
  u32 sum = 0;
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(s.wave().rows[9][l], sum);
    sum += l;
    EXPECT_EQ(s.wave().rows[10][l], l % 3);
    EXPECT_EQ(own[l], l % 3 == 2 ? 500 + l : l % 3);
    EXPECT_EQ(s.wave().rows[21][l], 900 + l);
    EXPECT_EQ(swapped[l], l);
  }
}

TEST(Flat, reachesLdsAndScratch) {
  Snippet s("gfx942", R"(
    flat_load_dword v8, v[2:3]
    flat_store_dwordx2 v[4:5], v[10:11]
    flat_load_dwordx2 v[12:13], v[4:5]
    scratch_load_dwordx2 v[14:15], v6, off
    scratch_store_dword off, v8, s20 offset:4
    scratch_load_dword v16, off, s20 offset:4
    scratch_store_short v6, v8, off offset:16
    scratch_load_ushort v17, v6, off offset:16)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::vector<u32> scratch(64 * 64), data(64);
  const_cast<Launch *>(s.wave().group->launch)->scratchBytes = 256;
  s.wave().scratch = reinterpret_cast<u64>(scratch.data());
  s.allow(data.data(), 256);
  s.wave().scalars[20] = 96;
  for (unsigned l = 0; l < 64; ++l) {
    data[l] = l + 70;
    reinterpret_cast<u32 *>(s.lds.data())[l] = l + 7000;
    u64 lds = u64(sharedApertureHigh) << 32 | l * 4;
    s.setLane<u64>(2, l, l % 2 ? lds : reinterpret_cast<u64>(&data[l]));
    s.setLane<u64>(4, l, u64(privateApertureHigh) << 32 | (l % 5 * 8 + 2)); // not on a dword
    s.wave().rows[6][l] = l % 5 * 8 + 2;
    s.setLane<u64>(10, l, 0x1122334455667788ull + l);
  }
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    ASSERT_EQ(s.wave().rows[8][l], l + (l % 2 ? 7000 : 70));
    ASSERT_EQ(s.lane<u64>(12, l), 0x1122334455667788ull + l);
    ASSERT_EQ(s.lane<u64>(14, l), 0x1122334455667788ull + l);
    ASSERT_EQ(s.wave().rows[16][l], s.wave().rows[8][l]);
    ASSERT_EQ(scratch[25 * 64 + l], s.wave().rows[8][l]); // byte 100: dwords interleaved over the lanes
    ASSERT_EQ(s.wave().rows[17][l], u16(s.wave().rows[8][l]));
  }
}

TEST(Buffer, rawRangeCheckIsPerDwordAndIncludesSoffset) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, R"(
      buffer_load_dwordx4 v[8:11], v2, s[20:23], s24 offen offset:8
      buffer_load_dword v12, off, s[20:23], 0 offset:16
      buffer_load_ubyte v13, v2, s[20:23], 0 offen
      buffer_load_short_d16_hi v14, v2, s[20:23], 0 offen
      buffer_store_dwordx2 v[4:5], v2, s[28:31], 0 offen
      buffer_load_dword v15, v3, s[20:23], 0 offen)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    std::vector<u32> data(256), out(256, 0xabcd);
    for (unsigned i = 0; i < 256; ++i)
      data[i] = 1 + i * 0x01010101u;
    s.allow(data.data(), 1024, false);
    s.allow(out.data(), 1024);
    Wave &w = s.wave();
    w.setScalar64(20, reinterpret_cast<u64>(data.data()));
    w.scalars[22] = 500;
    w.scalars[24] = 4;
    w.setScalar64(28, reinterpret_cast<u64>(out.data()));
    w.scalars[30] = 252;
    for (unsigned l = 0; l < 64; ++l) {
      w.rows[2][l] = l * 12;
      w.rows[3][l] = l % 2 ? 0xfffffff0 : l * 4; // "negative" offsets are outside
      w.rows[4][l] = l, w.rows[5][l] = l + 100;
    }
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned k = 0; k < 4; ++k) {
        unsigned at = l * 12 + 12 + 4 * k;
        ASSERT_EQ(w.rows[8 + k][l], at + 4 <= 500 ? data[at / 4] : 0) << l << ' ' << k;
      }
      ASSERT_EQ(w.rows[12][l], data[4]);
      ASSERT_EQ(w.rows[13][l], l * 12 + 1 <= 500 ? data[l * 3] & 0xff : 0);
      ASSERT_EQ(w.rows[14][l], l * 12 + 2 <= 500 ? data[l * 3] << 16 : 0);
      ASSERT_EQ(w.rows[15][l], l % 2 ? 0 : data[l]);
      ASSERT_EQ(out[l * 3], l * 12 + 4 <= 252 ? l : 0xabcd);
      ASSERT_EQ(out[l * 3 + 1], l * 12 + 8 <= 252 ? l + 100 : 0xabcd);
    }
  }
}

TEST(Buffer, structuredSwizzledAndToLds) {
  Snippet s("gfx90a", R"(
    buffer_load_dword v8, v2, s[20:23], 0 idxen offset:4
    buffer_load_dword v9, v[2:3], s[20:23], 0 idxen offen
    buffer_store_dword v2, off, s[24:27], 0 offset:12
    buffer_load_dword v10, v4, s[24:27], 0 offen offset:8
    s_mov_b32 m0, 128
    buffer_load_dword v5, s[28:31], 0 offen lds
    buffer_atomic_add v11, v5, s[28:31], 0 offen glc)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::vector<u32> data(512), scratch(64 * 8);
  for (unsigned i = 0; i < 512; ++i)
    data[i] = i + 5;
  s.allow(data.data(), 2048);
  s.allow(scratch.data(), scratch.size() * 4);
  Wave &w = s.wave();
  w.setScalar64(20, reinterpret_cast<u64>(data.data()) | u64(12) << 48); // stride 12
  w.scalars[22] = 40;                                                     // elements
  w.setScalar64(24, reinterpret_cast<u64>(scratch.data()) | u64(1) << 63);
  w.scalars[26] = 0xffffffff;
  w.scalars[27] = 3u << 21 | 1u << 19 | 1u << 23; // over 64 lanes, dwords, the lane added
  w.setScalar64(28, reinterpret_cast<u64>(data.data()));
  w.scalars[30] = 2048;
  for (unsigned l = 0; l < 64; ++l) {
    w.rows[2][l] = l, w.rows[3][l] = 8, w.rows[4][l] = 4, w.rows[5][l] = l * 4;
    w.rows[11][l] = 1000;
  }
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    ASSERT_EQ(w.rows[8][l], l < 40 ? l * 3 + 1 + 5 : 0);
    ASSERT_EQ(w.rows[9][l], l < 40 ? l * 3 + 2 + 5 : 0);
    ASSERT_EQ(scratch[3 * 64 + l], l);
    ASSERT_EQ(w.rows[10][l], l);
    ASSERT_EQ(reinterpret_cast<u32 *>(s.lds.data())[32 + l], l + 5);
    ASSERT_EQ(w.rows[11][l], l + 5);
    ASSERT_EQ(data[l], l + 1005);
  }
}

std::string faultOf(Snippet &s) {
  try {
    s.run();
  } catch (const WaveFault &fault) {
    return fault.what + (fault.lane >= 0 ? ", lane " + std::to_string(fault.lane) : "") + ": " +
           s.program->textOf(fault.op);
  }
  return "no fault";
}

TEST(Faults, nameLaneAndInstruction) {
  std::vector<u32> data(64);
  u64 address = reinterpret_cast<u64>(data.data());
  Snippet load("gfx942", "s_nop 0\nglobal_load_dword v8, v[2:3], off");
  load.allow(data.data(), 256);
  for (unsigned l = 0; l < 64; ++l)
    load.setLane<u64>(2, l, address + l * 4 + (l >= 17 ? 1 << 20 : 0));
  EXPECT_EQ(faultOf(load), "load of 4 bytes outside every allocation, lane 17: global_load_dword v8, v[2:3], off");
  load.wave().setExec(0x1ffff);
  EXPECT_EQ(faultOf(load), "no fault");

  Snippet store("gfx942", "global_store_dword v[2:3], v8, off");
  store.allow(data.data(), 256, false);
  for (unsigned l = 0; l < 64; ++l)
    store.setLane<u64>(2, l, address + l * 4);
  EXPECT_EQ(faultOf(store), "store to read-only memory, lane 0: global_store_dword v[2:3], v8, off");

  Snippet lds("gfx90a", "ds_read_b128 v[8:11], v2", 1024);
  for (unsigned l = 0; l < 64; ++l)
    lds.wave().rows[2][l] = l * 16 + (l == 63 ? 4 : 0);
  EXPECT_EQ(faultOf(lds), "access of 16 bytes at LDS offset 1012, but the workgroup has 1024 bytes, lane 63: ds_read_b128 v[8:11], v2");

  Snippet scalar("gfx942", "s_load_dwordx4 s[4:7], s[2:3], 0xf8");
  scalar.allow(data.data(), 256);
  scalar.wave().setScalar64(2, address);
  EXPECT_EQ(faultOf(scalar), "load of 16 bytes outside every allocation: s_load_dwordx4 s[4:7], s[2:3], 0xf8");

  Snippet trap("gfx942", "s_mov_b32 s2, 1\ns_trap 2");
  EXPECT_EQ(faultOf(trap), "trap 2 (abort or assertion): s_trap 2");
  Snippet unknown("gfx90a", "s_mov_b32 s2, 1\nds_gws_init v0 gds");
  EXPECT_EQ(unknown.program->trapCount(), 1u);
  EXPECT_EQ(faultOf(unknown), "no meaning for this instruction: ds_gws_init v0 gds");
  Snippet nothing("gfx942", ".long 0xfffffffe");
  EXPECT_EQ(faultOf(nothing).substr(0, 49), "no meaning for this instruction: no instruction: ");
}

} // namespace
