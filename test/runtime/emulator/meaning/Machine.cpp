#include "test/runtime/emulator/meaning/Machine.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace nstf::emulator::meaning {

unsigned roundsFactor() {
  const char *text = std::getenv("NSTF_EMU_MEANING_ROUNDS");
  return text ? std::max(1, std::atoi(text)) : 1;
}
u64 randomSeed() {
  const char *text = std::getenv("NSTF_EMU_MEANING_SEED");
  return text ? std::strtoull(text, nullptr, 0) : 1;
}

namespace {

constexpr unsigned slot = 64; // bytes of code per case

std::string getText(const std::vector<const Case *> &cases) {
  std::string text;
  for (const Case *c : cases)
    text += ".p2align 6\n" + (c ? c->text : std::string()) + "\ns_endpgm\n";
  return text;
}

/// Nulls out the entries of `cases` that the assembler refuses. Fails if one of them is not optional.
void removeRefused(const std::string &target, std::vector<const Case *> &cases) {
  std::map<unsigned, std::string> refused;
  test::assemble(target, getText(cases), &refused);
  unsigned line = 1;
  for (const Case *&c : cases) {
    unsigned lines = 3 + unsigned(std::count(c->text.begin(), c->text.end(), '\n'));
    auto found = refused.lower_bound(line);
    if (found != refused.end() && found->first < line + lines) {
      if (!c->optional)
        ADD_FAILURE() << target << ": " << c->text << ": " << found->second;
      c = nullptr;
    }
    line += lines;
  }
}

unsigned getRow(unsigned row) { return row < vgprs ? row : agprRow + row - vgprs; }

void load(Wave &w, const Machine &m) {
  for (unsigned r = 0; r < vgprs + agprs; ++r)
    std::memcpy(w.rows[getRow(r)], m.v[r], sizeof(m.v[r]));
  std::memcpy(w.scalars, m.s, sizeof(m.s));
  w.setScc(m.scc);
  w.mode = m.mode;
}

struct Runner {
  const std::string &target;
  test::Snippet &snippet;
  Machine before, expected;

  void fill(const Case &c, Random &random, unsigned round) {
    Machine &m = before;
    for (auto &row : m.v)
      for (u32 &lane : row)
        lane = u32(random.bits());
    for (u32 &s : m.s)
      s = u32(random.bits());
    m.setPair(execRegister, random.exec(round));
    m.s[m0] = u32(random.bits());
    m.scc = random.bits() & 1;
    m.gfx942 = target == "gfx942";
    m.mode = usualMode;
    if (c.modes && round >= 4) // rounding, subnormals, DX10_CLAMP, IEEE
      m.mode = u32(random.bits()) & 0x3ff;
    m.lds.resize(c.ldsBytes);
    for (u8 &byte : m.lds)
      byte = u8(random.bits());
    m.memory.resize(c.memoryBytes);
    for (u8 &byte : m.memory)
      byte = u8(random.bits());
    m.memoryAddress = reinterpret_cast<u64>(memory.data());
    if (c.prepare)
      c.prepare(m, random);
  }

  void run(const Case &c, size_t at, unsigned round) {
    Wave &w = snippet.wave();
    load(w, before);
    std::copy(before.lds.begin(), before.lds.end(), snippet.lds.begin());
    std::copy(before.memory.begin(), before.memory.end(), memory.begin());
    expected = before;
    c.meaning(expected);
    snippet.run(at);
    compare(c, round);
  }

  bool close(const Case &c, unsigned row, unsigned lane, u32 got) const {
    if (row < c.looseRow || row >= c.looseRow + c.looseRows)
      return false;
    if (c.loose == Type::f64) {
      unsigned r = c.looseRow;
      if (doubled.isNan(expected.wide(r, lane)))
        return false;
      return stepsApart(doubled, snippet.lane<u64>(getRow(r), lane), expected.wide(r, lane)) <= c.steps;
    }
    Format f = getFormat(c.loose);
    if (f.isNan(expected.v[row][lane] & f.mask()))
      return false;
    return stepsApart(f, got & f.mask(), expected.v[row][lane] & f.mask()) <= c.steps &&
           (got & ~u32(f.mask())) == (expected.v[row][lane] & ~u32(f.mask()));
  }

