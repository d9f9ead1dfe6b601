#include "runtime/emulator/launch/LoadedCode.h"

#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/launch/KernelNames.h"

namespace nstf::emulator {
namespace {

const Target &targetOf(const CodeObjectFile &file, const TargetId &device, const std::string &where) {
  for (const Target &candidate : Target::all())
    if (TargetId runs = device; (runs.processor = candidate.name, file.target.runsOn(runs)))
      return candidate;
  throw LoadError(LoadError::Reason::WrongTarget,
                  where + ": expected code for " + targetNames() + " but got code for " + file.target.str());
}

} // namespace

LoadedCode::LoadedCode(const ContainedCodeObject &object)
    : file(readKernels(object.code.bytes, object.where)), device(getDevice(file.target)),
      target(targetOf(file, device, object.where)),
      program(Program::load(memory, device, object.code.bytes, object.where)) {
  std::vector<std::span<const uint8_t>> texts;
  for (const Program::TextRange &range : program->text())
    texts.emplace_back(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
  decoded = decodeProgram(target, texts);
}

std::vector<std::pair<uint64_t, uint64_t>> LoadedCode::ranges(const std::string &kernel) const {
  const uint64_t base = program->base();
  if (!kernel.empty()) {
    const Kernel *wanted = program->kernel(kernel);
    return {{wanted->entry - base, wanted->codeEnd - base}};
  }
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Program::TextRange &range : program->text())
    all.emplace_back(range.begin - base, range.end - base);
  return all;
}

std::span<const uint8_t> LoadedCode::bytes(uint64_t address, uint64_t end) const {
  return {reinterpret_cast<const uint8_t *>(address + program->base()), end - address};
}

std::optional<uint64_t> getBranchTarget(const RawInstruction &raw, uint64_t next) {
  const std::string_view name = raw.encoding->name;
  if (!(name.starts_with("S_BRANCH") || name.starts_with("S_CBRANCH") || name.starts_with("S_CALL")) ||
      raw.operands.empty() || raw.operands.back().kind != RawOperand::Immediate)
    return std::nullopt;
  return next + int64_t(int16_t(raw.operands.back().value)) * 4;
}

} // namespace nstf::emulator
