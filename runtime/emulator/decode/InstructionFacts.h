// The registers that an instruction reads and writes, and the counters it waits for.
//
// These are facts that checks, traces and timing need and execution does not: the registers with their roles, the unit,
// and the counters that the instruction raises. The class comes from the list (decode/Instructions.def). The registers
// come from LLVM's instruction descriptions (operands, tied operands, implicit registers, scheduling model), corrected
// where these name more than the hardware reads (M0 of LDS instructions, which only chips before gfx9 read).
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/decode/Disassembler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nstf::emulator {

class DecodedProgram;
struct MicroOp;
struct Target;

/// Consecutive registers.
struct RegisterRange {
  bool vector; ///< rows of the wave (AGPRs from row 256 on), else indices of the SGPR file (namespace sgpr)
  uint16_t first;
  uint16_t count;
  bool operator==(const RegisterRange &) const = default;
  bool overlaps(const RegisterRange &other) const {
    return vector == other.vector && first < other.first + other.count && other.first < first + count;
  }
};
/// "v[4:7]", "a3", "s[0:1]", "vcc", "exec_lo", "scc", "m0".
std::string describe(const RegisterRange &range);

/// The role of an operand.
enum class OperandRole : uint8_t {
  Source,   ///< used in a computation; a branch's condition or target
  Result,   ///< written
  Address,  ///< of memory: base, offset, soffset, M0 of LDS-DMA
  Resource, ///< buffer descriptor
  Data,     ///< written to memory, or to other lanes through LDS
  Old,      ///< the destination itself, kept where no or not all bits are written: DPP, SDWA, d16, writelane
  Exec,     ///< EXEC as the mask of lanes
};

struct RegisterUse : RegisterRange {
  OperandRole role;
  int8_t operand; ///< index of the operand (RawInstruction); -1: implicit
};

/// Counts of an s_waitcnt; `none`: it does not wait for that counter.
struct WaitCounts {
  static constexpr unsigned none = ~0u;
  unsigned vm = none, lgkm = none, exp = none;
  /// gfx9: vm[3:0] at 3:0, vm[5:4] at 15:14, exp at 6:4, lgkm at 11:8; all ones: no wait.
  static WaitCounts decode(uint16_t immediate);
};

struct InstructionFacts {
  const Encoding *encoding = nullptr; ///< nullptr: no instruction
  InstructionKind kind = InstructionKind::Unknown;
  std::vector<RegisterUse> reads, writes;
  std::vector<RawOperand> operands; ///< as decoded
  MatrixUnit matrix = MatrixUnit::None;
  unsigned passes = 0;                                ///< of a matrix instruction
  bool loads = false, stores = false, atomic = false; ///< memory; an atomic loads and stores
  bool toLds = false;                                 ///< LDS-DMA: loads from memory into LDS
  bool countsVm = false, countsLgkm = false;          ///< counters that it raises
  bool laneWise = false;     ///< lane i of the results depends only on lane i of the vector sources; EXEC masks both
  bool partialWrite = false; ///< SDWA or op_sel: writes a part of the destination's dwords, which a selector chooses
  CachePolicy policy;        ///< of memory instructions and cache maintenance
  WaitCounts waits;          ///< of s_waitcnt
  unsigned waitStates = 1;   ///< issue slots; s_nop N takes N+1
  int64_t immediate = 0;     ///< of s_* without registers, hwreg of s_getreg and s_setreg

  Opcode opcode() const { return encoding ? encoding->opcode : Opcode::Trap; }
  const InstructionInfo &info() const { return getInfo(opcode()); }
  /// Name without suffixes ("V_ADD_F32"); empty if there is no instruction.
  const std::string &name() const;
};

/// Facts of a decoded instruction.
InstructionFacts getFacts(const Target &target, const RawInstruction &raw);

/// The facts of a program's instructions, each made at its first use. Not thread-safe.
class ProgramFacts {
public:
  ProgramFacts(const Target &target, const DecodedProgram &program);
  ~ProgramFacts();
  /// The facts of instruction number `instruction` (MicroOp::instruction).
  const InstructionFacts &of(uint32_t instruction) const {
    if (instruction < facts.size() && facts[instruction])
      return *facts[instruction];
    return make(instruction);
  }
  const InstructionFacts &of(const MicroOp *op) const;
  const DecodedProgram &program() const { return decoded; }

private:
  const InstructionFacts &make(uint32_t instruction) const;
  const Target &target;
  const DecodedProgram &decoded;
  mutable std::unique_ptr<Disassembler> disassembler;
  mutable std::vector<std::unique_ptr<InstructionFacts>> facts;
};

} // namespace nstf::emulator
