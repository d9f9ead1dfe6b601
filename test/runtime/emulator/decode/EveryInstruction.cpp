// Tries operands until encoder and disassembler agree on the opcode. The candidates come from LLVM's descriptions: a
// register class (per hardware mode where it depends on that), an immediate, a source modifier.
#include "test/runtime/emulator/decode/EveryInstruction.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Target.h"

#include <algorithm>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

namespace nstf::emulator::test {
namespace {

class Encoder {
public:
  explicit Encoder(const std::string &targetName) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      throw std::runtime_error(error);
    registers.reset(target->createMCRegInfo(triple));
    asmInfo.reset(target->createMCAsmInfo(*registers, triple, options));
    subtarget.reset(target->createMCSubtargetInfo(triple, targetName, ""));
    instructions.reset(target->createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(triple, asmInfo.get(), registers.get(), subtarget.get());
    emitter.reset(target->createMCCodeEmitter(*instructions, *context));
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    mode = subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo);
  }

  std::vector<KnownInstruction> all() {
    std::vector<KnownInstruction> result;
    for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); ++opcode) {
      std::string full = instructions->getName(opcode).str();
      if (instructions->get(opcode).isPseudo() || ofAnotherGeneration(full))
        continue;
      KnownInstruction known{full, parseName(full).name, shapesOf(opcode)};
      if (!known.shapes.empty())
        result.push_back(std::move(known));
    }
    return result;
  }

