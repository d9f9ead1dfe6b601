// Every atomic through every path to memory, with and without a result, with data in VGPRs and AGPRs. The test computes
// the new value with its own definition of each operation.
#include "runtime/emulator/run/Dispatch.h"
#include "test/runtime/emulator/instructions/Operands.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

float asFloat(u64 bits) {
  u32 low = u32(bits);
  float v;
  std::memcpy(&v, &low, 4);
  return v;
}
double asDouble(u64 bits) {
  double v;
  std::memcpy(&v, &bits, 8);
  return v;
}
u64 getBits(float v) {
  u32 bits;
  std::memcpy(&bits, &v, 4);
  return bits;
}
u64 getBits(double v) {
  u64 bits;
  std::memcpy(&bits, &v, 8);
  return bits;
}
template <typename T, typename F> u64 eachHalf(u64 old, u64 v, F add) {
  auto half = [&](unsigned shift) {
    uint16_t a = uint16_t(old >> shift), b = uint16_t(v >> shift);
    return u64(uint16_t(add(a, b))) << shift;
  };
  return half(0) | half(16);
}
u64 addHalves(u64 old, u64 v) {
  return eachHalf<uint16_t>(old, v, [](uint16_t a, uint16_t b) {
    return __builtin_bit_cast(
        uint16_t, _Float16(float(__builtin_bit_cast(_Float16, a)) + float(__builtin_bit_cast(_Float16, b))));
  });
}
u64 addBfloats(u64 old, u64 v) {
  return eachHalf<uint16_t>(old, v, [](uint16_t a, uint16_t b) {
    double sum = double(asFloat(u64(a) << 16)) + double(asFloat(u64(b) << 16));
    u32 bits = u32(getBits(float(sum)));
    u32 down = bits & 0xffff0000, up = down + 0x10000; // both neighbours
    double toDown = std::abs(sum - asFloat(down)), toUp = std::abs(asFloat(up) - sum);
    return uint16_t((toDown < toUp || (toDown == toUp && !(down >> 16 & 1)) ? down : up) >> 16);
  });
}

enum Values { integers, singles, doubles, halves, bfloats };
struct Atomic {
  const char *vector, *lds; ///< names after global_atomic_ and ds_; null if there is none
  unsigned bits;
  Values values;
  std::function<u64(u64 old, u64 v, u64 compare)> meaning;
  bool onlyGfx942 = false, noBuffer = false;
};

std::vector<Atomic> atomics() {
  std::vector<Atomic> list;
  auto integer = [&](const char *v32, const char *v64, const char *l32, const char *l64, auto meaning) {
    list.push_back({v32, l32, 32, integers,
                    [meaning](u64 old, u64 v, u64 c) { return u64(u32(meaning(u32(old), u32(v), u32(c)))); }});
    list.push_back({v64, l64, 64, integers, [meaning](u64 old, u64 v, u64 c) { return u64(meaning(old, v, c)); }});
  };
  auto order = [](auto a, auto b) { // signed comparison of words of either width
    using S = std::make_signed_t<decltype(a)>;
    return S(a) < S(b);
  };
  integer("swap", "swap_x2", "wrxchg_rtn_b32", "wrxchg_rtn_b64", [](auto, auto v, auto) { return v; });
  integer("cmpswap", "cmpswap_x2", "cmpst_b32", "cmpst_b64",
          [](auto old, auto v, auto c) { return old == c ? v : old; });
  integer("add", "add_x2", "add_u32", "add_u64", [](auto old, auto v, auto) { return old + v; });
  integer("sub", "sub_x2", "sub_u32", "sub_u64", [](auto old, auto v, auto) { return old - v; });
  integer(nullptr, nullptr, "rsub_u32", "rsub_u64", [](auto old, auto v, auto) { return v - old; });
  integer("smin", "smin_x2", "min_i32", "min_i64", [order](auto old, auto v, auto) { return order(v, old) ? v : old; });
  integer("smax", "smax_x2", "max_i32", "max_i64", [order](auto old, auto v, auto) { return order(old, v) ? v : old; });
  integer("umin", "umin_x2", "min_u32", "min_u64", [](auto old, auto v, auto) { return std::min(old, v); });
  integer("umax", "umax_x2", "max_u32", "max_u64", [](auto old, auto v, auto) { return std::max(old, v); });
  integer("and", "and_x2", "and_b32", "and_b64", [](auto old, auto v, auto) { return old & v; });
  integer("or", "or_x2", "or_b32", "or_b64", [](auto old, auto v, auto) { return old | v; });
  integer("xor", "xor_x2", "xor_b32", "xor_b64", [](auto old, auto v, auto) { return old ^ v; });
  integer("inc", "inc_x2", "inc_u32", "inc_u64",
          [](auto old, auto v, auto) { return old >= v ? decltype(old)(0) : decltype(old)(old + 1); });
  integer("dec", "dec_x2", "dec_u32", "dec_u64",
          [](auto old, auto v, auto) { return old == 0 || old > v ? v : decltype(old)(old - 1); });
  list.push_back(
      {"add_f32", "add_f32", 32, singles, [](u64 old, u64 v, u64) { return getBits(asFloat(old) + asFloat(v)); }});
  list.push_back({nullptr, "min_f32", 32, singles,
                  [](u64 old, u64 v, u64) { return getBits(std::min(asFloat(old), asFloat(v))); }});
  list.push_back({nullptr, "max_f32", 32, singles,
                  [](u64 old, u64 v, u64) { return getBits(std::max(asFloat(old), asFloat(v))); }});
  list.push_back(
      {"add_f64", "add_f64", 64, doubles, [](u64 old, u64 v, u64) { return getBits(asDouble(old) + asDouble(v)); }});
  list.push_back({"min_f64", "min_f64", 64, doubles,
                  [](u64 old, u64 v, u64) { return getBits(std::min(asDouble(old), asDouble(v))); }});
  list.push_back({"max_f64", "max_f64", 64, doubles,
                  [](u64 old, u64 v, u64) { return getBits(std::max(asDouble(old), asDouble(v))); }});
  list.push_back({"pk_add_f16", nullptr, 32, halves, [](u64 old, u64 v, u64) { return addHalves(old, v); }});
  list.push_back({nullptr, "pk_add_f16", 32, halves, [](u64 old, u64 v, u64) { return addHalves(old, v); }, true});
  list.push_back(
      {"pk_add_bf16", "pk_add_bf16", 32, bfloats, [](u64 old, u64 v, u64) { return addBfloats(old, v); }, true, true});
  return list;
}

