#include "runtime/emulator/checks/RaceCheck.h"
#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"

#include <bit>
#include <cstring>
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
  bool writes;
  unsigned lane;
};

void RaceCheck::launchBegins(const Launch &) { opOfInstruction.clear(); }
void RaceCheck::launchEnds(const Launch &) {
  reports.flush();
  groups.clear();
  lastWorkgroup = nullptr;
  memory.clear();
  locations.clear();
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

// Order

void RaceCheck::acquire(Group &group, WaveState &state) {
  for (const SyncLocation *location : state.acquired) {
    const uint32_t own = group.number & Epoch::groupMask;
    if (auto found = location->released.find(own); found != location->released.end())
      join(state.now.group, found->second);
    ForeignClocks others = location->released;
    others.erase(own);
    join(state.now.others, others);
    join(state.shown, location->shown);
  }
  state.acquired.clear();
}

GroupClock RaceCheck::getShown(const Group &group, unsigned wave) {
  const WaveState &state = group.waves[wave];
  GroupClock shown = state.released(wave).group;
  for (unsigned i = 0; i < group.waves.size(); ++i)
    if (const HeldBack &held = group.waves[i].held; held.any)
      shown[i] = std::min(shown[i], held.first);
  return shown;
}

/// Marks the stores of the own workgroup's waves up to these steps as written back from the L2.
void RaceCheck::writeBack(Group &group, const GroupClock &steps) {
  for (unsigned i = 0; i < group.waves.size(); ++i)
    if (HeldBack &held = group.waves[i].held; held.last <= steps[i])
      held.any = false;
}

void RaceCheck::synchronise(Group &group, unsigned wave, SyncLocation &location, AccessKind kind, bool deviceWide) {
  WaveState &state = group.waves[wave];
  const uint32_t own = group.number & Epoch::groupMask;
  if (kind != AccessKind::Load) {
    const Knowledge &known = state.released(wave);
    join(location.released[own], known.group);
    if (deviceWide)
      join(location.shown[own], getShown(group, wave));
    if (known.others && location.mergedLast != known.others.get()) {
      for (const auto &[number, clock] : *known.others)
        join(location.released[number], clock);
      location.mergedLast = known.others.get();
    }
    if (deviceWide && state.shown && location.shownLast != state.shown.get()) {
      for (const auto &[number, clock] : *state.shown)
        join(location.shown[number], clock);
      location.shownLast = state.shown.get();
    }
  }
  if (kind != AccessKind::Store &&
      std::find(state.acquired.begin(), state.acquired.end(), &location) == state.acquired.end())
    state.acquired.push_back(&location);
}

void RaceCheck::instruction(Wave &w, const MicroOp *first) {
  if (Opcode(first->opcode) == Opcode::DS_GWS_BARRIER)
    return arriveGlobally(w, first);
  switch (Opcode(first->opcode)) {
  case Opcode::BUFFER_WBL2: {
    // Stores that were waited for are in the L2, and the wave's next accesses reach it later.
    Group &group = groupOf(w);
    writeBack(group, group.waves[w.number].released(w.number).group);
    group.waves[w.number].writesBack = true;
    return;
  }
  case Opcode::BUFFER_INV:
  case Opcode::BUFFER_WBINVL1:
  case Opcode::BUFFER_WBINVL1_VOL: {
    WaveState &state = groupOf(w).waves[w.number];
    state.fresh = state.shown;
    return;
  }
  case Opcode::S_WAITCNT:
    break;
  default:
    return;
  }
  Group &group = groupOf(w);
  WaveState &state = group.waves[w.number];
  state.arrivedAt = nullptr;
  acquire(group, state);
  WaitCounts counts = WaitCounts::decode(uint16_t(first->immediate));
  if (counts.vm == 0) {
    state.memory.any = false;
    if (state.writesBack)
      writeBack(group, state.now.group);
    state.writesBack = false;
  }
  if (counts.lgkm == 0)
    state.lds.any = false;
}

/// A barrier of all waves of the launch. A waiting wave calls this repeatedly; when it passes, all have arrived.
void RaceCheck::arriveGlobally(Wave &w, const MicroOp *first) {
  Group &group = groupOf(w);
  WaveState &state = group.waves[w.number];
  if (state.arrivedAt == first)
    return;
  state.arrivedAt = first;
  synchronise(group, w.number, globalBarrier, AccessKind::Atomic, /*deviceWide=*/true);
  ++state.now.group[w.number];
}

void RaceCheck::barrier(Workgroup &workgroup) {
  Group &group = *groups[&workgroup];
  reportDeferred(workgroup, group);
  GroupClock all = {};
  std::shared_ptr<const ForeignClocks> others, shown, fresh;
  auto merge = [](std::shared_ptr<const ForeignClocks> &to, const std::shared_ptr<const ForeignClocks> &from) {
    if (from && from != to)
      to ? join(to, *from) : void(to = from);
  };
  for (WaveState &state : group.waves) {
    acquire(group, state);
    join(all, state.now.group);
    merge(others, state.now.others);
    merge(shown, state.shown);
    merge(fresh, state.fresh);
  }
  for (unsigned i = 0; i < group.waves.size(); ++i) {
    WaveState &state = group.waves[i];
    state.now.group = all;
    ++state.now.group[i];
    state.now.others = others;
    state.shown = shown;
    state.fresh = fresh;
    state.memory.any = state.lds.any = false;
  }
}

bool RaceCheck::isSynchronising(const Wave &w, const MicroOp *op, const MemoryAccess &a) {
  if (a.kind == AccessKind::Atomic)
    return true;
  if (a.space == MemorySpace::Scalar || a.space == MemorySpace::Lds)
    return false;
  const Launch &launch = *w.group->launch;
  // An access wider than an atomic one has scope bits only for the cache.
  if (context.facts->of(op).policy.coherent())
    return a.kind == AccessKind::Load || a.bytes <= 8;
  return a.kind == AccessKind::Store && !launch.target->scopedStores && std::has_single_bit(a.lanes) &&
         (a.bytes == 4 || a.bytes == 8) && !groupOf(w).waves[w.number].memory.any;
}

/// Whether the access bypasses the workgroup's caches; an atomic operation always does, and on gfx90a any store.
bool RaceCheck::isDeviceWide(const Wave &w, const MicroOp *op, const MemoryAccess &a) {
  const CachePolicy policy = context.facts->of(op).policy;
  if (a.kind == AccessKind::Atomic || w.group->launch->target->scopedStores)
    return a.kind == AccessKind::Atomic || policy.sc1;
  return a.kind == AccessKind::Store || policy.coherent();
}

namespace {
bool comparesAndSwaps(const MicroOp *op) {
  std::string_view name = infoOf(Opcode(op->opcode)).name;
  return name.find("_CMPSWAP") != name.npos || name.find("_CMPST_") != name.npos;
}
uint64_t placeOf(MemorySpace space, uint64_t at) { return at | (space == MemorySpace::Lds ? uint64_t(1) << 63 : 0); }
} // namespace

void RaceCheck::defer(const Party &party, Epoch other, uint64_t at, unsigned bytes) {
  constexpr size_t max = 4096; // for a wave between two barriers; beyond that they are repetitions at one place
  auto &deferred = party.group.waves[party.w.number].deferred;
  if (deferred.size() < max)
    deferred.try_emplace(placeOf(party.access.space, at), Deferred{party.op, other, party.lane, bytes});
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
      Party party{wave, load.op, access, group, state.now, {}, false, load.lane};
      report(party, load.other, true, place & ~(uint64_t(1) << 63), load.bytes);
    }
  }
}

