#include "runtime/emulator/checks/RaceCheck.h"
#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"

#include <bit>
#include <cstring>
#include <optional>
#include <sstream>

namespace nstf::emulator::checks {

std::unique_ptr<Check> makeRaceCheck(CheckContext &context) { return std::make_unique<RaceCheck>(context); }

/// One lane's access, which is checked against the cells.
struct RaceCheck::Party {
  Wave &w;
  const MicroOp *op;
  const MemoryAccess &access;
  Group &group;
  const Knowledge &now;
  Epoch self;
  Form form;
  bool writes, acquires;
  unsigned lane;
};

void RaceCheck::launchBegins(const Launch &) { opOfInstruction.clear(); }
void RaceCheck::launchEnds(const Launch &) {
  reports.flush();
  groups.clear();
  lastWorkgroup = nullptr;
  memory.clear();
  locations.clear();
  logs.clear();
  globalBarrier = {};
  groupIds.clear();
}

void RaceCheck::groupBegins(Workgroup &workgroup) {
  auto group = std::make_unique<Group>();
  group->number = uint32_t(groupIds.size());
  groupIds.push_back({workgroup.id[0], workgroup.id[1], workgroup.id[2]});
  group->waves.resize(std::min<size_t>(workgroup.launch->wavesPerGroup, wavesOfGroup));
  for (unsigned i = 0; i < group->waves.size(); ++i)
    group->waves[i].now.group[i] = 1;
  groups[&workgroup] = std::move(group);
  lastWorkgroup = nullptr;
}
void RaceCheck::groupEnds(Workgroup &workgroup) {
  reportDeferred(workgroup, *groups[&workgroup]);
  groups.erase(&workgroup);
  lastWorkgroup = nullptr;
}
void RaceCheck::groupStops(Workgroup &workgroup) { groupEnds(workgroup); }

namespace {
bool comparesAndSwaps(const MicroOp *op) {
  std::string_view name = getInfo(Opcode(op->opcode)).name;
  return name.find("_CMPSWAP") != name.npos || name.find("_CMPST_") != name.npos;
}
uint64_t getPlace(MemorySpace space, uint64_t at) { return at | (space == MemorySpace::Lds ? uint64_t(1) << 63 : 0); }
} // namespace

void RaceCheck::defer(const Party &party, Epoch other, uint64_t at, unsigned bytes) {
  constexpr size_t max = 4096; // for a wave between two barriers; beyond that they are repetitions at one place
  auto &deferred = party.group.waves[party.w.number].deferred;
  if (deferred.size() < max)
    deferred.try_emplace(getPlace(party.access.space, at), Deferred{party.op, other, party.lane, bytes});
}

void RaceCheck::reportDeferred(const Workgroup &workgroup, Group &group) {
  for (unsigned number = 0; number < group.waves.size(); ++number) {
    WaveState &state = group.waves[number];
    std::vector<std::pair<uint64_t, Deferred>> left(state.deferred.begin(), state.deferred.end());
    std::sort(left.begin(), left.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    state.deferred.clear();
    for (const auto &[place, load] : left) {
      bool inLds = place >> 63;
      MemoryAccess access{inLds ? MemorySpace::Lds : MemorySpace::Global, AccessKind::Load, 0, nullptr, load.bytes};
      Wave &wave = **std::find_if(workgroup.waves.begin(), workgroup.waves.end(),
                                  [&](const Wave *w) { return w->number == number; });
      Party party{wave, load.op, access, group, state.now, {}, Form::Plain, false, false, load.lane};
      report(party, load.other, true, place & ~(uint64_t(1) << 63), load.bytes);
    }
  }
}

// Accesses

void RaceCheck::access(Wave &w, const MicroOp *op, const MemoryAccess &a) {
  if (w.number >= wavesOfGroup)
    return;
  Group &group = getGroup(w);
  WaveState &state = group.waves[w.number];
  const InstructionFacts &facts = context.facts->of(op);
  if (op != state.lastIssued) {
    state.lastIssued = op;
    state.vmIssued += facts.countsVm;
    state.ldsIssued += facts.kind == InstructionKind::Lds;
  }
  if (a.space == MemorySpace::Scratch)
    return;
  const Launch &launch = *w.group->launch;
  const bool inLds = a.space == MemorySpace::Lds, inScalar = a.space == MemorySpace::Scalar;
  const bool writes = a.kind != AccessKind::Load, isStore = a.kind == AccessKind::Store;
  const bool returns = a.kind == AccessKind::Atomic && !facts.writes.empty();
  const Form form = getForm(facts, a);
  reports.nextAccess();
  if (isStore) {
    Pending &pending = inLds ? state.lds : inScalar ? state.scalar : state.memory;
    if (!pending.any)
      pending = {true, state.now.group[w.number]++, 0};
    pending.last = state.vmIssued;
  }
  const bool isDeviceWide = inLds || this->isDeviceWide(op, a);
  if (isStore && !isDeviceWide) {
    if (!state.held.any)
      state.held = {true, state.now.group[w.number]++, 0};
    state.held.last = state.now.group[w.number];
  }
  if (isStore && form != Form::Plain)
    logRelease(group, w.number, isDeviceWide);
  std::optional<Release> release;
  if (a.kind == AccessKind::Atomic)
    release = getRelease(group, w.number, isDeviceWide);
  opOfInstruction.try_emplace(op->instruction, op);
  RaceCells &cells = inLds ? group.lds : memory;
  const Region *region = nullptr;
  const Epoch self(group.number, w.number, state.now.group[w.number], op->instruction, form != Form::Plain);
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint64_t at = a.addresses[lane];
    if (inLds ? at + a.bytes > launch.ldsBytes || at + a.bytes < at : !launch.regions->find(at, a.bytes, region))
      continue;
    if (!inLds && !region->writable)
      continue; // no wave can write it
    if (!state.deferred.empty() && a.kind == AccessKind::Atomic && comparesAndSwaps(op))
      for (unsigned i = 0; i < a.bytes; ++i)
        state.deferred.erase(getPlace(a.space, at + i));
    Party party{w, op, a, group, state.now, self, form, writes, form == Form::Atomic && (!writes || returns), lane};
    cells.forEach(at, a.bytes, [&](RaceCell &cell, uint64_t byte, unsigned bytes) { check(party, cell, byte, bytes); });
    if (isStore || form != Form::Atomic)
      continue;
    auto &synchronising = inLds ? group.ldsLocations : locations;
    for (uint64_t dword = at / 4 * 4; dword < at + a.bytes; dword += 4) {
      if (release)
        synchronising[dword].add(*release, state.getReleasedStep(w.number));
      // An atomic operation that does not return the old value gives its wave no information about other waves.
      if (party.acquires)
        if (auto found = synchronising.find(dword); found != synchronising.end())
          poll(state, found->second,
               facts.kind == InstructionKind::Lds ? Poll::Lds
               : inLds || inScalar                ? Poll::Lgkm
                                                  : Poll::Vm);
    }
  }
  if (release)
    ++state.now.group[w.number]; // later accesses are not released
}

void RaceCheck::check(Party &party, RaceCell &cell, uint64_t at, unsigned bytes) {
  const uint64_t self = party.self.word >> 40;
  auto isUnordered = [&](Epoch other) {
    return other && other.word >> 40 != self && !party.now.covers(other, party.group.number);
  };
  const bool isAtomic = party.form == Form::Atomic, mayBeAtomic = party.form != Form::Plain;
  if (party.acquires && cell.write.atomic() && isUnordered(cell.write))
    promote(cell, at);
  if (isUnordered(cell.write)) {
    checkUnordered(party, cell, at, bytes);
  } else if (isUnordered(cell.atomic)) {
    if (isAtomic && party.access.kind != AccessKind::Store && party.access.space != MemorySpace::Lds)
      release(cell.atomic, at);
    else if (!party.writes)
      defer(party, cell.atomic, at, bytes);
    else if (!isAtomic && !(mayBeAtomic && cell.polled()))
      report(party, cell.atomic, true, at, bytes);
  } else if (!party.writes && cell.write && cell.write.group() != party.self.group()) {
    checkFreshness(party, cell.write.plain(), at, bytes);
  }
  auto addRead = [&] {
    if (!cell.firstRead || cell.firstRead.word >> 40 == self || party.now.covers(cell.firstRead, party.group.number))
      cell.firstRead = party.self;
    else
      cell.lastRead = party.self;
  };
  if (!party.writes)
    return addRead();
  auto races = [&](Epoch read) {
    return isUnordered(read) && !(read.atomic() && mayBeAtomic) && read.word != cell.atomic.word;
  };
  if (races(cell.firstRead))
    report(party, cell.firstRead, false, at, bytes);
  else if (races(cell.lastRead))
    report(party, cell.lastRead, false, at, bytes);
  if (!isAtomic) {
    auto kept = [&](Epoch read) { return mayBeAtomic && read.atomic() ? read : Epoch(); };
    cell = {party.self, {}, kept(cell.firstRead), kept(cell.lastRead)};
    return;
  }
  if (party.access.kind == AccessKind::Store && cell.write.atomic())
    cell.write = {};
  cell.atomic = party.self;
  for (Epoch *read : {&cell.firstRead, &cell.lastRead})
    if (read->word >> 40 == self)
      *read = {};
  if (party.acquires)
    addRead();
}

/// For an access without an order between it and the plain store in the cell. Stores that may be atomic are, where a
/// coherent load has read the place.
void RaceCheck::checkUnordered(const Party &party, const RaceCell &cell, uint64_t at, unsigned bytes) {
  const bool isAtomic = cell.write.atomic() && cell.polled();
  if (party.writes && ((isAtomic && party.form != Form::Plain) || sameValue(party, at, bytes)))
    return;
  if (!party.writes && isAtomic)
    defer(party, cell.write, at, bytes);
  else
    report(party, cell.write.plain(), true, at, bytes);
}

/// For a load after a store of another workgroup: checks whether caches let it see the store.
void RaceCheck::checkFreshness(const Party &party, Epoch store, uint64_t at, unsigned bytes) {
  const WaveState &state = party.group.waves[party.w.number];
  const auto &fresh = party.access.space == MemorySpace::Scalar ? state.freshScalar : state.fresh;
  if (!covers(state.shown, store))
    report(party, store, true, at, bytes, "write-back",
           ", which nothing has written back from the L2 (buffer_wbl2) before");
  else if (!isDeviceWide(party.op, party.access) && !covers(fresh, store))
    report(party, store, true, at, bytes, "invalidation",
           ", and no older line is dropped (buffer_inv) after that is known");
}

/// Whether the store writes the value that is there already.
bool RaceCheck::sameValue(const Party &party, uint64_t at, unsigned bytes) const {
  if (party.access.kind != AccessKind::Store)
    return false;
  const MemoryAccess &a = party.access;
  uint8_t data[64];
  if (a.bytes > sizeof(data) || !storedData(party.w, party.op, a, party.lane, data))
    return false;
  const uint8_t *there = a.space == MemorySpace::Lds ? party.w.group->lds + at : reinterpret_cast<const uint8_t *>(at);
  return !std::memcmp(there, data + (at - a.addresses[party.lane]), bytes);
}

// Messages

std::string RaceCheck::getName(const Party &party, Epoch other, bool otherWrites) const {
  std::ostringstream text;
  text << (other.atomic() ? otherWrites ? "changed atomically" : "loaded atomically"
           : otherWrites  ? "stored"
                          : "loaded")
       << " by wave " << other.wave();
  if (other.group() != (party.group.number & Epoch::groupMask) && other.group() < groupIds.size()) {
    const auto &id = groupIds[other.group()];
    text << " of workgroup (" << id[0] << ", " << id[1] << ", " << id[2] << ")";
  }
  auto found = opOfInstruction.find(other.instruction());
  if (found != opOfInstruction.end()) {
    const Launch &launch = *party.w.group->launch;
    uint64_t entry = launch.kernel ? launch.kernel->entry : launch.program->addressOfInstruction(0);
    text << " at " << describeOffset(launch.program->getAddress(found->second) - entry) << " ('"
         << launch.program->getText(found->second) << "')";
  }
  return text.str();
}

void RaceCheck::report(const Party &party, Epoch other, bool otherWrites, uint64_t at, unsigned bytes, const char *rule,
                       const std::string &why) {
  uint64_t lanes = uint64_t(1) << party.lane;
  reports.add(party.op, other.instruction() * 2 + unsigned(otherWrites), lanes, [&] {
    const MemoryAccess &a = party.access;
    bool inLds = a.space == MemorySpace::Lds;
    std::string what =
        std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
        (inLds ? " at LDS offset " + std::to_string(at) : "") +
        (a.kind == AccessKind::Atomic ? " changed atomically here and "
         : party.writes               ? " stored here and "
                                      : " loaded here and ") +
        getName(party, other, otherWrites) +
        (!why.empty()                                               ? why
         : other.group() == (party.group.number & Epoch::groupMask) ? " with no barrier between them"
                                                                    : ", and nothing orders the two workgroups");
    Finding finding = findingAt(party.w, party.op, "race", what);
    finding.rule = rule;
    finding.lanes = lanes;
    if (!inLds) {
      finding.hasAddress = true;
      finding.address = at;
      finding.allocation = context.memory.describe(at);
    }
    return finding;
  });
}

} // namespace nstf::emulator::checks
