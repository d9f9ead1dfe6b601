// The hazard table against LLVM: for every pair of representative instructions the check requires as many wait states
// as llc's hazard recognizer inserts.
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace nstf::emulator;

namespace {

/// An instruction as LLVM's machine IR and as assembly. {8} in the machine IR stands for a tuple of registers.
struct Pair {
  const char *assembly, *mir;
};

const Pair instructions[] = {
    {"v_mov_b32 v1, v4", "$vgpr1 = V_MOV_B32_e32 $vgpr4, implicit $exec"},
    {"v_mov_b32 v9, v4", "$vgpr9 = V_MOV_B32_e32 $vgpr4, implicit $exec"},
    {"v_mov_b32 v13, v4", "$vgpr13 = V_MOV_B32_e32 $vgpr4, implicit $exec"},
    {"v_mov_b32 v5, v9", "$vgpr5 = V_MOV_B32_e32 $vgpr9, implicit $exec"},
    {"v_mov_b32 v5, s8", "$vgpr5 = V_MOV_B32_e32 $sgpr8, implicit $exec"},
    {"v_add_u32 v5, v1, v1", "$vgpr5 = V_ADD_U32_e32 $vgpr1, $vgpr1, implicit $exec"},
    {"v_exp_f32 v1, v4", "$vgpr1 = V_EXP_F32_e32 $vgpr4, implicit $mode, implicit $exec"},
    {"v_exp_f32 v5, v1", "$vgpr5 = V_EXP_F32_e32 $vgpr1, implicit $mode, implicit $exec"},
    {"v_add_u32_sdwa v1, v4, v4 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
     "$vgpr1 = V_ADD_U32_sdwa 0, $vgpr4, 0, $vgpr4, 0, 5, 0, 6, 6, implicit $exec"},
    {"v_readfirstlane_b32 s8, v1", "$sgpr8 = V_READFIRSTLANE_B32 $vgpr1, implicit $exec"},
    {"v_readlane_b32 s9, v1, s8", "$sgpr9 = V_READLANE_B32 $vgpr1, $sgpr8"},
    {"v_writelane_b32 v1, 7, s8", "$vgpr1 = V_WRITELANE_B32 7, $sgpr8, $vgpr1"},
    {"v_cmp_eq_u32_e32 vcc, v4, v5", "V_CMP_EQ_U32_e32 $vgpr4, $vgpr5, implicit-def $vcc, implicit $exec"},
    {"v_cmp_eq_u32_e64 s[8:9], v4, v5", "$sgpr8_sgpr9 = V_CMP_EQ_U32_e64 $vgpr4, $vgpr5, implicit $exec"},
    {"v_cndmask_b32_e32 v5, v4, v4, vcc", "$vgpr5 = V_CNDMASK_B32_e32 $vgpr4, $vgpr4, implicit $vcc, implicit $exec"},
    {"v_div_fmas_f32 v5, v4, v4, v4",
     "$vgpr5 = V_DIV_FMAS_F32_e64 0, $vgpr4, 0, $vgpr4, 0, $vgpr4, 0, 0, implicit $mode, implicit $vcc, implicit "
     "$exec"},
    {"v_mov_b32_dpp v5, v1 row_shr:1 row_mask:0xf bank_mask:0xf",
     "$vgpr5 = V_MOV_B32_dpp $vgpr5, $vgpr1, 273, 15, 15, 0, implicit $exec"},
    {"s_mov_b32 m0, 0", "$m0 = S_MOV_B32 0"},
    {"s_mov_b32 s8, 0", "$sgpr8 = S_MOV_B32 0"},
    {"s_sendmsg sendmsg(MSG_INTERRUPT)", "S_SENDMSG 1, implicit $exec, implicit $m0"},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
     "S_SETREG_IMM32_B32 0, 2049, implicit-def $mode, implicit $mode"},
    {"s_getreg_b32 s10, hwreg(HW_REG_MODE, 0, 2)", "$sgpr10 = S_GETREG_B32 2049, implicit $mode"},
    {"global_load_dword v6, v1, s[8:9]", "$vgpr6 = GLOBAL_LOAD_DWORD_SADDR $sgpr8_sgpr9, $vgpr1, 0, 0, implicit $exec"},
    {"global_store_dwordx4 v[2:3], v[8:11], off",
     "GLOBAL_STORE_DWORDX4 $vgpr2_vgpr3, $vgpr8_vgpr9_vgpr10_vgpr11, 0, 0, implicit $exec"},
    {"global_store_dwordx2 v[2:3], v[8:9], off",
     "GLOBAL_STORE_DWORDX2 $vgpr2_vgpr3, $vgpr8_vgpr9, 0, 0, implicit $exec"},
    {"buffer_store_dwordx4 v[8:11], off, s[12:15], 0", "BUFFER_STORE_DWORDX4_OFFSET $vgpr8_vgpr9_vgpr10_vgpr11, "
                                                       "$sgpr12_sgpr13_sgpr14_sgpr15, 0, 0, 0, 0, implicit $exec"},
    {"buffer_store_dwordx4 v[8:11], off, s[12:15], s8",
     "BUFFER_STORE_DWORDX4_OFFSET $vgpr8_vgpr9_vgpr10_vgpr11, $sgpr12_sgpr13_sgpr14_sgpr15, $sgpr8, 0, 0, 0, implicit "
     "$exec"},
    {"buffer_load_dword v1, s[12:15], 0 offen lds",
     "BUFFER_LOAD_DWORD_LDS_OFFEN $vgpr1, $sgpr12_sgpr13_sgpr14_sgpr15, 0, 0, 0, 0, implicit $exec, implicit $m0"},
    {"ds_write_b32 v1, v9", "DS_WRITE_B32_gfx9 $vgpr1, $vgpr9, 0, 0, implicit $exec"},
    {"ds_read_b32 v9, v4", "$vgpr9 = DS_READ_B32_gfx9 $vgpr4, 0, 0, implicit $exec"},
    {"v_dot2_f32_f16 v1, v4, v4, v5",
     "$vgpr1 = V_DOT2_F32_F16 8, $vgpr4, 8, $vgpr4, 8, $vgpr5, 0, 0, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_dot2_f32_f16 v5, v1, v4, v5",
     "$vgpr5 = V_DOT2_F32_F16 8, $vgpr1, 8, $vgpr4, 8, $vgpr5, 0, 0, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_dot2_f32_f16 v5, v4, v4, v1",
     "$vgpr5 = V_DOT2_F32_F16 8, $vgpr4, 8, $vgpr4, 8, $vgpr1, 0, 0, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_dot4_i32_i8 v5, v4, v4, v1",
     "$vgpr5 = V_DOT4_I32_I8 8, $vgpr4, 8, $vgpr4, 8, $vgpr1, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_fma_f64 v[16:17], v[4:5], v[4:5], v[4:5]",
     "$vgpr16_vgpr17 = V_FMA_F64_e64 0, $vgpr4_vgpr5, 0, $vgpr4_vgpr5, 0, $vgpr4_vgpr5, 0, 0, implicit $mode, implicit "
     "$exec"},
    {"v_accvgpr_write_b32 a1, v4", "$agpr1 = V_ACCVGPR_WRITE_B32_e64 $vgpr4, implicit $exec"},
    {"v_accvgpr_read_b32 v5, a1", "$vgpr5 = V_ACCVGPR_READ_B32_e64 $agpr1, implicit $exec"},
// Matrix instructions: producers write D from v8 on. Consumers read it as C (the same or overlapping registers) or as
// B; most of them write D from v20 on.
#define MFMA " 0, 0, 0, implicit $mode, implicit $exec"
#define HALF "V_MFMA_F32_16X16X16F16_vgprcd_e64 "
#define SINGLE4 "V_MFMA_F32_4X4X1F32_vgprcd_e64 "
#define SINGLE16 "V_MFMA_F32_16X16X4F32_vgprcd_e64 "
#define DOUBLE4 "V_MFMA_F64_4X4X4F64_vgprcd_e64 "
#define DOUBLE16 "V_MFMA_F64_16X16X4F64_vgprcd_e64 "
#define V8 "$vgpr8_vgpr9_vgpr10_vgpr11"
#define V10 "$vgpr10_vgpr11_vgpr12_vgpr13"
#define V12 "$vgpr12_vgpr13_vgpr14_vgpr15"
#define V20 "$vgpr20_vgpr21_vgpr22_vgpr23"
#define V8TO15 "$vgpr8_vgpr9_vgpr10_vgpr11_vgpr12_vgpr13_vgpr14_vgpr15"
#define V20TO27 "$vgpr20_vgpr21_vgpr22_vgpr23_vgpr24_vgpr25_vgpr26_vgpr27"
    {"v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], v[12:15]",
     V8 " = " HALF "$vgpr0_vgpr1, $vgpr0_vgpr1, " V12 "," MFMA},
    {"v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[0:1], v[8:11]",
     V8 " = " HALF "$vgpr0_vgpr1, $vgpr0_vgpr1, " V8 "," MFMA},
    {"v_mfma_f32_16x16x16f16 v[20:23], v[0:1], v[0:1], v[10:13]",
     V20 " = " HALF "$vgpr0_vgpr1, $vgpr0_vgpr1, " V10 "," MFMA},
    {"v_mfma_f32_16x16x16f16 v[20:23], v[0:1], v[8:9], v[20:23]",
     V20 " = " HALF "$vgpr0_vgpr1, $vgpr8_vgpr9, " V20 "," MFMA},
    {"v_mfma_f32_4x4x1f32 v[8:11], v0, v1, v[12:15]", V8 " = " SINGLE4 "$vgpr0, $vgpr1, " V12 "," MFMA},
    {"v_mfma_f32_4x4x1f32 v[20:23], v0, v0, v[8:11]", V20 " = " SINGLE4 "$vgpr0, $vgpr0, " V8 "," MFMA},
    {"v_mfma_f32_4x4x1f32 v[20:23], v0, v9, v[10:13]", V20 " = " SINGLE4 "$vgpr0, $vgpr9, " V10 "," MFMA},
    {"v_mfma_f32_16x16x4f32 v[8:11], v0, v1, v[12:15]", V8 " = " SINGLE16 "$vgpr0, $vgpr1, " V12 "," MFMA},
    {"v_mfma_f32_16x16x4f32 v[20:23], v0, v0, v[10:13]", V20 " = " SINGLE16 "$vgpr0, $vgpr0, " V10 "," MFMA},
    {"v_mfma_f32_16x16x4f32 v[20:23], v0, v9, v[20:23]", V20 " = " SINGLE16 "$vgpr0, $vgpr9, " V20 "," MFMA},
    {"v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[12:13]",
     "$vgpr8_vgpr9 = " DOUBLE4 "$vgpr4_vgpr5, $vgpr4_vgpr5, $vgpr12_vgpr13," MFMA},
    {"v_mfma_f64_4x4x4f64 v[20:21], v[4:5], v[4:5], v[8:9]",
     "$vgpr20_vgpr21 = " DOUBLE4 "$vgpr4_vgpr5, $vgpr4_vgpr5, $vgpr8_vgpr9," MFMA},
    {"v_mfma_f64_4x4x4f64 v[20:21], v[4:5], v[8:9], v[20:21]",
     "$vgpr20_vgpr21 = " DOUBLE4 "$vgpr4_vgpr5, $vgpr8_vgpr9, $vgpr20_vgpr21," MFMA},
    {"v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[4:5], v[8:15]",
     V8TO15 " = " DOUBLE16 "$vgpr4_vgpr5, $vgpr4_vgpr5, " V8TO15 "," MFMA},
    {"v_mfma_f64_16x16x4f64 v[20:27], v[4:5], v[4:5], v[20:27]",
     V20TO27 " = " DOUBLE16 "$vgpr4_vgpr5, $vgpr4_vgpr5, " V20TO27 "," MFMA},
    {"v_mfma_f64_16x16x4f64 v[20:27], v[4:5], v[8:9], v[20:27]",
     V20TO27 " = " DOUBLE16 "$vgpr4_vgpr5, $vgpr8_vgpr9, " V20TO27 "," MFMA},
};
constexpr size_t count = std::size(instructions);

