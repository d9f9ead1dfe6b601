#include "test/runtime/emulator/checks/mutation/Adversary.h"
#include "runtime/emulator/checks/HazardClasses.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace nstf::emulator::test {
namespace {

using namespace checks;

/// What an unfinished instruction leaves behind: a value that is wrong as a float, as an integer and as an address.
constexpr uint32_t rubbish = 0x7fd5a5a5;

/// A register's dwords to be written later.
struct Saved {
  RegisterRange range;
  uint64_t lanes;
  std::vector<uint32_t> values; ///< for vector registers 64 per row
};

struct LdsByte {
  uint32_t at;
  uint8_t value;
};

/// An operation in flight and the results it will deliver.
struct Late {
  bool vm, lgkm, inOrder;    ///< vm, lgkm: counters raised and not yet down
  bool vmBrings, lgkmBrings; ///< which of them guarantee the results (FLAT: by memory)
  bool delivered = false;
  std::vector<Saved> results;
  std::vector<LdsByte> lds; ///< for loads to LDS: the bytes that LDS will hold
};

/// An instruction's part in the hazard table.
struct Parts {
  std::vector<std::pair<const HazardRule *, HazardRegisters>> produces, consumes;
};

struct Recent {
  const InstructionFacts *facts;
  const Parts *parts;
  uint64_t end;
};

struct WaveState {
  std::deque<Late> late;
  std::vector<LdsByte> ldsBefore; // for the current instruction
  bool touchedLds = false, touchedMemory = false;
  std::deque<Recent> recent;
  std::vector<Saved> hidden; // registers that hold rubbish for one instruction
  uint64_t time = 0;
  MatrixPipes pipes;
};

class Adversary final : public Monitor {
public:
  explicit Adversary(const AdversaryOptions &options) : options(options) {}

  void launchBegins(const Launch &launch) override {
    facts = std::make_unique<ProgramFacts>(*launch.target, *launch.program);
    gfx90a = launch.target->name == "gfx90a";
    waves.clear();
  }
  void launchEnds(const Launch &) override {
    waves.clear();
    parts.clear();
    facts.reset();
  }
  void groupBegins(Workgroup &group) override {
    if (options.order != WaveOrder::Forward)
      std::reverse(group.waves.begin(), group.waves.end());
    if (options.order == WaveOrder::Mixed)
      group.fuel = 1;
  }
  void waveBegins(Wave &wave) override { waves[&wave] = {}; }
  void instruction(Wave &wave, const MicroOp *op) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void retired(Wave &wave, const MicroOp *op) override;
  void barrier(Workgroup &group) override {
    if (options.order == WaveOrder::Mixed)
      std::rotate(group.waves.begin(), group.waves.begin() + 1, group.waves.end());
  }

private:
  static Saved save(const Wave &wave, const RegisterRange &range, uint64_t lanes);
  static void spoil(Wave &wave, const RegisterRange &range, uint64_t lanes);
  static void put(Wave &wave, const Saved &saved);
  void deliver(Wave &wave, WaveState &state, const WaitCounts &counts);
  const Parts &partsOf(const InstructionFacts &now);
  void hide(Wave &wave, const InstructionFacts &now, WaveState &state);

