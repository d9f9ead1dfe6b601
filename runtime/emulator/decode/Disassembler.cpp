#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/MicroOp.h"
#include "runtime/emulator/decode/Target.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

namespace nstf::emulator {
namespace {

void initializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

bool stripSuffix(std::string &name, llvm::StringRef suffix) {
  if (!llvm::StringRef(name).ends_with(suffix))
    return false;
  name.resize(name.size() - suffix.size());
  return true;
}

} // namespace

Encoding parseName(std::string name) {
  Encoding e;
  // _vcd, _acd: C and D in VGPRs or AGPRs, which the operands' registers tell too.
  const char *generations[] = {"_vi", "_gfx9", "_gfx90a", "_gfx940", "_vcd", "_acd", "_opsel", "_agpr", "_alt"};
  e.keepsHalf = llvm::StringRef(name).ends_with("_gfx9_gfx9");
  for (bool again = true; again;) {
    again = false;
    for (const char *suffix : generations)
      again |= stripSuffix(name, suffix);
    again |= stripSuffix(name, "_e32");
    if (stripSuffix(name, "_e64"))
      again = e.vop3 = true;
    if (stripSuffix(name, "_dpp"))
      again = e.dpp = true;
    if (stripSuffix(name, "_sdwa"))
      again = e.sdwa = true;
  }
  llvm::StringRef view = name;
  if (view.starts_with("GLOBAL_") || view.starts_with("FLAT_")) {
    for (bool again = true; again;) {
      again = stripSuffix(name, "_SADDR") && (e.scalarAddress = true);
      again |= stripSuffix(name, "_RTN") && (e.returns = true);
    }
  } else if (view.starts_with("SCRATCH_")) {
    if (stripSuffix(name, "_SADDR"))
      e.scratch = Encoding::Sgpr;
    else if (stripSuffix(name, "_SVS"))
      e.scratch = Encoding::Both;
    else if (stripSuffix(name, "_ST"))
      e.scratch = Encoding::None;
    else {
      stripSuffix(name, "_VE");
      e.scratch = Encoding::Vgpr;
    }
  } else if (view.starts_with("BUFFER_") || view.starts_with("TBUFFER_")) {
    e.returns = stripSuffix(name, "_RTN");
    if (stripSuffix(name, "_BOTHEN"))
      e.offen = e.idxen = true;
    else if (stripSuffix(name, "_OFFEN"))
      e.offen = true;
    else if (stripSuffix(name, "_IDXEN"))
      e.idxen = true;
    else
      stripSuffix(name, "_OFFSET");
    e.lds = stripSuffix(name, "_LDS");
  } else if (view.starts_with("S_LOAD_") || view.starts_with("S_STORE_") || view.starts_with("S_BUFFER_") ||
             view.starts_with("S_SCRATCH_") || view.starts_with("S_ATOMIC_") || view.starts_with("S_ATC_PROBE") ||
             view.starts_with("S_DCACHE_DISCARD")) {
    e.returns = stripSuffix(name, "_RTN");
    if (stripSuffix(name, "_SGPR_IMM") || stripSuffix(name, "_SGPR"))
      e.scalarOffset = true;
    else
      stripSuffix(name, "_IMM");
  } else if (view.starts_with("DS_")) {
    // DS_ADD_RTN_U32
    size_t at = name.find("_RTN_");
    if (at != std::string::npos) {
      name.erase(at, 4);
      e.returns = true;
    }
    if (name == "DS_WRXCHG_B32" || name == "DS_WRXCHG_B64")
      e.returns = true;
  }
  e.opcode = findOpcode(name);
  e.name = std::move(name);
  return e;
}

struct Disassembler::Implementation {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  static constexpr size_t longest = 8; // bytes of an instruction
  std::string targetName;
  size_t expressions = 0;   // operands for which LLVM made an expression
  uint8_t modifierType = 0; // MCOI operand type of source modifiers; no public header defines it
  std::unordered_map<unsigned, Encoding> encodings;
  std::unordered_map<unsigned, RawOperand> registerOperands;

