// The race check's order: what waves release and acquire.
#include "runtime/emulator/checks/RaceCheck.h"
#include "runtime/emulator/decode/Target.h"

#include <bit>

namespace nstf::emulator::checks {

/// The bytes of a lane that a store, or a part of one, belongs to.
static unsigned bytesOfStore(const InstructionFacts &facts, const MemoryAccess &access) {
  unsigned registers = 0;
  for (const RegisterUse &use : facts.reads)
    if (use.role == OperandRole::Data)
      registers += use.count;
  return access.bytes < 4 ? access.bytes : 4 * registers;
}

RaceCheck::Form RaceCheck::getForm(const InstructionFacts &facts, const MemoryAccess &access) const {
  if (access.kind == AccessKind::Atomic)
    return Form::Atomic;
  if (access.space == MemorySpace::Lds)
    return Form::Plain;
  if (access.kind == AccessKind::Load)
    return facts.policy.coherent() ? Form::Atomic : Form::Plain;
  // An access wider than an atomic one has scope bits only for the cache.
  const unsigned bytes = bytesOfStore(facts, access);
  if (bytes == 0 || bytes > 8)
    return Form::Plain;
  for (uint64_t left = access.lanes; left; left &= left - 1)
    if ((access.addresses[std::countr_zero(left)] - access.at) % bytes)
      return Form::Plain;
  return facts.policy.coherent() ? Form::Atomic : bytes < 4 ? Form::Plain : Form::Word;
}

/// Whether the access bypasses the workgroup's caches; an atomic operation always does, and on gfx90a any store.
bool RaceCheck::isDeviceWide(const MicroOp *op, const MemoryAccess &a) const {
  const CachePolicy policy = context.facts->of(op).policy;
  if (a.kind == AccessKind::Atomic)
    return true;
  if (!context.target.scopedStores)
    return a.kind == AccessKind::Store || policy.coherent();
  return a.space == MemorySpace::Scalar ? policy.coherent() : policy.sc1;
}

// Release

GroupClock RaceCheck::getShown(const Group &group, unsigned wave) {
  GroupClock shown = group.waves[wave].getReleased(wave);
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

Release RaceCheck::getRelease(const Group &group, unsigned wave, bool deviceWide) {
  constexpr uint32_t unlimited = ~uint32_t(0);
  const WaveState &state = group.waves[wave];
  Release release{group.number & Epoch::groupMask, wave, state.done, state.now.others, deviceWide, {}, nullptr};
  release.clock[wave] = 0;
  if (deviceWide) {
    release.shown = getShown(group, wave);
    release.shown[wave] = state.held.any ? state.held.first : unlimited;
    release.shownOthers = state.shown;
  }
  return release;
}

/// Records what a store releases, for a coherent load that may read it.
void RaceCheck::logRelease(Group &group, unsigned wave, bool deviceWide) {
  WaveState &state = group.waves[wave];
  const size_t number = group.number & Epoch::groupMask;
  if (logs.size() <= number)
    logs.resize(number + 1);
  if (logs[number].empty())
    logs[number].resize(group.waves.size());
  std::vector<ReleaseLog::Entry> &entries = logs[number][wave].entries;
  const uint32_t step = state.getReleasedStep(wave);
  const bool isKnown = !entries.empty() && !state.learned && entries.back().release->isDeviceWide == deviceWide &&
                       !(deviceWide && context.target.scopedStores);
  if (isKnown && entries.back().step == step)
    return;
  std::shared_ptr<const Release> release;
  if (isKnown) {
    release = entries.back().release;
  } else {
    Release now = getRelease(group, wave, deviceWide);
    const bool isSame = !entries.empty() && *entries.back().release == now;
    if (isSame && entries.back().step == step)
      return;
    release = isSame ? entries.back().release : std::make_shared<const Release>(std::move(now));
  }
  state.learned = false;
  if (!entries.empty() && entries.back().first == state.now.group[wave])
    ++state.now.group[wave];
  entries.push_back({state.now.group[wave], step, std::move(release)});
}

/// An atomic store is read: adds what it releases to its location.
void RaceCheck::release(Epoch store, uint64_t at) {
  if (store.group() < logs.size() && store.wave() < logs[store.group()].size())
    if (const ReleaseLog::Entry *entry = logs[store.group()][store.wave()].find(store.step()))
      locations[at / 4 * 4].add(*entry->release, entry->step);
}

/// A coherent load reads the plain store in the cell: it is an atomic store.
void RaceCheck::promote(RaceCell &cell, uint64_t at) {
  release(cell.write, at);
  if (!cell.atomic)
    cell.atomic = cell.write;
  cell.write = {};
}

// Acquire

void RaceCheck::poll(WaveState &state, const SyncLocation &location, Poll::Counter counter) {
  const uint32_t number = counter == Poll::Vm ? state.vmIssued : state.ldsIssued;
  auto known = std::ranges::find(state.polls, &location, &Poll::location);
  if (known == state.polls.end())
    state.polls.push_back({&location, counter, number});
  else
    *known = {&location, counter, number};
}

void RaceCheck::acquire(Group &group, WaveState &state, const WaitCounts &counts) {
  auto isDone = [&](const Poll &poll) {
    switch (poll.counter) {
    case Poll::Vm:
      return counts.vm <= state.vmIssued - poll.number;
    case Poll::Lds:
      return counts.lgkm <= state.ldsIssued - poll.number;
    case Poll::Lgkm:
      break;
    }
    return counts.lgkm == 0;
  };
  std::erase_if(state.polls, [&](const Poll &poll) {
    if (!isDone(poll))
      return false;
    const SyncLocation &location = *poll.location;
    const uint32_t own = group.number & Epoch::groupMask;
    if (auto found = location.released.find(own); found != location.released.end()) {
      join(state.now.group, found->second);
      join(state.done, found->second);
    }
    ForeignClocks others = location.released;
    others.erase(own);
    join(state.now.others, others);
    join(state.shown, location.shown);
    state.learned = true;
    return true;
  });
}

void RaceCheck::instruction(Wave &w, const MicroOp *first) {
  if (Opcode(first->opcode) == Opcode::DS_GWS_BARRIER)
    return arriveGlobally(w, first);
  switch (Opcode(first->opcode)) {
  case Opcode::BUFFER_WBL2: {
    // Stores that were waited for are in the L2, and the wave's next accesses reach it later.
    Group &group = getGroup(w);
    WaveState &state = group.waves[w.number];
    writeBack(group, state.getReleased(w.number));
    state.writesBack = true;
    return;
  }
  case Opcode::BUFFER_INV:
  case Opcode::BUFFER_WBINVL1:
  case Opcode::BUFFER_WBINVL1_VOL: {
    WaveState &state = getGroup(w).waves[w.number];
    state.fresh = state.freshScalar = state.shown;
    return;
  }
  case Opcode::S_DCACHE_INV:
  case Opcode::S_DCACHE_INV_VOL: {
    WaveState &state = getGroup(w).waves[w.number];
    state.freshScalar = state.shown;
    return;
  }
  case Opcode::S_WAITCNT:
    break;
  default:
    return;
  }
  Group &group = getGroup(w);
  WaveState &state = group.waves[w.number];
  const WaitCounts counts = WaitCounts::decode(uint16_t(first->immediate));
  state.arrivedAt = nullptr;
  state.lastIssued = nullptr;
  if (!state.polls.empty())
    acquire(group, state, counts);
  if (state.memory.any && counts.vm <= state.vmIssued - state.memory.last)
    state.memory.any = false;
  if (counts.vm == 0) {
    // Stores of one compute unit reach the memory in order.
    state.done = state.now.group;
    state.learned = true;
    if (state.writesBack)
      writeBack(group, state.now.group);
    state.writesBack = false;
  }
  if (counts.lgkm == 0)
    state.lds.any = state.scalar.any = false;
}

/// A barrier of all waves of the launch. A waiting wave calls this repeatedly; when it passes, all have arrived.
void RaceCheck::arriveGlobally(Wave &w, const MicroOp *first) {
  Group &group = getGroup(w);
  WaveState &state = group.waves[w.number];
  if (state.arrivedAt == first)
    return;
  state.arrivedAt = first;
  globalBarrier.add(getRelease(group, w.number, /*deviceWide=*/true), state.getReleasedStep(w.number));
  poll(state, globalBarrier, Poll::Lgkm);
  ++state.now.group[w.number];
}

void RaceCheck::barrier(Workgroup &workgroup) {
  Group &group = *groups[&workgroup];
  reportDeferred(workgroup, group);
  GroupClock all = {}, done = {};
  std::shared_ptr<const ForeignClocks> others, shown, fresh, freshScalar;
  auto merge = [](std::shared_ptr<const ForeignClocks> &to, const std::shared_ptr<const ForeignClocks> &from) {
    if (from && from != to)
      to ? join(to, *from) : void(to = from);
  };
  for (unsigned i = 0; i < group.waves.size(); ++i) {
    WaveState &state = group.waves[i];
    state.lds.any = false;
    join(all, state.now.group);
    join(done, state.getReleased(i));
    merge(others, state.now.others);
    merge(shown, state.shown);
    merge(fresh, state.fresh);
    merge(freshScalar, state.freshScalar);
  }
  for (unsigned i = 0; i < group.waves.size(); ++i) {
    WaveState &state = group.waves[i];
    state.now.group = all;
    ++state.now.group[i];
    state.done = done;
    state.now.others = others;
    state.shown = shown;
    state.fresh = fresh;
    state.freshScalar = freshScalar;
    state.learned = true;
  }
}

} // namespace nstf::emulator::checks
