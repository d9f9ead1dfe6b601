// Scalar loads, stores and atomics against their meanings.
#include "test/runtime/emulator/meaning/Atomic.h"
#include "test/runtime/emulator/meaning/Coverage.h"
#include "test/runtime/emulator/meaning/MemoryCase.h"

#include <gtest/gtest.h>

namespace nstf::emulator::meaning {
namespace {

constexpr unsigned memoryBytes = 16384;
constexpr MemoryCases allCases = {.ldsBytes = 0, .memoryBytes = memoryBytes, .rounds = 6};

struct Offset {
  std::string text;
  bool usesRegister;
  int constant;
};
std::vector<Offset> offsets() {
  return {{"0x0", false, 0},   {"0x40", false, 0x40}, {"0x3f8", false, 0x3f8},
          {"-16", false, -16}, {"s14", true, 0},      {"s14 offset:0x20", true, 0x20}};
}

/// Sets a base in s[8:9] or a resource in s[8:11], and an offset in s14.
std::function<void(Machine &, Random &)> prepare(bool buffer) {
  return [=](Machine &m, Random &random) {
    m.setPair(8, m.memoryAddress + (buffer ? 0 : 4096));
    m.s[10] = random.oneIn(2) ? 8192 : random.below(4096);
    m.s[11] = 0x00027000;
    m.s[14] = random.below(1000) * 8;
  };
}
/// The offset of dword k, or -1 past the end of a buffer.
i64 place(const Machine &m, bool buffer, const Offset &o, unsigned k) {
  i64 offset = i64(o.constant) + (o.usesRegister ? m.s[14] : 0) + 4 * k;
  if (!buffer)
    return 4096 + offset;
  return offset >= 0 && offset + 4 <= i64(m.s[10]) ? offset : -1;
}

} // namespace

std::vector<Case> scalarMemoryCases() {
  std::vector<Case> cases;
  for (bool buffer : {false, true})
    for (const Offset &o : offsets()) {
      if (buffer && o.constant < 0)
        continue;
      std::string kind = buffer ? "S_BUFFER_" : "S_", base = buffer ? "s[8:11]" : "s[8:9]";
      for (unsigned n : {1u, 2u, 4u, 8u, 16u}) {
        std::string size = n == 1 ? "DWORD" : "DWORDX" + std::to_string(n);
        std::string operands = " " + registers('s', 20, n) + ", " + base + ", " + o.text;
        allCases.add(cases, kind + "LOAD_" + size, lower(kind + "LOAD_" + size) + operands, prepare(buffer),
                     [=](Machine &m) {
                       for (unsigned k = 0; k < n; ++k) {
                         i64 at = place(m, buffer, o, k);
                         m.s[20 + k] = at < 0 ? 0 : u32(readWord(m.memory, u64(at), 32));
                       }
                     });
        if (n <= 4)
          allCases.add(cases, kind + "STORE_" + size, lower(kind + "STORE_" + size) + operands, prepare(buffer),
                       [=](Machine &m) {
                         for (unsigned k = 0; k < n; ++k)
                           if (i64 at = place(m, buffer, o, k); at >= 0)
                             writeWord(m.memory, u64(at), 32, m.s[20 + k]);
                       });
      }
      for (Type t : {Type::b32, Type::b64})
        for (const char *operation :
             {"SWAP", "CMPSWAP", "ADD", "SUB", "SMIN", "UMIN", "SMAX", "UMAX", "AND", "OR", "XOR", "INC", "DEC"})
          for (bool returns : {false, true}) {
            const Atomic *a = findAtomic(operation, t);
            unsigned n = t == Type::b64 ? 2 : 1, words = a->two ? 2 * n : n, bits = 32 * n;
            std::string name = kind + "ATOMIC_" + operation + (n == 2 ? "_X2" : "");
            allCases.add(
                cases, name,
                lower(name) + " " + registers('s', 20, words) + ", " + base + ", " + o.text + (returns ? " glc" : ""),
                [=](Machine &m, Random &random) {
                  prepare(buffer)(m, random);
                  m.s[10] = 16384;
                  u64 v = random.value(t), w = random.value(t);
                  m.s[20] = u32(v), m.s[21] = u32(v >> 32);
                  if (a->two)
                    m.s[20 + n] = u32(w), m.s[21 + n] = u32(w >> 32);
                  if (n == 1)
                    m.s[21] = a->two ? u32(w) : m.s[21];
                  for (unsigned i = 0; i + 8 <= memoryBytes; i += bits / 8)
                    writeWord(m.memory, i, bits, random.oneIn(2) ? w : random.value(t));
                },
                [=](Machine &m) {
                  u64 at = u64(place(m, buffer, o, 0)), old = readWord(m.memory, at, bits);
                  auto data = [&](unsigned first) { return n == 2 ? m.pair(first) : m.s[first]; };
                  writeWord(m.memory, at, bits, a->next(old, data(20), data(20 + n)));
                  if (returns) {
                    m.s[20] = u32(old);
                    if (n == 2)
                      m.s[21] = u32(old >> 32);
                  }
                });
          }
    }
  return cases;
}

namespace {
TEST(ScalarMemoryMeaning, All) {
  std::vector<Case> cases = scalarMemoryCases();
  for (const char *target : {"gfx90a", "gfx942"})
    runCases(target, cases);
}
} // namespace
} // namespace nstf::emulator::meaning
