// LDS loads, stores, pairs and atomics against their meanings: bytes at address plus offset, one lane after another.
#include "test/runtime/emulator/meaning/Atomic.h"
#include "test/runtime/emulator/meaning/Coverage.h"
#include "test/runtime/emulator/meaning/MemoryCase.h"

#include <gtest/gtest.h>

namespace nstf::emulator::meaning {

namespace {

constexpr unsigned ldsBytes = 49152;
constexpr MemoryCases allCases = {.ldsBytes = ldsBytes, .memoryBytes = 0, .rounds = 8};
/// Addresses in v2: random, all the same or by lane; aligned to `align` and below `limit`.
std::function<void(Machine &, Random &)> addresses(unsigned align, unsigned limit, Type data = Type::none) {
  return [=](Machine &m, Random &random) {
    unsigned kind = random.below(3), base = random.below(limit / align) * align;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      m.v[2][lane] = kind == 0 ? random.below(limit / align) * align : kind == 1 ? base : (base + lane * align) % limit;
      if (data != Type::none)
        for (unsigned row : {4u, 6u}) {
          u64 v = random.value(data);
          m.v[row][lane] = u32(v);
          m.v[row + 1][lane] = u32(v >> 32);
        }
    }
    if (data != Type::none)
      for (unsigned i = 0; i + 8 <= m.lds.size(); i += getBits(data) / 8) {
        unsigned lane = random.below(lanes);
        u64 v = random.oneIn(3) ? m.wide(random.oneIn(2) ? 4 : 6, lane) : random.value(data); // often the comparand
        writeWord(m.lds, i, getBits(data) == 64 ? 64 : 32, v);
      }
  };
}
template <typename F> void eachActive(Machine &m, F function) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (m.active(lane))
      function(lane);
}

void addLoads(std::vector<Case> &cases, Random &random) {
  for (const SmallAccess &s : smallLoads("DS_READ_", "", "U8", "I8", "U16", "I16", "U16_D16"))
    for (unsigned offset : {0u, 1u + random.below(200)})
      allCases.add(
          cases, s.name, lower(s.name) + " v20, v2 offset:" + std::to_string(offset), addresses(s.bytes, 4096),
          [=](Machine &m) {
            eachActive(m, [&](unsigned l) { m.v[20][l] = s.loaded(readWord(m.lds, m.v[2][l] + offset, 8 * s.bytes)); });
          });
  for (unsigned n : {1u, 2u, 3u, 4u})
    for (unsigned offset : {0u, 4 * random.below(100), 4 * random.below(8000)})
      for (unsigned to : {20u, 2u}) { // also over the address
        std::string name = "DS_READ_B" + std::to_string(32 * n);
        allCases.add(cases, name, lower(name) + " " + registers('v', to, n) + ", v2 offset:" + std::to_string(offset),
                     addresses(4, 4096), [=](Machine &m) {
                       eachActive(m, [&](unsigned l) {
                         u64 at = m.v[2][l] + offset;
                         for (unsigned k = 0; k < n; ++k)
                           m.v[to + k][l] = u32(readWord(m.lds, at + 4 * k, 32));
                       });
                     });
      }
}

void addStores(std::vector<Case> &cases, Random &random) {
  struct Small {
    const char *name;
    unsigned bits, shift;
  };
  for (Small s : {Small{"DS_WRITE_B8", 8, 0},
                  {"DS_WRITE_B8_D16_HI", 8, 16},
                  {"DS_WRITE_B16", 16, 0},
                  {"DS_WRITE_B16_D16_HI", 16, 16}})
    for (unsigned offset : {0u, 1u + random.below(200)})
      allCases.add(cases, s.name, lower(s.name) + " v2, v4 offset:" + std::to_string(offset),
                   addresses(s.bits / 8, 4096), [=](Machine &m) {
                     eachActive(
                         m, [&](unsigned l) { writeWord(m.lds, m.v[2][l] + offset, s.bits, m.v[4][l] >> s.shift); });
                   });
  for (unsigned n : {1u, 2u, 3u, 4u})
    for (unsigned offset : {0u, 4 * random.below(100)}) {
      std::string name = "DS_WRITE_B" + std::to_string(32 * n);
      allCases.add(cases, name, lower(name) + " v2, " + registers('v', 4, n) + " offset:" + std::to_string(offset),
                   addresses(4, 4096), [=](Machine &m) {
                     eachActive(m, [&](unsigned l) {
                       for (unsigned k = 0; k < n; ++k)
                         writeWord(m.lds, m.v[2][l] + offset + 4 * k, 32, m.v[4 + k][l]);
                     });
                   });
    }
}