  explicit Implementation(const Target &target) : targetName(target.name) {
    initializeLLVM();
    std::string error;
    const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!llvmTarget)
      throw std::runtime_error("this LLVM has no AMDGPU target: " + error);
    registers.reset(llvmTarget->createMCRegInfo(triple));
    asmInfo.reset(llvmTarget->createMCAsmInfo(*registers, triple, options));
    subtarget.reset(llvmTarget->createMCSubtargetInfo(triple, target.name, ""));
    instructions.reset(llvmTarget->createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(triple, asmInfo.get(), registers.get(), subtarget.get());
    disassembler.reset(llvmTarget->createMCDisassembler(*subtarget, *context));
    printer.reset(
        llvmTarget->createMCInstPrinter(triple, asmInfo->getAssemblerDialect(), *asmInfo, *instructions, *registers));
    for (unsigned i = 0; i < instructions->getNumOpcodes() && !modifierType; ++i)
      if (instructions->getName(i) == "V_FMA_F32_vi")
        modifierType = instructions->get(i).operands()[1].OperandType;
    if (!modifierType)
      throw std::runtime_error("expected LLVM's AMDGPU target to know V_FMA_F32_vi");
  }

  const Encoding &encodingOf(unsigned opcode) {
    auto found = encodings.find(opcode);
    if (found != encodings.end())
      return found->second;
    Encoding e = parseName(instructions->getName(opcode).str());
    const llvm::MCInstrDesc &description = instructions->get(opcode);
    e.definitions = description.getNumDefs();
    for (unsigned i = 0; i < description.getNumOperands(); ++i) {
      e.modifiers.push_back(description.operands()[i].OperandType == modifierType);
      e.tied.push_back(description.getOperandConstraint(i, llvm::MCOI::TIED_TO));
    }
    for (llvm::MCPhysReg reg : description.implicit_uses())
      addImplicit(e.implicitReads, reg);
    for (llvm::MCPhysReg reg : description.implicit_defs())
      addImplicit(e.implicitWrites, reg);
    e.mayLoad = description.mayLoad();
    e.mayStore = description.mayStore();
    if (llvm::StringRef(e.name).starts_with("V_MFMA_") || llvm::StringRef(e.name).starts_with("V_SMFMAC_"))
      e.passes = unsigned(subtarget->getSchedModel().computeInstrLatency(
          *subtarget, *subtarget->getSchedModel().getSchedClassDesc(description.getSchedClass())));
    return encodings.emplace(opcode, std::move(e)).first->second;
  }

  /// A literal that is truncated by the end of the bytes would also crash LLVM: it gets zeros instead. So would the
  /// literal 255 of v_madmk_f16 and v_madak_f16, which LLVM takes for the marker of a literal: it gets another value.
  bool read(std::span<const uint8_t> bytes, uint64_t address, llvm::MCInst &inst, unsigned &size) {
    constexpr uint32_t crashing = 255, other = 0x5a5a; // not an inline constant of any operand
    uint8_t seen[longest] = {};
    const size_t whole = bytes.size() / 4 * 4; // whole dwords, as crashesDisassembler reads them
    std::copy(bytes.begin(), bytes.begin() + long(std::min(whole, longest)), seen);
    const bool change = (seen[3] & 0xfc) == 0x48 && std::memcmp(&seen[4], &crashing, 4) == 0;
    if (change)
      std::memcpy(&seen[4], &other, 4);
    llvm::ArrayRef<uint8_t> array(bytes.data(), bytes.size());
    if (bytes.size() < longest || change)
      array = seen;
    uint64_t taken = 0;
    bool ok = disassembler->getInstruction(inst, taken, array, address, llvm::nulls()) == llvm::MCDisassembler::Success;
    for (llvm::MCOperand &operand : inst)
      if (change && operand.isImm() && operand.getImm() == other)
        operand.setImm(crashing);
    size = taken < 4 ? 4 : unsigned(taken);
    return ok && taken <= bytes.size();
  }

