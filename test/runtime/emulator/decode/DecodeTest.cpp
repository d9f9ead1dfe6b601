// The instruction list against LLVM's, and decoding of valid and invalid code.
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>
#include <random>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

TEST(Instructions, EveryNameIsOneOfLLVMs) {
  assemble("gfx942", "s_nop 0"); // initialises the target
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), error);
  ASSERT_TRUE(target) << error;
  std::unique_ptr<llvm::MCInstrInfo> info(target->createMCInstrInfo());
  std::set<std::string> known;
  for (unsigned i = 0; i < info->getNumOpcodes(); ++i)
    known.insert(parseName(info->getName(i).str()).name);
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i) {
    std::string name(getInfo(Opcode(i)).name);
    if (name.ends_with("_CLAMP")) // our own name: the clamp bit is set
      name.resize(name.size() - 6);
    EXPECT_TRUE(known.count(name)) << name;
  }
}

TEST(Instructions, EveryNameHasAHandler) {
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i)
    EXPECT_NE(handlers()[i], handlers()[unsigned(Opcode::Trap)]) << getInfo(Opcode(i)).name;
}

TEST(Instructions, NamesAreParted) {
  struct {
    const char *full, *name;
  } const cases[] = {{"V_ADD_F32_e64_vi", "V_ADD_F32"},
                     {"V_FMA_F16_gfx9_gfx9", "V_FMA_F16"},
                     {"V_MFMA_F32_16X16X4F32_gfx940_vcd", "V_MFMA_F32_16X16X4F32"},
                     {"GLOBAL_ATOMIC_ADD_SADDR_RTN_vi", "GLOBAL_ATOMIC_ADD"},
                     {"SCRATCH_LOAD_DWORD_SVS_gfx940", "SCRATCH_LOAD_DWORD"},
                     {"BUFFER_LOAD_DWORD_LDS_OFFEN_gfx90a", "BUFFER_LOAD_DWORD"},
                     {"S_LOAD_DWORDX4_SGPR_IMM_gfx9", "S_LOAD_DWORDX4"},
                     {"DS_CMPST_RTN_B32_vi", "DS_CMPST_B32"},
                     {"GLOBAL_ATOMIC_ADD_X2_SADDR_RTN_agpr_vi", "GLOBAL_ATOMIC_ADD_X2"},
                     {"S_LOAD_DWORD_SGPR_alt_gfx9", "S_LOAD_DWORD"},
                     {"V_ALIGNBIT_B32_opsel_gfx9", "V_ALIGNBIT_B32"}};
  for (const auto &c : cases)
    EXPECT_EQ(parseName(c.full).name, c.name);
  EXPECT_TRUE(parseName("V_ADD_F32_dpp_vi").dpp);
  EXPECT_TRUE(parseName("V_ADD_F32_sdwa_gfx9").sdwa);
  EXPECT_TRUE(parseName("GLOBAL_ATOMIC_ADD_SADDR_RTN_vi").returns);
  EXPECT_TRUE(parseName("BUFFER_LOAD_DWORD_BOTHEN_gfx90a").idxen);
}

TEST(Program, AddressesAndTexts) {
  std::vector<uint8_t> code =
      assemble("gfx942", "s_mov_b32 s1, 0x12345678\nv_add_f32_e64 v1, -v2, |s3| clamp\ns_endpgm");
  std::span<const uint8_t> span(code);
  auto program = decodeProgram(*Target::find("gfx942"), {&span, 1});
  uint64_t begin = reinterpret_cast<uint64_t>(code.data());
  EXPECT_EQ(program->instructionCount(), 4u); // the fourth ends the program
  EXPECT_EQ(program->trapCount(), 0u);
  ASSERT_TRUE(program->at(begin));
  EXPECT_FALSE(program->at(begin + 4)); // the literal
  EXPECT_FALSE(program->at(begin + 2));
  EXPECT_FALSE(program->at(begin + code.size()));
  EXPECT_FALSE(program->at(begin - 4));
  const MicroOp *add = program->at(begin + 8);
  ASSERT_TRUE(add);
  EXPECT_EQ(program->getText(add), "v_add_f32_e64 v1, -v2, |s3| clamp");
  EXPECT_EQ(program->getAddress(add), begin + 8);
  EXPECT_EQ(program->getAddress(add + 1), begin + 8) << "micro-ops around it belong to it";
}

TEST(Program, RunningOffTheEndTraps) {
  std::vector<uint8_t> code = assemble("gfx90a", "s_nop 0");
  std::span<const uint8_t> span(code);
  auto program = decodeProgram(*Target::find("gfx90a"), {&span, 1});
  const MicroOp *nop = program->at(reinterpret_cast<uint64_t>(code.data()));
  EXPECT_EQ(Opcode(nop[1].opcode), Opcode::Trap);
  EXPECT_EQ(program->getText(nop + 1), "past the end of the code");
}

