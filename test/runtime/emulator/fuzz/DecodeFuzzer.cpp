// Fuzzes decoding: any bytes as a program's text, for both chips and both matrix modes (the first byte chooses). Makes
// the text of every instruction and the facts that the checks use.
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
  // A heap block of its own makes a read past its end visible to the sanitizer.
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
