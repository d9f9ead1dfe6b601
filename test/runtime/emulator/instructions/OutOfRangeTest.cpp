// What instructions do past the end of what they may access: one test for each row of the table in
// docs/rationale/emulator.md.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

class OutOfRange : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Chips, OutOfRange, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

constexpr u32 declared = 600, allocated = 1024;
/// The initial contents of LDS.
uint8_t pattern(size_t at) { return uint8_t(at * 7 + 1); }
void fill(Snippet &s) {
  ASSERT_EQ(s.lds.size(), allocated);
  for (size_t at = 0; at < allocated; ++at)
    s.lds[at] = pattern(at);
}
uint8_t expected(u64 at, unsigned bytes, unsigned i) { return at + bytes <= allocated ? pattern(at + i) : 0; }

/// Addresses around the limits for an access of `bytes`. LDS between the declared size and the end of its granule is
/// memory.
std::vector<u32> placesOf(unsigned bytes) {
  std::vector<u32> places = {declared, allocated - bytes, allocated, 0xf00000, u32(-int(bytes))};
  if (bytes > 1)
    places.push_back(allocated - bytes / 2);
  return places;
}

struct LdsForm {
  std::string text;
  unsigned bytes;
  std::vector<u32> pieces = {0}; ///< from the address register to each access
};

const LdsForm loads[] = {{"ds_read_u8 v[R], v2", 1},
                         {"ds_read_u16 v[R], v2", 2},
                         {"ds_read_b32 v[R], v2", 4},
                         {"ds_read_b64 v[R:R+1], v2", 8},
                         {"ds_read_b96 v[R:R+2], v2", 12},
                         {"ds_read_b128 v[R:R+3], v2", 16},
                         {"ds_read2_b32 v[R:R+1], v2 offset1:1", 4, {0, 4}},
                         {"ds_read2_b64 v[R:R+3], v2 offset1:1", 8, {0, 8}},
                         {"ds_read2st64_b32 v[R:R+1], v2 offset1:1", 4, {0, 256}},
                         {"ds_read_b32 v[R], v2 offset:8", 4, {8}}};

std::string at(std::string text, unsigned row) {
  for (unsigned plus = 4; plus-- > 1;)
    for (std::string name = "R+" + std::to_string(plus); text.find(name) != std::string::npos;)
      text.replace(text.find(name), name.size(), std::to_string(row + plus));
  while (text.find('R') != std::string::npos)
    text.replace(text.find('R'), 1, std::to_string(row));
  return text;
}

TEST_P(OutOfRange, LdsLoadsGiveZero) {
  for (const LdsForm &form : loads)
    for (u64 exec : {~u64(0), u64(0x8000000000000ff1)}) {
      Snippet s(GetParam(), at(form.text, 8), declared);
      ASSERT_EQ(s.program->trapCount(), 0u) << form.text;
      fill(s);
      std::vector<u32> places = placesOf(form.bytes);
      for (unsigned l = 0; l < 64; ++l) {
        s.wave().rows[2][l] = places[l % places.size()];
        for (unsigned r = 8; r < 12; ++r)
          s.wave().rows[r][l] = 0x55555555;
      }
      s.wave().setExec(exec);
      s.run();
      for (unsigned l = 0; l < 64; ++l) {
        std::vector<uint8_t> want;
        for (u32 piece : form.pieces)
          for (unsigned i = 0; i < form.bytes; ++i)
            want.push_back(expected(u32(places[l % places.size()] + piece), form.bytes, i));
        want.resize((want.size() + 3) / 4 * 4, 0);
        if (!(exec >> l & 1))
          std::fill(want.begin(), want.end(), 0x55);
        for (size_t k = 0; k < want.size(); ++k)
          ASSERT_EQ(s.wave().rows[8 + k / 4][l] >> k % 4 * 8 & 0xff, want[k]) << form.text << ", lane " << l;
      }
    }
}

TEST_P(OutOfRange, ALoadOverItsOwnAddress) {
  Snippet s(GetParam(), "ds_read2_b32 v[2:3], v2 offset1:1", declared);
  fill(s);
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[2][l] = allocated - 8 + l * 4;
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned i = 0; i < 8; ++i)
      ASSERT_EQ(s.wave().rows[2 + i / 4][l] >> i % 4 * 8 & 0xff, expected(allocated - 8 + l * 4 + i / 4 * 4, 4, i % 4));
}

