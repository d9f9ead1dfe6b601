// Global, flat, scratch and buffer loads, stores and atomics against their meanings: bytes of memory, one lane after
// another.
#include "test/runtime/emulator/meaning/Atomic.h"
#include "test/runtime/emulator/meaning/Coverage.h"
#include "test/runtime/emulator/meaning/MemoryCase.h"

#include <gtest/gtest.h>

namespace nstf::emulator::meaning {
namespace {

constexpr unsigned memoryBytes = 64 * 512;
constexpr MemoryCases allCases = {.ldsBytes = 0, .memoryBytes = memoryBytes, .rounds = 4};

/// One way to address memory: its syntax, how its operands are set, and where byte k of a lane is (for buffers possibly
/// nowhere).
struct Addressing {
  std::string prefix, before, after; ///< "GLOBAL_"; the address's text, and the text after the data
  std::function<void(Machine &, Random &, unsigned align, unsigned bytes)> prepare;
  std::function<i64(const Machine &, unsigned lane, unsigned k)> place;
  bool atomics = true;
};

/// An offset for each lane: random, the same for all, or consecutive.
std::vector<u32> somePlaces(Random &random, unsigned align, unsigned bytes, unsigned limit) {
  std::vector<u32> places(lanes);
  unsigned kind = random.below(4), step = align > bytes ? align : bytes;
  for (unsigned l = 0; l < lanes; ++l)
    places[l] = kind == 0   ? random.below((limit - bytes) / align) * align
                : kind == 1 ? 64
                            : (l * step) % (limit - bytes - 16) / align * align;
  return places;
}

std::vector<Addressing> addressings() {
  std::vector<Addressing> all;
  for (int offset : {0, 24, -40}) {
    auto prepare = [=](Machine &m, Random &random, unsigned align, unsigned bytes) {
      std::vector<u32> places = somePlaces(random, align, bytes, memoryBytes);
      for (unsigned l = 0; l < lanes; ++l) {
        u64 address = m.memoryAddress + places[l] - u64(i64(offset));
        m.v[2][l] = u32(address), m.v[3][l] = u32(address >> 32);
      }
    };
    auto place = [=](const Machine &m, unsigned l, unsigned k) {
      return i64(m.wide(2, l) + u64(i64(offset)) + k - m.memoryAddress);
    };
    std::string text = offset ? " offset:" + std::to_string(offset) : "";
    all.push_back({"GLOBAL_", "v[2:3]", ", off" + text, prepare, place});
    if (offset >= 0)
      all.push_back({"FLAT_", "v[2:3]", text, prepare, place});
    all.push_back({"GLOBAL_", "v2", ", s[8:9]" + text,
                   [=](Machine &m, Random &random, unsigned align, unsigned bytes) {
                     std::vector<u32> places = somePlaces(random, align, bytes, memoryBytes);
                     m.setPair(8, m.memoryAddress - 1000 - u64(i64(offset)));
                     for (unsigned l = 0; l < lanes; ++l)
                       m.v[2][l] = places[l] + 1000;
                   },
                   [=](const Machine &m, unsigned l, unsigned k) {
                     return i64(m.pair(8) + m.v[2][l] + u64(i64(offset)) + k - m.memoryAddress);
                   }});
  }
  // Scratch interleaves a lane's dwords with those of the other lanes.
  struct Scratch {
    const char *vector, *scalar;
    int offset;
  };
  for (Scratch s : {Scratch{"v2", "off", 0}, {"v2", "off", 12}, {"off", "s14", 8}, {"off", "off", 16}})
    all.push_back(
        {"SCRATCH_", s.vector, std::string(", ") + s.scalar + (s.offset ? " offset:" + std::to_string(s.offset) : ""),
         [=](Machine &m, Random &random, unsigned align, unsigned) {
           for (unsigned l = 0; l < lanes; ++l)
             m.v[2][l] = random.below(400 / align) * align;
           m.s[14] = random.below(400 / align) * align;
         },
         [=](const Machine &m, unsigned l, unsigned k) {
           u32 at = (s.vector[0] == 'v' ? m.v[2][l] : 0) + (s.scalar[0] == 's' ? m.s[14] : 0) + u32(s.offset) + k;
           return i64(at / 4 * 256 + l * 4 + at % 4);
         },
         false});
  // Raw buffers drop each dword whose offset, including soffset, is past num_records.
  for (unsigned offset : {0u, 24u, 4088u})
    for (bool offen : {true, false})
      for (bool scalar : {false, true})
        all.push_back({"BUFFER_", offen ? "v2" : "off",
                       std::string(", s[8:11], ") + (scalar ? "s14" : "0") + (offen ? " offen" : "") +
                           (offset ? " offset:" + std::to_string(offset) : ""),
                       [=](Machine &m, Random &random, unsigned align, unsigned bytes) {
                         std::vector<u32> places = somePlaces(random, align, bytes, memoryBytes - 8192);
                         m.setPair(8, m.memoryAddress);
                         m.s[10] = random.oneIn(2) ? memoryBytes : random.below(memoryBytes);
                         m.s[11] = 0x00027000;
                         m.s[14] = random.below(100) * 8;
                         for (unsigned l = 0; l < lanes; ++l)
                           m.v[2][l] = places[l];
                       },
                       [=](const Machine &m, unsigned l, unsigned k) {
                         u32 at = (offen ? m.v[2][l] : 0) + (scalar ? m.s[14] : 0) + offset + k;
                         u32 unit = at - k % 4; // the check is by dwords of the access
                         return unit + (k % 4 ? k % 4 + 1 : 1) <= m.s[10] && at < m.s[10] ? i64(at) : -1;
                       }});
  // Structured buffers: index times stride plus offset; the index is checked.
  for (bool offen : {true, false})
    all.push_back({"BUFFER_", offen ? "v[2:3]" : "v2",
                   std::string(", s[8:11], 0 idxen") + (offen ? " offen" : " offset:8"),
                   [=](Machine &m, Random &random, unsigned align, unsigned) {
                     m.setPair(8, m.memoryAddress | u64(32) << 48);
                     m.s[10] = random.oneIn(2) ? 100 : random.below(100);
                     m.s[11] = 0x00027000;
                     for (unsigned l = 0; l < lanes; ++l)
                       m.v[2][l] = random.below(100), m.v[3][l] = random.below(16 / align) * align;
                   },
                   [=](const Machine &m, unsigned l, unsigned k) {
                     return m.v[2][l] < m.s[10] ? i64(m.v[2][l] * 32 + (offen ? m.v[3][l] : 8) + k) : -1;
                   }});
  return all;
}

u64 readAt(const Machine &m, const Addressing &a, unsigned l, unsigned first, unsigned bytes) {
  u64 v = 0;
  for (unsigned k = 0; k < bytes; ++k) {
    i64 at = a.place(m, l, first + k);
    if (at < 0)
      return 0;
    v |= u64(m.memory[u64(at)]) << 8 * k;
  }
  return v;
}
void writeAt(Machine &m, const Addressing &a, unsigned l, unsigned first, unsigned bytes, u64 v) {
  for (unsigned k = 0; k < bytes; ++k)
    if (a.place(m, l, first + bytes - 1) < 0)
      return;
  for (unsigned k = 0; k < bytes; ++k)
    m.memory[u64(a.place(m, l, first + k))] = u8(v >> 8 * k);
}

void addLoadsAndStores(std::vector<Case> &cases, const Addressing &a) {
  for (const SmallAccess &s : smallLoads(a.prefix + "LOAD_", "", "UBYTE", "SBYTE", "USHORT", "SSHORT", "SHORT_D16"))
    allCases.add(
        cases, s.name, lower(s.name) + " v20, " + a.before + a.after,
        [=](Machine &m, Random &r) { a.prepare(m, r, s.bytes, s.bytes); },
        [=](Machine &m) {
          Machine before = m;
          for (unsigned l = 0; l < lanes; ++l)
            if (m.active(l))
              m.v[20][l] = s.loaded(readAt(before, a, l, 0, s.bytes));
        });
  for (unsigned n : {1u, 2u, 3u, 4u})
    for (bool accumulator : {false, true}) {
      std::string size = n == 1 ? "DWORD" : "DWORDX" + std::to_string(n), name = a.prefix + "LOAD_" + size;
      unsigned to = accumulator ? agpr0 + 2 : 20, from = accumulator ? agpr0 : 4;
      std::string data = accumulator ? registers('a', 2, n) : registers('v', 20, n),
                  source = accumulator ? registers('a', 0, n) : registers('v', 4, n);
      allCases.add(
          cases, name, lower(name) + " " + data + ", " + a.before + a.after,
          [=](Machine &m, Random &r) { a.prepare(m, r, r.oneIn(2) ? 4 : 1, 4 * n); },
          [=](Machine &m) {
            Machine before = m;
            for (unsigned l = 0; l < lanes; ++l)
              if (m.active(l))
                for (unsigned k = 0; k < n; ++k)
                  m.v[to + k][l] = u32(readAt(before, a, l, 4 * k, 4));
          });
      name = a.prefix + "STORE_" + size;
      bool buffer = a.prefix == "BUFFER_";
      allCases.add(
          cases, name, lower(name) + " " + (buffer ? source + ", " + a.before : a.before + ", " + source) + a.after,
          [=](Machine &m, Random &r) { a.prepare(m, r, 4, 4 * n); },
          [=](Machine &m) {
            for (unsigned l = 0; l < lanes; ++l)
              if (m.active(l))
                for (unsigned k = 0; k < n; ++k)
                  writeAt(m, a, l, 4 * k, 4, m.v[from + k][l]);
          });
    }
  struct Small {
    const char *name;
    unsigned bytes, shift;
  };
  for (Small s : {Small{"BYTE", 1, 0}, {"BYTE_D16_HI", 1, 16}, {"SHORT", 2, 0}, {"SHORT_D16_HI", 2, 16}}) {
    std::string name = a.prefix + "STORE_" + s.name;
    bool buffer = a.prefix == "BUFFER_";
    allCases.add(
        cases, name, lower(name) + (buffer ? " v4, " + a.before : " " + a.before + ", v4") + a.after,
        [=](Machine &m, Random &r) { a.prepare(m, r, s.bytes, s.bytes); },
        [=](Machine &m) {
          for (unsigned l = 0; l < lanes; ++l)
            if (m.active(l))
              writeAt(m, a, l, 0, s.bytes, m.v[4][l] >> s.shift);
        });
  }
}

void addAtomic(std::vector<Case> &cases, const Addressing &a, const std::string &name, const Atomic *atomic) {
  if (!atomic) {
    ADD_FAILURE() << "no meaning of " << name;
    return;
  }
  unsigned n = getBits(atomic->type) == 64 ? 2 : 1, bits = 32 * n, words = atomic->two ? 2 * n : n;
  bool buffer = a.prefix == "BUFFER_";
  for (bool returns : {false, true})
    for (const char *bit : {" sc0", " glc"}) { // the chips spell it differently
      if (!returns && bit[1] == 'g')
        continue;
      std::string full = a.prefix + "ATOMIC_" + name, data = registers('v', 4, words), to = registers('v', 20, n);
      unsigned result = buffer ? 4 : 20;
      std::string text = lower(full) + " " +
                         (buffer ? data + ", " + a.before : (returns ? to + ", " : "") + a.before + ", " + data) +
                         a.after + (returns ? bit : "");
      allCases.add(
          cases, full, text,
          [=](Machine &m, Random &random) {
            a.prepare(m, random, bits / 8, bits / 8);
            if (buffer && m.pair(8) >> 48 == 0)
              m.s[10] = memoryBytes;
            for (unsigned l = 0; l < lanes; ++l)
              for (unsigned row = 4; row < 8; row += n) {
                u64 v = random.value(atomic->type);
                m.v[row][l] = u32(v);
                if (n == 2)
                  m.v[row + 1][l] = u32(v >> 32);
              }
            for (unsigned i = 0; i + 8 <= memoryBytes; i += bits / 8) {
              unsigned l = random.below(lanes), row = 4 + n * random.below(2);
              u64 v = random.oneIn(3) ? (n == 2 ? m.wide(row, l) : m.v[row][l]) : random.value(atomic->type);
              writeWord(m.memory, i, bits, v);
            }
          },
          [=](Machine &m) {
            Machine before = m;
            for (unsigned l = 0; l < lanes; ++l) {
              if (!m.active(l))
                continue;
              u64 old = 0;
              if (a.place(before, l, 0) >= 0) {
                u64 at = u64(a.place(before, l, 0));
                auto value = [&](unsigned row) { return n == 2 ? before.wide(row, l) : before.v[row][l]; };
                old = readWord(m.memory, at, bits);
                writeWord(m.memory, at, bits, atomic->next(old, value(4), value(4 + n)));
              }
              if (returns)
                for (unsigned k = 0; k < n; ++k)
                  m.v[result + k][l] = u32(old >> 32 * k);
            }
          });
    }
}

} // namespace

std::vector<Case> memoryCases() {
  std::vector<Case> cases;
  for (const Addressing &a : addressings()) {
    addLoadsAndStores(cases, a);
    if (!a.atomics)
      continue;
    for (Type t : {Type::b32, Type::b64})
      for (const char *name :
           {"SWAP", "CMPSWAP", "ADD", "SUB", "SMIN", "UMIN", "SMAX", "UMAX", "AND", "OR", "XOR", "INC", "DEC"})
        addAtomic(cases, a, std::string(name) + (t == Type::b64 ? "_X2" : ""), findAtomic(name, t));
    addAtomic(cases, a, "ADD_F32", findAtomic("ADD", Type::f32));
    for (const char *name : {"ADD", "MIN", "MAX"})
      addAtomic(cases, a, std::string(name) + "_F64", findAtomic(name, Type::f64));
    addAtomic(cases, a, "PK_ADD_F16", findAtomic("PK_ADD_F16", Type::pf16));
    addAtomic(cases, a, "PK_ADD_BF16", findAtomic("PK_ADD_BF16", Type::p16));
  }
  return cases;
}

namespace {
TEST(MemoryMeaning, All) {
  std::vector<Case> cases = memoryCases();
  for (const char *target : {"gfx90a", "gfx942"})
    runCases(target, cases);
}
} // namespace
} // namespace nstf::emulator::meaning
