// The scalar ALU, control flow, hardware registers and scalar loads against meanings written down from the ISA manuals.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u16 = uint16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

struct Result {
  u64 value;
  int scc; // -1: unchanged
};
/// Sources in s[2:3] and s[4:5], destination s[8:9].
struct Case {
  const char *text;
  unsigned bits; // of the result; 0: SCC only
  Kind a, b;
  std::function<Result(u64, u64, bool)> meaning;
};

Result nz(u64 v) { return {v, v != 0}; }
Result nz32(u64 v) { return {u32(v), u32(v) != 0}; }
Result flag(bool v) { return {0, v}; }
u64 field(u64 a, u32 b, unsigned bits, bool isSigned) {
  unsigned offset = b & (bits - 1), width = b >> 16 & 127;
  if (!width)
    return 0;
  i64 wide = bits == 32 ? (isSigned ? i64(i32(a)) : i64(u32(a))) : i64(a);
  u64 shifted = isSigned ? u64(wide >> offset) : u64(wide) >> offset;
  if (width >= bits)
    return shifted;
  u64 mask = (u64(1) << width) - 1;
  u64 v = shifted & mask;
  return isSigned && (v >> (width - 1) & 1) ? v | ~mask : v;
}

const std::vector<Case> &cases() {
  // clang-format off
#define CASE(text, bits, A, B, expression) {text, bits, Kind::A, Kind::B, [](u64 a, u64 b, bool scc) -> Result { (void)a; (void)b; (void)scc; return expression; }}
  static const std::vector<Case> all = {
      CASE("s_mov_b32 s8, s2", 32, u32, u32, (Result{u32(a), -1})),
      CASE("s_mov_b64 s[8:9], s[2:3]", 64, u64, u32, (Result{a, -1})),
      CASE("s_not_b32 s8, s2", 32, u32, u32, nz32(~a)),
      CASE("s_not_b64 s[8:9], s[2:3]", 64, u64, u32, nz(~a)),
      CASE("s_brev_b32 s8, s2", 32, u32, u32, (Result{__builtin_bitreverse32(u32(a)), -1})),
      CASE("s_brev_b64 s[8:9], s[2:3]", 64, u64, u32, (Result{__builtin_bitreverse64(a), -1})),
      CASE("s_bcnt0_i32_b32 s8, s2", 32, u32, u32, nz(32 - std::popcount(u32(a)))),
      CASE("s_bcnt1_i32_b64 s8, s[2:3]", 32, u64, u32, nz(std::popcount(a))),
      CASE("s_ff1_i32_b32 s8, s2", 32, u32, u32, (Result{u32(a) ? u32(std::countr_zero(u32(a))) : ~0u, -1})),
      CASE("s_ff1_i32_b64 s8, s[2:3]", 32, u64, u32, (Result{a ? u32(std::countr_zero(a)) : ~0u, -1})),
      CASE("s_ff0_i32_b32 s8, s2", 32, u32, u32, (Result{u32(~a) ? u32(std::countr_zero(u32(~a))) : ~0u, -1})),
      CASE("s_flbit_i32_b32 s8, s2", 32, u32, u32, (Result{u32(a) ? u32(std::countl_zero(u32(a))) : ~0u, -1})),
      CASE("s_flbit_i32_b64 s8, s[2:3]", 32, u64, u32, (Result{a ? u32(std::countl_zero(a)) : ~0u, -1})),
      CASE("s_flbit_i32 s8, s2", 32, u32, u32, (Result{u32(a) == 0 || u32(a) == ~0u ? ~0u : u32(std::countl_zero(i32(a) < 0 ? u32(~a) : u32(a))), -1})),
      CASE("s_sext_i32_i8 s8, s2", 32, u32, u32, (Result{u32(i32(int8_t(a))), -1})),
      CASE("s_sext_i32_i16 s8, s2", 32, u32, u32, (Result{u32(i32(int16_t(a))), -1})),
      CASE("s_abs_i32 s8, s2", 32, u32, u32, nz32(i32(a) < 0 ? 0 - a : a)),
      CASE("s_add_u32 s8, s2, s4", 32, u32, u32, (Result{u32(a + b), u64(u32(a)) + u32(b) > 0xffffffff})),
      CASE("s_sub_u32 s8, s2, s4", 32, u32, u32, (Result{u32(a - b), u32(b) > u32(a)})),
      CASE("s_add_i32 s8, s2, s4", 32, u32, u32, (Result{u32(a + b), i64(i32(a)) + i32(b) != i32(u32(a + b))})),
      CASE("s_sub_i32 s8, s2, s4", 32, u32, u32, (Result{u32(a - b), i64(i32(a)) - i32(b) != i32(u32(a - b))})),
      CASE("s_addc_u32 s8, s2, s4", 32, u32, u32, (Result{u32(a + b + scc), u64(u32(a)) + u32(b) + scc > 0xffffffff})),
      CASE("s_subb_u32 s8, s2, s4", 32, u32, u32, (Result{u32(a - b - scc), u64(u32(b)) + scc > u32(a)})),
      CASE("s_min_i32 s8, s2, s4", 32, u32, u32, (Result{u32(std::min(i32(a), i32(b))), i32(a) < i32(b)})),
      CASE("s_max_u32 s8, s2, s4", 32, u32, u32, (Result{std::max(u32(a), u32(b)), u32(a) > u32(b)})),
      CASE("s_cselect_b32 s8, s2, s4", 32, u32, u32, (Result{scc ? u32(a) : u32(b), -1})),
      CASE("s_cselect_b64 s[8:9], s[2:3], s[4:5]", 64, u64, u64, (Result{scc ? a : b, -1})),
      CASE("s_and_b32 s8, s2, s4", 32, u32, u32, nz32(a & b)),
      CASE("s_or_b64 s[8:9], s[2:3], s[4:5]", 64, u64, u64, nz(a | b)),
      CASE("s_xor_b64 s[8:9], s[2:3], s[4:5]", 64, u64, u64, nz(a ^ b)),
      CASE("s_andn2_b64 s[8:9], s[2:3], s[4:5]", 64, u64, u64, nz(a & ~b)),
      CASE("s_orn2_b32 s8, s2, s4", 32, u32, u32, nz32(a | ~b)),
      CASE("s_nand_b32 s8, s2, s4", 32, u32, u32, nz32(~(a & b))),
      CASE("s_nor_b64 s[8:9], s[2:3], s[4:5]", 64, u64, u64, nz(~(a | b))),
      CASE("s_xnor_b32 s8, s2, s4", 32, u32, u32, nz32(~(a ^ b))),
      CASE("s_lshl_b32 s8, s2, s4", 32, u32, shift, nz32(u32(a) << (b & 31))),
      CASE("s_lshl_b64 s[8:9], s[2:3], s4", 64, u64, shift, nz(a << (b & 63))),
      CASE("s_lshr_b32 s8, s2, s4", 32, u32, shift, nz32(u32(a) >> (b & 31))),
      CASE("s_lshr_b64 s[8:9], s[2:3], s4", 64, u64, shift, nz(a >> (b & 63))),
      CASE("s_ashr_i32 s8, s2, s4", 32, u32, shift, nz32(u32(i32(a) >> (b & 31)))),
      CASE("s_ashr_i64 s[8:9], s[2:3], s4", 64, u64, shift, nz(u64(i64(a) >> (b & 63)))),
      CASE("s_bfm_b32 s8, s2, s4", 32, shift, shift, (Result{u32(((u64(1) << (a & 31)) - 1) << (b & 31)), -1})),
      CASE("s_bfm_b64 s[8:9], s2, s4", 64, shift, shift, (Result{((u64(1) << (a & 63)) - 1) << (b & 63), -1})),
      CASE("s_mul_i32 s8, s2, s4", 32, u32, u32, (Result{u32(a * b), -1})),
      CASE("s_mul_hi_u32 s8, s2, s4", 32, u32, u32, (Result{u64(u32(a)) * u32(b) >> 32, -1})),
      CASE("s_mul_hi_i32 s8, s2, s4", 32, u32, u32, (Result{u32(u64(i64(i32(a)) * i32(b)) >> 32), -1})),
      CASE("s_bfe_u32 s8, s2, s4", 32, u32, u32, nz32(field(a, u32(b), 32, false))),
      CASE("s_bfe_i32 s8, s2, s4", 32, u32, u32, nz32(field(a, u32(b), 32, true))),
      CASE("s_bfe_u64 s[8:9], s[2:3], s4", 64, u64, u32, nz(field(a, u32(b), 64, false))),
      CASE("s_bfe_i64 s[8:9], s[2:3], s4", 64, u64, u32, nz(field(a, u32(b), 64, true))),
      CASE("s_bfe_u32 s8, s2, 0x80003", 32, u32, u32, nz32(a >> 3 & 255)),
      CASE("s_absdiff_i32 s8, s2, s4", 32, u32, u32, nz32(i32(u32(a - b)) < 0 ? b - a : a - b)),
      CASE("s_lshl3_add_u32 s8, s2, s4", 32, u32, u32, (Result{u32((a << 3) + b), (u64(u32(a)) << 3) + u32(b) > 0xffffffff})),
      CASE("s_pack_ll_b32_b16 s8, s2, s4", 32, u32, u32, (Result{u16(a) | u32(u16(b)) << 16, -1})),
      CASE("s_pack_lh_b32_b16 s8, s2, s4", 32, u32, u32, (Result{u16(a) | (b & 0xffff0000), -1})),
      CASE("s_pack_hh_b32_b16 s8, s2, s4", 32, u32, u32, (Result{(a >> 16 & 0xffff) | (b & 0xffff0000), -1})),
      CASE("s_mov_b32 s8, s2\ns_bitset1_b32 s8, s4", 32, u32, shift, (Result{u32(a) | 1u << (b & 31), -1})),
      CASE("s_mov_b64 s[8:9], s[2:3]\ns_bitset0_b64 s[8:9], s4", 64, u64, shift, (Result{a & ~(u64(1) << (b & 63)), -1})),
      CASE("s_mov_b32 s8, s2\ns_cmov_b32 s8, s4", 32, u32, u32, (Result{scc ? u32(b) : u32(a), -1})),
      CASE("s_movk_i32 s8, 0x8001", 32, u32, u32, (Result{0xffff8001, -1})),
      CASE("s_mov_b32 s8, s2\ns_addk_i32 s8, 0x8000", 32, u32, u32, (Result{u32(a - 32768), i64(i32(a)) - 32768 != i32(u32(a - 32768))})),
      CASE("s_mov_b32 s8, s2\ns_mulk_i32 s8, -3", 32, u32, u32, (Result{u32(a * u64(-3)), -1})),
      CASE("s_cmp_eq_u32 s2, s4", 0, u32, u32, flag(u32(a) == u32(b))),
      CASE("s_cmp_lg_i32 s2, s4", 0, u32, u32, flag(u32(a) != u32(b))),
      CASE("s_cmp_gt_i32 s2, s4", 0, u32, u32, flag(i32(a) > i32(b))),
      CASE("s_cmp_ge_u32 s2, s4", 0, u32, u32, flag(u32(a) >= u32(b))),
      CASE("s_cmp_lt_u32 s2, s4", 0, u32, u32, flag(u32(a) < u32(b))),
      CASE("s_cmp_le_i32 s2, s4", 0, u32, u32, flag(i32(a) <= i32(b))),
      CASE("s_cmp_eq_u64 s[2:3], s[4:5]", 0, u64, u64, flag(a == b)),
      CASE("s_cmp_lg_u64 s[2:3], s[2:3]", 0, u64, u64, flag(false)),
      CASE("s_bitcmp1_b32 s2, s4", 0, u32, shift, flag(a >> (b & 31) & 1)),
      CASE("s_bitcmp0_b64 s[2:3], s4", 0, u64, shift, flag(!(a >> (b & 63) & 1))),
      CASE("s_cmpk_gt_i32 s2, 0x8000", 0, u32, u32, flag(i32(a) > -32768)),
      CASE("s_cmpk_lt_u32 s2, 0x8000", 0, u32, u32, flag(u32(a) < 32768)),
      CASE("s_wqm_b64 s[8:9], s[2:3]", 64, u64, u32, nz([&] { u64 r = 0; for (int i = 0; i < 64; i += 4) if (a >> i & 15) r |= u64(15) << i; return r; }())),
  };
  // clang-format on
  return all;
}

