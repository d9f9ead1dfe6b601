// DPP, SDWA and relative register indices.
#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

/// The lane each lane reads, -1 for none, written down from the manual's pictures.
int sourceLane(const std::string &control, int n, int lane) {
  int row = lane / 16 * 16, in = lane % 16;
  if (control == "row_shl")
    return in + n <= 15 ? lane + n : -1;
  if (control == "row_shr")
    return in - n >= 0 ? lane - n : -1;
  if (control == "row_ror")
    return row + (in + 16 - n) % 16;
  if (control == "wave_shl")
    return lane == 63 ? -1 : lane + 1;
  if (control == "wave_rol")
    return (lane + 1) % 64;
  if (control == "wave_shr")
    return lane - 1;
  if (control == "wave_ror")
    return (lane + 63) % 64;
  if (control == "row_mirror")
    return row + 15 - in;
  if (control == "row_half_mirror")
    return lane / 8 * 8 + 7 - lane % 8;
  if (control == "row_bcast" && n == 15)
    return lane < 16 ? -1 : row - 1;
  if (control == "row_bcast" && n == 31)
    return lane < 32 ? -1 : 31;
  if (control == "row_newbcast")
    return row + n;
  if (control == "quad_perm")
    return lane / 4 * 4 + (n >> 2 * (lane % 4) & 3);
  return -1;
}

TEST(Modifiers, dpp) {
  struct Form {
    const char *control;
    int n;
  };
  const Form forms[] = {{"row_shl", 1},    {"row_shl", 15},     {"row_shr", 1},         {"row_shr", 8},
                        {"row_ror", 5},    {"wave_shl", 1},     {"wave_rol", 1},        {"wave_shr", 1},
                        {"wave_ror", 1},   {"row_mirror", 0},   {"row_half_mirror", 0}, {"row_bcast", 15},
                        {"row_bcast", 31}, {"row_newbcast", 6}, {"quad_perm", 0x1b},    {"quad_perm", 0x4e}};
  Operands operands;
  for (const Form &form : forms)
    for (unsigned variant = 0; variant < 3; ++variant) {
      std::string control = form.control;
      if (control == "quad_perm")
        control += ":[" + std::to_string(form.n & 3) + "," + std::to_string(form.n >> 2 & 3) + "," +
                   std::to_string(form.n >> 4 & 3) + "," + std::to_string(form.n >> 6 & 3) + "]";
      else if (form.n)
        control += ":" + std::to_string(form.n);
      unsigned rowMask = variant == 1 ? 0xa : 0xf, bankMask = variant == 1 ? 0x5 : 0xf;
      std::string tail = " " + control + " row_mask:" + std::to_string(rowMask) +
                         " bank_mask:" + std::to_string(bankMask) + (variant == 2 ? " bound_ctrl:1" : "");
      SCOPED_TRACE(tail);
      Snippet s("gfx942", "v_add_u32_dpp v8, v2, v4" + tail + "\nv_mov_b32_dpp v9, v2" + tail +
                              "\nv_add_f32_dpp v10, -v5, |v6|" + tail);
      ASSERT_EQ(s.program->trapCount(), 0u);
      for (unsigned round = 0; round < 6; ++round) {
        u32 old[3][64];
        for (unsigned l = 0; l < 64; ++l) {
          for (unsigned r = 2; r < 5; ++r)
            s.wave().rows[r][l] = u32(operands.engine());
          s.setLane<float>(5, l, float(l) + 0.5f);
          s.setLane<float>(6, l, -float(l) * 3);
          for (unsigned k = 0; k < 3; ++k)
            old[k][l] = s.wave().rows[8 + k][l] = u32(operands.engine());
        }
        u64 exec = operands.exec(round);
        s.wave().setExec(exec);
        s.run();
        ASSERT_EQ(s.wave().exec(), exec);
        for (unsigned l = 0; l < 64; ++l) {
          int from = sourceLane(form.control, form.n, int(l));
          bool valid = from >= 0 && (exec >> from & 1);
          bool written =
              (exec >> l & 1) && (rowMask >> l / 16 & 1) && (bankMask >> l % 16 / 4 & 1) && (valid || variant == 2);
          auto row = [&](unsigned r) { return s.wave().rows[r][l]; };
          u32 source = valid ? s.wave().rows[2][from] : 0;
          ASSERT_EQ(row(8), written ? source + row(4) : old[0][l]) << l;
          ASSERT_EQ(row(9), written ? source : old[1][l]) << l;
          float a = valid ? float(from) + 0.5f : 0;
          if (written)
            ASSERT_EQ(s.lane<float>(10, l), -a + float(l) * 3) << l;
          else
            ASSERT_EQ(row(10), old[2][l]);
        }
      }
    }
}

TEST(Modifiers, dppAccumulatesAndCarries) {
  Snippet s("gfx942", R"(
    v_fmac_f32_dpp v8, v2, v4 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
    v_add_co_u32_dpp v9, vcc, v5, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<float>(2, l, float(l));
    s.setLane<float>(4, l, 2);
    s.setLane<float>(8, l, 100);
    s.wave().rows[5][l] = 0xfffffff0 + l;
    s.wave().rows[6][l] = 8;
  }
  s.run();
  u64 carry = 0;
  for (unsigned l = 0; l < 64; ++l) {
    ASSERT_EQ(s.lane<float>(8, l), 100 + (l % 16 ? float(l - 1) * 2 : 0));
    u64 sum = u64(u32(0xfffffff0 + (l ^ 1))) + 8;
    ASSERT_EQ(s.wave().rows[9][l], u32(sum));
    carry |= (sum >> 32) << l;
  }
  ASSERT_EQ(s.wave().scalar64(sgpr::vcc), carry);
}

