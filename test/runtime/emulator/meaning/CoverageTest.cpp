// Every name of Instructions.def has a meaning here, except matrix instructions, which have their own tests
// (MatrixTest, ExactMatrixTest), and the instructions listed here with the test that covers them.
#include "test/runtime/emulator/meaning/Coverage.h"
#include "runtime/emulator/decode/Instructions.h"
#include "test/runtime/emulator/meaning/Meaning.h"
#include "test/runtime/emulator/meaning/ScalarMeaning.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace nstf::emulator::meaning {
namespace {

/// Instructions that are not a function of one wave's registers and memory, or whose meaning is a table of formats.
const std::map<std::string, std::vector<const char *>> targeted = {
    {"ScalarTest, ControlTest: program flow, MODE, indexed registers",
     {"S_ENDPGM",           "S_ENDPGM_SAVED",     "S_ENDPGM_ORDERED_PS_DONE",
      "S_BRANCH",           "S_CBRANCH_SCC0",     "S_CBRANCH_SCC1",
      "S_CBRANCH_VCCZ",     "S_CBRANCH_VCCNZ",    "S_CBRANCH_EXECZ",
      "S_CBRANCH_EXECNZ",   "S_GETPC_B64",        "S_SETPC_B64",
      "S_RFE_B64",          "S_RFE_RESTORE_B64",  "S_SWAPPC_B64",
      "S_CALL_B64",         "S_GETREG_B32",       "S_SETREG_B32",
      "S_SETREG_IMM32_B32", "S_SETVSKIP",         "S_MEMTIME",
      "S_MEMREALTIME",      "S_SET_GPR_IDX_ON",   "S_SET_GPR_IDX_OFF",
      "S_SET_GPR_IDX_IDX",  "S_SET_GPR_IDX_MODE", "S_MOVRELS_B32",
      "S_MOVRELS_B64",      "S_MOVRELD_B32",      "S_MOVRELD_B64",
      "S_CBRANCH_G_FORK",   "S_CBRANCH_I_FORK",   "S_CBRANCH_JOIN"}},
    {"FaultTest, ControlTest, the suite: traps, halts, barriers",
     {"S_TRAP", "S_BARRIER", "S_SENDMSGHALT", "S_SETKILL"}},
    {"ScalarMemoryTest: scratch by the wave",
     {"S_SCRATCH_LOAD_DWORD", "S_SCRATCH_LOAD_DWORDX2", "S_SCRATCH_LOAD_DWORDX4", "S_SCRATCH_STORE_DWORD",
      "S_SCRATCH_STORE_DWORDX2", "S_SCRATCH_STORE_DWORDX4"}},
    {"LdsSpecialTest: counters of a workgroup, addresses by lane, waves that wait",
     {"DS_READ_ADDTID_B32", "DS_WRITE_ADDTID_B32", "DS_APPEND", "DS_CONSUME", "DS_GWS_INIT", "DS_GWS_BARRIER",
      "DS_GWS_SEMA_V", "DS_GWS_SEMA_P", "DS_GWS_SEMA_BR", "DS_GWS_SEMA_RELEASE_ALL"}},
    {"MemoryTest, TypedBufferTest: to LDS and from it",
     {"GLOBAL_LOAD_LDS_UBYTE", "GLOBAL_LOAD_LDS_SBYTE", "GLOBAL_LOAD_LDS_USHORT", "GLOBAL_LOAD_LDS_SSHORT",
      "GLOBAL_LOAD_LDS_DWORD", "SCRATCH_LOAD_LDS_UBYTE", "SCRATCH_LOAD_LDS_SBYTE", "SCRATCH_LOAD_LDS_USHORT",
      "SCRATCH_LOAD_LDS_SSHORT", "SCRATCH_LOAD_LDS_DWORD", "BUFFER_STORE_LDS_DWORD"}},
};

bool isProvenElsewhere(const std::string &name) {
  if (name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_"))
    return true;
  if (name.find("_FORMAT_") != std::string::npos) // TypedBufferTest covers every format
    return true;
  for (auto &[test, names] : targeted)
    for (const char *n : names)
      if (name == n)
        return true;
  return false;
}

TEST(Meaning, EveryInstructionHasOne) {
  std::set<std::string> have;
  for (auto meanings : {integerMeanings(), packedIntegerMeanings(), floatMeanings(), approximateMeanings(),
                        divisionMeanings(), conversionMeanings(), compareMeanings()})
    for (const VectorMeaning &m : meanings)
      have.insert(m.name);
  for (const ScalarMeaning &m : scalarMeanings())
    have.insert(m.name);
  for (auto cases : {ldsCases(), memoryCases(), scalarMemoryCases(), laneCases()})
    for (const Case &c : cases)
      have.insert(c.name);
  size_t proven = 0;
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i) {
    std::string name(getInfo(Opcode(i)).name);
    // With the clamp bit an instruction saturates; it has the same meaning with Lane::clamp.
    std::string plain = name.ends_with("_CLAMP") ? name.substr(0, name.size() - 6) : name;
    EXPECT_TRUE(have.contains(plain) || isProvenElsewhere(plain)) << name << " has no meaning";
    proven += have.contains(plain);
  }
  std::cout << proven << " of " << unsigned(Opcode::Trap) << " names have a meaning here\n";
}

} // namespace
} // namespace nstf::emulator::meaning
