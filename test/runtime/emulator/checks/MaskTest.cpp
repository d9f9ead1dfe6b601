// Undefined bits through every encoding of every instruction that uses registers without memory, tested lane by lane.
// Some bits of the operands are undefined, in one lane or one SGPR. The test compares the result bits that the check
// calls undefined with those that other values of the undefined bits change. A bit that changes must not count as
// defined. In other lanes, and in other bits of a mask, a bit that does not change must not count as undefined.
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "test/runtime/emulator/checks/UndefinedOperands.h"
#include "test/runtime/emulator/decode/EveryInstruction.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::checks;
using namespace nstf::emulator::test;

namespace {

/// Scalar instructions for which the check spreads an undefined bit further than the bit can change, by the rules of
/// DefinednessRules.h: sums and products spread it upwards from the bit; bit counts, bit positions, minima and shift
/// amounts make the whole result undefined.
struct Spreading {
  const char *prefix;
  int operand = -1; ///< LLVM's number of the operand it holds for; -1: all
};
constexpr Spreading spreading[] = {{"S_ABS"},      {"S_ADD"},       {"S_ASHR_", 2},  {"S_BCNT"},   {"S_BFE_", 2},
                                   {"S_BFM_"},     {"S_BITCMP", 1}, {"S_BITSET", 1}, {"S_FF"},     {"S_FLBIT_"},
                                   {"S_LSHL_", 2}, {"S_LSHR_", 2},  {"S_LSHL1_"},    {"S_LSHL2_"}, {"S_LSHL3_"},
                                   {"S_LSHL4_"},   {"S_MAX_"},      {"S_MIN_"},      {"S_MUL"},    {"S_SUB"}};
/// Instructions whose SGPR pairs are numbers, not masks.
constexpr const char *takesPairs[] = {"V_DIV_FMAS_F64", "V_DIV_SCALE_F64", "V_MAD_I64_I32", "V_MAD_U64_U32",
                                      "V_MQSAD_U32_U8"};

/// The SGPRs that an instruction reads as a mask of lanes: VCC where it is implied, and pairs that are not a number.
std::vector<RegisterUse> masksOf(const InstructionFacts &facts) {
  std::vector<RegisterUse> masks;
  const InstructionInfo &info = getInfo(facts.encoding->opcode);
  bool number = std::count(std::begin(takesPairs), std::end(takesPairs), facts.name()) != 0;
  for (OperandType type : info.types)
    number |= type != OperandType::none && getBits(type) == 64;
  for (const RegisterUse &use : facts.reads)
    if (!use.vector && use.role == OperandRole::Source && use.count == 2 && (use.operand < 0 || !number))
      masks.push_back(use);
  return masks;
}

/// Whether another operand is the same register or a part of it. The check then treats each by itself.
bool isReadTwice(const InstructionFacts &facts, const RegisterUse &use) {
  return std::any_of(facts.reads.begin(), facts.reads.end(), [&](const RegisterUse &other) {
    return (other.operand != use.operand || other.first != use.first) && other.overlaps(use);
  });
}

/// The encodings of a chip as one program.
struct Catalogue {
  const Target &target;
  std::vector<KnownInstruction> instructions;
  std::vector<std::pair<const KnownInstruction *, size_t>> places;
  std::vector<uint8_t> text;
  std::shared_ptr<const DecodedProgram> program;