void addPairs(std::vector<Case> &cases, Random &random) {
  for (unsigned n : {1u, 2u})
    for (unsigned stride : {1u, 64u})
      for (int i = 0; i < 3; ++i) {
        std::string suffix = (stride == 64 ? "ST64_B" : "_B") + std::to_string(32 * n);
        unsigned bytes = 4 * n, limit = 4096;
        unsigned o[2] = {random.below(stride == 64 ? 40 : 256), random.below(stride == 64 ? 40 : 256)};
        std::string offsets = " offset0:" + std::to_string(o[0]) + " offset1:" + std::to_string(o[1]);
        auto at = [=](const Machine &m, unsigned l, unsigned k) { return u64(m.v[2][l]) + o[k] * bytes * stride; };
        allCases.add(cases, "DS_READ2" + suffix,
                     lower("DS_READ2" + suffix) + " " + registers('v', 20, 2 * n) + ", v2" + offsets,
                     addresses(bytes, limit), [=](Machine &m) {
                       eachActive(m, [&](unsigned l) {
                         for (unsigned k = 0; k < 2 * n; ++k)
                           m.v[20 + k][l] = u32(readWord(m.lds, at(m, l, k / n) + k % n * 4, 32));
                       });
                     });
        allCases.add(
            cases, "DS_WRITE2" + suffix,
            lower("DS_WRITE2" + suffix) + " v2, " + registers('v', 4, n) + ", " + registers('v', 6, n) + offsets,
            addresses(bytes, limit), [=](Machine &m) {
              // The first values of all lanes, then the second ones.
              for (unsigned k = 0; k < 2; ++k)
                eachActive(m, [&](unsigned l) { writeWord(m.lds, at(m, l, k), 32 * n, m.wide(4 + 2 * k, l)); });
            });
        allCases.add(
            cases, "DS_WRXCHG2" + suffix,
            lower("DS_WRXCHG2" + std::string(stride == 64 ? "ST64" : "") + "_RTN_B" + std::to_string(32 * n)) + " " +
                registers('v', 20, 2 * n) + ", v2, " + registers('v', 4, n) + ", " + registers('v', 6, n) + offsets,
            [=](Machine &m, Random &r) { // lanes apart: their order must not matter
              addresses(bytes, limit)(m, r);
              for (unsigned l = 0; l < lanes; ++l)
                m.v[2][l] = l * bytes;
            },
            [=](Machine &m) {
              if (o[0] == o[1] || (o[0] > o[1] ? o[0] - o[1] : o[1] - o[0]) * stride < 64)
                m.setPair(execRegister, 0); // overlapping lanes: not compared
              eachActive(m, [&](unsigned l) {
                for (unsigned k = 0; k < 2; ++k) {
                  u64 old = readWord(m.lds, at(m, l, k), 32 * n);
                  writeWord(m.lds, at(m, l, k), 32 * n, m.wide(4 + 2 * k, l));
                  m.v[20 + k * n][l] = u32(old);
                  if (n == 2)
                    m.v[21 + k * n][l] = u32(old >> 32);
                }
              });
            });
        if (o[0] == o[1] || (o[0] > o[1] ? o[0] - o[1] : o[1] - o[0]) * stride < 64)
          cases.pop_back();
      }
}