TEST(Program, BranchesOutOfTheCodeTrap) {
  Snippet s("gfx942", "s_branch 1000");
  EXPECT_THROW(s.run(), WaveFault);
  Snippet middle("gfx942", "s_branch 1\ns_mov_b32 s1, 0x12345678"); // into a literal
  EXPECT_THROW(middle.run(), WaveFault);
}

/// LLVM's disassembler or printer crashes on these; here they decode to no instruction.
TEST(Disassembler, WhatLLVMCrashesAtIsNoInstruction) {
  const std::vector<uint32_t> cases[] = {
      {0xd3d94004, 0x180000ff}, // VOP3P with a literal
      {0xd1c10000, 0x03fe02ff}, // VOP3 with one
      {0xd1c10000, 0x03fe0103}, // in the third source
      {0xd06300ff, 0x00000000}, // v_cmp into no register
      {0xd28900ff, 0x00000000}, // v_readlane into none
      {0xe0501000, 0xff010400}, // a buffer's soffset
      {0xe8500000, 0xff010400}, // a typed buffer's
      {0x380810f9, 0x00000708}, // SDWA with a reserved selector of the result
      {0x380810f9, 0x07000008}, // of the second source
      {0x7e0810f9, 0x00070008}, // of the first
      {0x7e0002ff},             // v_mov_b32 whose literal is past the end
      {0xbe8000ff},             // s_mov_b32 likewise
  };
  for (const char *target : {"gfx90a", "gfx942"}) {
    Disassembler disassembler(*Target::find(target));
    for (const std::vector<uint32_t> &dwords : cases) {
      std::span bytes(reinterpret_cast<const uint8_t *>(dwords.data()), dwords.size() * 4);
      RawInstruction raw;
      unsigned size;
      EXPECT_FALSE(disassembler.decode(bytes, 0, raw, size)) << std::hex << dwords[0];
      EXPECT_TRUE(disassembler.print(bytes, 0).starts_with("no instruction: 0x")) << disassembler.print(bytes, 0);
    }
  }
}

TEST(Disassembler, LiteralsThatLLVMCrashesAtAreRead) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    Disassembler disassembler(*Target::find(target));
    RawInstruction raw;
    unsigned size;
    const std::vector<uint8_t> multiply = {0x00, 0x00, 0x80, 0x49, 0xff, 0, 0, 0};
    ASSERT_TRUE(disassembler.decode(multiply, 0, raw, size));
    EXPECT_EQ(size, 8u);
    EXPECT_EQ(raw.encoding->name, "V_MADMK_F16");
    EXPECT_EQ(disassembler.print(multiply, 0), "v_madmk_f16 v192, s0, 0xff, v0");
    const std::vector<uint8_t> add = {0xff, 0x00, 0x80, 0x4b, 0xff, 0, 0, 0};
    EXPECT_EQ(disassembler.print(add, 0), "v_madak_f16 v192, 0xff, v0, 0xff");
    // LLVM crashes on instructions that the end of the text truncates …
    EXPECT_FALSE(disassembler.decode(std::vector<uint8_t>{0xff, 0x1a, 0x43, 0xd0}, 0, raw, size));
    EXPECT_FALSE(disassembler.decode(std::vector<uint8_t>{0x04, 0x00, 0xd0, 0xd0, 0xff}, 0, raw, size));
    // … also in the middle of a literal.
    for (size_t bytes : {4, 5, 6, 7})
      EXPECT_FALSE(disassembler.decode(std::span(add).first(bytes), 0, raw, size)) << bytes;
  }
}

TEST(Program, AnyBytesDecode) {
  std::mt19937 random(7);
  for (const char *target : {"gfx90a", "gfx942"}) {
    std::vector<uint8_t> bytes(1 << 18);
    for (uint8_t &b : bytes)
      b = uint8_t(random());
    std::span<const uint8_t> span(bytes);
    auto program = decodeProgram(*Target::find(target), {&span, 1});
    EXPECT_GT(program->trapCount(), 0u);
    EXPECT_LT(program->trapCount(), program->instructionCount());
  }
  std::span<const uint8_t> empty;
  EXPECT_EQ(decodeProgram(*Target::find("gfx942"), {&empty, 1})->trapCount(), 0u);
}

TEST(Targets, AreFoundByName) {
  EXPECT_TRUE(Target::find("gfx942")->architectedFlatScratch);
  EXPECT_FALSE(Target::find("gfx90a")->architectedFlatScratch);
  EXPECT_EQ(Target::find("gfx1100"), nullptr);
}

} // namespace