  const RawOperand &registerOperand(llvm::MCRegister reg) {
    auto found = registerOperands.find(reg.id());
    if (found != registerOperands.end())
      return found->second;
    return registerOperands.emplace(reg.id(), makeRegisterOperand(reg)).first->second;
  }

  /// Implicit registers are LLVM's generic registers, not the registers of a generation, so some have no encoding.
  void addImplicit(std::vector<RawOperand> &operands, llvm::MCRegister reg) const {
    static constexpr struct {
      const char *name;
      unsigned count, index;
    } special[] = {{"VCC", 2, sgpr::vcc},
                   {"VCC_LO", 1, sgpr::vcc},
                   {"VCC_HI", 1, sgpr::vcc + 1},
                   {"EXEC", 2, sgpr::exec},
                   {"EXEC_LO", 1, sgpr::exec},
                   {"EXEC_HI", 1, sgpr::exec + 1},
                   {"FLAT_SCR", 2, sgpr::flatScratch},
                   {"SCC", 1, sgpr::scc},
                   {"M0", 1, sgpr::m0}};
    for (const auto &s : special)
      if (llvm::StringRef(registers->getName(reg)) == s.name)
        operands.push_back({RawOperand::Scalar, s.count, s.index});
  }

  RawOperand makeRegisterOperand(llvm::MCRegister reg) const {
    constexpr unsigned vgpr = 0x400, agpr = 0x800;
    unsigned encoding = registers->getEncodingValue(reg), index = encoding & 0xff;
    llvm::StringRef name = registers->getName(reg);
    RawOperand operand;
    operand.count = 1 + name.count('_');
    if (encoding & agpr) {
      operand.kind = RawOperand::Vector;
      operand.value = agprRow + index;
    } else if (encoding & vgpr) {
      operand.kind = RawOperand::Vector;
      operand.value = index;
    } else {
      operand.kind = RawOperand::Scalar;
      operand.value = index;
      // VCC, EXEC … are pairs with names of their own; M0_gfxpre11 is not a tuple.
      bool pair = name.starts_with("VCC") || name.starts_with("EXEC") || name.starts_with("FLAT_SCR") ||
                  name.starts_with("XNACK_MASK");
      if (pair)
        operand.count = name.contains("_LO") || name.contains("_HI") ? 1 : 2;
      else if (!name.starts_with("SGPR"))
        operand.count = name.starts_with("TTMP") ? unsigned(name.count("TTMP")) : 1;
      // The operand numbers 235 to 253 are read-only values; they have places of their own in the file.
      switch (index) {
      case 235:
        operand.value = sgpr::sharedBase;
        break;
      case 236:
        operand.value = sgpr::sharedLimit;
        break;
      case 237:
        operand.value = sgpr::privateBase;
        break;
      case 238:
        operand.value = sgpr::privateLimit;
        break;
      case 239: // pops_exiting_wave_id: order of pixel shaders; not implemented
        operand.kind = RawOperand::Immediate;
        operand.value = 0;
        break;
      case 251:
        operand.value = sgpr::vccz;
        break;
      case 252:
        operand.value = sgpr::execz;
        break;
      case 253:
        operand.value = sgpr::scc;
        break;
      default:
        if (index > 127)
          operand.kind = RawOperand::Unsupported;
      }
    }
    return operand;
  }
};

/// Idle implementations, kept because LLVM takes longer to create one than to decode a small program.
struct Disassembler::Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<Implementation>> all;
  static Idle &get() {
    static auto *idle = new Idle; // outlives static objects that still decode
    return *idle;
  }
};

Disassembler::Disassembler(const Target &target) {
  {
    Idle &idle = Idle::get();
    std::lock_guard lock(idle.mutex);
    for (std::unique_ptr<Implementation> &one : idle.all)
      if (one->targetName == target.name) {
        impl = std::move(one);
        std::swap(one, idle.all.back());
        idle.all.pop_back();
        return;
      }
  }
  impl = std::make_unique<Implementation>(target);
}

