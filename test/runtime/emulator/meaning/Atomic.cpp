#include "test/runtime/emulator/meaning/Atomic.h"

#include <cstring>

namespace nstf::emulator::meaning {
namespace {

/// Minimum and maximum keep the old value unless the data is strictly less or greater (`src < tmp ? src : tmp`).
template <int wanted> u64 floatChoice(Format f, u64 memory, u64 data) {
  if (f.isNan(memory) || f.isNan(data))
    return f.isNan(memory) ? data : memory;
  return compare(getNumber(f, data), getNumber(f, memory)) == wanted ? data : memory;
}
template <unsigned bits> i64 asSigned(u64 v) { return bits == 64 ? i64(v) : i64(i32(u32(v))); }
u64 pairSum(Format f, u64 memory, u64 data) {
  u64 low = add(f, memory & 0xffff, data & 0xffff, {}), high = add(f, memory >> 16, data >> 16, {});
  return low | high << 16;
}

#define WITH(...)                                                                                                      \
  [](u64 m, u64 d, u64 s) -> u64 {                                                                                     \
    (void)m, (void)d, (void)s;                                                                                         \
    return __VA_ARGS__;                                                                                                \
  }
template <unsigned bits, Type type> const std::vector<Atomic> &integers() {
  static const std::vector<Atomic> all = {
      {"SWAP", type, false, WITH(d)},
      {"CMPSWAP", type, true, WITH(m == s ? d : m)},
      {"ADD", type, false, WITH(m + d)},
      {"SUB", type, false, WITH(m - d)},
      {"RSUB", type, false, WITH(d - m)},
      {"SMIN", type, false, WITH(asSigned<bits>(d) < asSigned<bits>(m) ? d : m)},
      {"UMIN", type, false, WITH(d < m ? d : m)},
      {"SMAX", type, false, WITH(asSigned<bits>(d) > asSigned<bits>(m) ? d : m)},
      {"UMAX", type, false, WITH(d > m ? d : m)},
      {"AND", type, false, WITH(m & d)},
      {"OR", type, false, WITH(m | d)},
      {"XOR", type, false, WITH(m ^ d)},
      {"INC", type, false, WITH(m >= d ? 0 : m + 1)},
      {"DEC", type, false, WITH(m == 0 || m > d ? d : m - 1)},
      {"MSKOR", type, true, WITH((m & ~d) | s)},
      {"WRAP", type, true, WITH(m >= d ? m - d : m + s)},
      {"CONDXCHG32", type, false,
       WITH((d >> 31 & 1 ? d & 0x7fffffff : m & 0xffffffff) |
            (d >> 63 ? d & 0x7fffffff00000000ull : m & 0xffffffff00000000ull))},
  };
  return all;
}
const std::vector<Atomic> floats = {
    {"ADD", Type::f32, false, WITH(add(single, m, d, {}))},
    {"ADD", Type::f64, false, WITH(add(doubled, m, d, {}))},
    {"MIN", Type::f32, false, WITH(floatChoice<-1>(single, m, d))},
    {"MAX", Type::f32, false, WITH(floatChoice<1>(single, m, d))},
    {"MIN", Type::f64, false, WITH(floatChoice<-1>(doubled, m, d))},
    {"MAX", Type::f64, false, WITH(floatChoice<1>(doubled, m, d))},
    {"PK_ADD_F16", Type::pf16, false, WITH(pairSum(half, m, d))},
    {"PK_ADD_BF16", Type::p16, false, WITH(pairSum(brain, m, d))},
    {"CMPSWAP", Type::f32, true,
     WITH(!single.isNan(m) && !single.isNan(s) && compare(getNumber(single, m), getNumber(single, s)) == 0 ? d : m)},
    {"CMPSWAP", Type::f64, true,
     WITH(!doubled.isNan(m) && !doubled.isNan(s) && compare(getNumber(doubled, m), getNumber(doubled, s)) == 0 ? d
                                                                                                               : m)},
};

} // namespace

const Atomic *findAtomic(const std::string &operation, Type type) {
  for (const std::vector<Atomic> *list : {&integers<32, Type::b32>(), &integers<64, Type::b64>(), &floats})
    for (const Atomic &a : *list)
      if (a.type == type && operation == a.name)
        return &a;
  return nullptr;
}

u64 readWord(const std::vector<u8> &bytes, u64 at, unsigned bits) {
  u64 v = 0;
  std::memcpy(&v, bytes.data() + at, bits / 8);
  return v;
}
void writeWord(std::vector<u8> &bytes, u64 at, unsigned bits, u64 value) {
  std::memcpy(bytes.data() + at, &value, bits / 8);
}

} // namespace nstf::emulator::meaning