  void compare(const Case &c, unsigned round) {
    const Wave &w = snippet.wave();
    for (unsigned r = 0; r < vgprs + agprs; ++r)
      if (std::memcmp(w.rows[getRow(r)], expected.v[r], sizeof(expected.v[r])))
        for (unsigned lane = 0; lane < lanes; ++lane) {
          u32 got = w.rows[getRow(r)][lane];
          if (got != expected.v[r][lane] && !close(c, r, lane, got))
            return fail(c, round, lane) << (r < vgprs ? "v" : "a") << std::dec << (r < vgprs ? r : r - vgprs)
                                        << std::hex << ": got " << got << " expected " << expected.v[r][lane],
                   void();
        }
    for (unsigned i = 0; i < scalarRegisters; ++i)
      if (w.scalars[i] != expected.s[i])
        return fail(c, round, 0) << "scalar " << std::dec << i << std::hex << ": got " << w.scalars[i] << " expected "
                                 << expected.s[i],
               void();
    if (w.scc() != expected.scc)
      return fail(c, round, 0) << "scc: got " << w.scc(), void();
    if (w.mode != expected.mode)
      return fail(c, round, 0) << "mode: got " << std::hex << w.mode << " expected " << expected.mode, void();
    compareBytes(c, round, "lds", snippet.lds.data(), expected.lds);
    compareBytes(c, round, "memory", memory.data(), expected.memory);
  }
  void compareBytes(const Case &c, unsigned round, const char *what, const u8 *got, const std::vector<u8> &wanted) {
    for (size_t i = 0; i < wanted.size(); ++i)
      if (got[i] != wanted[i])
        return fail(c, round, 0) << what << " byte " << i << ": got " << unsigned(got[i]) << " expected "
                                 << unsigned(wanted[i]) << " before "
                                 << unsigned((what[0] == 'l' ? before.lds : before.memory)[i]),
               void();
  }
  /// Prints the lane's operands: v2 to v7 are the sources of the vector forms, v20 is the destination.
  std::ostream &fail(const Case &c, unsigned round, unsigned lane) {
    failed = true;
    std::ostream &out = message;
    out << target << ": " << c.text << " (" << c.name << ", round " << std::dec << round << ", lane " << lane
        << std::hex << ", exec " << before.exec() << ", mode " << before.mode << ", v2 " << before.v[3][lane] << ':'
        << before.v[2][lane] << " v4 " << before.v[5][lane] << ':' << before.v[4][lane] << " v6 " << before.v[7][lane]
        << ':' << before.v[6][lane] << " v20 " << before.v[20][lane] << " s8 " << before.pair(8) << " s10 "
        << before.pair(10) << " vcc " << before.pair(vcc) << ") ";
    return out;
  }

  std::vector<u8> memory;
  std::ostringstream message;
  bool failed = false;
};

} // namespace

std::vector<std::string> runCases(const std::string &target, const std::vector<Case> &all) {
  std::vector<const Case *> cases;
  unsigned ldsBytes = 0, memoryBytes = 0;
  for (const Case &c : all) {
    cases.push_back(&c);
    ldsBytes = std::max(ldsBytes, c.ldsBytes);
    memoryBytes = std::max(memoryBytes, c.memoryBytes);
  }
  removeRefused(target, cases);
  std::erase(cases, nullptr);
  test::Snippet snippet(target, getText(cases), ldsBytes);
  Runner runner{target, snippet, {}, {}, std::vector<u8>(memoryBytes + 64), {}, false};
  if (memoryBytes) { // scratch uses the same bytes
    snippet.allow(runner.memory.data(), memoryBytes);
    const_cast<Launch *>(snippet.wave().group->launch)->scratchBytes = memoryBytes / lanes;
    snippet.wave().scratch = reinterpret_cast<u64>(runner.memory.data());
  }
  std::set<std::string> ran;
  unsigned failures = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case &c = *cases[i];
    Random random(randomSeed() * 0x9e3779b97f4a7c15ull + std::hash<std::string>()(c.text));
    unsigned rounds = (c.rounds ? c.rounds : c.modes ? 10 : 6) * roundsFactor();
    for (unsigned round = 0; round < rounds && !runner.failed; ++round) {
      runner.fill(c, random, round);
      try {
        runner.run(c, i * slot, round);
      } catch (const WaveFault &fault) {
        runner.fail(c, round, 0) << fault.what;
      }
    }
    ran.insert(c.name);
    if (runner.failed) {
      ADD_FAILURE() << runner.message.str();
      runner.message.str("");
      runner.failed = false;
      if (++failures == 3000)
        break;
    }
  }
  return {ran.begin(), ran.end()};
}

// Random