u64 getValue(Values values, std::mt19937_64 &random, unsigned lane) {
  auto number = [&] { return float(int(random() % 2001) - 1000) / 8; };
  switch (values) {
  case integers:
    return lane % 4 == 0 ? random() % 4 : lane % 4 == 1 ? ~u64(random() % 4) : random();
  case singles:
    return getBits(number());
  case doubles:
    return getBits(double(number()) * 1e10);
  case halves: {
    auto half = [&] { return u64(__builtin_bit_cast(uint16_t, _Float16(number()))); };
    return half() | half() << 16;
  }
  case bfloats: {
    auto half = [&] { return getBits(number() * 1.01f) >> 16; };
    return half() | half() << 16;
  }
  }
  return 0;
}

enum class Way { Global, GlobalScalar, Flat, FlatLds, Buffer, Lds };
const char *const wayNames[] = {"global", "global with an SGPR base", "flat", "flat to LDS", "buffer", "LDS"};

class Atomics : public testing::TestWithParam<const char *> {};

/// Assembly of one atomic with data from `file` ("v" or "a"): address in v[2:3] or v2, data from 8 on, result from 16
/// on.
std::string getText(const Atomic &a, Way way, bool returns, const std::string &file, const std::string &target) {
  bool compares = std::string(way == Way::Lds ? a.lds : a.vector).starts_with("cmps"), wide = a.bits == 64;
  auto range = [&](unsigned first, unsigned count) {
    return count == 1 ? file + std::to_string(first)
                      : file + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  };
  unsigned words = wide ? 2 : 1;
  std::string data = range(8, words * (compares ? 2 : 1)), result = range(16, words);
  std::string glc = target == "gfx90a" ? " glc" : " sc0";
  switch (way) {
  case Way::Lds: {
    std::string name = a.lds, returned = name;
    if (size_t at = name.find('_'); returns && name.find("_rtn") == std::string::npos) {
      if (name.starts_with("pk_add"))
        at = 6;
      returned = name.substr(0, at) + "_rtn" + name.substr(at);
    } else if (!returns && name.find("_rtn") != std::string::npos) {
      return "";
    }
    // In ds_cmpst the value to compare with comes first.
    std::string operands = compares ? range(8 + words, words) + ", " + range(8, words) : data;
    return "ds_" + returned + " " + (returns ? result + ", " : "") + "v2, " + operands + " offset:8";
  }
  case Way::Buffer:
    if (!returns)
      return "buffer_atomic_" + std::string(a.vector) + " " + data + ", v2, s[4:7], 0 offen offset:8";
    return "buffer_atomic_" + std::string(a.vector) + " " + data + ", v2, s[4:7], 0 offen offset:8" + glc;
  case Way::GlobalScalar:
    return "global_atomic_" + std::string(a.vector) + " " + (returns ? result + ", " : "") + "v2, " + data +
           ", s[4:5] offset:8" + (returns ? glc : "");
  case Way::Global:
    return "global_atomic_" + std::string(a.vector) + " " + (returns ? result + ", " : "") + "v[2:3], " + data +
           ", off offset:8" + (returns ? glc : "");
  default:
    return "flat_atomic_" + std::string(a.vector) + " " + (returns ? result + ", " : "") + "v[2:3], " + data +
           " offset:8" + (returns ? glc : "");
  }
}

