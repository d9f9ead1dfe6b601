#include "runtime/emulator/launch/Trace.h"

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/launch/RegisterText.h"
#include "runtime/emulator/memory/SourceFrames.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace nstf::emulator {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const char *nameOf(MemorySpace space) {
  constexpr const char *names[] = {"global", "lds", "scratch", "scalar"};
  return names[unsigned(space)];
}
const char *nameOf(AccessKind kind) {
  return kind == AccessKind::Load ? "load" : kind == AccessKind::Store ? "store" : "atomic";
}

} // namespace

TraceMonitor::TraceMonitor(const LaunchSession &session, const TraceOptions &options, std::ostream &out)
    : session(session), options(options), out(out) {}
TraceMonitor::~TraceMonitor() = default;

void TraceMonitor::launchBegins(const Launch &begun) {
  launch = &begun;
  facts = std::make_unique<ProgramFacts>(*begun.target, *begun.program);
  disassembler = std::make_unique<Disassembler>(*begun.target);
  const Program &program = *begun.kernel->program;
  for (const Program::TextRange &range : program.text()) {
    auto found = findSourceLines(program.elf(), range.begin - program.base(), range.end - program.base());
    lines.insert(lines.end(), found.begin(), found.end());
  }
}

void TraceMonitor::launchEnds(const Launch &) {
  if (current)
    text << "        (did not finish)\n";
  finish();
  for (const std::string &block : kept)
    out << block;
  kept.clear();
  facts.reset();
}

bool TraceMonitor::isTraced(const Wave &wave) const {
  return wave.number == options.wave && std::equal(options.workgroup.begin(), options.workgroup.end(), wave.group->id);
}

void TraceMonitor::waveBegins(Wave &wave) {
  if (!isTraced(wave))
    return;
  found = true;
  out << "workgroup (" << wave.group->id[0] << ", " << wave.group->id[1] << ", " << wave.group->id[2] << "), wave "
      << wave.number << ": exec " << maskText(wave.exec()) << ", values of " << describeLanes(options.lanes)
      << " (in brackets: not active)\n";
}

void TraceMonitor::groupEnds(Workgroup &group) {
  if (std::equal(options.workgroup.begin(), options.workgroup.end(), group.id))
    throw TraceEnd();
}

void TraceMonitor::instruction(Wave &wave, const MicroOp *first) {
  if (!isTraced(wave))
    return;
  uint64_t address = launch->program->getAddress(first), offset = address - launch->kernel->entry;
  ++executed;
  if (offset < options.pcBegin || offset >= options.pcEnd || matched++ < options.skip)
    return;
  if (!options.last && options.max && count == options.max)
    throw TraceEnd();
  ++count;
  current = first;
  instructionFacts = &facts->of(first);
  const Program &program = *launch->kernel->program;
  std::span<const uint8_t> bytes = launch->program->getBytes(first);
  std::string code = bytes.empty() ? "past the end of the code" : disassembler->print(bytes, address);
  char place[48];
  std::snprintf(place, sizeof place, "%-6llu +0x%-6llx ", static_cast<unsigned long long>(executed),
                static_cast<unsigned long long>(offset));
  text << place << code;
  if (std::string function = program.functionAt(address); function != launch->kernel->name && !function.empty())
    text << "  ; in " << function;
  auto line = std::upper_bound(lines.begin(), lines.end(), address - program.base(),
                               [](uint64_t a, const SourceLine &b) { return a < b.address; });
  if (line != lines.begin() && (--line)->line)
    text << "  ; " << line->file << ":" << line->line;
  text << "\n        exec " << maskText(wave.exec()) << " scc " << wave.scc() << " vcc "
       << maskText(wave.scalar64(sgpr::vcc)) << "\n";
  printRegisters(wave, instructionFacts->reads, "read ");
}

void TraceMonitor::access(Wave &wave, const MicroOp *, const MemoryAccess &access) {
  if (!current || !isTraced(wave))
    return;
  text << "        " << nameOf(access.space) << " " << nameOf(access.kind) << " of " << access.bytes << " bytes";
  uint64_t lanes = access.space == MemorySpace::Scalar ? access.lanes : access.lanes & options.lanes;
  if (!access.lanes)
    text << " by no lane";
  for (unsigned lane = 0; lane < Wave::width; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    text << (access.space == MemorySpace::Scalar ? ": " : "; lane " + std::to_string(lane) + ": ");
    uint64_t address = access.addresses[lane];
    text << (access.space == MemorySpace::Lds ? hex(address) : getPlace(address));
  }
  text << "\n";
}

/// Prints the current instruction.
void TraceMonitor::finish() {
  current = nullptr;
  std::string block = text.str();
  text.str("");
  if (block.empty())
    return;
  if (!options.last) {
    out << block;
    return;
  }
  kept.push_back(std::move(block));
  if (kept.size() > options.last)
    kept.pop_front();
}

std::string TraceMonitor::getPlace(uint64_t address) const {
  if (address - launch->kernarg < launch->kernel->kernargSize)
    return hex(address) + " argument block+" + hex(address - launch->kernarg);
  std::string place = session.describeAddress(address);
  return hex(address) + (place.empty() ? "" : " " + place);
}

