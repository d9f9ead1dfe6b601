#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Disassembler.h"

#include <algorithm>
#include <map>

namespace nstf::emulator {
namespace {

class Walk {
public:
  Walk(Disassembler &disassembler, const CodeRanges &ranges, const std::function<bool(uint64_t)> &isDecoded)
      : disassembler(disassembler), ranges(ranges), isDecoded(isDecoded) {}

  std::vector<Code> from(uint64_t entry) {
    for (open = {entry}; !open.empty();) {
      const uint64_t address = open.back();
      open.pop_back();
      const Code function = ranges.findFunction(address);
      if (!function.empty() && !isKnown(getBegin(function)))
        run(getBegin(function), getEnd(function));
      if (!isKnown(address))
        run(address, address);
    }
    return pieces();
  }

private:
  /// Whether the instruction at `address`, or one that covers it, was found or decoded before.
  bool isKnown(uint64_t address) const {
    const auto next = sizes.upper_bound(address);
    return (next != sizes.begin() && address < std::prev(next)->first + std::prev(next)->second) || isDecoded(address);
  }

  /// Finds the instructions up to `end`, and further to one after which control does not continue.
  void run(uint64_t address, uint64_t end) {
    for (Code code = ranges.from(address); code.size() >= 4 && address % 4 == 0; code = ranges.from(address)) {
      if (address >= end && isKnown(address))
        return;
      if (address >= end && getBegin(ranges.findFunction(address)) == address)
        return open.push_back(address); // control runs into the next function
      unsigned size;
      const bool goesOn = disassembler.decode(code, address, raw, size) && followed(address + size);
      if (!isKnown(address))
        sizes.emplace(address, size);
      address += size;
      if (address >= end && !goesOn)
        return;
    }
  }

  /// Notes the target of a branch; whether control may continue after the instruction.
  bool followed(uint64_t next) {
    const Opcode opcode = raw.encoding->opcode;
    const bool branches = getInfo(opcode).kind == InstructionKind::ConditionalBranch || opcode == Opcode::S_BRANCH;
    if (branches && !raw.operands.empty() && raw.operands.back().kind == RawOperand::Immediate)
      open.push_back(next + uint64_t(int64_t(int16_t(raw.operands.back().value)) * 4));
    return fallsThrough(raw);
  }

  /// Adjacent instructions form one part.
  std::vector<Code> pieces() const {
    std::vector<Code> all;
    for (const auto &[address, size] : sizes) {
      const Code code = ranges.from(address);
      const size_t bytes = std::min<size_t>(size, code.size());
      if (!all.empty() && getEnd(all.back()) == address)
        all.back() = {all.back().data(), all.back().size() + bytes};
      else
        all.push_back(code.first(bytes));
    }
    return all;
  }

  Disassembler &disassembler;
  const CodeRanges &ranges;
  const std::function<bool(uint64_t)> &isDecoded;
  RawInstruction raw; ///< the current one
  std::vector<uint64_t> open;
  std::map<uint64_t, unsigned> sizes; ///< of the instructions found, by address
};

} // namespace

bool fallsThrough(const RawInstruction &instruction) {
  const Opcode opcode = instruction.encoding->opcode;
  switch (getInfo(opcode).kind) {
  case InstructionKind::Unknown: // ends the launch
  case InstructionKind::End:
    return false;
  case InstructionKind::Branch:
    return opcode == Opcode::S_CALL_B64 || opcode == Opcode::S_SWAPPC_B64;
  default:
    return true;
  }
}

std::vector<Code> reachableCode(Disassembler &disassembler, const CodeRanges &ranges, uint64_t entry,
                                const std::function<bool(uint64_t)> &isDecoded) {
  return Walk(disassembler, ranges, isDecoded).from(entry);
}

} // namespace nstf::emulator
