#include "runtime/emulator/timing/record/TimingFacts.h"
#include "runtime/emulator/decode/AccessFacts.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/timing/record/ControlFlow.h"
#include "runtime/emulator/timing/record/PollingLoads.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

using Kind = InstructionKind;

Unit vectorUnit(const InstructionFacts &facts) {
  const InstructionInfo &info = facts.info();
  if (info.is(trait::packed) && info.types[0] == OperandType::v2f32)
    return Unit::PackedFloat;
  const std::string &name = facts.name();
  if (name.starts_with("V_MUL_LO_") || name.starts_with("V_MUL_HI_") || name.starts_with("V_MAD_U64_") ||
      name.starts_with("V_MAD_I64_"))
    return getBits(info.types[0]) == 16 ? Unit::Vector : Unit::IntegerMultiply;
  const bool wide = std::ranges::any_of(info.types, [](OperandType type) { return type == OperandType::f64; });
  return wide ? Unit::Double : Unit::Vector;
}

Unit unitOf(const InstructionFacts &facts) {
  switch (facts.kind) {
  case Kind::Scalar:
    return Unit::Scalar;
  case Kind::ScalarMemory:
    return Unit::ScalarMemory;
  case Kind::Branch:
  case Kind::ConditionalBranch:
    return Unit::Branch;
  case Kind::Message:
    return Unit::Message;
  case Kind::Vector:
    return vectorUnit(facts);
  case Kind::Transcendental:
    return Unit::Transcendental;
  case Kind::Matrix:
    return facts.matrix == MatrixUnit::Xdl ? Unit::Matrix : Unit::MatrixVector;
  case Kind::Lds:
    return facts.opcode() == Opcode::DS_NOP ? Unit::Internal : Unit::Lds;
  case Kind::VectorMemory:
  case Kind::Flat:
    return Unit::VectorMemory;
  case Kind::Unknown:
  case Kind::Barrier:
  case Kind::Wait:
  case Kind::Nop:
  case Kind::End:
  case Kind::Control:
    return Unit::Internal;
  }
  return Unit::Internal;
}

InternalKind internalKindOf(const InstructionFacts &facts) {
  switch (facts.kind) {
  case Kind::Barrier:
    return InternalKind::Barrier;
  case Kind::Wait:
    return InternalKind::Wait;
  case Kind::Nop:
    return InternalKind::Nop;
  case Kind::End:
    return InternalKind::End;
  default:
    return facts.opcode() == Opcode::S_SLEEP     ? InternalKind::Sleep
           : facts.opcode() == Opcode::S_SETPRIO ? InternalKind::Priority
                                                 : InternalKind::None;
  }
}

bool isGlobalSync(const InstructionFacts &facts) { return facts.name().starts_with("DS_GWS_"); }
bool readsClock(const InstructionFacts &facts) {
  return facts.opcode() == Opcode::S_MEMTIME || facts.opcode() == Opcode::S_MEMREALTIME;
}
bool readsPlace(const InstructionFacts &facts) {
  constexpr int64_t hardwareId = 4, xccId = 20, idMask = 63;
  const int64_t id = facts.immediate & idMask;
  return facts.opcode() == Opcode::S_GETREG_B32 && (id == hardwareId || id == xccId);
}

uint32_t cacheFlags(const InstructionFacts &facts) {
  switch (facts.opcode()) {
  case Opcode::BUFFER_WBINVL1:
  case Opcode::BUFFER_WBINVL1_VOL:
  case Opcode::BUFFER_INV:
  case Opcode::BUFFER_INVL2:
  case Opcode::S_DCACHE_INV:
  case Opcode::S_DCACHE_INV_VOL:
    return TimingFact::invalidate;
  case Opcode::BUFFER_WBL2:
  case Opcode::S_DCACHE_WB:
  case Opcode::S_DCACHE_WB_VOL:
    return TimingFact::writeBack;
  default:
    return 0;
  }
}

bool isMemory(const InstructionFacts &facts) {
  return facts.kind == Kind::VectorMemory || facts.kind == Kind::Flat || facts.kind == Kind::ScalarMemory;
}

/// An atomic's lowest policy bit says that it returns a value; it does not concern coherence.
bool listens(const InstructionFacts &facts) {
  return (isMemory(facts) && (facts.atomic || (facts.loads && facts.policy.coherent()))) ||
         cacheFlags(facts) & TimingFact::invalidate || isGlobalSync(facts);
}

/// Whether control may reach unknown code.
bool leavesKnownCode(const InstructionFacts &facts) {
  return facts.kind == Kind::Branch && facts.opcode() != Opcode::S_BRANCH;
}

bool isStop(const InstructionFacts &facts) {
  return listens(facts) || cacheFlags(facts) || facts.opcode() == Opcode::S_SLEEP || readsClock(facts) ||
         readsPlace(facts);
}