/// Which register pairs of a range point into buffers.
std::string TraceMonitor::pointersIn(const Wave &wave, const RegisterRange &range) const {
  std::string places;
  uint64_t offset;
  for (unsigned i = range.first + range.first % 2; i + 1 < unsigned(range.first + range.count); i += 2)
    if (session.bufferAt(wave.scalar64(i), offset))
      places += (places.empty() ? "" : ", ") + session.describeAddress(wave.scalar64(i));
  return places.empty() ? "" : "  ; " + places;
}

void TraceMonitor::retired(Wave &wave, const MicroOp *first) {
  if (current != first || !current || !isTraced(wave))
    return;
  printRegisters(wave, instructionFacts->writes, "write");
  finish();
  if (launch->program->getAddress(first) - launch->kernel->entry == options.stopAt)
    throw TraceEnd();
}

void TraceMonitor::printRegisters(const Wave &wave, const std::vector<RegisterUse> &uses, const char *what) {
  std::vector<RegisterRange> printed;
  for (const RegisterUse &use : uses) {
    bool isExec = !use.vector && use.first == sgpr::exec && use.role == OperandRole::Exec;
    if (isExec || use.role == OperandRole::Old ||
        std::find(printed.begin(), printed.end(), RegisterRange(use)) != printed.end())
      continue;
    printed.push_back(use);
    if (use.vector)
      printVector(wave, use, viewOfUse(use, what[0] == 'w'), what);
    else
      text << "        " << what << " " << describe(use) << ": " << scalarText(wave, use) << pointersIn(wave, use)
           << "\n";
  }
}

/// One line for each register, or for each f64 pair, also in wide tuples. Addresses are shown as bits; a matrix
/// instruction's last source has the type of its result.
NumberView TraceMonitor::viewOfUse(const RegisterUse &use, bool isWrite) const {
  if (use.role == OperandRole::Address)
    return use.count == 2 ? NumberView::Pair : NumberView::Bits;
  bool isAccumulator = false;
  if (instructionFacts->kind == InstructionKind::Matrix && !isWrite)
    isAccumulator = std::ranges::none_of(
        instructionFacts->reads, [&](const RegisterUse &other) { return other.vector && other.operand > use.operand; });
  return getNumberView(instructionFacts->name(), isWrite || isAccumulator);
}

void TraceMonitor::printVector(const Wave &wave, const RegisterRange &range, NumberView view, const char *what) {
  bool isWide = view == NumberView::F64 || view == NumberView::Pair;
  unsigned step = isWide && range.count % 2 == 0 ? 2 : 1;
  for (unsigned i = 0; i < range.count; i += step) {
    RegisterRange part{true, uint16_t(range.first + i), uint16_t(step)};
    text << "        " << what << " " << describe(part) << ":";
    for (unsigned lane = 0; lane < Wave::width; ++lane) {
      if (!(options.lanes >> lane & 1))
        continue;
      uint32_t low = wave.rows[part.first][lane];
      uint32_t high = step == 2 ? wave.rows[part.first + 1][lane] : 0;
      std::string value = step == 2 ? pairText(low | uint64_t(high) << 32, view) : dwordText(low, view);
      text << " " << (wave.exec() >> lane & 1 ? value : "[" + value + "]");
    }
    text << "\n";
  }
}

void WatchMonitor::access(Wave &, const MicroOp *, const MemoryAccess &access) {
  if (access.kind == AccessKind::Load || access.space == MemorySpace::Lds)
    return;
  for (const WatchedElement &element : elements) {
    uint64_t lanes = 0;
    for (unsigned lane = 0; lane < Wave::width; ++lane)
      if (access.lanes >> lane & 1 && access.addresses[lane] < element.address + sizeOf(element.buffer->type) &&
          element.address < access.addresses[lane] + access.bytes)
        lanes |= uint64_t(1) << lane;
    if (lanes)
      writes.push_back(
          {&element, lanes, toText(element.buffer->type, reinterpret_cast<const std::byte *>(element.address))});
  }
}

void WatchMonitor::retired(Wave &wave, const MicroOp *first) {
  for (const Write &write : writes) {
    Finding finding = findingAt(wave, first, "watch", "");
    finding.lanes = write.lanes;
    const BufferDescription &buffer = *write.element->buffer;
    out << buffer.name << indexText(write.element->index, buffer.shape) << ": " << write.before << " -> "
        << toText(buffer.type, reinterpret_cast<const std::byte *>(write.element->address)) << " by workgroup ("
        << finding.workgroup[0] << ", " << finding.workgroup[1] << ", " << finding.workgroup[2] << "), wave "
        << finding.wave << ", " << describeLanes(write.lanes) << ": +" << hex(finding.offset) << " "
        << finding.instruction << (finding.source.empty() ? "" : "; " + finding.source) << "\n";
    ++count;
  }
  writes.clear();
}

} // namespace nstf::emulator