TEST(Modifiers, sdwa) {
  const char *selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  const char *unusedRules[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  auto select = [](u32 v, unsigned how, bool extend) -> u32 {
    if (how == 6)
      return v;
    if (how < 4)
      return extend ? u32(int(int8_t(v >> 8 * how))) : v >> 8 * how & 0xff;
    return extend ? u32(int(int16_t(v >> 16 * (how - 4)))) : v >> 16 * (how - 4) & 0xffff;
  };
  Operands operands;
  for (unsigned d = 0; d < 7; ++d)
    for (unsigned unused = 0; unused < 3; ++unused)
      for (unsigned k = 0; k < 7; ++k) {
        unsigned k0 = k, k1 = (k * 3 + d) % 7;
        bool extend = (k + d) % 2;
        std::string text = std::string("v_add_u32_sdwa v8, v2, ") + (extend ? "sext(v4)" : "v4") +
                           " dst_sel:" + selects[d] + " dst_unused:" + unusedRules[unused] +
                           " src0_sel:" + selects[k0] + " src1_sel:" + selects[k1];
        SCOPED_TRACE(text);
        Snippet s("gfx90a", text);
        ASSERT_EQ(s.program->trapCount(), 0u);
        u32 old[64];
        for (unsigned l = 0; l < 64; ++l) {
          s.wave().rows[2][l] = u32(operands.engine());
          s.wave().rows[4][l] = u32(operands.engine());
          old[l] = s.wave().rows[8][l] = u32(operands.engine());
        }
        u64 exec = operands.exec(k);
        s.wave().setExec(exec);
        s.run();
        for (unsigned l = 0; l < 64; ++l) {
          if (!(exec >> l & 1)) {
            ASSERT_EQ(s.wave().rows[8][l], old[l]);
            continue;
          }
          u32 sum = select(s.wave().rows[2][l], k0, false) + select(s.wave().rows[4][l], k1, extend), expected;
          unsigned bits = d < 4 ? 8 : d < 6 ? 16 : 32, at = d < 4 ? 8 * d : d == 5 ? 16 : 0;
          u64 mask = ((u64(1) << bits) - 1) << at;
          u32 placed = u32((u64(sum) << at) & mask);
          if (unused == 0 || d == 6)
            expected = placed;
          else if (unused == 1)
            expected = (sum >> (bits - 1) & 1) ? placed | u32(~((u64(1) << (at + bits)) - 1)) : placed;
          else
            expected = placed | u32(old[l] & ~mask);
          ASSERT_EQ(s.wave().rows[8][l], expected) << l;
        }
      }
  Snippet s("gfx942", R"(
    v_cvt_f32_f16_sdwa v8, v2 dst_sel:DWORD src0_sel:WORD_1
    v_cmp_gt_i32_sdwa s[30:31], sext(v2), v4 src0_sel:BYTE_1 src1_sel:DWORD
    v_mul_f16_sdwa v9, -v2, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l) {
    s.wave().rows[2][l] = 0x42008000 + l * 0x100; // high half 3.0
    s.wave().rows[4][l] = 0x00003800;             // 0.5
    s.wave().rows[9][l] = 0x12345678;
  }
  s.run();
  u64 greater = 0;
  for (unsigned l = 0; l < 64; ++l) {
    ASSERT_EQ(s.lane<float>(8, l), 3.0f);
    ASSERT_EQ(s.wave().rows[9][l], 0xbe005678u); // -1.5
    greater |= u64(int(int8_t(0x80 + l)) > 0x3800) << l;
  }
  ASSERT_EQ(s.wave().scalar64(30), greater);
}

TEST(Modifiers, relativeRegisters) {
  Snippet s("gfx90a", R"(
    s_set_gpr_idx_on s2, gpr_idx(SRC0)
    v_mov_b32 v8, v10
    s_set_gpr_idx_off
    s_set_gpr_idx_on s2, gpr_idx(DST)
    v_mov_b32 v20, v4
    s_set_gpr_idx_off
    v_mov_b32 v9, v10)");
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 40; ++r)
      s.wave().rows[r][l] = r * 100 + l;
  s.wave().scalars[2] = 5;
  s.wave().setExec(0xff00ff);
  s.run();
  for (unsigned l = 0; l < 64; ++l) {
    bool active = 0xff00ffu >> (l & 31) & 1 && l < 32;
    ASSERT_EQ(s.wave().rows[8][l], active ? 1500 + l : 800 + l);
    ASSERT_EQ(s.wave().rows[25][l], active ? 400 + l : 2500 + l);
    ASSERT_EQ(s.wave().rows[20][l], 2000 + l);
    ASSERT_EQ(s.wave().rows[9][l], active ? 1000 + l : 900 + l);
  }
}

} // namespace
