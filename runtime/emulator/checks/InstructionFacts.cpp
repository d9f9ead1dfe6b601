#include "runtime/emulator/checks/InstructionFacts.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/MicroOp.h"
#include "runtime/emulator/decode/Target.h"

#include <algorithm>
#include <string_view>

namespace nstf::emulator::checks {
namespace {

using Kind = InstructionKind;
using Role = OperandRole;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool isTranscendental(std::string_view name) {
  for (std::string_view f : {"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_SIN_", "V_COS_"})
    if (name.starts_with(f))
      return true;
  return false;
}

Kind scalarKind(std::string_view name) {
  for (std::string_view f : {"S_LOAD_", "S_STORE_", "S_BUFFER_", "S_SCRATCH_", "S_ATOMIC_", "S_DCACHE_", "S_MEMTIME",
                             "S_MEMREALTIME", "S_ATC_PROBE"})
    if (name.starts_with(f))
      return Kind::ScalarMemory;
  for (std::string_view f : {"S_BRANCH", "S_CBRANCH_", "S_SETPC_", "S_SWAPPC_", "S_CALL_", "S_RFE_"})
    if (name.starts_with(f))
      return Kind::Branch;
  if (name == "S_BARRIER")
    return Kind::Barrier;
  if (name == "S_WAITCNT")
    return Kind::Wait;
  if (name == "S_NOP")
    return Kind::Nop;
  if (name.starts_with("S_ENDPGM"))
    return Kind::End;
  if (name.starts_with("S_SENDMSG"))
    return Kind::Message;
  for (std::string_view f : {"S_SLEEP", "S_SETPRIO", "S_SETHALT", "S_SETKILL", "S_TRAP", "S_WAKEUP", "S_ICACHE_INV",
                             "S_INCPERFLEVEL", "S_DECPERFLEVEL", "S_TTRACEDATA"})
    if (name.starts_with(f))
      return Kind::Control;
  return Kind::Scalar;
}

Kind kindOf(std::string_view name) {
  if (name.starts_with("S_"))
    return scalarKind(name);
  if (name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_"))
    return Kind::Matrix;
  if (name.starts_with("V_"))
    return isTranscendental(name) ? Kind::Transcendental : Kind::Vector;
  if (name.starts_with("DS_"))
    return Kind::Lds;
  if (name.starts_with("FLAT_"))
    return Kind::Flat;
  for (std::string_view f : {"GLOBAL_", "SCRATCH_", "BUFFER_", "TBUFFER_"})
    if (name.starts_with(f))
      return Kind::VectorMemory;
  return Kind::Unknown;
}

/// LDS instructions that read M0 on gfx9; LLVM's descriptions say it of all, for older chips.
bool ldsReadsM0(std::string_view name) {
  return contains(name, "_ADDTID_") || name.starts_with("DS_GWS_") || name == "DS_APPEND" || name == "DS_CONSUME" ||
         name == "DS_ORDERED_COUNT";
}

/// Collects the operands of one instruction.
class Collector {
public:
  Collector(const Target &target, const RawInstruction &raw) : target(target), raw(raw), e(*raw.encoding) {
    facts.encoding = raw.encoding;
    facts.kind = kindOf(e.name);
    facts.operands = raw.operands;
    name = e.name;
  }

  InstructionFacts collect() {
    // Order matters: the registers, then what depends on them.
    // The disassembler may repeat a tied register behind the operands that LLVM describes.
    for (unsigned i = 0; i < raw.operands.size() && i < e.tied.size(); ++i)
      explicitOperand(i);
    for (const RawOperand &operand : e.implicitReads)
      implicitRead(operand);
    for (const RawOperand &operand : e.implicitWrites)
      add(facts.writes, operand, Role::Result, -1);
    classify();
    return std::move(facts);
  }

private:
  bool isMemory() const { return facts.kind == Kind::VectorMemory || facts.kind == Kind::Flat; }
  bool isBuffer() const { return contains(name.substr(0, 8), "BUFFER_"); }
  bool isStore() const { return contains(name, "_STORE_"); }
  bool isAtomic() const { return contains(name, "_ATOMIC_"); }

  static void add(std::vector<RegisterUse> &uses, const RawOperand &operand, Role role, int index) {
    if (operand.kind != RawOperand::Vector && operand.kind != RawOperand::Scalar)
      return;
    RegisterUse use{
        {operand.kind == RawOperand::Vector, uint16_t(operand.value), uint16_t(operand.count)}, role, int8_t(index)};
    if (!use.vector) {
      if (use.first == sgpr::vccz || use.first == sgpr::execz) {
        use.first = use.first == sgpr::vccz ? sgpr::vcc : sgpr::exec;
        use.count = 2;
      } else if (use.first >= sgpr::sharedBase && use.first != sgpr::scc) {
        return; // constants of the launch
      }
    }
    uses.push_back(use);
  }

  void explicitOperand(unsigned i) {
    const RawOperand &operand = raw.operands[i];
    bool isRegister = operand.kind == RawOperand::Vector || operand.kind == RawOperand::Scalar;
    if (!isRegister)
      return;
    if (i < e.definitions)
      return add(facts.writes, operand, Role::Result, int(i));
    Role role = roleOf(i);
    add(facts.reads, operand, role, int(i));
    registersSeen += operand.kind == RawOperand::Vector;
  }

  bool isTied(unsigned i) const { return i < e.tied.size() && e.tied[i] >= 0; }

  Role roleOf(unsigned i) const {
    const RawOperand &operand = raw.operands[i];
    bool vector = operand.kind == RawOperand::Vector;
    switch (facts.kind) {
    case Kind::ScalarMemory:
      if (e.definitions == 0 && i == 0 && (isStore() || isAtomic()))
        return Role::Data;
      if (isAtomic() && isTied(i))
        return Role::Data;
      return name.starts_with("S_BUFFER_") && operand.count == 4 ? Role::Resource : Role::Address;
    case Kind::Lds:
      if (isTied(i))
        return Role::Old;
      if (!vector)
        return Role::Source;
      if (name == "DS_SWIZZLE_B32" || name.starts_with("DS_GWS_") || contains(name, "_ADDTID_"))
        return Role::Data;
      return registersSeen == 0 ? Role::Address : Role::Data;
    case Kind::VectorMemory:
    case Kind::Flat:
      if (!vector)
        return isBuffer() && operand.count == 4 ? Role::Resource : Role::Address;
      if (isTied(i))
        return isAtomic() ? Role::Data : Role::Old;
      if (isBuffer() || name.starts_with("SCRATCH_")) { // the data stand first
        bool hasData = (isStore() || isAtomic()) && !e.lds;
        return hasData && registersSeen == 0 ? Role::Data : Role::Address;
      }
      return registersSeen == 0 ? Role::Address : Role::Data;
    default:
      if (!isTied(i))
        return Role::Source;
      // v_fmac, v_dot*c, v_smfmac and s_cmov read their destination as a source.
      return e.dpp || e.sdwa ? (accumulates() ? Role::Source : Role::Old)
                             : (name == "V_WRITELANE_B32" || e.keepsHalf ? Role::Old : Role::Source);
    }
  }

  bool accumulates() const {
    return contains(name, "FMAC_") || contains(name, "V_MAC_") || (name.starts_with("V_DOT") && contains(name, "C_"));
  }

  void implicitRead(const RawOperand &operand) {
    Role role = Role::Source;
    if (operand.value == sgpr::exec)
      role = Role::Exec;
    if (operand.value == sgpr::m0 && facts.kind == Kind::Lds && !ldsReadsM0(name))
      return;
    if (operand.value == sgpr::m0 && isMemory()) {
      if (!isLdsDma())
        return;
      role = Role::Address;
    }
    if (operand.value == sgpr::m0 && facts.kind == Kind::Lds)
      role = Role::Address;
    if (operand.value == sgpr::flatScratch) {
      // gfx942 keeps it out of the SGPRs; global addresses don't need it.
      if (target.architectedFlatScratch || name.starts_with("GLOBAL_"))
        return;
      role = Role::Address;
    }
    add(facts.reads, operand, role, -1);
  }

  bool isLdsDma() const {
    return e.lds || name.starts_with("GLOBAL_LOAD_LDS_") || name.starts_with("SCRATCH_LOAD_LDS_");
  }

  void classify() {
    InstructionFacts &f = facts;
    f.atomic =
        isAtomic() || (f.kind == Kind::Lds && e.mayLoad && e.mayStore && !movesLanes() &&
                       !name.starts_with("DS_READ") && !name.starts_with("DS_WRITE") && !name.starts_with("DS_GWS_"));
    bool memory = isMemory() || f.kind == Kind::Lds || f.kind == Kind::ScalarMemory;
    if (memory && !movesLanes()) {
      f.toLds = isMemory() && isLdsDma();
      f.stores = f.atomic || isStore() || name.starts_with("DS_WRITE");
      f.loads = f.atomic || (!f.stores && (contains(name, "_LOAD_") || name.starts_with("DS_READ")));
    }
    f.countsVm = isMemory() && !isCacheMaintenanceWithoutCount();
    f.countsLgkm =
        f.kind == Kind::Lds || f.kind == Kind::ScalarMemory || f.kind == Kind::Flat || f.kind == Kind::Message;
    if (name == "DS_NOP")
      f.countsLgkm = false;
    if (f.kind == Kind::Matrix) {
      f.passes = e.passes;
      f.matrix = contains(name, "_F64_") ? MatrixUnit::Double
                 : target.name != "gfx90a" && contains(name, "F32") && name.ends_with("F32") && !name.ends_with("XF32")
                     ? MatrixUnit::Single
                     : MatrixUnit::Xdl;
    }
    f.laneWise = isLaneWise();
    for (const RawOperand &operand : raw.operands)
      if (operand.kind == RawOperand::Immediate) {
        f.immediate = operand.value;
        break;
      }
    if (f.kind == Kind::Wait)
      f.waits = WaitCounts::decode(uint16_t(f.immediate));
    if (f.kind == Kind::Nop)
      f.waitStates = unsigned(f.immediate & 15) + 1;
    f.partialWrite = writesPart();
  }

  bool movesLanes() const {
    return name == "DS_SWIZZLE_B32" || name == "DS_PERMUTE_B32" || name == "DS_BPERMUTE_B32" || name == "DS_NOP";
  }
  /// Write-backs are counted like stores; the invalidations of gfx90a and gfx942 aren't.
  bool isCacheMaintenanceWithoutCount() const {
    return name.starts_with("BUFFER_WBINVL1") || name.starts_with("BUFFER_INV");
  }

  bool isLaneWise() const {
    if (facts.kind == Kind::Lds)
      return !movesLanes();
    if (isMemory())
      return true;
    if (facts.kind != Kind::Vector && facts.kind != Kind::Transcendental)
      return false;
    return !e.dpp && !name.starts_with("V_READ") && !name.starts_with("V_WRITELANE") && !contains(name, "PERMLANE") &&
           !name.starts_with("V_ACCVGPR_");
  }

  /// Whether a selector says which part of a dword the result goes to.
  bool writesPart() const {
    if (facts.writes.empty() || !facts.writes[0].vector)
      return false;
    if (e.sdwa) {
      unsigned sources = unsigned(std::count(e.modifiers.begin(), e.modifiers.end(), true));
      std::vector<int64_t> immediates;
      for (const RawOperand &operand : raw.operands)
        if (operand.kind == RawOperand::Immediate)
          immediates.push_back(operand.value);
      constexpr int64_t dword = 6;
      // … dst_sel, dst_unused, and a selector for each source
      return immediates.size() >= sources + 2 && immediates[immediates.size() - sources - 2] != dword;
    }
    constexpr int64_t destinationHigh = 8; // op_sel's bit of the destination, kept with a source's modifiers
    bool packed = name.starts_with("V_PK_") || name.starts_with("V_DOT") || contains(name, "_MIX");
    if (packed)
      return false;
    for (const RawOperand &operand : raw.operands)
      if (operand.kind == RawOperand::Modifiers && (operand.value & destinationHigh))
        return true;
    return false;
  }

  const Target &target;
  const RawInstruction &raw;
  const Encoding &e;
  InstructionFacts facts;
  std::string_view name;
  unsigned registersSeen = 0; // vector sources before the operand at hand
};

} // namespace

WaitCounts WaitCounts::decode(uint16_t immediate) {
  auto count = [](unsigned value, unsigned most) { return value == most ? none : value; };
  return {count((immediate & 15) | (immediate >> 14 & 3) << 4, 63), count(immediate >> 8 & 15, 15),
          count(immediate >> 4 & 7, 7)};
}

std::string describe(const RegisterRange &range) {
  auto special = [&](const char *name, unsigned first) {
    return std::string(name) + (range.count > 1 ? "" : range.first == first ? "_lo" : "_hi");
  };
  if (!range.vector) {
    switch (range.first & ~1u) {
    case sgpr::vcc:
      return special("vcc", sgpr::vcc);
    case sgpr::exec:
      return special("exec", sgpr::exec);
    case sgpr::flatScratch:
      return special("flat_scratch", sgpr::flatScratch);
    case sgpr::xnackMask:
      return special("xnack_mask", sgpr::xnackMask);
    case sgpr::m0:
      return "m0";
    case sgpr::scc:
      return "scc";
    }
  }
  unsigned first = range.first;
  const char *letter = "s";
  if (range.vector) {
    letter = first >= agprRow ? "a" : "v";
    first -= first >= agprRow ? agprRow : 0;
  } else if (first >= sgpr::ttmp && first < sgpr::m0) {
    letter = "ttmp";
    first -= sgpr::ttmp;
  }
  if (range.count == 1)
    return letter + std::to_string(first);
  return std::string(letter) + "[" + std::to_string(first) + ":" + std::to_string(first + range.count - 1) + "]";
}

const std::string &InstructionFacts::name() const {
  static const std::string none;
  return encoding ? encoding->name : none;
}

InstructionFacts factsOf(const Target &target, const RawInstruction &raw) { return Collector(target, raw).collect(); }

ProgramFacts::ProgramFacts(const Target &target, const DecodedProgram &program)
    : target(target), decoded(program), facts(program.instructionCount()) {}
ProgramFacts::~ProgramFacts() = default;

const InstructionFacts &ProgramFacts::of(const MicroOp *op) const { return of(op->instruction); }

const InstructionFacts &ProgramFacts::make(uint32_t instruction) const {
  if (!disassembler)
    disassembler = std::make_unique<Disassembler>(target);
  uint64_t address = decoded.addressOfInstruction(instruction);
  RawInstruction raw;
  unsigned size;
  std::span<const uint8_t> bytes = decoded.bytesAt(address);
  auto made = std::make_unique<InstructionFacts>();
  if (!bytes.empty() && disassembler->decode(bytes, address, raw, size))
    *made = factsOf(target, raw);
  facts[instruction] = std::move(made);
  return *facts[instruction];
}

} // namespace nstf::emulator::checks
