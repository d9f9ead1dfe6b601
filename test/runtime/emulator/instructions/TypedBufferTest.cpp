// Typed buffers: worked examples of every data and number format, the order of components, ranges and 16-bit halves;
// and how the parts of a buffer address add up.
#include "test/runtime/emulator/instructions/Operands.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
const char *const targets[] = {"gfx90a", "gfx942"};
enum { unorm, snorm, uscaled, sscaled, uint, sint, number7 = 7 };

u32 getBits(float v) {
  u32 bits;
  std::memcpy(&bits, &v, 4);
  return bits;
}

/// An element in memory and the four components that a load returns for it.
struct Example {
  int data, number;
  std::vector<uint8_t> memory;
  u32 components[4];
};
const u32 one = 0x3f800000;
std::vector<Example> examples() {
  auto f = getBits;
  return {
      {1, unorm, {255}, {one, 0, 0, one}},
      {1, snorm, {0x81}, {f(-1), 0, 0, one}},
      {1, sscaled, {0x80}, {f(-128), 0, 0, one}},
      {1, uint, {200}, {200, 0, 0, 1}},
      {1, sint, {200}, {u32(-56), 0, 0, 1}},
      {2, uscaled, {0x34, 0x12}, {f(0x1234), 0, 0, one}},
      {2, number7, {0x00, 0xc0}, {f(-2), 0, 0, one}},
      {3, uint, {3, 250}, {3, 250, 0, 1}},
      {4, uint, {1, 2, 3, 4}, {0x04030201, 0, 0, 1}},
      {4, number7, {0, 0, 0x20, 0xc1}, {f(-10), 0, 0, one}},
      {5, sint, {0xff, 0xff, 2, 0}, {u32(-1), 2, 0, 1}},
      {5, number7, {0x00, 0x3c, 0x00, 0x38}, {one, f(0.5f), 0, one}},
      // 10_11_11: x (the lowest bits) and y have 11 bits, z has 10. The exponent of 1.0 is 15.
      {6, number7, {0xc0, 0x03, 0x00, 0x00}, {one, 0, 0, one}},
      {6, number7, {0x00, 0x00, 0x1e, 0x78}, {0, one, one, one}},
      {6, uint, {0xff, 0x07, 0x00, 0x00}, {0x7ff, 0, 0, 1}},
      {7, uint, {0xff, 0x03, 0x00, 0x00}, {0x3ff, 0, 0, 1}},
      // In 10_10_10_2 x has two bits, in 2_10_10_10 w has.
      {8, uint, {0x07, 0, 0, 0x80}, {3, 1, 0, 512}},
      {9, unorm, {0xff, 0x03, 0, 0xc0}, {one, 0, 0, one}},
      {9, sint, {0xff, 0x03, 0, 0x40}, {u32(-1), 0, 0, 1}},
      {10, uint, {1, 2, 3, 4}, {1, 2, 3, 4}},
      {10, unorm, {0, 255, 51, 102}, {0, one, f(float(51 / 255.0)), f(float(102 / 255.0))}},
      {11, uint, {1, 0, 0, 0, 2, 0, 0, 0}, {1, 2, 0, 1}},
      {12, number7, {0, 0x3c, 0, 0x40, 0, 0xbc, 1, 0}, {one, f(2), f(-1), f(std::ldexp(1.0f, -24))}},
      {13, sint, {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, {1, 2, ~0u, 1}},
      {14, uint, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, {1, 2, 3, 4}},
  };
}

void setResource(Snippet &s, unsigned at, const void *memory, u32 records, u32 word1, u32 word3) {
  Wave &w = s.wave();
  w.setScalar64(at, reinterpret_cast<u64>(memory) | u64(word1) << 32);
  w.scalars[at + 2] = records;
  w.scalars[at + 3] = word3;
}

TEST(TypedBuffer, LoadsAndStoresOfEveryFormat) {
  for (const char *target : targets)
    for (const Example &e : examples())
      for (bool byResource : {false, true}) {
        std::string format = byResource ? "" : " format:" + std::to_string(e.data | e.number << 4);
        std::string prefix = byResource ? "buffer" : "tbuffer";
        Snippet s(target, prefix + "_load_format_xyzw v[4:7], v1, s[4:7], 0" + format + " offen\n" + prefix +
                              "_store_format_xyzw v[4:7], v2, s[4:7], 0" + format + " offen");
        ASSERT_EQ(s.program->trapCount(), 0u);
        std::vector<uint8_t> memory(256, 0xcc);
        std::copy(e.memory.begin(), e.memory.end(), memory.begin() + 16);
        s.allow(memory.data(), memory.size());
        u32 identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
        setResource(s, 4, memory.data(), u32(memory.size()), 0,
                    byResource ? identity | u32(e.number) << 12 | u32(e.data) << 15 : 0);
        s.wave().setExec(2);
        s.wave().rows[1][1] = 16;
        s.wave().rows[2][1] = 96;
        s.run();
        SCOPED_TRACE(std::string(target) + " data format " + std::to_string(e.data) + " number format " +
                     std::to_string(e.number) + (byResource ? " by resource" : ""));
        for (unsigned k = 0; k < 4; ++k)
          EXPECT_EQ(s.wave().rows[4 + k][1], e.components[k]) << "component " << k;
        for (unsigned i = 0; i < e.memory.size(); ++i)
          EXPECT_EQ(memory[96 + i], e.memory[i] == 0x81 && e.number == snorm ? 0x81 : e.memory[i]) << "byte " << i;
        EXPECT_EQ(memory[96 + e.memory.size()], 0xcc) << "written past the element";
        EXPECT_EQ(memory[95], 0xcc);
      }
}

TEST(TypedBuffer, StoresBringNumbersIntoRange) {
  struct {
    int data, number;
    u32 value;
    u32 memory;
  } const cases[] = {
      {1, unorm, getBits(2), 255},
      {1, unorm, getBits(-1), 0},
      {1, unorm, 0x7fc00000, 0},
      {1, unorm, getBits(0.5f), 128},
      {1, snorm, getBits(-3), 0x81},
      {1, uint, 300, 255},
      {1, sint, 300, 127},
      {1, sint, u32(-300), 0x80},
      {2, uscaled, getBits(70000), 65535},
      {1, sscaled, getBits(-9.5f), u32(-10) & 255},
      {2, number7, getBits(65520), 0x7c00},
      {2, number7, getBits(1e-8f), 0},
      {6, number7, getBits(-5), 0},
      {6, number7, getBits(1e9f), 0x7bf},
      {6, number7, 0x7f800000, 0x7c0},
  };
  for (const auto &c : cases) {
    Snippet s("gfx942", "tbuffer_store_format_x v4, off, s[4:7], 0 format:" + std::to_string(c.data | c.number << 4));
    u32 memory[2] = {};
    s.allow(memory, sizeof(memory));
    setResource(s, 4, memory, sizeof(memory), 0, 0);
    s.wave().setExec(1);
    s.wave().rows[4][0] = c.value;
    s.run();
    EXPECT_EQ(memory[0], c.memory) << c.data << " " << c.number << " " << std::hex << c.value;
  }
}

TEST(TypedBuffer, ResourcesReorderComponents) {
  // x = component 2, y = constant 1, z = constant 0, w = component 0
  u32 select = 6 | 1 << 3 | 0 << 6 | 4 << 9;
  Snippet s("gfx90a",
            "buffer_load_format_xyzw v[4:7], off, s[4:7], 0\nbuffer_store_format_xyzw v[8:11], off, s[4:7], 0 "
            "offset:4");
  uint8_t memory[8] = {10, 20, 30, 40};
  s.allow(memory, sizeof(memory));
  setResource(s, 4, memory, sizeof(memory), 0, select | uint << 12 | 10 << 15);
  s.wave().setExec(1);
  for (unsigned k = 0; k < 4; ++k)
    s.wave().rows[8 + k][0] = 60 + k;
  s.run();
  const u32 expected[] = {30, 1, 0, 10};
  for (unsigned k = 0; k < 4; ++k)
    EXPECT_EQ(s.wave().rows[4 + k][0], expected[k]) << k;
  const uint8_t stored[] = {63, 0, 60, 0};
  for (unsigned k = 0; k < 4; ++k)
    EXPECT_EQ(memory[4 + k], stored[k]) << k;
}

TEST(TypedBuffer, Halves) {
  for (const char *target : targets) {
    Snippet s(target, R"(
      tbuffer_load_format_d16_xyz v[4:5], v1, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_USCALED] idxen
      buffer_load_format_d16_hi_x v6, v1, s[4:7], 0 idxen
      tbuffer_load_format_d16_xy v7, v1, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_SINT] idxen
      buffer_store_format_d16_hi_x v8, v1, s[8:11], 0 idxen
      tbuffer_store_format_d16_xy v9, v1, s[12:15], 0 format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_FLOAT] idxen)");
    ASSERT_EQ(s.program->trapCount(), 0u);
    std::vector<uint8_t> from(64 * 4);
    std::vector<uint8_t> bytes(64, 0xee);
    std::vector<float> floats(128, -1);
    for (unsigned i = 0; i < from.size(); ++i)
      from[i] = uint8_t(i * 7);
    s.allow(from.data(), from.size(), false);
    s.allow(bytes.data(), bytes.size());
    s.allow(floats.data(), floats.size() * 4);
    u32 identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    setResource(s, 4, from.data(), 60, 4 << 16, identity | uscaled << 12 | 1 << 15); // 60 to 63 are out of range
    setResource(s, 8, bytes.data(), 64, 1 << 16, identity | uint << 12 | 1 << 15);
    setResource(s, 12, floats.data(), 64, 8 << 16, 0);
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[1][l] = l;
      s.wave().rows[8][l] = (3 * l) << 16 | 0xffff;
      s.wave().rows[9][l] = 0xc000'3800; // -2, 0.5
    }
    s.run();
    auto half = [](u32 bits) { return float(__builtin_bit_cast(_Float16, uint16_t(bits))); };
    for (unsigned l = 0; l < 64; ++l) {
      SCOPED_TRACE(l);
      const uint8_t *at = &from[l * 4];
      bool inside = l < 60;
      auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
      EXPECT_EQ(half(row(4)), inside ? at[0] : 0);
      EXPECT_EQ(half(row(4) >> 16), inside ? at[1] : 0);
      EXPECT_EQ(half(row(5)), inside ? at[2] : 0);
      EXPECT_EQ(row(5) >> 16, 0u);
      EXPECT_EQ(half(row(6) >> 16), inside ? at[0] : 0);
      EXPECT_EQ(row(6) & 0xffff, 0u);
      EXPECT_EQ(row(7), inside ? u32(uint16_t(int8_t(at[0]))) | u32(uint16_t(int8_t(at[1]))) << 16 : 0);
      EXPECT_EQ(bytes[l], 3 * l);
      EXPECT_EQ(floats[2 * l], 0.5f);
      EXPECT_EQ(floats[2 * l + 1], -2.0f);
    }
  }
}

