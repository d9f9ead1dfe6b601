// Chip rows: all are valid, and errors describe an invalid one.
#include "compiler/target/Target.h"
#include "test/support/Failure.h"
#include "test/support/TemporaryFolder.h"

#include "compiler/codegen/Codegen.h"
#include "dialects/nstf/Target.h"
#include "mlir/Parser/Parser.h"
#include "templates/Templates.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

using namespace mlir;
using namespace nstf;
using testing::ElementsAre;
using testing::HasSubstr;

using nstf::test::failure;

namespace {

/// The gfx942 row with one piece of its text replaced.
std::string edited(const std::string &from, const std::string &to) {
  std::string text(*templateText("targets/gfx942.yaml"));
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string failureOf(const std::string &text) {
  return failure([&] { parseTarget(text, "row.yaml"); });
}

TEST(Templates, EveryFileIsFoundByItsName) {
  auto names = templateNames();
  EXPECT_THAT(names, testing::Contains("targets/gfx90a.yaml"));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (std::string_view name : names)
    EXPECT_TRUE(templateText(name).has_value()) << name;
  EXPECT_FALSE(templateText("targets/gfx942").has_value());
  EXPECT_FALSE(templateText("").has_value());
  EXPECT_TRUE(templateNames("nothing/").empty());
}

TEST(Target, EveryNumberHasASource) {
  for (const Target &target : listTargets()) {
    const std::string name = "targets/" + target.name + ".yaml";
    std::istringstream lines{std::string(*templateText(name))};
    std::regex number("^[a-z0-9_]+: +[0-9]+ .*"), sourced("^[a-z0-9_]+: +[0-9]+ +# \\[[DMIU]\\] .+");
    unsigned numbers = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_match(line + " ", number))
        continue;
      ++numbers;
      EXPECT_TRUE(std::regex_match(line, sourced)) << name << ": " << line;
    }
    EXPECT_GE(numbers, 11u) << name; // the chip's file has the others
  }
}

TEST(Target, ANameMeansOneTarget) {
  std::set<std::string> names;
  for (const Target &target : listTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    for (const std::string &alias : target.aliases)
      EXPECT_TRUE(names.insert(alias).second) << alias << " of " << target.name;
  }
}

TEST(Target, KnownFacts) {
  Target target = findTarget("gfx942");
  EXPECT_EQ(target.computeUnits, 304);
  EXPECT_EQ(target.vgprsPerLane, 512);
  EXPECT_EQ(target.fp8, "fnuz");
  EXPECT_THAT(target.waveSizes, ElementsAre(64));
  EXPECT_EQ(findTarget("gfx90a").fp8, "none");
}

TEST(Target, ChipNumbersAreTheDefaultChipsUnlessTheRowSaysOtherwise) {
  Target target = findTarget("gfx942"), gfx90a = findTarget("gfx90a");
  EXPECT_EQ(target.defaultChip, "mi300x");
  EXPECT_EQ(target.l2Latency, 213);
  EXPECT_EQ(target.memoryBytes, 192ll << 30);
  EXPECT_EQ(gfx90a.l2Latency, 249);
  EXPECT_EQ(gfx90a.computeUnits, 104); // not MI250X's 110, because the code also runs on MI210
  EXPECT_EQ(parseTarget(edited("fp8: fnuz", "fp8: fnuz\nl2_latency: 5"), "row.yaml").l2Latency, 5);
  EXPECT_THAT(failureOf(edited("default_chip: mi300x", "default_chip: mi300z")),
              HasSubstr("row.yaml:7:15: expected a built-in chip but got 'mi300z'"));
}

/// A chip like mi300x except for one constant.
std::string chipWith(const std::string &constant) {
  return "name: mine\ntarget: gfx942\ndescription: what if\nbase: mi300x\nconstants:\n  " + constant + "\n";
}

