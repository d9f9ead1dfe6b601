// Flat addresses in LDS and scratch, range checks and layouts of buffers. Loads, stores and atomics of every kind are
// in meaning/MemoryTest.cpp.
#include "runtime/emulator/run/Dispatch.h"
#include "test/runtime/emulator/instructions/Operands.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

TEST(Flat, ReachesLdsAndScratch) {
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
    s.setLane<u64>(4, l, u64(privateApertureHigh) << 32 | (l % 5 * 8 + 2)); // unaligned
    s.wave().rows[6][l] = l % 5 * 8 + 2;
    s.setLane<u64>(10, l, 0x1122334455667788ull + l);
  }
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    ASSERT_EQ(s.wave().rows[8][l], l + (l % 2 ? 7000 : 70));
    ASSERT_EQ(s.lane<u64>(12, l), 0x1122334455667788ull + l);
    ASSERT_EQ(s.lane<u64>(14, l), 0x1122334455667788ull + l);
    ASSERT_EQ(s.wave().rows[16][l], s.wave().rows[8][l]);
    ASSERT_EQ(scratch[25 * 64 + l], s.wave().rows[8][l]); // byte 100: scratch interleaves the lanes' dwords
    ASSERT_EQ(s.wave().rows[17][l], u16(s.wave().rows[8][l]));
  }
}

TEST(Buffer, RawRangeCheckIsPerDwordAndIncludesSoffset) {
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
      w.rows[3][l] = l % 2 ? 0xfffffff0 : l * 4; // "negative" offsets are out of range
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

// clang stores the end of an array to gfx90a's scratch as dwords that are not aligned.
TEST(Buffer, UnalignedAccessesStraddleSwizzledDwords) {
  Snippet s("gfx90a", R"(
    buffer_store_dword v2, off, s[24:27], 0 offset:5
    buffer_store_dwordx2 v[2:3], off, s[24:27], 0 offset:15
    buffer_store_short v2, off, s[24:27], 0 offset:31
    buffer_load_dword v8, v4, s[24:27], 0 offen offset:1
    buffer_load_dwordx2 v[10:11], off, s[24:27], 0 offset:15
    buffer_load_ushort v12, off, s[24:27], 0 offset:31
    buffer_load_dword v13, off, s[24:27], 0 offset:4
    buffer_load_dword v14, off, s[24:27], 0 offset:8)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::vector<u32> scratch(64 * 9);
  s.allow(scratch.data(), scratch.size() * 4);
  Wave &w = s.wave();
  w.setScalar64(24, reinterpret_cast<u64>(scratch.data()) | u64(1) << 63);
  w.scalars[26] = 0xffffffff;
  w.scalars[27] = 3u << 21 | 1u << 19 | 1u << 23; // over 64 lanes, dwords, the lane added
  for (unsigned l = 0; l < 64; ++l)
    w.rows[2][l] = 0x04030201 * (l + 1), w.rows[3][l] = ~l, w.rows[4][l] = 4;
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    const u32 value = 0x04030201 * (l + 1);
    ASSERT_EQ(w.rows[8][l], value) << l;
    ASSERT_EQ(w.rows[10][l], value) << l;
    ASSERT_EQ(w.rows[11][l], ~l) << l;
    ASSERT_EQ(w.rows[12][l], value & 0xffff) << l;
    ASSERT_EQ(w.rows[13][l], value << 8) << l; // bytes 5 to 8
    ASSERT_EQ(w.rows[14][l], value >> 24) << l;
  }
}

TEST(Buffer, StructuredSwizzledAndToLds) {
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
  w.scalars[27] = 3u << 21 | 1u << 19 | 1u << 23; // over 64 lanes, dwords, add the lane
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