/// The wait states that llc inserts between the two instructions of each pair.
std::vector<unsigned> byLlvm(const std::string &chip) {
  const char *base = std::getenv("TMPDIR");
  std::string name = std::string(base && *base ? base : "/tmp") + "/nstf-hazards-" + std::to_string(getpid());
  {
    std::ofstream in(name + ".mir");
    for (size_t i = 0; i < count; ++i)
      for (size_t k = 0; k < count; ++k)
        in << "---\nname: p" << i * count + k << "\nbody: |\n  bb.0:\n    " << instructions[i].mir << "\n    "
           << instructions[k].mir << "\n    S_ENDPGM 0\n...\n";
  }
  std::string command = std::string(NSTF_TEST_LLC) + " -mtriple=amdgcn-amd-amdhsa -mcpu=" + chip +
                        " -mattr=-xnack -run-pass post-RA-hazard-rec " + name + ".mir -o " + name + ".out";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream out(name + ".out");
  std::vector<unsigned> states(count * count);
  size_t current = 0, seen = 0;
  for (std::string line; std::getline(out, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "early-clobber")
      words >> word;
    if (word == "name:") {
      words >> word;
      current = std::stoul(word.substr(1));
      seen = 0;
    } else if (word == "S_NOP" && seen == 1) {
      unsigned operand;
      words >> operand;
      states[current] += operand + 1;
    } else if (word.starts_with("$") || word.starts_with("V_") || word.starts_with("S_") || word.starts_with("DS_") ||
               word.starts_with("GLOBAL_") || word.starts_with("BUFFER_")) {
      ++seen;
    }
  }
  std::remove((name + ".mir").c_str());
  std::remove((name + ".out").c_str());
  return states;
}