TEST_P(OutOfRange, LdsStoresAreDropped) {
  const LdsForm stores[] = {{"ds_write_b8 v2, v4", 1},
                            {"ds_write_b16 v2, v4", 2},
                            {"ds_write_b32 v2, v4", 4},
                            {"ds_write_b64 v2, v[4:5]", 8},
                            {"ds_write_b96 v2, v[4:6]", 12},
                            {"ds_write_b128 v2, v[4:7]", 16},
                            {"ds_write2_b32 v2, v4, v5 offset1:1", 4, {0, 4}},
                            {"ds_write2_b64 v2, v[4:5], v[6:7] offset1:1", 8, {0, 8}},
                            {"ds_write2st64_b32 v2, v4, v5 offset1:1", 4, {0, 256}}};
  for (const LdsForm &form : stores)
    for (u32 place : placesOf(form.bytes)) {
      Snippet s(GetParam(), form.text, declared);
      ASSERT_EQ(s.program->trapCount(), 0u) << form.text;
      fill(s);
      std::vector<uint8_t> want = s.lds;
      for (size_t k = 0; k < form.pieces.size(); ++k)
        if (u64 to = u32(place + form.pieces[k]); to + form.bytes <= allocated)
          std::fill_n(want.begin() + to, form.bytes, 0xee);
      for (unsigned l = 0; l < 64; ++l) {
        s.wave().rows[2][l] = place;
        for (unsigned r = 4; r < 8; ++r)
          s.wave().rows[r][l] = 0xeeeeeeee;
      }
      s.run();
      ASSERT_EQ(s.lds, want) << form.text << " at " << place;
    }
}

TEST_P(OutOfRange, LdsAtomicsAreDroppedAndGiveZero) {
  const std::pair<const char *, unsigned> atomics[] = {{"ds_add_rtn_u32 v8, v2, v4", 4},
                                                       {"ds_add_rtn_u64 v[8:9], v2, v[4:5]", 8},
                                                       {"ds_wrxchg_rtn_b32 v8, v2, v4", 4},
                                                       {"ds_cmpst_rtn_b64 v[8:9], v2, v[4:5], v[6:7]", 8},
                                                       {"ds_wrxchg2_rtn_b32 v[8:9], v2, v4, v5 offset0:0 offset1:0", 4},
                                                       {"ds_add_f32 v2, v4", 4}};
  for (auto [text, bytes] : atomics)
    for (u32 place : {u32(allocated), u32(0xf00000), u32(-8)}) {
      Snippet s(GetParam(), text, declared);
      ASSERT_EQ(s.program->trapCount(), 0u) << text;
      fill(s);
      std::vector<uint8_t> before = s.lds;
      bool returns = std::string(text).find("rtn") != std::string::npos;
      for (unsigned l = 0; l < 64; ++l) {
        s.wave().rows[2][l] = place;
        s.wave().rows[8][l] = s.wave().rows[9][l] = 5;
      }
      s.run();
      ASSERT_EQ(s.lds, before) << text;
      for (unsigned l = 0; l < 64; ++l)
        ASSERT_EQ(s.wave().rows[8][l], returns ? 0u : 5u) << text;
    }
  // Lanes in range still execute.
  Snippet s(GetParam(), "ds_add_rtn_u32 v8, v2, v4", declared);
  fill(s);
  u32 old;
  std::memcpy(&old, &s.lds[allocated - 4], 4);
  for (unsigned l = 0; l < 64; ++l) {
    s.wave().rows[2][l] = l == 7 ? allocated - 4 : allocated + 4 * l;
    s.wave().rows[4][l] = 3;
    s.wave().rows[8][l] = 1;
  }
  s.run();
  u32 now;
  std::memcpy(&now, &s.lds[allocated - 4], 4);
  EXPECT_EQ(now, old + 3);
  for (unsigned l = 0; l < 64; ++l)
    ASSERT_EQ(s.wave().rows[8][l], l == 7 ? old : 0);
}