/// `name` is the name in the list without DS_.
void addAtomic(std::vector<Case> &cases, const std::string &name, const Atomic *a, Random &random) {
  if (!a) {
    ADD_FAILURE() << "no meaning of " << name;
    return;
  }
  unsigned n = getBits(a->type) == 64 ? 2 : 1, bits = 32 * n;
  std::string withReturn = name;
  withReturn.insert(name.find_last_of('_') == std::string::npos || name.starts_with("PK_ADD") ? name.find("_ADD") + 4
                                                                                              : name.find_last_of('_'),
                    "_RTN");
  for (bool returns : {false, true}) {
    unsigned offset = 8 * random.below(64);
    std::string text = "ds_" + lower(returns ? withReturn : name) + " " +
                       (returns ? registers('v', 20, n) + ", " : "") + "v2, " + registers('v', 4, n) +
                       (a->two ? ", " + registers('v', 6, n) : "") + " offset:" + std::to_string(offset);
    bool compares = std::string(a->name) == "CMPSWAP"; // ds_cmpst: the first is compared with, the second written
    allCases.add(cases, "DS_" + name, text, addresses(bits / 8, 2048, a->type), [=](Machine &m) {
      auto data = [&](unsigned row, unsigned l) { return n == 2 ? m.wide(row, l) : m.v[row][l]; };
      eachActive(m, [&](unsigned l) {
        u64 at = m.v[2][l] + offset, old = readWord(m.lds, at, bits);
        u64 first = data(4, l), second = data(6, l);
        writeWord(m.lds, at, bits, compares ? a->next(old, second, first) : a->next(old, first, second));
        if (returns) {
          m.v[20][l] = u32(old);
          if (n == 2)
            m.v[21][l] = u32(old >> 32);
        }
      });
    });
  }
}

} // namespace

std::vector<Case> ldsCases() {
  std::vector<Case> cases;
  Random random(randomSeed());
  addLoads(cases, random);
  addStores(cases, random);
  addPairs(cases, random);
  struct Name {
    const char *name, *operation;
    char kind;
  };
  for (Type t : {Type::b32, Type::b64}) {
    std::string bits = t == Type::b32 ? "32" : "64";
    for (Name n : {Name{"ADD", "ADD", 'U'},
                   {"SUB", "SUB", 'U'},
                   {"RSUB", "RSUB", 'U'},
                   {"INC", "INC", 'U'},
                   {"DEC", "DEC", 'U'},
                   {"MIN", "SMIN", 'I'},
                   {"MAX", "SMAX", 'I'},
                   {"MIN", "UMIN", 'U'},
                   {"MAX", "UMAX", 'U'},
                   {"AND", "AND", 'B'},
                   {"OR", "OR", 'B'},
                   {"XOR", "XOR", 'B'},
                   {"WRXCHG", "SWAP", 'B'},
                   {"CMPST", "CMPSWAP", 'B'},
                   {"MSKOR", "MSKOR", 'B'}})
      addAtomic(cases, std::string(n.name) + "_" + n.kind + bits, findAtomic(n.operation, t), random);
  }
  for (Type t : {Type::f32, Type::f64}) {
    std::string suffix = t == Type::f32 ? "_F32" : "_F64";
    for (const char *name : {"ADD", "MIN", "MAX"})
      addAtomic(cases, name + suffix, findAtomic(name, t), random);
    addAtomic(cases, "CMPST" + suffix, findAtomic("CMPSWAP", t), random);
  }
  addAtomic(cases, "PK_ADD_F16", findAtomic("PK_ADD_F16", Type::pf16), random);
  addAtomic(cases, "PK_ADD_BF16", findAtomic("PK_ADD_BF16", Type::p16), random);
  addAtomic(cases, "WRAP_B32", findAtomic("WRAP", Type::b32), random);
  addAtomic(cases, "CONDXCHG32_B64", findAtomic("CONDXCHG32", Type::b64), random);
  return cases;
}

namespace {
TEST(LdsMeaning, All) {
  std::vector<Case> cases = ldsCases();
  for (const char *target : {"gfx90a", "gfx942"})
    runCases(target, cases);
}
} // namespace
} // namespace nstf::emulator::meaning