  explicit Catalogue(const std::string &name) : target(*Target::find(name)), instructions(everyInstruction(name)) {
    for (const KnownInstruction &instruction : instructions) {
      Opcode opcode = findOpcode(instruction.name);
      if (opcode == Opcode::Trap || !wanted(getInfo(opcode)))
        continue;
      // Vector instructions have many encodings that differ in one operand: about ten of them are enough.
      size_t step = instruction.name.starts_with("S_") ? 1 : 1 + instruction.shapes.size() / 8;
      for (size_t shape = 0; shape < instruction.shapes.size(); shape += shape ? step : 1) {
        places.push_back({&instruction, text.size()});
        text.insert(text.end(), instruction.shapes[shape].begin(), instruction.shapes[shape].end());
      }
    }
    std::span<const uint8_t> span(text);
    program = decodeProgram(target, {&span, 1});
  }
  /// Everything except memory and control flow.
  static bool wanted(const InstructionInfo &info) {
    if (info.form == Form::Control)
      return info.name.starts_with("S_MOVREL");
    if (info.form == Form::LdsLanes)
      return !info.name.starts_with("DS_GWS_");
    if (info.form == Form::Matrix) // no manual defines broadcasts of A for f64 blocks
      return !info.name.starts_with("V_MFMA_F64_4X4X4");
    return info.form <= Form::CrossLane && info.form != Form::ScalarMemory;
  }
  static const Catalogue &of(const std::string &name) {
    static std::map<std::string, std::unique_ptr<Catalogue>> known;
    auto &catalogue = known[name];
    if (!catalogue)
      catalogue = std::make_unique<Catalogue>(name);
    return *catalogue;
  }
};

class Masks : public testing::TestWithParam<const char *> {
public:
  /// Calls `function` with the first micro-op and the facts of each encoding.
  template <typename Function> void forEach(Function function) {
    const Catalogue &catalogue = Catalogue::of(GetParam());
    UndefinedOperands sandbox(catalogue.target, *catalogue.program);
    for (const auto &[instruction, offset] : catalogue.places) {
      const MicroOp *op = catalogue.program->at(reinterpret_cast<uint64_t>(catalogue.text.data()) + offset);
      if (op && Opcode(op->opcode) != Opcode::Trap)
        function(sandbox, op, sandbox.getFacts(op), std::span(catalogue.text).subspan(offset));
    }
  }
  void add(const std::string &name, std::span<const uint8_t> bytes, const Verdict &verdict, const std::string &input) {
    tried.insert(name);
    if (verdict.changed)
      changed.insert(name);
    if (!verdict.missed && !verdict.tainted)
      return;
    std::string assembly = Disassembler(*Target::find(GetParam())).print(bytes, 0);
    if (verdict.missed)
      wrong.emplace(name, assembly + ": the check holds bits defined that " + input + " changes");
    if (verdict.tainted)
      wrong.emplace(name, assembly + ": the check holds bits undefined that " + input + " doesn't reach");
  }
  void expectRight() {
    for (const auto &[name, text] : wrong)
      ADD_FAILURE() << text;
  }