TEST(Scalar, arithmeticAndScc) {
  for (const char *target : {"gfx90a", "gfx942"})
    for (const Case &c : cases()) {
      SCOPED_TRACE(std::string(target) + ": " + c.text);
      Snippet s(target, c.text);
      ASSERT_EQ(s.program->trapCount(), 0u);
      Operands operands;
      for (int round = 0; round < 400; ++round) {
        u64 a = operands.next(c.a), b = operands.next(c.b);
        bool scc = round & 1;
        s.wave().setScalar64(2, a);
        s.wave().setScalar64(4, b);
        s.wave().setScc(scc);
        s.run();
        Result expected = c.meaning(a, b, scc);
        if (c.bits == 32)
          ASSERT_EQ(s.wave().scalars[8], u32(expected.value)) << std::hex << a << ' ' << b;
        if (c.bits == 64)
          ASSERT_EQ(s.wave().scalar64(8), expected.value) << std::hex << a << ' ' << b;
        ASSERT_EQ(s.wave().scc(), expected.scc < 0 ? scc : bool(expected.scc)) << std::hex << a << ' ' << b;
      }
    }
}

TEST(Scalar, saveexec) {
  const std::pair<const char *, std::function<u64(u64, u64)>> forms[] = {
      {"and", [](u64 a, u64 e) { return a & e; }},    {"or", [](u64 a, u64 e) { return a | e; }},
      {"xor", [](u64 a, u64 e) { return a ^ e; }},    {"andn2", [](u64 a, u64 e) { return a & ~e; }},
      {"orn2", [](u64 a, u64 e) { return a | ~e; }},  {"nand", [](u64 a, u64 e) { return ~(a & e); }},
      {"nor", [](u64 a, u64 e) { return ~(a | e); }}, {"xnor", [](u64 a, u64 e) { return ~(a ^ e); }},
      {"andn1", [](u64 a, u64 e) { return ~a & e; }}, {"orn1", [](u64 a, u64 e) { return ~a | e; }}};
  Operands operands;
  for (const auto &[name, meaning] : forms) {
    Snippet s("gfx942", "s_" + std::string(name) + "_saveexec_b64 s[8:9], s[2:3]");
    ASSERT_EQ(s.program->trapCount(), 0u) << name;
    for (int round = 0; round < 50; ++round) {
      u64 a = operands.next(Kind::u64), exec = operands.next(Kind::u64);
      s.wave().setScalar64(2, a);
      s.wave().setExec(exec);
      s.run();
      ASSERT_EQ(s.wave().scalar64(8), exec) << name;
      ASSERT_EQ(s.wave().exec(), meaning(a, exec)) << name;
      ASSERT_EQ(s.wave().scc(), meaning(a, exec) != 0) << name;
    }
  }
}

