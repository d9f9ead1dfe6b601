// Fuzzes decoding: any bytes as a program's text. Each is decoded for both chips and matrix modes, every instruction's
// text is made, and what the checks want to know of it. The first byte chooses.
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "test/runtime/emulator/fuzz/FuzzProgram.h"

#include <cstdlib>

using namespace nstf::emulator;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  const Target &target = Target::all()[choice & 1];
  // A heap block of its own: a read past its end is seen.
  const std::vector<uint8_t> text(input.rest().begin(), input.rest().end());
  const std::span<const uint8_t> span(text);
  const std::shared_ptr<const DecodedProgram> program =
      decodeProgram(target, {&span, 1}, choice & 2 ? MatrixMode::Exact : MatrixMode::Fast);
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
