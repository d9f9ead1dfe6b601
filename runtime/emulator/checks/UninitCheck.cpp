#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::checks {

UninitCheck::UninitCheck(CheckContext &context) : Check(context), reports(context) {
  context.memory.trackDefinedness();
}
std::unique_ptr<Check> makeUninitCheck(CheckContext &context) { return std::make_unique<UninitCheck>(context); }

void UninitCheck::launchEnds(const Launch &) {
  for (auto &[wave, shadow] : waves)
    if (shadow)
      pool.push_back(std::move(shadow));
  waves.clear();
  groups.clear();
  choices.clear();
  lastWave = nullptr;
  scratch.clear();
  origins.clear();
  reports.flush();
}

void UninitCheck::groupBegins(Workgroup &group) {
  auto &lds = groups[&group];
  if (!lds)
    lds = std::make_unique<LdsShadow>();
  lds->bits.assign(group.launch->ldsBytes, 0xff);
  lds->origins.clear();
}
void UninitCheck::groupEnds(Workgroup &group) {
  for (const Wave *wave : group.waves) {
    auto found = waves.find(wave);
    if (found == waves.end())
      continue;
    pool.push_back(std::move(found->second));
    waves.erase(found);
  }
  groups.erase(&group);
  lastWave = nullptr;
}

void UninitCheck::waveBegins(Wave &w) {
  auto &shadow = waves[&w];
  if (!shadow) {
    if (pool.empty()) {
      shadow.reset(WaveShadow::make());
    } else {
      shadow = std::move(pool.back());
      pool.pop_back();
    }
  }
  WaveShadow &s = *shadow;
  const Launch &launch = *w.group->launch;
  static const KernelDescriptor none;
  const KernelDescriptor &d = launch.kernel ? launch.kernel->descriptor : none;
  for (unsigned row = 0; row < registerRows; ++row)
    s.undefined[row] = s.fresh[row] = row < temporaryRow ? ~uint64_t(0) : 0;
  s.define(0, ~uint64_t(0)); // work-item ids
  unsigned given = d.userSgprs + unsigned(d.workgroupIdX) + unsigned(d.workgroupIdY) + unsigned(d.workgroupIdZ) +
                   unsigned(d.workgroupInfo) + unsigned(d.privateSegmentWaveOffset);
  std::fill(std::begin(s.scalars), std::end(s.scalars), 0);
  std::fill(std::begin(s.scalarOrigins), std::end(s.scalarOrigins), Origin());
  for (unsigned i = given; i < sgpr::flatScratch; ++i)
    s.scalars[i] = ~0u;
  if (!launch.target->architectedFlatScratch)
    s.scalars[sgpr::flatScratch] = s.scalars[sgpr::flatScratch + 1] = ~0u;
  s.scalars[sgpr::vcc] = s.scalars[sgpr::vcc + 1] = s.scalars[sgpr::m0] = ~0u;
  s.scalars[sgpr::scc] = 1;
  s.lds = groups[w.group].get();
  s.choiceDepth = 0;
  s.choiceJoin = WaveShadow::noChoice;
  lastWave = nullptr;
  if (launch.scratchBytes)
    scratch.setUndefined(w.scratch, uint64_t(launch.scratchBytes) * Wave::width);
}

void UninitCheck::step(Wave &w, const MicroOp *op) {
  WaveShadow &s = getShadow(w);
  while (op->instruction == s.choiceJoin)
    endChoice(s);
  Opcode opcode = Opcode(op->opcode);
  if (opcode >= Opcode::Trap)
    return helper(w, s, op);
  switch (getInfo(opcode).form) {
  case Form::Scalar:
  case Form::ScalarCompare:
    return scalar(w, s, op);
  case Form::ScalarImmediate:
  case Form::ScalarCompareImmediate:
    return scalarImmediate(w, s, op);
  case Form::Control:
    return control(w, s, op);
  case Form::ScalarMemory:
    return scalarMemory(w, s, op);
  case Form::Vector:
  case Form::Accumulate:
    return vector(w, s, op);
  case Form::Compare:
    return compare(w, s, op);
  case Form::Carry:
    return carry(w, s, op);
  case Form::CrossLane:
    return crossLane(w, s, op);
  case Form::Matrix:
    return matrix(w, s, op);
  case Form::Lds:
  case Form::Memory:
    return memory(w, s, op);
  case Form::LdsLanes:
    return ldsLanes(w, s, op);
  case Form::Cache:
    return;
  default:
    return generic(w, s, op);
  }
}

std::string UninitCheck::describe(const Wave &w, Origin origin) const {
  uint64_t value = origin.value();
  switch (origin.kind()) {
  case Origin::None:
    return "something that was never written";
  case Origin::Vector:
    if (value >= agprRow)
      return "a" + std::to_string(value - agprRow) + ", which was never written";
    return "v" + std::to_string(value) + ", which was never written";
  case Origin::Scalar:
    return emulator::describe(RegisterRange{false, uint16_t(value), 1}) + ", which was never written";
  case Origin::Lds:
    return "LDS offset " + std::to_string(value) + ", which was never written";
  case Origin::Scratch: {
    uint64_t at = value - w.scratch;
    return "the lane's stack at offset " + std::to_string(at / (4 * Wave::width) * 4 + at % 4) +
           ", which was never written";
  }
  case Origin::Global:
    return "device memory that was never written: " + context.memory.describe(value);
  }
  return "";
}

void UninitCheck::report(Wave &w, const MicroOp *op, Sink sink, const std::string &what, Origin origin, uint64_t lanes,
                         const uint64_t *address) {
  reports.nextAccess();
  reports.add(op, sink, lanes, [&] {
    Finding finding = findingAt(w, op, "uninit", what + ", from " + describe(w, origin));
    finding.lanes = lanes;
    if (address) {
      finding.hasAddress = true;
      finding.address = *address;
      finding.allocation = context.memory.describe(*address);
    }
    return finding;
  });
}

} // namespace nstf::emulator::checks
