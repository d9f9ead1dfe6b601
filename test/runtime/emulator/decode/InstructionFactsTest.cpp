// Registers, roles, counters and kinds of single instructions, which the test assembles.
#include "runtime/emulator/decode/InstructionFacts.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;

namespace {

/// "v[0:1] address, v2 data, exec" …
std::string list(const std::vector<RegisterUse> &uses) {
  static const char *roles[] = {"", "", " address", " resource", " data", " old", ""};
  std::string text;
  for (const RegisterUse &use : uses)
    text += (text.empty() ? "" : ", ") + describe(use) + roles[unsigned(use.role)];
  return text;
}

class Facts {
public:
  explicit Facts(const char *target, const char *text)
      : code(test::assemble(target, text)), bytes(code), program(decodeProgram(*Target::find(target), {&bytes, 1})),
        facts(*Target::find(target), *program) {}
  const InstructionFacts *operator->() const { return &facts.of(uint32_t(0)); }
  std::string reads() const { return list((*this)->reads); }
  std::string writes() const { return list((*this)->writes); }

private:
  std::vector<uint8_t> code;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const DecodedProgram> program;
  ProgramFacts facts;
};

struct Case {
  const char *text, *writes, *reads;
  InstructionKind kind;
};

TEST(InstructionFacts, Registers) {
  using enum InstructionKind;
  const Case cases[] = {
      {"s_add_u32 s0, s1, s2", "s0, scc", "s1, s2", Scalar},
      {"s_addc_u32 s0, s1, vcc_lo", "s0, scc", "s1, vcc_lo, scc", Scalar},
      {"s_and_saveexec_b64 s[4:5], vcc", "s[4:5], exec, scc", "vcc, exec", Scalar},
      {"s_mov_b32 m0, s3", "m0", "s3", Scalar},
      {"s_cmov_b32 s0, s1", "s0", "s1, scc", Scalar},
      {"s_cbranch_vccnz 0", "", "vcc", ConditionalBranch},
      {"s_cbranch_execz 0", "", "exec", ConditionalBranch},
      {"s_setpc_b64 s[30:31]", "", "s[30:31]", Branch},
      {"s_load_dwordx8 s[8:15], s[4:5], 0x10", "s[8:15]", "s[4:5] address", ScalarMemory},
      {"s_buffer_load_dwordx2 vcc, s[4:7], s20", "vcc", "s[4:7] resource, s20 address", ScalarMemory},
      {"v_add_f32 v0, s1, v2", "v0", "s1, v2, exec", Vector},
      {"v_add_f64 v[0:1], v[2:3], s[4:5]", "v[0:1]", "v[2:3], s[4:5], exec", Vector},
      {"v_cndmask_b32 v0, v1, v2, vcc", "v0", "v1, v2, vcc, exec", Vector},
      {"v_cmp_lt_f32 vcc, v0, v1", "vcc", "v0, v1, exec", Vector},
      {"v_cmp_lt_f32 s[10:11], v0, v1", "s[10:11]", "v0, v1, exec", Vector},
      {"v_addc_co_u32 v0, vcc, v1, v2, vcc", "v0, vcc", "v1, v2, vcc, exec", Vector},
      {"v_exp_f32 v0, v1", "v0", "v1, exec", Transcendental},
      {"v_readlane_b32 s0, v1, s2", "s0", "v1, s2", Vector},
      {"v_readfirstlane_b32 s0, v1", "s0", "v1, exec", Vector},
      {"v_writelane_b32 v0, s1, 3", "v0", "s1, v0 old", Vector},
      {"v_fmac_f32 v0, v1, v2", "v0", "v1, v2, v0, exec", Vector},
      {"v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf", "v0", "v0 old, v1, exec", Vector},
      {"v_accvgpr_write_b32 a3, v1", "a3", "v1, exec", Vector},
      {"v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", "a[0:15]", "v[0:1], v[2:3], a[0:15], exec", Matrix},
      {"v_mfma_f32_4x4x1f32 v[0:3], v4, v5, 0", "v[0:3]", "v4, v5, exec", Matrix},
      {"ds_read_b64 v[0:1], v2", "v[0:1]", "v2 address, exec", Lds},
      {"ds_write2_b32 v0, v1, v2 offset1:1", "", "v0 address, v1 data, v2 data, exec", Lds},
      {"ds_read_u16_d16_hi v0, v1", "v0", "v1 address, v0 old, exec", Lds},
      {"ds_bpermute_b32 v0, v1, v2", "v0", "v1 address, v2 data, exec", Lds},
      {"ds_add_rtn_u32 v0, v1, v2", "v0", "v1 address, v2 data, exec", Lds},
      {"global_load_dwordx4 v[0:3], v[4:5], off", "v[0:3]", "v[4:5] address, exec", VectorMemory},
      {"global_store_dword v0, v1, s[2:3]", "", "v0 address, v1 data, s[2:3] address, exec", VectorMemory},
      {"global_atomic_add v0, v[2:3], v4, off glc", "v0", "v[2:3] address, v4 data, exec", VectorMemory},
      {"global_load_dwordx2 a[0:1], v0, s[2:3]", "a[0:1]", "s[2:3] address, v0 address, exec", VectorMemory},
      {"buffer_load_dword v0, v1, s[4:7], s8 offen", "v0", "v1 address, s[4:7] resource, s8 address, exec",
       VectorMemory},
      {"buffer_store_dwordx2 v[0:1], off, s[4:7], 0", "", "v[0:1] data, s[4:7] resource, exec", VectorMemory},
      {"buffer_atomic_add v0, v1, s[4:7], 0 offen glc", "v0", "v0 data, v1 address, s[4:7] resource, exec",
       VectorMemory},
      {"buffer_load_dword v1, s[4:7], 0 offen lds", "", "v1 address, s[4:7] resource, exec, m0 address", VectorMemory},
      {"buffer_store_lds_dword s[4:7], s8 lds", "", "s[4:7] resource, s8 address, exec, m0 address", VectorMemory},
      {"flat_load_dword v0, v[2:3]", "v0", "v[2:3] address, exec, flat_scratch address", Flat},
      {"scratch_store_dword off, v0, s33", "", "v0 data, s33 address, exec, flat_scratch address", VectorMemory},
  };
  for (const Case &c : cases) {
    Facts facts("gfx90a", c.text);
    EXPECT_EQ(facts->kind, c.kind) << c.text;
    EXPECT_EQ(facts.writes(), c.writes) << c.text;
    EXPECT_EQ(facts.reads(), c.reads) << c.text;
  }
}

// A wave waits for write-backs as for stores, but not for the invalidation of a cache.
TEST(InstructionFacts, CacheMaintenance) {
  for (const char *text : {"buffer_invl2", "buffer_wbinvl1", "buffer_wbinvl1_vol"})
    EXPECT_FALSE(Facts("gfx90a", text)->countsVm) << text;
  EXPECT_TRUE(Facts("gfx90a", "buffer_wbl2")->countsVm);
  EXPECT_FALSE(Facts("gfx942", "buffer_inv sc1")->countsVm);
  EXPECT_TRUE(Facts("gfx942", "buffer_wbl2 sc1")->countsVm);
}

// Only a load to LDS delivers something there to wait for.
TEST(InstructionFacts, BetweenMemoryAndLds) {
  Facts store("gfx90a", "buffer_store_lds_dword s[4:7], s8 lds");
  EXPECT_TRUE(store->stores && !store->loads && !store->toLds);
  Facts load("gfx90a", "buffer_load_dword v1, s[4:7], 0 offen lds");
  EXPECT_TRUE(load->loads && !load->stores && load->toLds);
}

TEST(InstructionFacts, CachePolicy) {
  struct {
    const char *target, *text;
    CachePolicy policy;
  } const cases[] = {
      {"gfx942", "global_load_dword v0, v[2:3], off offset:19 sc1", {.sc1 = true}},
      {"gfx942", "global_load_dwordx4 v[0:3], v4, s[2:3] sc0 sc1", {.sc0 = true, .sc1 = true}},
      {"gfx942", "global_store_dword v[2:3], v4, off nt", {.nt = true}},
      {"gfx942", "global_atomic_add v0, v[2:3], v4, off sc0", {.sc0 = true}},
      {"gfx942", "flat_load_dword v0, v[2:3] sc0", {.sc0 = true}},
      {"gfx942", "scratch_load_dword v0, off, s33 offset:16 nt", {.nt = true}},
      {"gfx942", "buffer_load_dword v0, v1, s[4:7], s8 offen offset:1 sc1", {.sc1 = true}},
      {"gfx942", "buffer_load_dword v1, s[4:7], 0 offen sc0 lds", {.sc0 = true}},
      {"gfx942", "global_load_lds_dword v[2:3], off nt", {.nt = true}},
      {"gfx942", "buffer_inv sc0 sc1", {.sc0 = true, .sc1 = true}},
      {"gfx942", "buffer_wbl2 sc1", {.sc1 = true}},
      {"gfx942", "s_load_dword s0, s[2:3], 0x1 glc", {.sc0 = true}},
      {"gfx942", "global_load_dword v0, v[2:3], off offset:19", {}},
      {"gfx90a", "global_load_dword v0, v[2:3], off offset:-1 glc slc", {.glc = true, .slc = true}},
      {"gfx90a", "buffer_store_dword v0, off, s[4:7], 0 offset:3 scc", {.scc = true}},
      {"gfx90a", "buffer_atomic_add v0, v1, s[4:7], 0 offen glc", {.glc = true}},
      {"gfx90a", "tbuffer_load_format_x v0, off, s[4:7], 0 format:22 slc", {.slc = true}},
      {"gfx90a", "s_buffer_load_dwordx2 vcc, s[4:7], s20 glc", {.glc = true}},
      {"gfx90a", "s_buffer_load_dwordx2 vcc, s[4:7], s20", {}},
      {"gfx90a", "ds_read_b32 v0, v1 offset:1", {}},
      {"gfx90a", "s_memtime s[0:1]", {}},
      {"gfx90a", "buffer_wbinvl1_vol", {}},
  };
  for (const auto &c : cases)
    EXPECT_EQ(Facts(c.target, c.text)->policy, c.policy) << c.target << ": " << c.text;
}

} // namespace