TEST(Scalar, branchesAndCalls) {
  Snippet s("gfx942", R"(
    s_mov_b32 s2, 0
    s_mov_b32 s3, 10
  loop:
    s_add_u32 s2, s2, s3
    s_sub_u32 s3, s3, 1
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 loop
    s_getpc_b64 s[4:5]
  here:
    s_add_u32 s4, s4, function-here
    s_addc_u32 s5, s5, 0
    s_swappc_b64 s[6:7], s[4:5]
    s_add_u32 s2, s2, 1
    s_call_b64 s[6:7], function
    s_mov_b64 vcc, 0
    s_cbranch_vccnz bad
    s_mov_b64 exec, 0
    s_cbranch_execz good
  bad:
    s_mov_b32 s2, 0
  good:
    s_endpgm
  function:
    s_add_u32 s2, s2, 1000
    s_setpc_b64 s[6:7])");
  s.run();
  EXPECT_EQ(s.wave().scalars[2], 55u + 1000 + 1 + 1000);
}

TEST(Scalar, hardwareRegisters) {
  Snippet s("gfx90a", R"(
    s_getreg_b32 s2, hwreg(HW_REG_MODE)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
    s_getreg_b32 s3, hwreg(HW_REG_MODE, 4, 4)
    v_mul_f32 v2, v0, v1
    v_add_f32 v3, v4, v5
    s_mov_b32 s4, 3
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4
    v_mul_f32 v6, v0, v1
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
    v_add_f32 v7, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
    v_add_f32 v8, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
    v_add_f32 v9, v4, v5
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
    v_add_f32 v10, v4, v5)");
  float half = 0x1p-1f, tiny = 0x1p-126f, one = 1, small = 0x1.8p-24f;
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane(0, l, half);
    s.setLane(1, l, tiny);
    s.setLane(4, l, one);
    s.setLane(5, l, small);
  }
  u32 mode = s.wave().mode;
  s.run();
  EXPECT_EQ(s.wave().scalars[2], mode);
  EXPECT_EQ(s.wave().scalars[3], 0xcu);
  EXPECT_EQ(s.lane<float>(2, 5), 0.0f);          // subnormals flushed
  EXPECT_EQ(s.lane<float>(6, 5), 0x1p-127f);     // and kept
  EXPECT_EQ(s.lane<float>(7, 5), 0x1.000002p0f); // up
  EXPECT_EQ(s.lane<float>(8, 5), 1.0f);          // down
  EXPECT_EQ(s.lane<float>(9, 5), 1.0f);          // toward zero
  EXPECT_EQ(s.lane<float>(10, 5), 0x1.000002p0f);
  EXPECT_EQ(s.wave().mode, mode);
}

