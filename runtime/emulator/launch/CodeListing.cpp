#include "runtime/emulator/launch/CodeListing.h"

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/memory/SourceFrames.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

namespace nstf::emulator {
namespace {

std::string hex(uint64_t value, int digits = 1) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

class Listing {
public:
  Listing(const ContainedCodeObject &object, std::ostream &out)
      : out(out), file(readKernels(object.code.bytes, object.where)), device(deviceOf(file.target)),
        target(targetOf(object.where)), program(Program::load(memory, device, object.code.bytes, object.where)),
        disassembler(target) {
    std::vector<std::span<const uint8_t>> texts;
    for (const Program::TextRange &range : program->text())
      texts.emplace_back(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
    decoded = decodeProgram(target, texts);
    for (const Kernel &kernel : file.kernels)
      entries.insert(kernel.entry);
  }

  ListingSummary run(const std::string &kernel) {
    if (!kernel.empty()) {
      const Kernel *wanted = program->kernel(kernel);
      list(wanted->entry - program->base(), wanted->codeEnd - program->base());
      return summary;
    }
    for (const Program::TextRange &range : program->text())
      list(range.begin - program->base(), range.end - program->base());
    return summary;
  }

private:
  const Target &targetOf(const std::string &where) const {
    for (const Target &candidate : Target::all())
      if (TargetId runs = device; (runs.processor = candidate.name, file.target.runsOn(runs)))
        return candidate;
    throw LoadError(LoadError::Reason::WrongTarget,
                    where + ": expected code for " + targetNames() + " but got code for " + file.target.str());
  }

  /// Addresses here are the file's.
  void list(uint64_t begin, uint64_t end) {
    lines = findSourceLines(program->elf(), begin, end);
    nextLine = 0;
    label = begin;
    for (uint64_t address = begin; address < end;) {
      printLabel(address, address == begin);
      printLine(address);
      address += printInstruction(address, end);
    }
  }

  void printLabel(uint64_t address, bool isBegin) {
    auto function = file.functions.find(address);
    if (function == file.functions.end() && !isBegin)
      return;
    label = address;
    ++summary.functions;
    std::string name = function == file.functions.end() ? "text" : function->second.name;
    out << "\n" << name << ":" << (entries.count(address) ? "  ; kernel" : "");
    if (std::string readable = demangled(name); readable != name)
      out << " " << readable;
    out << "\n";
  }

  void printLine(uint64_t address) {
    const SourceLine *line = nullptr;
    for (; nextLine < lines.size() && lines[nextLine].address <= address; ++nextLine)
      line = &lines[nextLine];
    if (!line || line->file.empty() || !line->line)
      return;
    std::string place = line->file + ":" + std::to_string(line->line);
    if (place != lastPlace)
      out << "; " << place << "\n";
    lastPlace = place;
  }

  unsigned printInstruction(uint64_t address, uint64_t end) {
    uint64_t loaded = address + program->base();
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(loaded), end - address);
    RawInstruction raw;
    unsigned size = 4;
    bool isInstruction = disassembler.decode(bytes, loaded, raw, size);
    if (!isInstruction)
      size = 4;
    size = unsigned(std::min<uint64_t>(size, bytes.size()));
    std::string encoding, text;
    for (unsigned i = 0; i + 4 <= size; i += 4) {
      uint32_t dword;
      std::memcpy(&dword, bytes.data() + i, 4);
      encoding += (i ? " " : "") + hex(dword, 8);
    }
    if (isInstruction) {
      text = disassembler.print(bytes, loaded);
      ++summary.instructions;
      if (isTrap(loaded)) {
        ++summary.notExecuted;
        text += "  ; not executed by the emulator";
      }
      text += branchTarget(raw, address + size);
    } else {
      ++summary.unknown;
      text = size < 4 ? ".byte" : ".long 0x" + encoding;
    }
    char line[64];
    std::snprintf(line, sizeof line, "%8s  +%-6s %-18s ", hex(address).c_str(), hex(address - label).c_str(),
                  encoding.c_str());
    out << line << text << "\n";
    return std::max(size, 1u);
  }

  /// Whether reaching it would end the launch.
  bool isTrap(uint64_t address) const {
    const MicroOp *op = decoded->at(address);
    return !op || Opcode(op->opcode) == Opcode::Trap;
  }

  std::string branchTarget(const RawInstruction &raw, uint64_t next) const {
    std::string_view name = raw.encoding->name;
    if (!(name.starts_with("S_BRANCH") || name.starts_with("S_CBRANCH") || name.starts_with("S_CALL")) ||
        raw.operands.empty() || raw.operands.back().kind != RawOperand::Immediate)
      return "";
    uint64_t to = next + int64_t(int16_t(raw.operands.back().value)) * 4;
    auto function = file.functions.upper_bound(to);
    std::string text = "  ; -> " + hex(to);
    if (function == file.functions.begin())
      return text;
    --function;
    uint64_t offset = to - function->second.address;
    return text + " " + function->second.name + (offset ? "+" + hex(offset) : "");
  }

  std::ostream &out;
  CodeObjectFile file;
  TargetId device;
  const Target &target;
  Memory memory;
  std::unique_ptr<Program> program;
  Disassembler disassembler;
  std::shared_ptr<const DecodedProgram> decoded;
  std::set<uint64_t> entries;
  std::vector<SourceLine> lines;
  size_t nextLine = 0;
  uint64_t label = 0;
  std::string lastPlace;
  ListingSummary summary;
};

} // namespace

ListingSummary listCode(const ContainedCodeObject &object, const std::string &kernel, std::ostream &out) {
  return Listing(object, out).run(kernel);
}

} // namespace nstf::emulator