// Accesses

void RaceCheck::access(Wave &w, const MicroOp *op, const MemoryAccess &a) {
  if (a.space == MemorySpace::Scratch || w.number >= wavesOfGroup)
    return;
  Group &group = groupOf(w);
  WaveState &state = group.waves[w.number];
  const Launch &launch = *w.group->launch;
  bool inLds = a.space == MemorySpace::Lds, writes = a.kind != AccessKind::Load;
  bool synchronises = isSynchronising(w, op, a);
  reports.nextAccess();
  Pending &pending = inLds ? state.lds : state.memory;
  if (a.kind == AccessKind::Store && !pending.any) {
    pending.any = true;
    pending.before = state.now;
    ++state.now.group[w.number];
  }
  bool isDeviceWide = inLds || this->isDeviceWide(w, op, a);
  if (a.kind == AccessKind::Store && !isDeviceWide) {
    if (!state.held.any)
      state.held = {true, state.now.group[w.number]++, 0};
    state.held.last = state.now.group[w.number];
  }
  opOfInstruction.try_emplace(op->instruction, op);
  RaceCells &cells = inLds ? group.lds : memory;
  const Region *region = nullptr;
  Epoch self(group.number, w.number, state.now.group[w.number], op->instruction, synchronises);
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint64_t at = a.addresses[lane];
    if (inLds ? at + a.bytes > launch.ldsBytes || at + a.bytes < at : !launch.regions->find(at, a.bytes, region))
      continue;
    if (!inLds && !region->writable)
      continue; // no wave can write it
    if (!state.deferred.empty() && a.kind == AccessKind::Atomic && comparesAndSwaps(op))
      for (unsigned i = 0; i < a.bytes; ++i)
        state.deferred.erase(placeOf(a.space, at + i));
    Party party{w, op, a, group, state.now, self, writes, lane};
    bool unlocks = false;
    if (a.kind == AccessKind::Store && !synchronises && a.bytes <= 8) {
      cells.forEach(at, a.bytes, [&](RaceCell &cell, uint64_t, unsigned) {
        unlocks |=
            cell.write && cell.write.atomic() && cell.write.group() == self.group() && cell.write.wave() == self.wave();
      });
      party.self.word |= uint64_t(unlocks);
    }
    cells.forEach(at, a.bytes, [&](RaceCell &cell, uint64_t byte, unsigned bytes) { check(party, cell, byte, bytes); });
    // An atomic operation that does not return the old value gives its wave no information about other waves.
    bool tells = a.kind != AccessKind::Atomic || !context.facts->of(op).writes.empty();
    if (synchronises || unlocks)
      synchronise(group, w.number, inLds ? group.ldsLocations[at] : locations[at],
                  unlocks || !tells ? AccessKind::Store : a.kind, isDeviceWide);
  }
  if (synchronises && writes)
    ++state.now.group[w.number]; // later accesses are not released
}