TEST(Scalar, vectorInstructionsAreSkipped) {
  Snippet s("gfx90a", R"(
    s_setvskip s2, s3
    v_mov_b32 v1, 1.0
    v_add_f32_dpp v2, v3, v3 row_shr:1 row_mask:0xf bank_mask:0xf
    v_cmp_eq_u32 vcc, v0, v0
    s_mov_b32 s4, 7
    v_readfirstlane_b32 s5, v0
    s_setvskip 0, 0
    v_mov_b32 v4, 1.0)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (bool skip : {true, false}) {
    s.wave().scalars[2] = skip ? 0x20 : 0;
    s.wave().scalars[3] = 5;
    s.wave().scalars[5] = 99;
    s.wave().setScalar64(sgpr::vcc, 0);
    for (unsigned r = 0; r < 5; ++r)
      s.wave().rows[r][9] = 0;
    s.run();
    EXPECT_EQ(s.lane<float>(1, 9), skip ? 0.0f : 1.0f);
    EXPECT_EQ(s.wave().scalar64(sgpr::vcc), skip ? 0 : ~u64(0));
    EXPECT_EQ(s.wave().scalars[4], 7u);
    EXPECT_EQ(s.wave().scalars[5], skip ? 99u : 0u);
    EXPECT_EQ(s.lane<float>(4, 9), 1.0f);
    EXPECT_EQ(s.wave().exec(), ~u64(0));
  }
}

