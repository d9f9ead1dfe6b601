// The results of v_cmp and v_cmpx.
#include "test/runtime/emulator/meaning/Meaning.h"

namespace nstf::emulator::meaning {
namespace {

using enum Type;

void add(std::vector<VectorMeaning> &all, const std::string &name, std::vector<Type> types,
         std::function<u64(Lane &)> value) {
  all.push_back({"V_CMP_" + name, none, types, value, MaskOnly});
  all.push_back({"V_CMPX_" + name, none, types, value, MaskOnly | WritesExec});
}

/// Bits 0 to 2 of a relation's number say whether it holds for less, equal and greater (for floats bit 3: unordered).
template <typename T> void addIntegers(std::vector<VectorMeaning> &all, const char *suffix, Type t) {
  static const char *const names[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
  for (unsigned relation = 0; relation < 8; ++relation)
    add(all, std::string(names[relation]) + suffix, {t, t}, [relation](Lane &l) -> u64 {
      T a = T(l.a), b = T(l.b);
      return relation >> (a < b ? 0 : a == b ? 1 : 2) & 1;
    });
}

void addFloats(std::vector<VectorMeaning> &all, const char *suffix, Type t) {
  static const char *const names[] = {"F", "LT",  "EQ",  "LE",  "GT",  "LG",  "GE",  "O",
                                      "U", "NGE", "NLG", "NGT", "NLE", "NEQ", "NLT", "TRU"};
  Format f = getFormat(t);
  for (unsigned relation = 0; relation < 16; ++relation)
    add(all, std::string(names[relation]) + suffix, {t, t}, [=](Lane &l) -> u64 {
      if (f.isNan(l.a) || f.isNan(l.b))
        return relation >> 3 & 1;
      return relation >> (1 + compare(getNumber(f, l.a, l.mode(f)), getNumber(f, l.b, l.mode(f)))) & 1;
    });
  add(all, std::string("CLASS") + suffix, {t, t == f16 ? b16 : b32}, [=](Lane &l) -> u64 {
    u64 v = l.a;
    bool negative = f.isNegative(v);
    unsigned bit = f.isSignaling(v)   ? 0
                   : f.isNan(v)       ? 1
                   : f.isInfinite(v)  ? (negative ? 2 : 9)
                   : f.isZero(v)      ? (negative ? 5 : 6)
                   : f.isSubnormal(v) ? (negative ? 4 : 7)
                                      : (negative ? 3 : 8);
    return l.b >> bit & 1;
  });
}

} // namespace

std::vector<VectorMeaning> compareMeanings() {
  std::vector<VectorMeaning> all;
  addIntegers<u16>(all, "_U16", b16);
  addIntegers<i16>(all, "_I16", b16);
  addIntegers<u32>(all, "_U32", b32);
  addIntegers<i32>(all, "_I32", b32);
  addIntegers<u64>(all, "_U64", b64);
  addIntegers<i64>(all, "_I64", b64);
  addFloats(all, "_F16", f16);
  addFloats(all, "_F32", f32);
  addFloats(all, "_F64", f64);
  return all;
}

} // namespace nstf::emulator::meaning
