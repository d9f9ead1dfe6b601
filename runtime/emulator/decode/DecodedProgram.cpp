#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Translator.h"

namespace nstf::emulator {
namespace {

/// Marks dwords of the text at which no instruction begins.
const MicroOp within = {};

/// Every dword may begin an instruction; control may leave the texts from each unit.
size_t maxInstructionsOf(const CodeRanges &ranges) { return 2 * ranges.dwords() + ranges.texts.size() + 1; }

} // namespace

DecodedProgram::DecodedProgram(const Target &target, std::shared_ptr<const CodeRanges> ranges,
                               const HandlerTable &handlers)
    : target(target), ranges(std::move(ranges)), handlers(handlers),
      opOfDword(this->ranges->dwords() * sizeof(Entry), "decoded instructions"),
      places(maxInstructionsOf(*this->ranges), "decoded instructions"), constants(this->ranges->dwords()) {}
DecodedProgram::~DecodedProgram() = default;

std::shared_ptr<const DecodedProgram> DecodedProgram::decode(const Target &target, std::span<const Code> texts,
                                                             const HandlerTable &handlers) {
  auto ranges = std::make_shared<CodeRanges>();
  ranges->texts.assign(texts.begin(), texts.end());
  auto program = std::make_shared<DecodedProgram>(target, ranges, handlers);
  program->decodeParts(texts);
  return program;
}

DecodedProgram::Entry *DecodedProgram::getEntry(uint64_t address) const {
  static_assert(Entry::is_always_lock_free);
  size_t firstDword = 0;
  for (Code text : ranges->texts) {
    if (const uint64_t at = address - getBegin(text); at < text.size())
      return at + 4 <= text.size() && address % 4 == 0 ? static_cast<Entry *>(opOfDword.data()) + firstDword + at / 4
                                                       : nullptr;
    firstDword += (text.size() + 3) / 4;
  }
  return nullptr;
}

const MicroOp *DecodedProgram::known(uint64_t address) const {
  const Entry *entry = getEntry(address);
  const MicroOp *op = entry ? entry->load(std::memory_order_acquire) : nullptr;
  return op == &within ? nullptr : op;
}

const MicroOp *DecodedProgram::at(uint64_t address) const {
  const Entry *entry = getEntry(address);
  if (!entry)
    return nullptr;
  const MicroOp *op = entry->load(std::memory_order_acquire);
  if (!op)
    op = reach(address);
  return op == &within ? nullptr : op;
}

const MicroOp *DecodedProgram::reach(uint64_t address) const {
  std::lock_guard lock(mutex);
  Entry &entry = *getEntry(address);
  if (entry)
    return entry; // another thread was faster
  std::vector<Code> parts;
  {
    Disassembler disassembler(target);
    parts = reachableCode(disassembler, *ranges, address, [this](uint64_t other) {
      const Entry *known = getEntry(other);
      return known && known->load(std::memory_order_relaxed);
    });
  }
  decodeParts(parts);
  return entry;
}

void DecodedProgram::decodeParts(std::span<const Code> parts) const {
  Translator translator(target, *this, *ranges, handlers, constants);
  CodeUnit unit = translator.run(parts);
  for (const CodeUnit::Instruction &instruction : unit.instructions)
    places.append(instruction.address | (instruction.size == 8 ? longInstruction : 0));
  traps += unit.traps;
  const MicroOp *ops = units.emplace_back(std::move(unit.ops)).data();
  // Other threads see an instruction once it has an entry.
  for (const CodeUnit::Instruction &instruction : unit.instructions)
    if (Entry *entry = getEntry(instruction.address))
      entry->store(ops + instruction.op, std::memory_order_release);
  for (const CodeUnit::Instruction &instruction : unit.instructions)
    if (Entry *entry = getEntry(instruction.address + 4); entry && instruction.size == 8 && !entry->load())
      entry->store(&within, std::memory_order_release);
}

uint32_t DecodedProgram::instructionAfter(uint32_t instruction) const {
  const MicroOp *op = known(addressOfInstruction(instruction));
  while (op && op[1].instruction == instruction)
    ++op;
  return op && Opcode(op->opcode) == Opcode::Continue ? branchTarget(op)->instruction : instruction + 1;
}

std::string DecodedProgram::getText(const MicroOp *op) const {
  std::span<const uint8_t> bytes = getBytes(op);
  return bytes.empty() ? "past the end of the code" : Disassembler(target).print(bytes, getAddress(op));
}

} // namespace nstf::emulator
