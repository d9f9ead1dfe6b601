#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/MicroOp.h"
#include "runtime/emulator/decode/Target.h"

#include <algorithm>

namespace nstf::emulator {
namespace {

using Kind = InstructionKind;
using Role = OperandRole;

/// Collects the operands of one instruction.
class Collector {
public:
  Collector(const Target &target, const RawInstruction &raw)
      : target(target), raw(raw), e(*raw.encoding), info(getInfo(e.opcode)) {
    facts.encoding = raw.encoding;
    facts.kind = info.kind;
    facts.operands = raw.operands;
  }

  InstructionFacts collect() {
    // Order matters: first the registers, then the facts that depend on them. The disassembler may repeat a tied
    // register after the operands that LLVM describes.
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
  bool isBuffer() const { return info.addressing == Addressing::Buffer || info.addressing == Addressing::TypedBuffer; }
  bool isStore() const { return info.effect == MemoryEffect::Store; }
  bool isAtomic() const { return info.effect == MemoryEffect::Atomic; }

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
        return; // constants during the launch
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
      return operand.count == 4 ? Role::Resource : Role::Address;
    case Kind::Lds:
      if (isTied(i))
        return Role::Old;
      if (!vector)
        return Role::Source;
      if (info.is(trait::noAddress))
        return Role::Data;
      return registersSeen == 0 ? Role::Address : Role::Data;
    case Kind::VectorMemory:
    case Kind::Flat:
      if (!vector)
        return operand.count == 4 ? Role::Resource : Role::Address;
      if (isTied(i))
        return isAtomic() ? Role::Data : Role::Old;
      if (isBuffer() || info.addressing == Addressing::Scratch) { // the data comes first
        bool hasData = (isStore() || isAtomic()) && !e.lds;
        return hasData && registersSeen == 0 ? Role::Data : Role::Address;
      }
      return registersSeen == 0 ? Role::Address : Role::Data;
    default:
      if (!isTied(i))
        return Role::Source;
      // v_fmac, v_dot*c, v_smfmac and s_cmov read their destination as a source.
      return e.dpp || e.sdwa ? (info.form == Form::Accumulate ? Role::Source : Role::Old)
                             : (e.opcode == Opcode::V_WRITELANE_B32 || e.keepsHalf ? Role::Old : Role::Source);
    }
  }

  void implicitRead(const RawOperand &operand) {
    Role role = Role::Source;
    if (operand.value == sgpr::exec)
      role = Role::Exec;
    if (operand.value == sgpr::m0 && facts.kind == Kind::Lds && !info.is(trait::readsM0))
      return;
    if (operand.value == sgpr::m0 && isMemory()) {
      if (!isLdsDma())
        return;
      role = Role::Address;
    }
    if (operand.value == sgpr::m0 && facts.kind == Kind::Lds)
      role = Role::Address;
    if (operand.value == sgpr::flatScratch) {
      // gfx942 keeps it outside the SGPRs; global addresses do not need it.
      if (target.architectedFlatScratch || info.addressing == Addressing::Global)
        return;
      role = Role::Address;
    }
    add(facts.reads, operand, role, -1);
  }

  bool isLdsDma() const { return e.lds || info.is(trait::ldsDma); }

  void classify() {
    InstructionFacts &f = facts;
    f.atomic = isAtomic();
    f.stores = f.atomic || isStore();
    f.loads = f.atomic || info.effect == MemoryEffect::Load;
    f.toLds = isLdsDma() && f.loads;
    f.countsVm = isMemory() && !info.is(trait::notCounted);
    f.countsLgkm = (f.kind == Kind::Lds && !info.is(trait::notCounted)) || f.kind == Kind::ScalarMemory ||
                   f.kind == Kind::Flat || f.kind == Kind::Message;
    f.passes = e.passes;
    f.matrix = info.matrix == MatrixUnit::Single && !target.singlePrecisionMatrixUnit ? MatrixUnit::Xdl : info.matrix;
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
    f.policy = policy();
  }

  /// The bits are in one operand: the only one of cache maintenance, the last one of scalar memory. In buffer
  /// instructions it follows resource, soffset, offset (and the format of typed ones), in others the offset.
  CachePolicy policy() const {
    const bool maintenance = info.form == Form::Cache;
    if (!(isMemory() || facts.kind == Kind::ScalarMemory) || (info.effect == MemoryEffect::None && !maintenance))
      return {};
    auto getFirst = [&](RawOperand::Kind kind, unsigned count) {
      return size_t(
          std::ranges::find_if(
              raw.operands, [&](const RawOperand &operand) { return operand.kind == kind && operand.count == count; }) -
          raw.operands.begin());
    };
    size_t at = 0;
    if (facts.kind == Kind::ScalarMemory)
      at = raw.operands.size() - 1;
    else if (isBuffer())
      at = getFirst(RawOperand::Scalar, 4) + (e.name.starts_with("TBUFFER_") ? 4 : 3);
    else if (!maintenance)
      at = getFirst(RawOperand::Immediate, 1) + 1;
    if (at >= raw.operands.size() || raw.operands[at].kind != RawOperand::Immediate)
      return {};
    const int64_t bits = raw.operands[at].value;
    return CachePolicy::decode(uint32_t(bits), target.scopedStores);
  }

  bool isLaneWise() const {
    if (info.is(trait::acrossLanes) || e.dpp)
      return false;
    return facts.kind == Kind::Vector || facts.kind == Kind::Transcendental || facts.kind == Kind::Lds || isMemory();
  }

  /// Whether a selector determines the part of a dword that the result is written to.
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
      // clamp, …, dst_sel, dst_unused, and a selector for each source; two whole dwords have no dst_sel
      return immediates.size() >= sources + 3 && immediates[immediates.size() - sources - 2] != dword;
    }
    constexpr int64_t destinationHigh = 8; // op_sel's bit of the destination, kept with a source's modifiers
    if (info.is(trait::packed))
      return false;
    for (const RawOperand &operand : raw.operands)
      if (operand.kind == RawOperand::Modifiers && (operand.value & destinationHigh))
        return true;
    return false;
  }

  const Target &target;
  const RawInstruction &raw;
  const Encoding &e;
  const InstructionInfo &info;
  InstructionFacts facts;
  unsigned registersSeen = 0; // vector sources before the current operand
};

} // namespace

WaitCounts WaitCounts::decode(uint16_t immediate) {
  auto count = [](unsigned value, unsigned max) { return value == max ? none : value; };
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

InstructionFacts getFacts(const Target &target, const RawInstruction &raw) { return Collector(target, raw).collect(); }

ProgramFacts::ProgramFacts(const Target &target, const DecodedProgram &program) : target(target), decoded(program) {}
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
    *made = getFacts(target, raw);
  if (instruction >= facts.size())
    facts.resize(std::max<size_t>(decoded.instructionCount(), instruction + 1));
  return *(facts[instruction] = std::move(made));
}

} // namespace nstf::emulator