TEST_P(Atomics, OfEveryKindByEveryWay) {
  std::string target = GetParam();
  std::mt19937_64 random(9);
  unsigned ran = 0;
  for (const Atomic &a : atomics())
    for (Way way : {Way::Global, Way::GlobalScalar, Way::Flat, Way::FlatLds, Way::Buffer, Way::Lds})
      for (bool returns : {false, true})
        for (std::string file : {"v", "a"}) {
          bool toLds = way == Way::Lds || way == Way::FlatLds;
          if (!(way == Way::Lds ? a.lds : a.vector) || (a.onlyGfx942 && target == "gfx90a") ||
              (a.noBuffer && way == Way::Buffer))
            continue;
          std::string text = getText(a, way, returns, file, target);
          if (text.empty())
            continue;
          SCOPED_TRACE(target + " " + text + " (" + wayNames[int(way)] + ")");
          std::vector<uint8_t> code;
          try {
            code = assemble(target, text);
          } catch (const std::exception &) {
            // Packed and f32 forms exist on some chips for one address space only.
            ASSERT_TRUE(a.values == halves || a.values == singles || a.values == bfloats) << "must assemble";
            continue;
          }
          Snippet s(target, text);
          ASSERT_EQ(s.program->trapCount(), 0u);
          ++ran;
          unsigned base = file == "a" ? agprRow : 0;
          std::vector<u64> memory(70);
          uint8_t *bytes = toLds ? s.lds.data() : reinterpret_cast<uint8_t *>(memory.data());
          u64 address = reinterpret_cast<u64>(memory.data());
          s.allow(memory.data(), memory.size() * 8);
          u64 exec = 0xfedcba9876543210ull | 1;
          s.wave().setExec(exec);
          s.wave().setScalar64(4, address);
          s.wave().scalars[6] = 70 * 8;
          s.wave().scalars[7] = 0x27000;
          u64 old[64], v[64], compare[64];
          for (unsigned l = 0; l < 64; ++l) {
            old[l] = getValue(a.values, random, l);
            v[l] = getValue(a.values, random, l + 1);
            compare[l] = l % 3 ? old[l] : v[l];
            std::memcpy(bytes + 8 + l * 8, &old[l], 8);
            u64 at = l * 8;
            if (way == Way::Global || way == Way::Flat)
              at += address;
            if (way == Way::FlatLds)
              at |= u64(sharedApertureHigh) << 32;
            s.setLane<u64>(2, l, at);
            if (a.bits == 64) {
              s.setLane<u64>(base + 8, l, v[l]);
              s.setLane<u64>(base + 10, l, compare[l]);
            } else {
              s.wave().rows[base + 8][l] = u32(v[l]);
              s.wave().rows[base + 9][l] = u32(compare[l]);
            }
            s.setLane<u64>(base + 16, l, 0x1111111122222222ull);
          }
          s.run();
          u64 mask = a.bits == 64 ? ~u64(0) : 0xffffffffull;
          for (unsigned l = 0; l < 64; ++l) {
            u64 now;
            std::memcpy(&now, bytes + 8 + l * 8, 8);
            bool active = exec >> l & 1;
            u64 expected = active ? a.meaning(old[l] & mask, v[l] & mask, compare[l] & mask) & mask : old[l] & mask;
            ASSERT_EQ(now & mask, expected) << "lane " << l << std::hex << " old " << old[l] << " operand " << v[l];
            ASSERT_EQ(now & ~mask, old[l] & ~mask) << "beside it";
            unsigned resultRow = base + (way == Way::Buffer ? 8 : 16);
            u64 result = a.bits == 64 ? s.lane<u64>(resultRow, l) : s.wave().rows[resultRow][l];
            if (returns && active)
              ASSERT_EQ(result, old[l] & mask) << "lane " << l;
            else if (way != Way::Buffer)
              ASSERT_EQ(result, 0x1111111122222222ull & mask) << "lane " << l;
          }
        }
  EXPECT_GT(ran, 500u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Atomics, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