void RaceCheck::check(Party &party, RaceCell &cell, uint64_t at, unsigned bytes) {
  uint64_t self = party.self.word >> 40;
  auto races = [&](Epoch other) {
    return other && other.word >> 40 != self && !(other.atomic() && party.self.atomic()) &&
           !party.now.covers(other, party.group.number);
  };
  bool isAtomic = party.self.atomic();
  if (races(cell.write) && !(party.writes && sameValue(party, at, bytes)))
    report(party, cell.write, true, at, bytes);
  else if (races(cell.atomic))
    party.writes ? report(party, cell.atomic, true, at, bytes) : defer(party, cell.atomic, at, bytes);
  else if (!party.writes && cell.write && cell.write.group() != party.self.group())
    checkFreshness(party, cell.write, at, bytes);
  if (!party.writes) {
    if (!cell.firstRead || cell.firstRead.word >> 40 == self || party.now.covers(cell.firstRead, party.group.number))
      cell.firstRead = party.self;
    else
      cell.lastRead = party.self;
    return;
  }
  if (races(cell.firstRead))
    report(party, cell.firstRead, false, at, bytes);
  else if (races(cell.lastRead))
    report(party, cell.lastRead, false, at, bytes);
  if (!isAtomic) {
    cell = {party.self, {}, {}, {}};
    return;
  }
  cell.atomic = party.self;
  for (Epoch *read : {&cell.firstRead, &cell.lastRead})
    if (read->word >> 40 == self)
      *read = {};
}

/// For a load after a store of another workgroup: checks whether caches let it see the store.
void RaceCheck::checkFreshness(const Party &party, Epoch store, uint64_t at, unsigned bytes) {
  const WaveState &state = party.group.waves[party.w.number];
  if (party.self.atomic() && store.atomic())
    return;
  if (!covers(state.shown, store))
    report(party, store, true, at, bytes, ", which nothing has written back from the L2 (buffer_wbl2) before");
  else if (!isDeviceWide(party.w, party.op, party.access) && !covers(state.fresh, store))
    report(party, store, true, at, bytes, ", and no older line is dropped (buffer_inv) after that is known");
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

std::string RaceCheck::nameOf(const Party &party, Epoch other, bool otherWrites) const {
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
    text << " at " << describeOffset(launch.program->addressOf(found->second) - entry) << " ('"
         << launch.program->textOf(found->second) << "')";
  }
  return text.str();
}

void RaceCheck::report(const Party &party, Epoch other, bool otherWrites, uint64_t at, unsigned bytes,
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
        nameOf(party, other, otherWrites) +
        (!why.empty()                                               ? why
         : other.group() == (party.group.number & Epoch::groupMask) ? " with no barrier between them"
                                                                    : ", and nothing orders the two workgroups");
    Finding finding = findingAt(party.w, party.op, "race", what);
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
