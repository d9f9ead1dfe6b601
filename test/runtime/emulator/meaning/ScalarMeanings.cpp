// The results of scalar ALU instructions.
//
// One function per instruction, of its sources, the destination's old value, SCC and EXEC, from the definitions of
// SOP1, SOP2, SOPK and SOPC in AMD's ISA manuals.
#include "test/runtime/emulator/meaning/ScalarMeaning.h"

#include <algorithm>

namespace nstf::emulator::meaning {
namespace {

i32 s32(u64 v) { return i32(u32(v)); }
unsigned ones(u64 v) { return unsigned(__builtin_popcountll(v)); }

u64 wholeQuads(u64 v) {
  u64 r = 0;
  for (unsigned i = 0; i < 64; i += 4)
    if (v >> i & 15)
      r |= u64(15) << i;
  return r;
}
u64 quadMask(u64 v) {
  u64 r = 0;
  for (unsigned i = 0; i < 16; ++i)
    r |= u64((v >> 4 * i & 15) != 0) << i;
  return r;
}
u64 reversed(u64 v, unsigned bits) {
  u64 r = 0;
  for (unsigned i = 0; i < bits; ++i)
    r |= (v >> i & 1) << (bits - 1 - i);
  return r;
}
/// The position of the first bit equal to `wanted` among `bits` bits, from below or above; -1 if there is none.
u64 first(u64 v, unsigned bits, bool wanted, bool fromTop) {
  for (unsigned i = 0; i < bits; ++i)
    if ((v >> (fromTop ? bits - 1 - i : i) & 1) == wanted)
      return i;
  return ~u64(0);
}
u64 leadingSigns(u64 v, unsigned bits) {
  for (unsigned i = 1; i < bits; ++i)
    if ((v >> (bits - 1 - i) & 1) != (v >> (bits - 1) & 1))
      return i;
  return ~u64(0);
}
u64 doubledBits(u32 v) {
  u64 r = 0;
  for (unsigned i = 0; i < 32; ++i)
    r |= u64((v >> i & 1) * 3) << 2 * i;
  return r;
}
u64 field(u64 v, u64 selector, unsigned bits, bool isSigned) {
  unsigned offset = selector & (bits - 1), width = selector >> 16 & 127;
  i128 value = isSigned ? (bits == 64 ? i128(i64(v)) : i128(s32(v))) : i128(v);
  value >>= offset;
  if (width == 0)
    return 0;
  if (width >= bits)
    return u64(value);
  u64 f = u64(value) & ((u64(1) << width) - 1);
  return isSigned && f >> (width - 1) ? f | ~((u64(1) << width) - 1) : f;
}

#define DO(...) [](Scalar &s) { __VA_ARGS__; }
// Sets the result, and SCC if it is not 0.
#define LOGIC(...) [](Scalar &s) { s.d = s.cut(__VA_ARGS__), s.scc = s.d != 0; }
#define PLAIN(...) [](Scalar &s) { s.d = __VA_ARGS__; }
#define SAVE(...) [](Scalar &s) { s.d = s.exec, s.exec = __VA_ARGS__, s.scc = s.exec != 0; }
#define COMPARES(...) [](Scalar &s) { s.scc = __VA_ARGS__; }

bool fits(i64 v) { return v == i64(i32(v)); }

} // namespace

std::vector<ScalarMeaning> scalarMeanings() {
  std::vector<ScalarMeaning> all = {
      {"S_BREV_B32", 32, {32}, PLAIN(reversed(s.a, 32))},
      {"S_BREV_B64", 64, {64}, PLAIN(reversed(s.a, 64))},
      {"S_BCNT0_I32_B32", 32, {32}, LOGIC(32 - ones(s.a))},
      {"S_BCNT0_I32_B64", 32, {64}, LOGIC(64 - ones(s.a))},
      {"S_BCNT1_I32_B32", 32, {32}, LOGIC(ones(s.a))},
      {"S_BCNT1_I32_B64", 32, {64}, LOGIC(ones(s.a))},
      {"S_FF0_I32_B32", 32, {32}, PLAIN(first(s.a, 32, false, false))},
      {"S_FF0_I32_B64", 32, {64}, PLAIN(first(s.a, 64, false, false))},
      {"S_FF1_I32_B32", 32, {32}, PLAIN(first(s.a, 32, true, false))},
      {"S_FF1_I32_B64", 32, {64}, PLAIN(first(s.a, 64, true, false))},
      {"S_FLBIT_I32_B32", 32, {32}, PLAIN(first(s.a, 32, true, true))},
      {"S_FLBIT_I32_B64", 32, {64}, PLAIN(first(s.a, 64, true, true))},
      {"S_FLBIT_I32", 32, {32}, PLAIN(leadingSigns(s.a, 32))},
      {"S_FLBIT_I32_I64", 32, {64}, PLAIN(leadingSigns(s.a, 64))},
      {"S_SEXT_I32_I8", 32, {32}, PLAIN(u64(i64(i8(s.a))))},
      {"S_SEXT_I32_I16", 32, {32}, PLAIN(u64(i64(i16(s.a))))},
      {"S_ABS_I32", 32, {32}, LOGIC(s32(s.a) < 0 ? 0 - s.a : s.a)},
      {"S_BITREPLICATE_B64_B32", 64, {32}, PLAIN(doubledBits(u32(s.a)))},
      {"S_BITSET0_B32", 32, {32}, PLAIN(s.d & ~(u64(1) << (s.a & 31)))},
      {"S_BITSET0_B64", 64, {32}, PLAIN(s.d & ~(u64(1) << (s.a & 63)))},
      {"S_BITSET1_B32", 32, {32}, PLAIN(s.d | u64(1) << (s.a & 31))},
      {"S_BITSET1_B64", 64, {32}, PLAIN(s.d | u64(1) << (s.a & 63))},
      {"S_QUADMASK_B32", 32, {32}, LOGIC(quadMask(s.a))},
      {"S_QUADMASK_B64", 64, {64}, LOGIC(quadMask(s.a))},

      {"S_AND_SAVEEXEC_B64", 64, {64}, SAVE(s.a & s.exec)},
      {"S_OR_SAVEEXEC_B64", 64, {64}, SAVE(s.a | s.exec)},
      {"S_XOR_SAVEEXEC_B64", 64, {64}, SAVE(s.a ^ s.exec)},
      {"S_ANDN2_SAVEEXEC_B64", 64, {64}, SAVE(s.a & ~s.exec)},
      {"S_ORN2_SAVEEXEC_B64", 64, {64}, SAVE(s.a | ~s.exec)},
      {"S_NAND_SAVEEXEC_B64", 64, {64}, SAVE(~(s.a & s.exec))},
      {"S_NOR_SAVEEXEC_B64", 64, {64}, SAVE(~(s.a | s.exec))},
      {"S_XNOR_SAVEEXEC_B64", 64, {64}, SAVE(~(s.a ^ s.exec))},
      {"S_ANDN1_SAVEEXEC_B64", 64, {64}, SAVE(~s.a & s.exec)},
      {"S_ORN1_SAVEEXEC_B64", 64, {64}, SAVE(~s.a | s.exec)},
      {"S_ANDN1_WREXEC_B64", 64, {64}, DO(s.exec = ~s.a & s.exec; s.d = s.exec; s.scc = s.d != 0)},
      {"S_ANDN2_WREXEC_B64", 64, {64}, DO(s.exec = s.a & ~s.exec; s.d = s.exec; s.scc = s.d != 0)},

      {"S_ADD_U32", 32, {32, 32}, DO(s.d = s.a + s.b; s.scc = s.d >> 32)},
      {"S_SUB_U32", 32, {32, 32}, DO(s.d = s.a - s.b; s.scc = s.b > s.a)},
      {"S_ADD_I32", 32, {32, 32}, DO(s.d = s.a + s.b; s.scc = !fits(i64(s32(s.a)) + s32(s.b)))},
      {"S_SUB_I32", 32, {32, 32}, DO(s.d = s.a - s.b; s.scc = !fits(i64(s32(s.a)) - s32(s.b)))},
      {"S_ADDC_U32", 32, {32, 32}, DO(s.d = s.a + s.b + s.scc; s.scc = s.d >> 32)},
      {"S_SUBB_U32", 32, {32, 32}, DO(s.d = s.a - s.b - s.scc; s.scc = s.b + s.scc > s.a)},
      {"S_MIN_I32", 32, {32, 32}, DO(s.scc = s32(s.a) < s32(s.b); s.d = s.scc ? s.a : s.b)},
      {"S_MIN_U32", 32, {32, 32}, DO(s.scc = s.a < s.b; s.d = s.scc ? s.a : s.b)},
      // The CDNA3 manual has >=, but also says "iff the first value is selected", which is >, as in the GCN manuals.
      {"S_MAX_I32", 32, {32, 32}, DO(s.scc = s32(s.a) > s32(s.b); s.d = s.scc ? s.a : s.b)},
      {"S_MAX_U32", 32, {32, 32}, DO(s.scc = s.a > s.b; s.d = s.scc ? s.a : s.b)},
      {"S_BFM_B32", 32, {32, 32}, PLAIN(((u64(1) << (s.a & 31)) - 1) << (s.b & 31))},
      {"S_BFM_B64", 64, {32, 32}, PLAIN(((u64(1) << (s.a & 63)) - 1) << (s.b & 63))},
      {"S_MUL_I32", 32, {32, 32}, PLAIN(s.a * s.b)},
      {"S_MUL_HI_U32", 32, {32, 32}, PLAIN(s.a * s.b >> 32)},
      {"S_MUL_HI_I32", 32, {32, 32}, PLAIN(u64(i64(s32(s.a)) * s32(s.b) >> 32))},
      {"S_LSHL_B32", 32, {32, 32}, LOGIC(s.a << (s.b & 31))},
      {"S_LSHL_B64", 64, {64, 32}, LOGIC(s.a << (s.b & 63))},
      {"S_LSHR_B32", 32, {32, 32}, LOGIC(s.a >> (s.b & 31))},
      {"S_LSHR_B64", 64, {64, 32}, LOGIC(s.a >> (s.b & 63))},
      {"S_ASHR_I32", 32, {32, 32}, LOGIC(u64(i64(s32(s.a) >> (s.b & 31))))},
      {"S_ASHR_I64", 64, {64, 32}, LOGIC(u64(i64(s.a) >> (s.b & 63)))},
      {"S_BFE_U32", 32, {32, 32}, LOGIC(field(s.a, s.b, 32, false))},
      {"S_BFE_I32", 32, {32, 32}, LOGIC(field(s.a, s.b, 32, true))},
      {"S_BFE_U64", 64, {64, 32}, LOGIC(field(s.a, s.b, 64, false))},
      {"S_BFE_I64", 64, {64, 32}, LOGIC(field(s.a, s.b, 64, true))},
      {"S_ABSDIFF_I32", 32, {32, 32}, LOGIC(s32(u32(s.a - s.b)) < 0 ? s.b - s.a : s.a - s.b)},
      {"S_LSHL1_ADD_U32", 32, {32, 32}, DO(s.d = (s.a << 1) + s.b; s.scc = s.d >> 32)},
      {"S_LSHL2_ADD_U32", 32, {32, 32}, DO(s.d = (s.a << 2) + s.b; s.scc = (s.d >> 32) != 0)},
      {"S_LSHL3_ADD_U32", 32, {32, 32}, DO(s.d = (s.a << 3) + s.b; s.scc = (s.d >> 32) != 0)},
      {"S_LSHL4_ADD_U32", 32, {32, 32}, DO(s.d = (s.a << 4) + s.b; s.scc = (s.d >> 32) != 0)},
      {"S_PACK_LL_B32_B16", 32, {32, 32}, PLAIN((s.a & 0xffff) | (s.b & 0xffff) << 16)},
      {"S_PACK_LH_B32_B16", 32, {32, 32}, PLAIN((s.a & 0xffff) | s.b >> 16 << 16)},
      {"S_PACK_HH_B32_B16", 32, {32, 32}, PLAIN(s.a >> 16 | s.b >> 16 << 16)},

      {"S_MOVK_I32", 32, {}, PLAIN(u64(i64(s.k))), true},
      {"S_CMOVK_I32", 32, {}, DO(s.d = s.scc ? u64(i64(s.k)) : s.d), true},
      {"S_ADDK_I32", 32, {}, DO(s.scc = !fits(i64(s32(s.d)) + s.k); s.d += u64(i64(s.k))), true},
      {"S_MULK_I32", 32, {}, PLAIN(s.d * u64(i64(s.k))), true},

      {"S_BITCMP0_B32", 0, {32, 32}, COMPARES(!(s.a >> (s.b & 31) & 1))},
      {"S_BITCMP1_B32", 0, {32, 32}, COMPARES(s.a >> (s.b & 31) & 1)},
      {"S_BITCMP0_B64", 0, {64, 32}, COMPARES(!(s.a >> (s.b & 63) & 1))},
      {"S_BITCMP1_B64", 0, {64, 32}, COMPARES(s.a >> (s.b & 63) & 1)},
      {"S_CMP_EQ_U64", 0, {64, 64}, COMPARES(s.a == s.b)},
      {"S_CMP_LG_U64", 0, {64, 64}, COMPARES(s.a != s.b)},
  };
  for (unsigned bits : {32u, 64u}) {
    std::string suffix = bits == 32 ? "_B32" : "_B64";
    for (ScalarMeaning m : std::vector<ScalarMeaning>{
             {"S_MOV", bits, {bits}, PLAIN(s.a)},
             {"S_CMOV", bits, {bits}, PLAIN(s.scc ? s.a : s.d)},
             {"S_NOT", bits, {bits}, LOGIC(~s.a)},
             {"S_WQM", bits, {bits}, LOGIC(wholeQuads(s.a))},
             {"S_CSELECT", bits, {bits, bits}, PLAIN(s.scc ? s.a : s.b)},
             {"S_AND", bits, {bits, bits}, LOGIC(s.a & s.b)},
             {"S_OR", bits, {bits, bits}, LOGIC(s.a | s.b)},
             {"S_XOR", bits, {bits, bits}, LOGIC(s.a ^ s.b)},
             {"S_ANDN2", bits, {bits, bits}, LOGIC(s.a & ~s.b)},
             {"S_ORN2", bits, {bits, bits}, LOGIC(s.a | ~s.b)},
             {"S_NAND", bits, {bits, bits}, LOGIC(~(s.a & s.b))},
             {"S_NOR", bits, {bits, bits}, LOGIC(~(s.a | s.b))},
             {"S_XNOR", bits, {bits, bits}, LOGIC(~(s.a ^ s.b))},
         }) {
      m.name += suffix;
      all.push_back(m);
    }
  }
  static const char *const relations[] = {"EQ", "LG", "GT", "GE", "LT", "LE"};
  auto holds = [](unsigned r, i64 a, i64 b) {
    return r == 0 ? a == b : r == 1 ? a != b : r == 2 ? a > b : r == 3 ? a >= b : r == 4 ? a < b : a <= b;
  };
  for (unsigned r = 0; r < 6; ++r) {
    std::string name = relations[r];
    all.push_back({"S_CMP_" + name + "_I32", 0, {32, 32}, [=](Scalar &s) { s.scc = holds(r, s32(s.a), s32(s.b)); }});
    all.push_back({"S_CMP_" + name + "_U32", 0, {32, 32}, [=](Scalar &s) { s.scc = holds(r, i64(s.a), i64(s.b)); }});
    all.push_back({"S_CMPK_" + name + "_I32", 0, {32}, [=](Scalar &s) { s.scc = holds(r, s32(s.a), s.k); }, true});
    all.push_back({"S_CMPK_" + name + "_U32", 0, {32}, [=](Scalar &s) { s.scc = holds(r, i64(s.a), u16(s.k)); }, true});
  }
  return all;
}

} // namespace nstf::emulator::meaning