Disassembler::~Disassembler() {
  constexpr size_t maxExpressions = 1 << 20; // they stay in LLVM's context as long as it lives
  if (!impl || impl->expressions > maxExpressions)
    return;
  Idle &idle = Idle::get();
  std::lock_guard lock(idle.mutex);
  idle.all.push_back(std::move(impl));
}

bool crashesDisassembler(std::span<const uint8_t> bytes) {
  auto dword = [&](size_t at) {
    uint32_t value = 0;
    if (bytes.size() >= at + 4)
      std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  constexpr uint32_t literal = 0xff;
  // If the bytes end after the first dword, LLVM gets zeros.
  uint32_t first = dword(0), second = dword(4), family = first >> 26;
  if (family == 0x34) { // VOP3, VOP3P: three sources of nine bits
    uint32_t opcode = first >> 16 & 0x3ff;
    bool scalarResult = opcode < 0x100 || opcode == 0x142 || opcode == 0x289; // v_cmp, v_readfirstlane, v_readlane
    return (second & 0x1ff) == literal || (second >> 9 & 0x1ff) == literal || (second >> 18 & 0x1ff) == literal ||
           (scalarResult && (first & 0xff) == literal);
  }
  if (first >> 31 == 0 && (first & 0x1ff) == 0xf9) { // SDWA: selectors 0 to 6, three rules for unused bits
    bool hasResult = first >> 25 != 0x3e, hasSecond = first >> 25 != 0x3f; // VOPC has none, VOP1 one source
    return (second >> 16 & 7) == 7 || (hasSecond && (second >> 24 & 7) == 7) ||
           (hasResult && ((second >> 8 & 7) == 7 || (second >> 11 & 3) == 3));
  }
  return (family == 0x38 || family == 0x3a) && second >> 24 == literal; // MUBUF, MTBUF: soffset
}

bool Disassembler::decode(std::span<const uint8_t> bytes, uint64_t address, RawInstruction &instruction,
                          unsigned &size) {
  llvm::MCInst inst;
  size = 8;
  if (crashesDisassembler(bytes))
    return false;
  if (!impl->read(bytes, address, inst, size))
    return false;
  const Encoding &encoding = impl->encodingOf(inst.getOpcode());
  instruction.encoding = &encoding;
  instruction.operands.clear();
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const llvm::MCOperand &operand = inst.getOperand(i);
    if (operand.isReg() && operand.getReg())
      instruction.operands.push_back(impl->registerOperand(operand.getReg()));
    else if (operand.isImm())
      instruction.operands.push_back(
          {i < encoding.modifiers.size() && encoding.modifiers[i] ? RawOperand::Modifiers : RawOperand::Immediate, 1,
           operand.getImm()});
    else if (int64_t value;
             operand.isExpr() && ++impl->expressions && operand.getExpr()->evaluateAsAbsolute(value)) // lit(…)
      instruction.operands.push_back({RawOperand::Immediate, 1, value});
    else
      instruction.operands.push_back({RawOperand::Unsupported});
  }
  return true;
}

std::string Disassembler::print(std::span<const uint8_t> bytes, uint64_t address) {
  llvm::MCInst inst;
  unsigned size;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (crashesDisassembler(bytes) || !impl->read(bytes, address, inst, size)) {
    stream << "no instruction";
    for (size_t i = 0; i + 4 <= bytes.size() && i < 8; i += 4)
      stream << (i ? " " : ": ")
             << llvm::format_hex(
                    uint32_t(bytes[i]) | bytes[i + 1] << 8 | bytes[i + 2] << 16 | uint32_t(bytes[i + 3]) << 24, 10);
    return text;
  }
  impl->printer->printInst(&inst, address, "", *impl->subtarget, stream);
  for (char &c : text)
    if (c == '\t')
      c = ' ';
  return text.substr(text.find_first_not_of(' ') == std::string::npos ? 0 : text.find_first_not_of(' '));
}

} // namespace nstf::emulator