TEST_P(OutOfRange, LdsByM0) {
  for (u32 m0 : {u32(allocated), u32(0xff00)}) {
    Snippet s(GetParam(), "ds_append v8\nds_consume v9\nds_read_addtid_b32 v10\nds_write_addtid_b32 v4", declared);
    fill(s);
    std::vector<uint8_t> before = s.lds;
    s.wave().scalars[sgpr::m0] = m0;
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned r = 8; r < 11; ++r)
        s.wave().rows[r][l] = 5;
    s.run();
    EXPECT_EQ(s.lds, before);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned r = 8; r < 11; ++r)
        ASSERT_EQ(s.wave().rows[r][l], 0u) << r;
  }
}

TEST_P(OutOfRange, LdsDmaIsDropped) {
  const bool is942 = std::string(GetParam()) == "gfx942";
  std::vector<u32> memory(64);
  for (u32 i = 0; i < 64; ++i)
    memory[i] = 100 + i;
  std::vector<std::string> forms = {"buffer_load_dword v1, s[4:7], 0 offen lds"};
  if (is942)
    forms.push_back("global_load_lds_dword v1, s[4:5]");
  for (const std::string &text : forms)
    for (u32 m0 : {u32(allocated - 32), u32(allocated), u32(0xff00)}) {
      Snippet s(GetParam(), text, declared);
      ASSERT_EQ(s.program->trapCount(), 0u) << text;
      fill(s);
      s.allow(memory.data(), 256);
      s.wave().setScalar64(4, reinterpret_cast<u64>(memory.data()));
      s.wave().scalars[6] = 256;
      s.wave().scalars[7] = 0x27000;
      s.wave().scalars[sgpr::m0] = m0;
      std::vector<uint8_t> want = s.lds;
      for (unsigned l = 0; l < 64; ++l) {
        s.wave().rows[1][l] = l * 4;
        if (m0 + l * 4 + 4 <= allocated)
          std::memcpy(&want[m0 + l * 4], &memory[l], 4);
      }
      s.run();
      ASSERT_EQ(s.lds, want) << text << ", M0 " << m0;
    }
}

TEST_P(OutOfRange, FlatAtTheEdgesOfTheApertures) {
  Snippet s(GetParam(),
            "flat_load_dword v8, v[2:3]\nflat_store_dword v[4:5], v6\nflat_atomic_add v9, v[4:5], v6 " +
                std::string(std::string(GetParam()) == "gfx942" ? "sc0" : "glc"),
            declared);
  ASSERT_EQ(s.program->trapCount(), 0u);
  fill(s);
  std::vector<uint8_t> before = s.lds;
  const u32 offsets[] = {0, declared, allocated - 4, allocated, 0xf00000, 0xfffffffc};
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<u64>(2, l, u64(sharedApertureHigh) << 32 | offsets[l % 6]);
    s.setLane<u64>(4, l, u64(sharedApertureHigh) << 32 | (allocated + l * 4));
    s.wave().rows[8][l] = s.wave().rows[9][l] = 5;
  }
  s.run();
  EXPECT_EQ(s.lds, before);
  for (unsigned l = 0; l < 64; ++l) {
    u32 want = 0;
    if (u64(offsets[l % 6]) + 4 <= allocated)
      std::memcpy(&want, &before[offsets[l % 6]], 4);
    ASSERT_EQ(s.wave().rows[8][l], want) << l;
    ASSERT_EQ(s.wave().rows[9][l], 0u) << l;
  }
}

TEST_P(OutOfRange, UnalignedLds) {
  // ROCm sets the unaligned access mode: plain accesses use the bytes they name. Atomics fault.
  Snippet s(GetParam(), "ds_read_b64 v[8:9], v2\nds_read_b128 v[10:13], v2", declared);
  fill(s);
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[2][l] = l * 3 + 1;
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned i = 0; i < 16; ++i) {
      if (i < 8)
        ASSERT_EQ(s.wave().rows[8 + i / 4][l] >> i % 4 * 8 & 0xff, pattern(l * 3 + 1 + i));
      ASSERT_EQ(s.wave().rows[10 + i / 4][l] >> i % 4 * 8 & 0xff, pattern(l * 3 + 1 + i));
    }
  Snippet atomic(GetParam(), "ds_add_u32 v2, v4", declared);
  atomic.wave().rows[2][9] = 2;
  EXPECT_THROW(atomic.run(), WaveFault);
}