TEST(Scalar, loads) {
  Snippet s("gfx942", R"(
    s_load_dword s8, s[2:3], 0x10
    s_load_dwordx2 s[10:11], s[2:3], s6
    s_load_dwordx4 s[12:15], s[2:3], s6 offset:0x14
    s_load_dwordx8 s[16:23], s[2:3], 0x0
    s_buffer_load_dwordx2 s[24:25], s[28:31], 0x18
    s_buffer_load_dword s26, s[28:31], s6)");
  std::vector<u32> data(64);
  for (unsigned i = 0; i < 64; ++i)
    data[i] = 1000 + i;
  s.allow(data.data(), data.size() * 4, false);
  Wave &w = s.wave();
  w.setScalar64(2, reinterpret_cast<u64>(data.data()));
  w.scalars[6] = 12;
  w.setScalar64(28, reinterpret_cast<u64>(data.data()));
  w.scalars[30] = 28; // bytes
  s.run();
  EXPECT_EQ(w.scalars[8], 1004u);
  EXPECT_EQ(w.scalars[11], 1004u);
  EXPECT_EQ(w.scalars[12], 1008u);
  EXPECT_EQ(w.scalars[23], 1007u);
  EXPECT_EQ(w.scalars[24], 1006u);
  EXPECT_EQ(w.scalars[25], 0u); // past num_records
  EXPECT_EQ(w.scalars[26], 1003u);
}

} // namespace