  AdversaryOptions options;
  bool gfx90a = false;
  std::unique_ptr<ProgramFacts> facts;
  std::unordered_map<const Wave *, WaveState> waves;
  std::unordered_map<const InstructionFacts *, Parts> parts;
};

Saved Adversary::save(const Wave &wave, const RegisterRange &range, uint64_t lanes) {
  Saved saved{range, lanes, {}};
  for (unsigned r = range.first; r < unsigned(range.first + range.count); ++r)
    if (range.vector)
      saved.values.insert(saved.values.end(), wave.rows[r], wave.rows[r] + Wave::width);
    else
      saved.values.push_back(wave.scalars[r]);
  return saved;
}

void Adversary::spoil(Wave &wave, const RegisterRange &range, uint64_t lanes) {
  for (unsigned r = range.first; r < unsigned(range.first + range.count); ++r) {
    if (!range.vector)
      wave.scalars[r] = rubbish;
    for (unsigned lane = 0; range.vector && lane < Wave::width; ++lane)
      if (lanes >> lane & 1)
        wave.rows[r][lane] = rubbish;
  }
}

void Adversary::put(Wave &wave, const Saved &saved) {
  for (unsigned k = 0; k < saved.range.count; ++k) {
    unsigned r = saved.range.first + k;
    if (!saved.range.vector)
      wave.scalars[r] = saved.values[k];
    for (unsigned lane = 0; saved.range.vector && lane < Wave::width; ++lane)
      if (saved.lanes >> lane & 1)
        wave.rows[r][lane] = saved.values[k * Wave::width + lane];
  }
}

/// Vector memory operations complete in order, so a wait for N completes all but the youngest N. The same holds for LDS
/// operations while nothing else counts in lgkmcnt. Otherwise only a wait for 0 guarantees anything (CDNA3 ISA 4.4).
void Adversary::deliver(Wave &wave, WaveState &state, const WaitCounts &counts) {
  bool lgkmInOrder = true;
  for (const Late &late : state.late)
    lgkmInOrder &= !late.lgkm || late.inOrder;
  auto countDown = [&](bool Late::*counter, unsigned most, bool inOrder) {
    if (most == WaitCounts::none || (most && !inOrder))
      return;
    unsigned younger = 0;
    for (size_t i = state.late.size(); i-- > 0;)
      if (state.late[i].*counter && younger++ >= most)
        state.late[i].*counter = false;
  };
  countDown(&Late::vm, counts.vm, true);
  countDown(&Late::lgkm, counts.lgkm, lgkmInOrder);
  for (Late &late : state.late)
    if (!late.delivered && !(late.vm && late.vmBrings) && !(late.lgkm && late.lgkmBrings)) {
      late.delivered = true;
      for (const Saved &saved : late.results)
        put(wave, saved);
      for (const LdsByte &byte : late.lds)
        wave.group->lds[byte.at] = byte.value;
    }
  std::erase_if(state.late, [](const Late &late) { return !late.vm && !late.lgkm; });
}

const Parts &Adversary::partsOf(const InstructionFacts &now) {
  auto [at, isNew] = parts.try_emplace(&now);
  if (isNew && now.encoding)
    for (const HazardRule &rule : hazardRules()) {
      if (rule.chips != HazardChips::Both && (rule.chips == HazardChips::Gfx90a) != gfx90a)
        continue;
      HazardRegisters produced, consumed;
      rule.producer(now, produced);
      rule.consumer(now, consumed);
      if (!produced.empty())
        at->second.produces.push_back({&rule, std::move(produced)});
      if (!consumed.empty())
        at->second.consumes.push_back({&rule, std::move(consumed)});
    }
  return at->second;
}

/// Whether the registers of two instructions overlap as the rule requires. The DGEMM rule involves a third instruction
/// and is left out.
bool meet(const HazardRule &rule, const Recent &before, const InstructionFacts &now, const RegisterRange &p,
          const RegisterRange &c) {
  if (!p.overlaps(c) || c.first >= hazardUnit)
    return false;
  switch (rule.overlap) {
  case HazardOverlap::PastDgemm:
    return false;
  case HazardOverlap::NearestSame:
    return p == c;
  case HazardOverlap::NearestPartial:
    return !(p == c);
  case HazardOverlap::NearestOther:
    return before.facts->name() != now.name();
  default:
    // A wrong EXEC or M0 would end the run instead of changing its result.
    return c.vector || (c.first != sgpr::exec && c.first != sgpr::m0);
  }
}

/// Spoils the registers that the instruction reads earlier than the hazard table allows, until it has executed.
void Adversary::hide(Wave &wave, const InstructionFacts &now, WaveState &state) {
  for (const auto &[rule, consumed] : partsOf(now).consumes)
    for (const Recent &before : state.recent) {
      if (state.time - before.end >= rule->waitStates(before.facts->passes))
        continue;
      for (const auto &[producerRule, produced] : before.parts->produces)
        for (const RegisterRange &p : produced)
          for (const RegisterRange &c : consumed)
            if (producerRule == rule && meet(*rule, before, now, p, c)) {
              uint16_t first = std::max(p.first, c.first);
              uint16_t end = std::min<uint16_t>(uint16_t(p.first + p.count), uint16_t(c.first + c.count));
              state.hidden.push_back(save(wave, {c.vector, first, uint16_t(end - first)}, ~uint64_t(0)));
            }
    }
  for (const Saved &saved : state.hidden)
    spoil(wave, saved.range, ~uint64_t(0));
}

void Adversary::instruction(Wave &wave, const MicroOp *op) {
  WaveState &state = waves[&wave];
  const InstructionFacts &now = facts->of(op);
  if (now.kind == InstructionKind::Wait)
    deliver(wave, state, now.waits);
  state.ldsBefore.clear();
  state.touchedLds = state.touchedMemory = false;
  if (!options.hazards)
    return;
  std::erase_if(state.recent, [&](const Recent &before) { return state.time - before.end >= maxWaitStates; });
  if (!state.recent.empty())
    hide(wave, now, state);
  state.time = state.pipes.issue(now, state.time) + now.waitStates;
  if (const Parts &own = partsOf(now); !own.produces.empty())
    state.recent.push_back({&now, &own, state.time});
}

void Adversary::access(Wave &wave, const MicroOp *op, const MemoryAccess &access) {
  (access.space == MemorySpace::Lds ? waves[&wave].touchedLds : waves[&wave].touchedMemory) = true;
  if (access.space != MemorySpace::Lds || access.kind != AccessKind::Store || !facts->of(op).toLds)
    return;
  WaveState &state = waves[&wave];
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    if (access.lanes >> lane & 1)
      for (unsigned i = 0; i < access.bytes; ++i) {
        uint32_t at = uint32_t(access.addresses[lane]) + i;
        if (at < wave.group->launch->ldsBytes)
          state.ldsBefore.push_back({at, wave.group->lds[at]});
      }
}

void Adversary::retired(Wave &wave, const MicroOp *op) {
  WaveState &state = waves[&wave];
  const InstructionFacts &now = facts->of(op);
  // Registers that it read too early get their values back, unless it wrote them.
  for (size_t i = state.hidden.size(); i-- > 0;) {
    const Saved &saved = state.hidden[i];
    bool written = false;
    for (const RegisterUse &use : now.writes)
      written |= use.overlaps(saved.range);
    if (!written)
      put(wave, saved);
  }
  state.hidden.clear();
  if (!options.lateLoads || (!now.countsVm && !now.countsLgkm))
    return;
  bool flat = now.kind == InstructionKind::Flat;
  Late late{.vm = now.countsVm,
            .lgkm = now.countsLgkm,
            .inOrder = now.kind == InstructionKind::Lds || now.kind == InstructionKind::VectorMemory,
            .vmBrings = !flat || state.touchedMemory,
            .lgkmBrings = !flat || state.touchedLds,
            .results = {},
            .lds = {}};
  uint64_t lanes = now.kind == InstructionKind::ScalarMemory ? 1 : wave.exec();
  for (const RegisterUse &use : now.writes) {
    late.results.push_back(save(wave, use, lanes));
    spoil(wave, use, lanes);
  }
  for (const LdsByte &before : state.ldsBefore) {
    late.lds.push_back({before.at, wave.group->lds[before.at]});
    wave.group->lds[before.at] = uint8_t(~late.lds.back().value);
  }
  state.late.push_back(std::move(late));
}

} // namespace

std::unique_ptr<Monitor> makeAdversary(const AdversaryOptions &options) { return std::make_unique<Adversary>(options); }

} // namespace nstf::emulator::test