private:
  /// Instructions of other chips' encodings: the encoder knows them, but they do not disassemble.
  static bool ofAnotherGeneration(const std::string &name) {
    for (const char *other : {"_gfx1", "_gfx6", "_gfx7", "_si", "_ci", "_gfx8", "_r600", "_eg", "_cm"}) {
      size_t at = name.find(other);
      if (at != std::string::npos)
        return true;
    }
    // Names of real encodings end in a generation; the others are R600's or internal to the compiler.
    return name.find("_vi") == std::string::npos && name.find("_gfx9") == std::string::npos;
  }

  /// Candidates for operand `i`, the most likely first.
  std::vector<llvm::MCOperand> choices(const llvm::MCInstrDesc &description, unsigned i) {
    using llvm::MCOperand;
    const llvm::MCOperandInfo &info = description.operands()[i];
    std::vector<MCOperand> result;
    if (info.RegClass >= 0) {
      int16_t id = instructions->getOpRegClassID(info, mode);
      if (id >= 0)
        for (unsigned reg : representatives(unsigned(id)))
          result.push_back(MCOperand::createReg(reg));
      if (i >= description.getNumDefs() && info.OperandType >= llvm::MCOI::OPERAND_FIRST_TARGET) { // may be a constant
        result.push_back(MCOperand::createImm(1));
        result.push_back(MCOperand::createImm(-16));
        result.push_back(MCOperand::createImm(0x3f800000));
        result.push_back(MCOperand::createImm(0x12345678));
      }
      return result;
    }
    for (int64_t value : {0, 1, 8, 2, 6, 4, 5, 15, 0xe4, 16})
      result.push_back(MCOperand::createImm(value));
    return result;
  }

  /// One or two registers of each file in the class: the first and a later one, with numbers divisible by 4 because
  /// tuples on these chips must be aligned.
  const std::vector<unsigned> &representatives(unsigned id) {
    auto found = ofClass.find(id);
    if (found != ofClass.end())
      return found->second;
    std::vector<unsigned> result;
    std::map<unsigned, unsigned> taken;
    for (llvm::MCPhysReg reg : registers->getRegClass(id)) {
      unsigned encoding = registers->getEncodingValue(reg), file = encoding & 0xc00, index = encoding & 0xff;
      bool special = !file && index > 101;
      // LLVM's disassembler accepts gfx12's flat scratch base, and lds_direct, which gfx908 had last, for any chip.
      if (!file && (index == 230 || index == 231 || index == 254))
        continue;
      if (!special && (index % 4 || index < 4))
        continue;
      unsigned kind = file | unsigned(special);
      if (taken[kind]++ < (special ? 16u : 2u))
        result.push_back(reg);
    }
    if (result.empty() && registers->getRegClass(id).getNumRegs())
      result.push_back(registers->getRegClass(id).getRegister(0));
    // VGPRs first, then SGPRs, then AGPRs.
    std::sort(result.begin(), result.end(), [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
    return ofClass[id] = result;
  }
  unsigned rank(unsigned reg) const {
    unsigned encoding = registers->getEncodingValue(reg);
    return encoding & 0x800 ? 2 : encoding & 0x400 ? 0 : (encoding & 0xff) > 101 ? 3 : 1;
  }

  /// Encodes `inst` into `bytes`. Returns whether they disassemble to its opcode or one of the same name.
  bool roundTrip(llvm::MCInst inst, std::vector<uint8_t> &bytes) {
    const llvm::MCInstrDesc &description = instructions->get(inst.getOpcode());
    for (unsigned i = 0; i < description.getNumOperands(); ++i) {
      int tied = description.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      if (tied >= 0)
        inst.getOperand(i) = inst.getOperand(unsigned(tied));
    }
    llvm::SmallVector<char, 16> code;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    emitter->encodeInstruction(inst, code, fixups, *subtarget);
    if (code.size() < 4)
      return false;
    bytes.assign(code.begin(), code.end());
    if (crashesDisassembler(bytes))
      return false;
    llvm::MCInst back;
    uint64_t size = 0;
    if (disassembler->getInstruction(back, size, bytes, 0, llvm::nulls()) != llvm::MCDisassembler::Success ||
        size != bytes.size())
      return false;
    return back.getOpcode() == inst.getOpcode() || parseName(instructions->getName(back.getOpcode()).str()).name ==
                                                       parseName(instructions->getName(inst.getOpcode()).str()).name;
  }

  std::vector<std::vector<uint8_t>> shapesOf(unsigned opcode) {
    const llvm::MCInstrDesc &description = instructions->get(opcode);
    std::vector<std::vector<llvm::MCOperand>> options;
    for (unsigned i = 0; i < description.getNumOperands(); ++i) {
      options.push_back(choices(description, i));
      if (options.back().empty())
        return {};
    }
    auto made = [&](const std::vector<unsigned> &pick) {
      llvm::MCInst inst;
      inst.setOpcode(opcode);
      for (unsigned i = 0; i < options.size(); ++i)
        inst.addOperand(options[i][pick[i]]);
      return inst;
    };
    std::vector<unsigned> pick(options.size(), 0);
    std::vector<uint8_t> bytes;
    bool works = roundTrip(made(pick), bytes);
    for (unsigned attempt = 0; !works && attempt < 400; ++attempt) {
      for (unsigned i = 0; i < pick.size(); ++i)
        pick[i] = random() % 3 ? unsigned(random() % std::min<size_t>(options[i].size(), 3))
                               : unsigned(random() % options[i].size());
      works = roundTrip(made(pick), bytes);
    }
    if (!works)
      return {};
    std::vector<std::vector<uint8_t>> shapes{bytes};
    std::set<std::vector<uint8_t>> seen{bytes};
    for (unsigned i = 0; i < pick.size(); ++i) {
      std::vector<unsigned> other = pick;
      for (other[i] = 0; other[i] < options[i].size(); ++other[i])
        if (roundTrip(made(other), bytes) && seen.insert(bytes).second)
          shapes.push_back(bytes);
    }
    return shapes;
  }

  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  unsigned mode = 0;
  std::map<unsigned, std::vector<unsigned>> ofClass;
  std::mt19937 random{1};
};

} // namespace

std::vector<KnownInstruction> everyInstruction(const std::string &target) { return Encoder(target).all(); }

std::string getText(const std::string &target, const std::vector<uint8_t> &bytes) {
  return Disassembler(*Target::find(target)).print(bytes, 0);
}

} // namespace nstf::emulator::test
