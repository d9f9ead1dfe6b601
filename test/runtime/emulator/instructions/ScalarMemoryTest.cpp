// Scalar stores and atomics through plain addresses, buffers and scratch.
#include "test/runtime/emulator/instructions/Operands.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

struct ScalarAtomic {
  const char *name;
  std::function<u64(u64 old, u64 v, u64 compare, unsigned bits)> meaning;
};
int64_t extended(u64 v, unsigned bits) { return bits == 32 ? int64_t(int32_t(v)) : int64_t(v); }
const ScalarAtomic atomics[] = {
    {"swap", [](u64, u64 v, u64, unsigned) { return v; }},
    {"cmpswap", [](u64 old, u64 v, u64 compare, unsigned) { return old == compare ? v : old; }},
    {"add", [](u64 old, u64 v, u64, unsigned) { return old + v; }},
    {"sub", [](u64 old, u64 v, u64, unsigned) { return old - v; }},
    {"smin", [](u64 old, u64 v, u64, unsigned n) { return extended(old, n) < extended(v, n) ? old : v; }},
    {"smax", [](u64 old, u64 v, u64, unsigned n) { return extended(old, n) > extended(v, n) ? old : v; }},
    {"umin", [](u64 old, u64 v, u64, unsigned) { return std::min(old, v); }},
    {"umax", [](u64 old, u64 v, u64, unsigned) { return std::max(old, v); }},
    {"and", [](u64 old, u64 v, u64, unsigned) { return old & v; }},
    {"or", [](u64 old, u64 v, u64, unsigned) { return old | v; }},
    {"xor", [](u64 old, u64 v, u64, unsigned) { return old ^ v; }},
    {"inc", [](u64 old, u64 v, u64, unsigned) { return old >= v ? 0 : old + 1; }},
    {"dec", [](u64 old, u64 v, u64, unsigned) { return old == 0 || old > v ? v : old - 1; }},
};

TEST(ScalarMemory, AtomicsOfEveryKind) {
  const u64 values[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000000000000000ull, ~u64(0)};
  for (const char *target : {"gfx90a", "gfx942"})
    for (const ScalarAtomic &atomic : atomics)
      for (bool wide : {false, true})
        for (bool buffered : {false, true}) {
          std::string name =
              std::string(buffered ? "s_buffer_atomic_" : "s_atomic_") + atomic.name + (wide ? "_x2" : "");
          bool compares = name.find("cmpswap") != std::string::npos;
          std::string data = wide ? compares ? "s[8:11]" : "s[8:9]" : compares ? "s[8:9]" : "s8";
          std::string again = wide ? compares ? "s[12:15]" : "s[12:13]" : compares ? "s[12:13]" : "s12";
          std::string base = buffered ? "s[4:7]" : "s[4:5]";
          Snippet s(target, name + " " + data + ", " + base + ", 0x10 glc\n" + name + " " + again + ", " + base +
                                ", s20"); // without a result
          ASSERT_EQ(s.program->trapCount(), 0u) << name;
          unsigned bits = wide ? 64 : 32;
          u64 memory[6];
          s.allow(memory, sizeof(memory));
          u64 mask = wide ? ~u64(0) : 0xffffffffull;
          for (u64 old : values)
            for (u64 v : values) {
              const u64 initial[6] = {1, 2, old, old, 5, 6};
              std::copy(std::begin(initial), std::end(initial), memory);
              Wave &w = s.wave();
              u64 compare = v & 1 ? old : old + 1;
              auto operands = [&](unsigned at) {
                if (wide) {
                  w.setScalar64(at, v);
                  w.setScalar64(at + 2, compare);
                } else {
                  w.scalars[at] = u32(v);
                  w.scalars[at + 1] = u32(compare);
                }
              };
              operands(8), operands(12);
              w.setScalar64(4, reinterpret_cast<u64>(memory));
              w.scalars[6] = sizeof(memory);
              w.scalars[7] = 0x27000;
              w.scalars[20] = 0x18;
              s.run();
              u64 expected = atomic.meaning(old & mask, v & mask, compare & mask, bits) & mask;
              SCOPED_TRACE(std::string(target) + " " + name + " " + std::to_string(old) + " " + std::to_string(v));
              u64 result = wide ? w.scalar64(8) : w.scalars[8];
              ASSERT_EQ(result, old & mask);
              ASSERT_EQ(memory[2] & mask, expected);
              ASSERT_EQ(memory[3] & mask, expected);
              ASSERT_EQ(memory[2] & ~mask, old & ~mask);
              ASSERT_EQ(wide ? w.scalar64(12) : w.scalars[12], v & mask) << "no result wanted";
              ASSERT_EQ(memory[1], 2u);
              ASSERT_EQ(memory[4], 5u);
            }
        }
}

TEST(ScalarMemory, BuffersEndAtTheirRecords) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, "s_buffer_store_dwordx4 s[8:11], s[4:7], 0x8\n"
                      "s_buffer_atomic_add s12, s[4:7], 0x10 glc\n"
                      "s_buffer_load_dwordx2 s[14:15], s[4:7], 0xc");
    ASSERT_EQ(s.program->trapCount(), 0u);
    u32 memory[8] = {90, 91, 92, 93, 94, 95, 96, 97};
    s.allow(memory, sizeof(memory));
    Wave &w = s.wave();
    w.setScalar64(4, reinterpret_cast<u64>(memory));
    w.scalars[6] = 16; // four dwords
    w.scalars[7] = 0x27000;
    for (unsigned i = 0; i < 4; ++i)
      w.scalars[8 + i] = i + 1;
    w.scalars[12] = 7;
    s.run();
    const u32 expected[8] = {90, 91, 1, 2, 94, 95, 96, 97};
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(memory[i], expected[i]) << i;
    EXPECT_EQ(w.scalars[12], 0u) << "outside reads zero";
    EXPECT_EQ(w.scalars[14], 2u);
    EXPECT_EQ(w.scalars[15], 0u);
  }
}

TEST(ScalarMemory, ScratchCountsOffsetsInLanes) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Snippet s(target, "s_scratch_store_dwordx2 s[8:9], s[4:5], s6\ns_scratch_load_dwordx2 s[10:11], s[4:5], s6\n"
                      "s_scratch_load_dword s12, s[4:5], 0x84");
    ASSERT_EQ(s.program->trapCount(), 0u);
    u32 memory[64] = {};
    s.allow(memory, sizeof(memory));
    Wave &w = s.wave();
    w.setScalar64(4, reinterpret_cast<u64>(memory));
    w.scalars[6] = 2;
    w.scalars[8] = 1111;
    w.scalars[9] = 2222;
    s.run();
    EXPECT_EQ(memory[32], 1111u);
    EXPECT_EQ(memory[33], 2222u);
    EXPECT_EQ(w.scalars[10], 1111u);
    EXPECT_EQ(w.scalars[11], 2222u);
    EXPECT_EQ(w.scalars[12], 2222u);
  }
}

TEST(ScalarMemory, WildAddressesAreFaults) {
  for (const char *text : {"s_atomic_add s8, s[4:5], 0x0", "s_store_dword s8, s[4:5], 0x0",
                           "s_scratch_load_dword s8, s[4:5], 0x0", "s_scratch_store_dword s8, s[4:5], 0x0"}) {
    Snippet s("gfx90a", text);
    s.wave().setScalar64(4, 0x1000);
    EXPECT_THROW(s.run(), WaveFault) << text;
  }
}

} // namespace