namespace {
const std::vector<u64> &edges(Type t) {
  static const std::vector<u64> halves = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x3c00,
                                          0xbc00, 0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01,
                                          0xfd55, 0x4248, 0x0401, 0x5640, 0x3bff, 0x3c01, 0x7800, 0x6400, 0x77ff};
  static const std::vector<u64> singles = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
      0xbf800000, 0x3f000000, 0xbf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f800001, 0xffa54321, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3fc00000, 0xc0200000, 0x4effffff,
      0x33000000, 0x33000001, 0x387fc000, 0x477fe000, 0x477ff000, 0x43800000, 0x437f8000, 0x7e800000, 0x00ffffff};
  static const std::vector<u64> doubles = {0,
                                           0x8000000000000000ull,
                                           1,
                                           0x8000000000000001ull,
                                           0x000fffffffffffffull,
                                           0x0010000000000000ull,
                                           0x3ff0000000000000ull,
                                           0xbff0000000000000ull,
                                           0x3fe0000000000000ull,
                                           0x7fefffffffffffffull,
                                           0xffefffffffffffffull,
                                           0x7ff0000000000000ull,
                                           0xfff0000000000000ull,
                                           0x7ff8000000000000ull,
                                           0xfff8000000012345ull,
                                           0x7ff0000000000001ull,
                                           0xfff4000000000000ull,
                                           0x41dfffffffc00000ull,
                                           0xc1e0000000000000ull,
                                           0x41efffffffe00000ull,
                                           0x36a0000000000000ull,
                                           0x380fffffe0000000ull,
                                           0x47efffffe0000000ull,
                                           0x47effffff0000000ull,
                                           0x4008000000000000ull};
  static const std::vector<u64> words = {0,         1,          2,          31,         32,         33,
                                         63,        64,         0x7f,       0x80,       0xff,       0x7fff,
                                         0x8000,    0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
                                         0x1000000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  static const std::vector<u64> longs = {0,
                                         1,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x100000000ull,
                                         0x7fffffffffffffffull,
                                         0x8000000000000000ull,
                                         0xffffffffffffffffull,
                                         0xffffffff00000000ull};
  switch (t) {
  case Type::f16:
    return halves;
  case Type::f32:
  case Type::pf32:
    return singles;
  case Type::f64:
    return doubles;
  case Type::b64:
  case Type::p32:
    return longs;
  default:
    return words;
  }
}
} // namespace

u64 Random::value(Type t) {
  if (t == Type::pf16) {
    u64 low = value(Type::f16);
    return (low & 0xffff) | value(Type::f16) << 16;
  }
  if (t == Type::p16) {
    u64 low = value(Type::b16);
    return (low & 0xffff) | value(Type::b16) << 16;
  }
  if (t == Type::pf32) {
    u64 low = value(Type::f32);
    return (low & 0xffffffff) | value(Type::f32) << 32;
  }
  if (t == Type::p32)
    return bits();
  if (t == Type::shift)
    return last = oneIn(3) ? bits() : below(70);
  u64 random = bits();
  u64 v;
  switch (below(8)) {
  case 0:
  case 1: {
    const std::vector<u64> &some = edges(t);
    v = some[below(unsigned(some.size()))];
    break;
  }
  case 2: // equal or close to the previous operand
    v = last + (oneIn(2) ? 0 : i64(below(5)) - 2);
    break;
  case 3:
  case 4:
  case 5: // similar magnitude, so that sums and products round
    if (isFloat(t)) {
      Format f = getFormat(t);
      v = (random & (f.sign() | f.fraction())) | u64(f.bias() - 12 + int(below(24))) << f.fractionBits;
      if (t == Type::f16)
        v = (random & 0x83ff) | u64(8 + below(14)) << 10;
      break;
    }
    if (t == Type::b32 || t == Type::b64) {
      v = oneIn(2) ? random : random & bits() & bits();
      break;
    }
    [[fallthrough]];
  default:
    v = random;
  }
  last = v;
  if (t == Type::b16 || t == Type::f16) // the other half must not matter
    return (v & 0xffff) | (bits() & 0xffff0000);
  return getBits(t) == 64 ? v : u32(v);
}

u64 Random::exec(unsigned round) {
  switch (round % 8) {
  case 0:
  case 2:
    return ~u64(0);
  case 1:
    return bits();
  case 3:
    return u64(1) << below(64);
  case 4:
    return bits() & bits() & bits();
  case 5:
    return oneIn(2) ? 0 : ~u64(0) >> below(64);
  case 6:
    return bits() | bits();
  default:
    return u64(0xffffffff) << (oneIn(2) ? 32 : 0);
  }
}

} // namespace nstf::emulator::meaning
