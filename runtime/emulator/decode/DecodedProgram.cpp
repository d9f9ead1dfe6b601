#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Translator.h"

namespace nstf::emulator {

std::shared_ptr<const DecodedProgram> DecodedProgram::decode(const Target &target,
                                                             std::span<const std::span<const uint8_t>> texts,
                                                             const HandlerTable &handlers) {
  auto program = std::make_shared<DecodedProgram>();
  program->target = &target;
  Translator(target, *program, handlers).run(texts);
  return program;
}

const MicroOp *DecodedProgram::at(uint64_t address) const {
  for (const Text &text : texts) {
    uint64_t begin = reinterpret_cast<uint64_t>(text.bytes.data());
    if (address < begin || address - begin >= text.bytes.size() || address % 4)
      continue;
    uint32_t op = opOfDword[text.firstDword + (address - begin) / 4];
    return op == ~0u ? nullptr : &ops[op];
  }
  return nullptr;
}

std::span<const uint8_t> DecodedProgram::bytesAt(uint64_t address) const {
  for (const Text &text : texts) {
    uint64_t begin = reinterpret_cast<uint64_t>(text.bytes.data());
    if (address >= begin && address - begin < text.bytes.size())
      return text.bytes.subspan(address - begin);
  }
  return {};
}

std::string DecodedProgram::textOf(const MicroOp *op) const {
  std::span<const uint8_t> bytes = bytesOf(op);
  return bytes.empty() ? "past the end of the code" : Disassembler(*target).print(bytes, addressOf(op));
}

} // namespace nstf::emulator