TEST(Target, AChipFileStandsBesideTheRow) {
  test::TemporaryFolder folder;
  std::string row = folder.write("row.yaml", edited("default_chip: mi300x", "default_chip: mine.yaml"));
  folder.write("mine.yaml", chipWith("lds_banks: {value: 64, unit: count, mark: U, source: what if}"));
  Target target = findTarget(row);
  EXPECT_EQ(target.defaultChip, "mine");
  EXPECT_EQ(target.ldsBanks, 64);
  EXPECT_EQ(target.ldsBytes, 65536); // from the base
  folder.write("mine.yaml", chipWith("lds_banks: {value: 128, unit: count, mark: U, source: what if}"));
  EXPECT_THAT(failure([&] { findTarget(row); }),
              HasSubstr("mine.yaml:6:3: expected 'lds_banks' to be at most 64 but got 128"));
  folder.write("mine.yaml", chipWith("matrix_pass_clocks: {value: 0, unit: clk, mark: U, source: what if}"));
  EXPECT_THAT(
      failure([&] { findTarget(row); }),
      HasSubstr("mine.yaml:6:3: expected the constant 'matrix_pass_clocks' to be a whole number of at least 1"));
  folder.write("mine.yaml", "name: mine\ntarget: gfx942\ndescription: nothing\nconstants: {}\n");
  EXPECT_THAT(failure([&] { findTarget(row); }), HasSubstr("mine.yaml:4:12: expected the constant '"));
  EXPECT_THAT(failure([&] { parseTarget(edited("default_chip: mi300x", "default_chip: none.yaml"), "row.yaml"); }),
              HasSubstr("none.yaml: No such file"));
}

TEST(Target, NamesAndAliases) {
  EXPECT_EQ(findTarget("mi210").name, "gfx90a");
  EXPECT_EQ(findTarget("MI250X").name, "gfx90a");
  EXPECT_EQ(findTarget("mi300x").name, "gfx942");
  EXPECT_THAT(failure([] { findTarget("gfx1100"); }),
              HasSubstr("expected a known target but got 'gfx1100'; known are gfx90a (mi210, mi250, mi250x), gfx942"));
  EXPECT_THAT(failure([] { findTarget("nowhere.yaml"); }), HasSubstr("nowhere.yaml: No such file"));
}

TEST(Target, ARowOfOnesOwn) {
  Target target = findTarget(TEST_WAVE_ROW);
  EXPECT_EQ(target.name, "test-wave");
  EXPECT_THAT(target.waveSizes, ElementsAre(32, 64));
  EXPECT_EQ(target.preferredWaveSize, 32);
}

TEST(Target, WrongRowsNameFileAndLine) {
  EXPECT_THAT(failureOf(edited("lds_granule: 512", "lds_granul: 512")),
              HasSubstr("expected one of the keys that are known but got 'lds_granul', did you mean 'lds_granule'?"));
  EXPECT_THAT(failureOf(edited("\nname:", "\nspeed: 3\nname:")),
              HasSubstr("expected one of the keys that are known but got 'speed'"));
  std::string twice = edited("fp8: fnuz", "fp8: fnuz\nfp8: ocp");
  EXPECT_THAT(failureOf(twice), HasSubstr("expected every key once but got 'fp8' again"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: fnuz\n[a, b]: c")), HasSubstr("expected a name but got a list of 2"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: [a, b]")),
              HasSubstr("expected 'fp8' to be a text but got a list of 2"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: fnuz\ncompute_units: many")),
              testing::MatchesRegex(
                  "row\\.yaml:[0-9]+:16: expected 'compute_units' to be a whole number of at least 1 but got 'many'"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: fnuz\nlds_bytes: 0")),
              HasSubstr("expected 'lds_bytes' to be a whole number of at least 1 but got '0'"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: fnuz\nlds_banks: 65")),
              testing::MatchesRegex("row\\.yaml:[0-9]+:12: expected 'lds_banks' to be at most 64 but got 65"));
  for (std::string key : {"lds_cover_clocks", "barrier_cover_clocks", "exchange_clocks"}) {
    EXPECT_THAT(failureOf(edited("\n" + key, "\n# " + key)),
                HasSubstr("expected the key '" + key + "' with a whole number of at least 0"));
    EXPECT_THAT(failureOf(edited("\n" + key + ": ", "\n" + key + ": -")),
                HasSubstr("expected '" + key + "' to be a whole number of at least 0 but got '-"));
  }
  EXPECT_THAT(failureOf(edited("preferred_wave_size: 64", "preferred_wave_size: 32")),
              HasSubstr("expected 'preferred_wave_size' to be one of 'wave_sizes' but got '32'"));
  EXPECT_THAT(failureOf(edited("wave_sizes: [64]", "wave_sizes: [48]")),
              HasSubstr("expected a wave size of 32 or 64 but got '48'"));
  EXPECT_THAT(failureOf(edited("fp8: fnuz", "fp8: e4m3")), HasSubstr("expected 'fp8' to be none, fnuz or ocp"));
  EXPECT_THAT(failureOf(edited("passes: 16}", "pass: 16}")),
              HasSubstr("expected one of the keys name, a, b, c, m, n, k, blocks, passes but got 'pass'"));
  EXPECT_THAT(failureOf(edited("\nname: gfx942", "\nname: a/b")),
              HasSubstr("expected 'name' to be letters, digits, '-', '_' and '.' but got 'a/b'"));
  EXPECT_THAT(failureOf("name: [unclosed"), HasSubstr("row.yaml:"));
  EXPECT_THAT(failureOf("just text"), HasSubstr("row.yaml:1:1: expected a target: a map but got 'just text'"));
}

TEST(TargetView, SaysWhatTheRowSays) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_FALSE(TargetView::lookup(*module));
  Target target = findTarget("gfx942");
  attachTarget(*module, target);
  auto view = TargetView::require(*module);
  ASSERT_TRUE(succeeded(view));
  EXPECT_EQ(view->chip(), "gfx942");
  auto emitError = [&] { return module->emitError(); };
  EXPECT_TRUE(succeeded(view->requireWaveSize(64, emitError)));
  EXPECT_TRUE(failed(view->requireWaveSize(32, emitError)));
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) EXPECT_EQ(view->name(), target.name) << #key;
#include "dialects/nstf/TargetFields.def"
  auto instructions = view->matrixInstructions();
  ASSERT_EQ(instructions.size(), target.matrixInstructions.size());
  EXPECT_EQ(instructions[2].name, "v_mfma_f32_16x16x4_f32");
  EXPECT_EQ(instructions[2].flops(), 2048);
}