/// The wait states that the check requires. The pairs are not executed, only shown to the check.
std::vector<unsigned> byTable(const std::string &chip) {
  const Target &target = *Target::find(chip);
  std::vector<unsigned> states(count * count);
  for (size_t i = 0; i < count; ++i)
    for (size_t first = 0; first < count; first += 12) { // a checker keeps few findings
      std::string text;
      for (size_t k = first; k < std::min(first + 12, count); ++k)
        text += std::string(instructions[i].assembly) + "\n" + instructions[k].assembly + "\ns_nop 15\ns_nop 15\n";
      std::vector<uint8_t> code = test::assemble(chip, text);
      std::span<const uint8_t> span(code);
      auto program = decodeProgram(target, {&span, 1});
      Memory memory;
      Launch launch = {};
      launch.target = &target;
      launch.program = program.get();
      launch.memory = &memory;
      Workgroup group;
      group.launch = &launch;
      auto wave = std::make_unique<Wave>();
      wave->group = &group;
      auto checker = checks::makeChecker(checks::CheckSet::parse("hazard:strict", "test"), target, memory);
      checker->launchBegins(launch);
      checker->waveBegins(*wave);
      std::map<uint64_t, size_t> pairOf;
      for (uint32_t k = 0; k < program->instructionCount(); ++k) {
        uint64_t address = program->addressOfInstruction(k);
        const MicroOp *op = program->at(address);
        if (!op) // past the end
          break;
        if (k % 4 == 1)
          pairOf[address] = i * count + first + k / 4;
        checker->instruction(*wave, op);
      }
      checker->launchEnds(launch);
      EXPECT_EQ(checker->dropped(), 0u);
      for (const Finding &finding : checker->findings()) {
        size_t at = finding.what.find("expected ");
        unsigned &most = states.at(pairOf.at(finding.pc));
        most = std::max(most, unsigned(std::stoul(finding.what.substr(at + 9))));
      }
    }
  return states;
}

