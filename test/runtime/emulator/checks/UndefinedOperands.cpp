#include "test/runtime/emulator/checks/UndefinedOperands.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"

#include <cstring>

namespace nstf::emulator::test {

using namespace checks;

namespace {
/// Random numbers mixed with those that comparisons and divisions treat specially.
uint32_t likely(std::mt19937 &random) {
  constexpr uint32_t some[] = {0, 1, ~0u, 0x3f800000, 0x3ff00000, 0x7fc00000, 0x80000000, 0x3c003c00, 0x00000180};
  return random() % 2 ? uint32_t(random()) : some[random() % std::size(some)];
}
} // namespace

UndefinedOperands::UndefinedOperands(const Target &target, const DecodedProgram &program)
    : context{target, memory, FindingList(), std::make_unique<ProgramFacts>(target, program)}, check(context) {
  launch.target = &target;
  launch.program = &program;
  launch.memory = &memory;
  launch.regions = &regions;
  launch.wavesPerGroup = 1;
  group.launch = &launch;
  group.waves = {wave.get()};
  Wave &w = *wave;
  std::memset(static_cast<void *>(&w), 0, sizeof(w));
  w.vectorBase[0] = reinterpret_cast<const char *>(w.rows);
  w.vectorBase[1] = reinterpret_cast<const char *>(program.vectorConstants());
  w.scalarBase[0] = reinterpret_cast<const char *>(w.scalars);
  w.scalarBase[1] = reinterpret_cast<const char *>(program.scalarConstants());
  w.group = &group;
  w.mode = mode::floatDefault;
  std::mt19937 random(3);
  for (unsigned row = 0; row < temporaryRow; ++row)
    for (uint32_t &value : w.rows[row])
      value = likely(random);
  for (unsigned i = 0; i < sgpr::vccz; ++i)
    w.scalars[i] = uint32_t(random());
  w.scalars[sgpr::m0] = 0;
  w.scalars[sgpr::scc] = 1;
  w.setExec(0xffff00f7ff3fffffull);
  std::memcpy(scalars, w.scalars, sizeof(scalars));
}
template <typename Row, typename Scalar>
void UndefinedOperands::take(const InstructionFacts &facts, Results &results, Row row, Scalar scalar) {
  results = {};
  for (const RegisterUse &use : facts.writes)
    for (unsigned r = use.first; r < unsigned(use.first + use.count); ++r) {
      if (!use.vector) {
        results.scalars.push_back(scalar(r));
        continue;
      }
      auto &values = results.rows.emplace_back();
      for (unsigned lane = 0; lane < Wave::width; ++lane)
        values[lane] = row(r, lane);
    }
}
void UndefinedOperands::begin(const std::vector<UndefinedOperand> &operands) {
  context.findings = FindingList();
  check.waveBegins(*wave);
  WaveShadow &s = check.getShadow(*wave);
  for (unsigned row = 0; row < registerRows; ++row)
    s.define(row, ~uint64_t(0));
  std::fill(std::begin(s.scalars), std::end(s.scalars), 0);
  for (const UndefinedOperand &operand : operands)
    operand.vector ? s.setLane(operand.index, operand.lane, operand.bits, Origin(Origin::Vector, operand.index))
                   : s.setScalar(operand.index, operand.bits, Origin(Origin::Scalar, operand.index));
}
void UndefinedOperands::end() {
  check.launchEnds(launch);
  reported = !context.findings.all().empty();
  reportedExec = 0;
  for (const Finding &finding : context.findings.all())
    if (finding.what.find("EXEC") != finding.what.npos)
      reportedExec = finding.lanes;
}

bool UndefinedOperands::run(const MicroOp *op, const std::vector<UndefinedOperand> &operands,
                            const std::vector<uint32_t> &values, Results &results, Results *undefined) {
  Wave &w = *wave;
  const InstructionFacts &facts = getFacts(op);
  std::vector<std::pair<uint32_t *, uint32_t>> kept;
  for (const RegisterUse &use : facts.writes)
    for (unsigned r = 0; use.vector && r < use.count; ++r)
      for (uint32_t &value : w.rows[use.first + r])
        kept.emplace_back(&value, value);
  for (size_t i = 0; i < operands.size(); ++i) {
    uint32_t &value = operands[i].vector ? w.rows[operands[i].index][operands[i].lane] : w.scalars[operands[i].index];
    if (operands[i].vector)
      kept.emplace_back(&value, value);
    value = (value & ~operands[i].bits) | (values[i] & operands[i].bits);
  }
  if (undefined)
    begin(operands);
  bool runs = true;
  try {
    for (uint32_t number = op->instruction; op && op->instruction == number;) {
      if (undefined)
        check.step(w, op);
      op = op->handler(w, op);
    }
  } catch (const WaveFault &) {
    runs = false;
  }
  take(
      facts, results, [&](unsigned row, unsigned lane) { return w.rows[row][lane]; },
      [&](unsigned i) { return w.scalars[i]; });
  if (undefined) {
    const WaveShadow &s = check.getShadow(w);
    take(
        facts, *undefined, [&](unsigned row, unsigned lane) { return s.laneBits(row, lane); },
        [&](unsigned i) { return s.scalars[i]; });
    end();
  }
  for (auto at = kept.rbegin(); at != kept.rend(); ++at)
    *at->first = at->second;
  std::memcpy(w.scalars, scalars, sizeof(scalars));
  return runs;
}
Verdict UndefinedOperands::judge(const MicroOp *op, const std::vector<UndefinedOperand> &operands, std::mt19937 &random,
                                 unsigned count) {
  Verdict verdict;
  const InstructionFacts &facts = getFacts(op);
  bool isVector = facts.name().starts_with("V_") || facts.name().starts_with("DS_");
  Results first, undefined, other;
  std::vector<uint32_t> values(operands.size());
  if (!run(op, operands, values, first, &undefined))
    return verdict;
  bool wasReported = reported;
  uint64_t lanesOfExec = reportedExec;
  Results changes = first;
  for (auto &row : changes.rows)
    row.fill(0);
  std::fill(changes.scalars.begin(), changes.scalars.end(), 0);
  for (unsigned attempt = 0; attempt < count; ++attempt) {
    uint32_t common = likely(random);
    for (uint32_t &value : values)
      value = count == 1 ? ~0u : attempt % 3 ? likely(random) : common;
    if (!run(op, operands, values, other, nullptr))
      return verdict;
    for (size_t r = 0; r < first.rows.size(); ++r)
      for (unsigned lane = 0; lane < Wave::width; ++lane)
        changes.rows[r][lane] |= first.rows[r][lane] ^ other.rows[r][lane];
    for (size_t i = 0; i < first.scalars.size(); ++i)
      changes.scalars[i] |= first.scalars[i] ^ other.scalars[i];
  }
  uint64_t reached = 0; // lanes with a result that changes or with an undefined operand
  for (const UndefinedOperand &operand : operands)
    reached |= uint64_t(1) << operand.lane;
  for (const auto &row : changes.rows)
    for (unsigned lane = 0; lane < Wave::width; ++lane)
      reached |= uint64_t(row[lane] != 0) << lane;
  for (size_t r = 0; r < first.rows.size(); ++r)
    for (unsigned lane = 0; lane < Wave::width; ++lane) {
      uint32_t held = undefined.rows[r][lane], changed = changes.rows[r][lane];
      verdict.changed |= changed != 0;
      verdict.missed |= (changed & ~held) != 0;
      verdict.tainted |= held && !(reached >> lane & 1);
    }
  size_t at = 0;
  for (const RegisterUse &use : facts.writes) {
    for (unsigned r = 0; !use.vector && r < use.count; ++r, ++at) {
      unsigned index = use.first + r;
      uint32_t held = undefined.scalars[at], changed = changes.scalars[at], allowed = changed;
      bool isExec = index == sgpr::exec || index == sgpr::exec + 1;
      if (isExec) // the check reports it and calls it defined afterwards
        held = uint32_t(lanesOfExec >> 32 * (index - sgpr::exec));
      else if (wasReported)
        continue;
      if (isVector)
        allowed = use.count == 2 ? changed | uint32_t(reached >> 32 * r) : changed ? ~0u : 0;
      verdict.changed |= changed != 0;
      verdict.missed |= (changed & ~held) != 0;
      verdict.tainted |= (held & ~allowed) != 0;
    }
  }
  return verdict;
}

} // namespace nstf::emulator::test
