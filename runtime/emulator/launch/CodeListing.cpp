#include "runtime/emulator/launch/CodeListing.h"

#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/launch/LoadedCode.h"
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
  Listing(const ContainedCodeObject &object, std::ostream &out) : out(out), code(object), disassembler(code.target) {
    for (const Kernel &kernel : code.file.kernels)
      entries.insert(kernel.entry);
  }

  ListingSummary run(const std::string &kernel) {
    for (auto [begin, end] : code.ranges(kernel))
      list(begin, end);
    return summary;
  }

private:
  /// Addresses are those of the file.
  void list(uint64_t begin, uint64_t end) {
    lines = findSourceLines(code.program->elf(), begin, end);
    nextLine = 0;
    label = begin;
    for (uint64_t address = begin; address < end;) {
      printLabel(address, address == begin);
      printLine(address);
      address += printInstruction(address, end);
    }
  }

  void printLabel(uint64_t address, bool isBegin) {
    auto function = code.file.functions.find(address);
    if (function == code.file.functions.end() && !isBegin)
      return;
    label = address;
    ++summary.functions;
    std::string name = function == code.file.functions.end() ? "text" : function->second.name;
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
    const uint64_t loaded = address + code.program->base();
    std::span<const uint8_t> bytes = code.bytes(address, end);
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

  /// Whether reaching the instruction would end the launch.
  bool isTrap(uint64_t address) const {
    const MicroOp *op = code.decoded->at(address);
    return !op || Opcode(op->opcode) == Opcode::Trap;
  }

  std::string branchTarget(const RawInstruction &raw, uint64_t next) const {
    const std::optional<uint64_t> target = getBranchTarget(raw, next);
    if (!target)
      return "";
    const uint64_t to = *target;
    auto function = code.file.functions.upper_bound(to);
    std::string text = "  ; -> " + hex(to);
    if (function == code.file.functions.begin())
      return text;
    --function;
    uint64_t offset = to - function->second.address;
    return text + " " + function->second.name + (offset ? "+" + hex(offset) : "");
  }

  std::ostream &out;
  LoadedCode code;
  Disassembler disassembler;
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
