// Global, flat, scratch and buffer memory.
#include "runtime/emulator/execute/Dispatch.h"
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

TEST(Global, loadsAndStores) {
  for (const char *target : {"gfx90a", "gfx942"})
    for (const char *space : {"global", "flat"}) {
      std::string g = space, off = g == "global" ? ", off" : "";
      std::string text = g + "_load_ubyte v8, v[2:3]" + off + "\n" + g + "_load_sshort v9, v[2:3]" + off +
                         " offset:2\n" + g + "_load_dword v10, v[2:3]" + off + " offset:4\n" + g +
                         "_load_dwordx2 v[12:13], v[2:3]" + off + "\n" + g + "_load_dwordx3 v[14:16], v[2:3]" + off +
                         "\n" + g + "_load_dwordx4 a[20:23], v[2:3]" + off + "\n" + g +
                         "_load_short_d16_hi v24, v[2:3]" + off + "\n" + g + "_store_dwordx4 v[4:5], a[20:23]" + off +
                         "\n" + g + "_store_byte v[6:7], v10" + off + "\n" + g + "_store_short v[6:7], v10" + off +
                         " offset:2\n" + g + "_store_dwordx3 v[6:7], v[14:16]" + off + " offset:4";
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
  w.scalars[22] = 40;                                                    // elements
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

} // namespace