/// Pairs for which the table differs from LLVM on purpose.
bool excused(const Pair &first, const Pair &second) {
  std::string a = first.assembly, b = second.assembly;
  auto has = [](const std::string &text, const char *part) { return text.find(part) != text.npos; };
  // LLVM keeps every write away from DPP, even a load's, whose value only an s_waitcnt guarantees.
  if (has(b, "_dpp") && (a.starts_with("ds_") || a.starts_with("global_")))
    return true;
  // LLVM also counts loads to LDS as vector ALU instructions …
  if (has(b, " lds") && (a.starts_with("v_exp") || has(a, "_sdwa") || a.starts_with("v_dot")))
    return true;
  // … and takes op_sel_hi, which most packed instructions set, for the op_sel bit of the destination.
  return a.starts_with("v_dot");
}

TEST(HazardTable, AsLlvmHasIt) {
  for (const char *chip : {"gfx90a", "gfx942"}) {
    std::vector<unsigned> expected = byLlvm(chip), got = byTable(chip);
    unsigned apart = 0;
    for (size_t i = 0; i < count; ++i)
      for (size_t k = 0; k < count; ++k) {
        size_t pair = i * count + k;
        apart += expected[pair] != 0;
        if (!excused(instructions[i], instructions[k]))
          EXPECT_EQ(got[pair], expected[pair])
              << chip << ": " << instructions[i].assembly << "; " << instructions[k].assembly;
      }
    EXPECT_GT(apart, 200u) << "expected hazards among the pairs";
  }
}

} // namespace
