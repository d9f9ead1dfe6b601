#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <set>

namespace nstf::emulator {
namespace {

using Registers = std::bitset<sgpr::count>;

class Walk {
public:
  Walk(const Target &target, std::span<const Code> texts) : target(target), texts(texts), disassembler(target) {}

  std::optional<std::vector<Code>> from(uint64_t entry) {
    for (open = {entry}; !open.empty();) {
      const uint64_t address = open.back();
      open.pop_back();
      run(address);
    }
    if (overlaps || !knowsJumps())
      return std::nullopt;
    return pieces();
  }

private:
  Code textBehind(uint64_t address) const {
    for (Code text : texts)
      if (const uint64_t begin = reinterpret_cast<uint64_t>(text.data()); address - begin < text.size())
        return text.subspan(address - begin);
    return {};
  }

  /// Whether the instruction is new; overlapping instructions end the analysis.
  bool enter(uint64_t address, unsigned size) {
    const auto next = sizes.lower_bound(address);
    if (next != sizes.end() && next->first == address)
      return false;
    overlaps |= next != sizes.end() && next->first < address + size;
    overlaps |= next != sizes.begin() && std::prev(next)->first + std::prev(next)->second > address;
    sizes.emplace_hint(next, address, size);
    return !overlaps;
  }

  /// Follows code from an address to an instruction after which control does not continue.
  void run(uint64_t address) {
    ownPlace.reset();
    for (Code code = textBehind(address); code.size() >= 4 && address % 4 == 0; code = textBehind(address)) {
      unsigned size;
      const bool is = disassembler.decode(code, address, raw, size);
      if (!enter(address, size) || !is || !goesOn(address, size))
        return;
      address += size;
    }
  }

  bool goesOn(uint64_t address, unsigned size) {
    const Opcode opcode = raw.encoding->opcode;
    const uint64_t next = address + size;
    followOwnPlace(opcode, address, next);
    switch (infoOf(opcode).kind) {
    case InstructionKind::Unknown: // ends the launch
    case InstructionKind::End:
      return false;
    case InstructionKind::ConditionalBranch:
      branch(next);
      return true;
    case InstructionKind::Branch:
      break;
    default:
      return true;
    }
    if (opcode == Opcode::S_BRANCH || opcode == Opcode::S_CALL_B64)
      branch(next);
    else
      jumps.push_back(address);
    return opcode == Opcode::S_CALL_B64 || opcode == Opcode::S_SWAPPC_B64;
  }

  void branch(uint64_t next) {
    if (!raw.operands.empty() && raw.operands.back().kind == RawOperand::Immediate)
      open.push_back(next + uint64_t(int64_t(int16_t(raw.operands.back().value)) * 4));
  }

  /// s_getpc_b64, s_add_u32 and s_addc_u32 of constants, one after another.
  struct OwnPlace {
    uint32_t low; ///< the first of the two registers
    uint64_t value;
    unsigned steps = 0;
  };
  void followOwnPlace(Opcode opcode, uint64_t address, uint64_t next) {
    const std::vector<RawOperand> &operands = raw.operands;
    if (opcode == Opcode::S_GETPC_B64) {
      ownPlace = OwnPlace{uint32_t(operands[0].value), next};
      return;
    }
    if (!ownPlace)
      return;
    const uint32_t reg = ownPlace->low + ownPlace->steps;
    const bool adds = opcode == (ownPlace->steps ? Opcode::S_ADDC_U32 : Opcode::S_ADD_U32) && operands.size() == 3 &&
                      operands[0].value == reg && operands[1].kind == RawOperand::Scalar && operands[1].value == reg &&
                      operands[2].kind == RawOperand::Immediate;
    if (!adds)
      return ownPlace.reset();
    // The carry into the upper half comes from the previous addition.
    ownPlace->value += ownPlace->steps ? uint64_t(operands[2].value) << 32 : uint64_t(uint32_t(operands[2].value));
    ofOwnPlace.insert(address);
    if (++ownPlace->steps < 2)
      return;
    open.push_back(ownPlace->value);
    made.set(ownPlace->low);
    made.set(ownPlace->low + 1);
    ownPlace.reset();
  }

  /// Whether the registers of all jumps hold only known values.
  bool knowsJumps() {
    if (jumps.empty())
      return true;
    Registers returns, others, restored;
    for (const auto &[address, size] : sizes)
      noteWrites(address, returns, others, restored);
    return std::ranges::all_of(jumps, [&](uint64_t address) {
      unsigned size;
      disassembler.decode(textBehind(address), address, raw, size);
      const Opcode opcode = raw.encoding->opcode;
      const RawOperand &operand = raw.operands.back();
      if ((opcode != Opcode::S_SETPC_B64 && opcode != Opcode::S_SWAPPC_B64) || operand.kind != RawOperand::Scalar ||
          uint64_t(operand.value) + 1 >= sgpr::count)
        return false;
      const size_t low = size_t(operand.value), high = low + 1;
      // A function that calls others saves its return address in a vector register's lanes.
      const bool isReturn = opcode == Opcode::S_SETPC_B64 && returns[low] && returns[high];
      const bool isMade = made[low] && made[high] && !restored[low] && !restored[high];
      return !others[low] && !others[high] && (isReturn || isMade);
    });
  }

  /// How scalar registers get values other than relative addresses: by calls, from lanes of vector registers.
  void noteWrites(uint64_t address, Registers &returns, Registers &others, Registers &restored) {
    unsigned size;
    if (!disassembler.decode(textBehind(address), address, raw, size))
      return;
    const Opcode opcode = raw.encoding->opcode;
    const std::string &name = raw.encoding->name;
    if (opcode == Opcode::S_GETPC_B64 || ofOwnPlace.contains(address))
      return;
    if (opcode == Opcode::S_MOVRELD_B32 || opcode == Opcode::S_MOVRELD_B64)
      others.set(); // any register
    Registers &to = opcode == Opcode::S_SWAPPC_B64 || opcode == Opcode::S_CALL_B64 ? returns
                    : name == "V_READLANE_B32"                                     ? restored
                                                                                   : others;
    for (const RegisterUse &use : factsOf(target, raw).writes)
      for (unsigned i = 0; !use.vector && i < use.count && use.first + i < sgpr::count; ++i)
        to.set(use.first + i);
  }

  /// Adjacent instructions form one part.
  std::vector<Code> pieces() const {
    std::vector<Code> all;
    for (const auto &[address, size] : sizes) {
      const Code code = textBehind(address);
      const size_t bytes = std::min<size_t>(size, code.size());
      if (!all.empty() && all.back().data() + all.back().size() == code.data())
        all.back() = {all.back().data(), all.back().size() + bytes};
      else
        all.push_back(code.first(bytes));
    }
    return all;
  }

  const Target &target;
  const std::span<const Code> texts;
  Disassembler disassembler;
  RawInstruction raw; ///< the current one
  std::vector<uint64_t> open, jumps;
  std::map<uint64_t, unsigned> sizes; ///< of instructions reached, by address
  std::set<uint64_t> ofOwnPlace;      ///< addresses of the additions
  Registers made;                     ///< registers that hold such an address
  std::optional<OwnPlace> ownPlace;
  bool overlaps = false;
};

} // namespace

std::optional<std::vector<Code>> reachableCode(const Target &target, std::span<const Code> texts, uint64_t entry) {
  return Walk(target, texts).from(entry);
}

} // namespace nstf::emulator
