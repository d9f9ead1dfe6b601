// Fuzzes decoding: any bytes as a program's text. Each is decoded for both chips and matrix modes, whole and on demand
// from several places; every instruction's text is made, and what the checks want to know of it. The first byte
// chooses.
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "test/runtime/emulator/fuzz/FuzzProgram.h"

#include <cstdlib>

using namespace nstf::emulator;

namespace {

/// Asks for the code at places throughout the text, the last ones first; a part of it is a function with a symbol.
void decodeOnDemand(const Target &target, MatrixMode matrix, const std::vector<uint8_t> &text, unsigned choice,
                    const DecodedProgram &whole) {
  auto ranges = std::make_shared<CodeRanges>();
  const Code code = ranges->texts.emplace_back(text);
  const size_t third = code.size() / 12 * 4;
  if (choice & 4)
    ranges->functions.push_back(code.subspan(third, third));
  const DecodedProgram program(target, ranges, handlersFor(target, matrix));
  const size_t stride = 4 * (1 + choice / 8);
  for (size_t at = code.size() / 4 * 4; at >= stride; at -= stride)
    program.at(getBegin(code) + at - stride);
  if (program.instructionCount() > program.maxInstructions())
    std::abort();
  ProgramFacts facts(target, program);
  for (size_t at = 0; at + 4 <= code.size(); at += 4) {
    const MicroOp *op = program.known(getBegin(code) + at), *same = whole.at(getBegin(code) + at);
    if (!op)
      continue;
    if (program.getAddress(op) != getBegin(code) + at || !program.isFirst(op))
      std::abort();
    if (same && program.sizeOfInstruction(op->instruction) != whole.sizeOfInstruction(same->instruction))
      std::abort();
    facts.of(op);
    program.instructionAfter(op->instruction);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  const Target &target = Target::all()[choice & 1];
  // A heap block of its own makes a read past its end visible to the sanitizer.
  const std::vector<uint8_t> text(input.rest().begin(), input.rest().end());
  const std::span<const uint8_t> span(text);
  const MatrixMode matrix = choice & 2 ? MatrixMode::Exact : MatrixMode::Fast;
  const std::shared_ptr<const DecodedProgram> program = decodeProgram(target, {&span, 1}, matrix);
  decodeOnDemand(target, matrix, text, choice, *program);
  static Disassembler disassemblers[] = {Disassembler(Target::all()[0]), Disassembler(Target::all()[1])};
  ProgramFacts facts(target, *program);
  for (size_t at = 0; at + 4 <= text.size(); at += 4) {
    const MicroOp *op = program->at(reinterpret_cast<uint64_t>(text.data()) + at);
    if (!op)
      continue;
    facts.of(op);
    const std::string line = disassemblers[choice & 1].print(span.subspan(at), at);
    if (line.empty() || line.find('\n') != std::string::npos)
      std::abort();
  }
  return 0;
}