TEST(TargetView, AnAttributeByHandIsVerified) {
  MLIRContext context;
  std::string said;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  auto module = parseSourceString<ModuleOp>(
      R"(module attributes {nstf.target = {name = "x", chip = "y", fp8 = "none", compute_units = -1}} {})", &context);
  ASSERT_TRUE(bool(module));
  EXPECT_TRUE(failed(TargetView::require(*module)));
  EXPECT_EQ(said, "expected a target to have a number 'compute_units' of at least 1 but got -1 : i64");
  said.clear();
  NamedAttrList facts(findTarget("gfx942").attribute(&context));
  facts.set("lds_banks", Builder(&context).getI64IntegerAttr(128));
  (*module)->setAttr(TargetView::attributeName, facts.getDictionary(&context));
  EXPECT_TRUE(failed(TargetView::require(*module)));
  EXPECT_EQ(said, "expected a target to have at most 64 'lds_banks' but got 128");
  said.clear();
  (*module)->removeAttr(TargetView::attributeName);
  EXPECT_TRUE(failed(TargetView::require(*module)));
  EXPECT_THAT(said, HasSubstr("expected a target"));
}

/// The registers, in the assembler's syntax, of an operand with `elements` numbers of `type` spread over 64 lanes.
std::string operand(char file, int64_t elements, const std::string &type) {
  int64_t bits = type.starts_with("f8") || type == "i8" ? 8
                 : type == "f16" || type == "bf16"      ? 16
                 : type == "f64"                        ? 64
                                                        : 32;
  int64_t registers = elements * bits / 32 / 64;
  return registers == 1 ? std::string(1, file) + "0"
                        : std::string(1, file) + "[0:" + std::to_string(registers - 1) + "]";
}

// LLVM's assembler checks the names, shapes and types.
TEST(Target, EveryMatrixInstructionAssembles) {
  for (const Target &target : listTargets()) {
    CodegenOptions options;
    options.chip = target.chip;
    for (const Target::Instruction &i : target.matrixInstructions) {
      std::string c = operand('a', i.m * i.n * i.blocks, i.c);
      std::string text = i.name + " " + c + ", " + operand('v', i.m * i.k * i.blocks, i.a) + ", " +
                         operand('v', i.k * i.n * i.blocks, i.b) + ", " + c + "\n";
      auto object = assemble(text, options);
      EXPECT_TRUE(bool(object)) << target.name << ": " << text << llvm::toString(object.takeError());
    }
  }
}

} // namespace