/// Describes a buffer of `records` bytes over `memory` in s[4:7].
void describe(Snippet &s, const void *memory, u32 records) {
  s.wave().setScalar64(4, reinterpret_cast<u64>(memory));
  s.wave().scalars[6] = records;
  s.wave().scalars[7] = 0x27fac; // 32-bit floats, x to w
}

TEST_P(OutOfRange, ANullBufferDescriptor) {
  const std::string returns = std::string(GetParam()) == "gfx942" ? " sc0" : " glc";
  Snippet s(GetParam(),
            "buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen\nbuffer_store_dwordx4 v[2:5], v1, s[4:7], 0 offen\n"
            "buffer_atomic_add v12, v1, s[4:7], 0 offen" +
                returns +
                "\ntbuffer_load_format_xyzw v[14:17], v1, s[4:7], 0 format:[BUF_DATA_FORMAT_32_32_32_32,"
                "BUF_NUM_FORMAT_FLOAT] offen\ns_buffer_load_dwordx2 s[8:9], s[4:7], 0x10");
  ASSERT_EQ(s.program->trapCount(), 0u);
  s.wave().setScalar64(8, 77);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 8; r < 18; ++r)
      s.wave().rows[r][l] = 5;
  s.run();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r : {8, 9, 10, 11, 12, 14, 15, 16, 17})
      ASSERT_EQ(s.wave().rows[r][l], 0u) << r;
  EXPECT_EQ(s.wave().scalar64(8), 0u);
}

/// Runs on a buffer of `bytes`, with lane l at dword l.
static void runAtDwords(Snippet &s, void *memory, uint64_t size, uint32_t bytes) {
  s.allow(memory, size);
  describe(s, memory, bytes);
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[1][l] = l * 4;
  s.run();
}

TEST_P(OutOfRange, BuffersByTheDword) {
  u32 memory[16], written[16] = {};
  for (u32 i = 0; i < 16; ++i)
    memory[i] = 100 + i;
  Snippet s(GetParam(), "buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen");
  runAtDwords(s, memory, sizeof(memory), 40);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 4; ++k)
      ASSERT_EQ(s.wave().rows[8 + k][l], l + k < 10 ? 100 + l + k : 0) << l;
  Snippet store(GetParam(), "buffer_store_dwordx2 v[2:3], v1, s[4:7], 0 offen");
  store.allow(written, sizeof(written));
  describe(store, written, 40);
  for (unsigned l = 0; l < 64; ++l) {
    store.wave().rows[1][l] = 36 + l * 8;
    store.wave().rows[2][l] = store.wave().rows[3][l] = 9;
  }
  store.run();
  for (unsigned i = 0; i < 16; ++i)
    ASSERT_EQ(written[i], i == 9 ? 9u : 0u) << i;
}

TEST_P(OutOfRange, TypedBuffersAsAWhole) {
  float memory[16];
  for (unsigned i = 0; i < 16; ++i)
    memory[i] = 100.f + float(i);
  Snippet s(GetParam(), "tbuffer_load_format_xyzw v[8:11], v1, s[4:7], 0 "
                        "format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_FLOAT] offen");
  ASSERT_EQ(s.program->trapCount(), 0u);
  runAtDwords(s, memory, sizeof(memory), 40);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 4; ++k)
      ASSERT_EQ(s.lane<float>(8 + k, l), l + 4 <= 10 ? 100.f + float(l + k) : 0.f) << l;
}

TEST_P(OutOfRange, ScalarBufferLoads) {
  u32 memory[16];
  for (u32 i = 0; i < 16; ++i)
    memory[i] = 100 + i;
  Snippet s(GetParam(), "s_buffer_load_dwordx4 s[8:11], s[4:7], 0x20\ns_buffer_load_dword s12, s[4:7], 0xf0000");
  s.allow(memory, sizeof(memory));
  describe(s, memory, 40);
  s.wave().scalars[12] = 5;
  s.run();
  for (unsigned k = 0; k < 4; ++k)
    EXPECT_EQ(s.wave().scalars[8 + k], k < 2 ? 108 + k : 0) << k;
  EXPECT_EQ(s.wave().scalars[12], 0u);
}

} // namespace