TEST(TypedBuffer, IntoLds) {
  Snippet s("gfx90a", "buffer_load_format_x v1, s[4:7], 0 idxen offset:4 lds");
  ASSERT_EQ(s.program->trapCount(), 0u);
  uint8_t memory[80];
  for (unsigned i = 0; i < 80; ++i)
    memory[i] = uint8_t(i);
  s.allow(memory, sizeof(memory), false);
  setResource(s, 4, memory, 64, 1 << 16, 4 | sscaled << 12 | 1 << 15);
  s.wave().scalars[sgpr::m0] = 8;
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[1][l] = 63 - l;
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    float v;
    std::memcpy(&v, &s.lds[12 + 4 * l], 4);
    EXPECT_EQ(v, float(int8_t(63 - l + 4)));
  }
}

TEST(TypedBuffer, AnInvalidFormatIsAFault) {
  Snippet s("gfx90a", "buffer_load_format_x v4, off, s[4:7], 0");
  u32 memory = 0;
  s.allow(&memory, 4);
  setResource(s, 4, &memory, 4, 0, 4);
  EXPECT_THROW(s.run(), WaveFault);
}

/// LLVM moves the constant of any 32-bit sum into the offset field, so the remaining offset may be negative.
TEST(Buffer, OffsetAndInstructionOffsetAddUpIn32Bits) {
  for (const char *target : targets) {
    Snippet s(target, "buffer_load_dword v4, v1, s[4:7], 0 offen offset:64\n"
                      "buffer_load_dword v5, v1, s[4:7], s8 offen offset:64\n"
                      "buffer_store_dwordx2 v[6:7], v2, s[4:7], 0 offen offset:128\n"
                      "buffer_load_dwordx4 v[8:11], v3, s[4:7], 0 offen offset:256");
    ASSERT_EQ(s.program->trapCount(), 0u);
    u32 memory[128];
    for (unsigned i = 0; i < 128; ++i)
      memory[i] = i;
    s.allow(memory, sizeof(memory));
    setResource(s, 4, memory, 256, 0, 0x27000); // 64 dwords
    s.wave().scalars[8] = 8;
    for (unsigned l = 0; l < 64; ++l) {
      s.wave().rows[1][l] = u32(4 * int(l) - 64);
      s.wave().rows[2][l] = u32(8 * int(l) - 128);
      s.wave().rows[3][l] = u32(4 * int(l) - 256);
      s.wave().rows[6][l] = 1000 + l;
      s.wave().rows[7][l] = 2000 + l;
    }
    s.run();
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(s.wave().rows[4][l], l);
      EXPECT_EQ(s.wave().rows[5][l], l + 2 < 64 ? l + 2 : 0);
      if (l < 32) {
        EXPECT_EQ(memory[2 * l], 1000 + l);
        EXPECT_EQ(memory[2 * l + 1], 2000 + l);
      } else {
        EXPECT_EQ(memory[2 * l], 2 * l);
      }
      for (unsigned k = 0; k < 4; ++k)
        EXPECT_EQ(s.wave().rows[8 + k][l], l + k < 64 ? ((l + k) & 1 ? 2000 : 1000) + (l + k) / 2 : 0) << l << " " << k;
    }
  }
}

} // namespace