uint32_t flagsOf(const InstructionFacts &facts) {
  const InstructionInfo &info = facts.info();
  const std::string &name = facts.name();
  const bool lanes = facts.kind == Kind::Lds && (name.starts_with("DS_SWIZZLE") || name.starts_with("DS_PERMUTE") ||
                                                 name.starts_with("DS_BPERMUTE") || info.is(trait::noAddress));
  const bool pair = name.starts_with("DS_READ2") || name.starts_with("DS_WRITE2") || name.starts_with("DS_WRXCHG2");
  const bool returns = facts.atomic && !facts.writes.empty();
  uint32_t flags = cacheFlags(facts);
  auto set = [&](uint32_t flag, bool value) { flags |= value ? flag : 0; };
  set(TimingFact::countsVm, facts.countsVm);
  set(TimingFact::countsLgkm, facts.countsLgkm);
  set(TimingFact::load, facts.atomic ? returns : facts.loads);
  set(TimingFact::store, facts.stores && !facts.atomic);
  set(TimingFact::atomic, facts.atomic);
  set(TimingFact::toLds, facts.toLds || (info.is(trait::ldsDma) && facts.stores));
  set(TimingFact::stop, isStop(facts));
  set(TimingFact::branch, facts.kind == Kind::Branch || facts.kind == Kind::ConditionalBranch);
  set(TimingFact::sparse, info.is(trait::sparse));
  set(TimingFact::accesses, isMemory(facts) && (facts.loads || facts.stores));
  set(TimingFact::scratch, info.addressing == Addressing::Scratch);
  set(TimingFact::flat, facts.kind == Kind::Flat);
  set(TimingFact::ldsPair, facts.kind == Kind::Lds && pair);
  set(TimingFact::ldsLanes, lanes);
  set(TimingFact::globalSync, isGlobalSync(facts));
  set(TimingFact::readsClock, readsClock(facts));
  return flags;
}

uint8_t waitFor(unsigned count) { return count == WaitCounts::none ? TimingFact::noWait : uint8_t(count); }

} // namespace

TimingFacts::TimingFacts(size_t capacity)
    : factPages(capacity * sizeof(TimingFact), "timing facts"),
      addressPages(capacity * sizeof(uint64_t), "timing facts"), facts(static_cast<TimingFact *>(factPages.data())),
      addresses(static_cast<uint64_t *>(addressPages.data())) {}
TimingFacts::TimingFacts(const Launch &launch) : TimingFacts(launch.program->maxInstructions()) {
  program = launch.program;
  regions = launch.regions;
  target = launch.target;
  programFacts = std::make_unique<ProgramFacts>(*target, *program);
  entry = launch.entry->instruction;
  reach(entry);
}
TimingFacts::TimingFacts(const std::vector<TimingFact> &facts, const std::vector<uint64_t> &addresses)
    : TimingFacts(facts.size()) {
  covered = facts.size();
  std::ranges::copy(facts, this->facts);
  std::ranges::copy(addresses, this->addresses);
}
TimingFacts::~TimingFacts() = default;

void TimingFacts::cover() {
  const Region *hint = nullptr;
  for (const size_t end = program->instructionCount(); covered < end; ++covered) {
    const uint64_t address = program->addressOfInstruction(uint32_t(covered));
    const Region *region = regions ? regions->find(address, 4, hint) : nullptr;
    addresses[covered] = region ? region->physical + (address - region->begin) : address % Memory::pageBytes;
    facts[covered] = TimingFact();
  }
}

namespace {
bool stops(const TimingFact &fact) { return fact.is(TimingFact::known) && fact.is(TimingFact::stop); }
} // namespace

std::optional<Outline> TimingFacts::outline() const {
  if (std::ranges::any_of(all(), stops))
    return std::nullopt;
  return Outline::of(ControlFlow(*program, *programFacts, entry), *programFacts);
}

uint32_t TimingFacts::firstStop() const { return uint32_t(std::ranges::find_if(all(), stops) - all().begin()); }

void TimingFacts::reach(uint32_t instruction) {
  cover();
  const ControlFlow flow(*program, *programFacts, instruction);
  for (const BasicBlock &block : flow.blocks())
    for (uint32_t i = block.first; i <= block.last; ++i) {
      const uint32_t stop = facts[i].flags & (TimingFact::stop | TimingFact::recorded);
      facts[i] = make(i);
      facts[i].flags |= stop; // of a loop found before
      listened |= listens(programFacts->of(i)) || leavesKnownCode(programFacts->of(i));
    }
  for (uint32_t i : pollingLoads(flow, *programFacts)) {
    facts[i].flags |= TimingFact::stop | TimingFact::recorded;
    listened = true;
  }
  if (listened)
    for (TimingFact &fact : all())
      if (fact.is(TimingFact::store) && fact.is(TimingFact::accesses) && fact.policy.coherent())
        fact.flags |= TimingFact::stop;
}

bool TimingFacts::releasesByPlainStores() const { return listened && !target->scopedStores; }

TimingFact TimingFacts::make(uint32_t instruction) const {
  const InstructionFacts &from = programFacts->of(instruction);
  TimingFact fact;
  fact.unit = unitOf(from);
  fact.internal = internalKindOf(from);
  fact.flags = TimingFact::known | flagsOf(from);
  fact.passes = uint8_t(from.passes);
  fact.policy = from.policy;
  fact.waitVm = waitFor(from.waits.vm);
  fact.waitLgkm = waitFor(from.waits.lgkm);
  fact.waitExp = waitFor(from.waits.exp);
  const AccessFacts &access = accessFacts[unsigned(from.opcode())];
  fact.bytes = std::max(access.loaded, access.stored);
  if (fact.is(TimingFact::ldsPair))
    fact.bytes /= 2;
  if (fact.internal == InternalKind::Nop)
    fact.immediate = uint16_t(from.waitStates);
  else if (fact.unit == Unit::Internal)
    fact.immediate = uint16_t(from.immediate);
  fact.size = uint8_t(program->sizeOfInstruction(instruction));
  if (fact.size == 8 && program->addressOfInstruction(instruction) % 8)
    fact.flags |= TimingFact::crosses;
  if (fact.unit == Unit::Lds || fact.waitVm == 0 ||
      fact.is(TimingFact::stop | TimingFact::accesses | TimingFact::branch))
    fact.flags |= TimingFact::recorded;
  return fact;
}

} // namespace nstf::emulator::timing