  std::mt19937 random{17};
  std::set<std::string> tried, changed;
  std::map<std::string, std::string> wrong;
};

/// One lane of the vector operands is undefined.
TEST_P(Masks, ALaneReachesItselfOnly) {
  forEach([&](UndefinedOperands &sandbox, const MicroOp *op, const InstructionFacts &facts,
              std::span<const uint8_t> bytes) {
    std::vector<UndefinedOperand> all;
    for (const RegisterUse &use : facts.reads)
      for (unsigned r = 0; use.vector && r < use.count; ++r)
        if (std::none_of(all.begin(), all.end(), [&](const UndefinedOperand &i) { return i.index == use.first + r; }))
          all.push_back({true, use.first + r, 0, ~0u});
    if (all.empty())
      return;
    // Instructions that read few lanes get every lane tried.
    bool few = facts.name().starts_with("V_READ") || facts.name() == "DS_SWIZZLE_B32";
    for (unsigned variant = 0; variant < (few ? Wave::width : 3); ++variant) {
      std::vector<UndefinedOperand> operands = all;
      if (variant % 3) // one register, or some bits of it
        operands = {all[random() % all.size()]};
      if (variant % 3 == 2)
        operands[0].bits = uint32_t(random() & random());
      unsigned lane = few ? variant : unsigned(random() % Wave::width);
      while (!few && !variant && !(sandbox.exec() >> lane & 1))
        lane = unsigned(random() % Wave::width);
      for (UndefinedOperand &operand : operands)
        operand.lane = lane;
      Verdict verdict = sandbox.judge(op, operands, random, 10);
      // ds_permute pushes to any lane that its address may name; in a product a zero hides what reaches a row or
      // column.
      if (facts.name() == "DS_PERMUTE_B32" || facts.kind == InstructionKind::Matrix)
        verdict.tainted = false;
      add(facts.name(), bytes, verdict, "one lane of its operands");
    }
  });
  expectRight();
  EXPECT_GT(tried.size(), 450u);
  for (const std::string &name : tried)
    if (!changed.contains(name)) // never depends on its operands
      EXPECT_TRUE(name.starts_with("V_CMP_F_") || name.starts_with("V_CMP_T") || name.starts_with("V_CMPX_F_") ||
                  name.starts_with("V_CMPX_T"))
          << name << " never shows what reaches its results";
}

/// One bit of a mask that a vector instruction reads is undefined.
TEST_P(Masks, ABitOfAMaskReachesItsLaneOnly) {
  forEach([&](UndefinedOperands &sandbox, const MicroOp *op, const InstructionFacts &facts,
              std::span<const uint8_t> bytes) {
    if (!facts.name().starts_with("V_"))
      return;
    for (const RegisterUse &mask : masksOf(facts))
      for (unsigned variant = 0; variant < 6 && !isReadTwice(facts, mask); ++variant) {
        unsigned lane = unsigned(random() % Wave::width);
        UndefinedOperand operand{false, mask.first + lane / 32u, lane, 1u << lane % 32};
        add(facts.name(), bytes, sandbox.judge(op, {operand}, random, 1), "one bit of its mask");
      }
  });
  expectRight();
  EXPECT_EQ(tried, (std::set<std::string>{"V_ADDC_CO_U32", "V_CNDMASK_B32", "V_DIV_FMAS_F32", "V_DIV_FMAS_F64",
                                          "V_SUBBREV_CO_U32", "V_SUBB_CO_U32"}));
  EXPECT_EQ(changed, tried);
}

/// One bit is undefined: of an SGPR or SCC for a scalar instruction, of an SGPR that is a number for a vector one.
TEST_P(Masks, ABitOfAScalarReachesWhatItChanges) {
  bool spread[std::size(spreading)] = {};
  forEach([&](UndefinedOperands &sandbox, const MicroOp *op, const InstructionFacts &facts,
              std::span<const uint8_t> bytes) {
    bool isScalar = facts.name().starts_with("S_");
    std::vector<RegisterUse> masks = isScalar ? std::vector<RegisterUse>() : masksOf(facts);
    for (const RegisterUse &use : facts.reads) {
      if (!facts.writes.empty() && facts.writes[0].first == sgpr::exec &&
          facts.name().find("EXEC") != std::string::npos)
        continue; // saves EXEC in EXEC
      if (use.vector || use.role == OperandRole::Exec || use.first == sgpr::exec || use.first == sgpr::exec + 1 ||
          std::find(masks.begin(), masks.end(), use) != masks.end() || isReadTwice(facts, use))
        continue;
      for (unsigned variant = 0; variant < (isScalar ? 3 : 1); ++variant) {
        unsigned bit = use.first == sgpr::scc ? 0 : unsigned(random() % (32 * use.count));
        UndefinedOperand operand{false, use.first + bit / 32u, 0, 1u << bit % 32};
        Verdict verdict = sandbox.judge(op, {operand}, random, 1);
        if (!isScalar)
          verdict.tainted = false; // a bit of a number reaches all lanes
        for (size_t i = 0; i < std::size(spreading) && verdict.tainted; ++i)
          if (facts.name().starts_with(spreading[i].prefix) &&
              (spreading[i].operand < 0 || spreading[i].operand == use.operand)) {
            spread[i] = true;
            verdict.tainted = false;
          }
        add(facts.name(), bytes, verdict, "one bit of an SGPR");
      }
    }
  });
  expectRight();
  for (size_t i = 0; i < std::size(spreading); ++i)
    EXPECT_TRUE(spread[i]) << spreading[i].prefix << " needn't be listed";
}

INSTANTIATE_TEST_SUITE_P(Targets, Masks, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
