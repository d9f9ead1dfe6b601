// --verify finds errors: another model's package, a changed file, a missing one.
#include "compiler/driver/VerifyReport.h"
#include "test/compiler/driver/KernelTest.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace nstf;
using namespace nstf::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class VerifyTest : public KernelTest {
protected:
  VerifyTest() { options.targets = {"gfx942"}; }

  static std::string makeText(const std::string &activation) {
    GraphText graph(64);
    TextValue x = graph.input({GraphText::tokens, 20});
    TextValue y = graph.op("linear", {x, graph.weight({7, 20})}, tensorType({GraphText::tokens, 7}));
    graph.output(y);
    graph.output(graph.op(activation, {y}, y.type));
    return graph.text();
  }

  std::pair<int, std::string> runVerify() {
    std::ostringstream report;
    int status = verify(*compilation, package(), {}, report);
    return {status, report.str()};
  }

  std::string getError(const VerifyOptions &options) {
    std::ostringstream report;
    try {
      verify(*compilation, package(), options, report);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error: " + report.str();
  }
};

TEST_F(VerifyTest, AgreesWithItsOwnPackage) {
  compile(makeText("silu"));
  auto [status, report] = runVerify();
  EXPECT_EQ(status, 0) << report;
  EXPECT_THAT(report, HasSubstr("verify: gfx942 output out0: 2 compared"));
  EXPECT_THAT(report, Not(HasSubstr("PAST TOLERANCE")));
}

TEST_F(VerifyTest, FindsOtherWeights) {
  compile(makeText("silu"));
  std::filesystem::rename(package(), folder / "first.nstf");
  options.seed = 8;
  compile(makeText("silu"));
  std::filesystem::remove_all(package());
  std::filesystem::rename(folder / "first.nstf", package());
  auto [status, report] = runVerify();
  EXPECT_EQ(status, 1);
  // The kernels compute the right results from their inputs, but the model's results are wrong.
  EXPECT_THAT(report, ::testing::ContainsRegex("output out0: [^\n]*PAST TOLERANCE"));
  EXPECT_THAT(report, Not(::testing::ContainsRegex("kernel [^\n]*PAST TOLERANCE")));
}

TEST_F(VerifyTest, FindsAnotherKernel) {
  compile(makeText("softmax"));
  std::filesystem::rename(package(), folder / "first.nstf");
  compile(makeText("silu"));
  std::filesystem::remove_all(package());
  std::filesystem::rename(folder / "first.nstf", package());
  auto [status, report] = runVerify();
  EXPECT_EQ(status, 1);
  EXPECT_THAT(report, ::testing::ContainsRegex("kernel silu_0_t1: [^\n]*PAST TOLERANCE"));
  EXPECT_THAT(report, ::testing::ContainsRegex("output out1: [^\n]*PAST TOLERANCE"));
  EXPECT_THAT(report, Not(::testing::ContainsRegex("output out0: [^\n]*PAST TOLERANCE")));
}

TEST_F(VerifyTest, FindsAChangedCodeObject) {
  compile(makeText("silu"));
  std::fstream file(package() / "kernels.gfx942.hsaco", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('x');
  file.close();
  EXPECT_THAT(getError({}), HasSubstr("kernels.gfx942.hsaco: expected the code object with SHA-256"));
}

TEST_F(VerifyTest, TellsWhenItsProcessEnds) {
  compile(makeText("silu"));
  auto end = [](const std::string &, runtime::HostTensor &) { std::raise(SIGKILL); };
  EXPECT_THAT(getError({{1}, end}), HasSubstr("the process that verified was ended by signal 9"));
}

TEST_F(VerifyTest, StartsAnywhere) {
  GraphText graph(64);
  TextValue x = graph.input({GraphText::tokens, 8}), cache = graph.state({64, 8});
  TextValue k = graph.op("kv_append", {x, cache}, cache.type);
  graph.output(
      graph.op("attention", {x, k, k}, x.type, "{heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 0.5 : f64}"));
  compile(graph.text());
  std::ostringstream text;
  EXPECT_EQ(verify(*compilation, package(), {{{1, 40}, 5, {3, 20}}, {}}, text), 0) << text.str();
  EXPECT_THAT(text.str(), HasSubstr("output out0: 3 compared"));
  // If both ran on empty states, the max result at position 40 would be 1/41 of the row.
  EXPECT_THAT(getError({{{1, 64}}, {}}), HasSubstr("expected a position from 0 to 63"));
}

TEST_F(VerifyTest, ReportsAsJson) {
  compile(makeText("silu"));
  VerifyOptions verification{{16}, {}, folder / "report.json"};
  std::ostringstream text;
  EXPECT_EQ(verify(*compilation, package(), verification, text), 0);
  std::ifstream file(verification.reportFile);
  auto report = nlohmann::json::parse(file);
  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0]["target"], "gfx942");
  std::map<std::string, int> kinds;
  for (const auto &line : report[0]["compared"]) {
    ++kinds[line["kind"]];
    EXPECT_LE(line["error"], line["allowed"]);
  }
  EXPECT_EQ(kinds["output"], 2);
  EXPECT_GE(kinds["kernel"], 1);
  uint64_t matrix = 0, stored = 0;
  for (const auto &kernel : report[0]["executed"]) {
    EXPECT_EQ(kernel["launches"], 1);
    matrix += kernel["matrix"].get<uint64_t>();
    stored += kernel["globalBytesStored"].get<uint64_t>();
  }
  EXPECT_GT(matrix, 0u);
  EXPECT_EQ(stored, 2 * 16 * 7 * 4u); // two outputs of [16, 7] in f32, each byte once
}

// A launch without error does not hide a later one with an error where none is allowed.
TEST(VerifyReportTest, KeepsTheWorst) {
  VerifyReport report;
  report.add("kernel", "copy", {.largestError = 0, .where = 0, .largestWant = 1, .allowed = 0});
  report.add("kernel", "copy", {.largestError = 1, .where = 0, .largestWant = 1, .allowed = 0});
  report.add("kernel", "copy", {.largestError = 0, .where = 0, .largestWant = 1, .allowed = 0});
  std::ostringstream os;
  EXPECT_EQ(printReport("gfx942", report.toJson(), os), 1) << os.str();
}

// A few codes may be adjacent ones, and none may be further away.
TEST(VerifyReportTest, ComparesCodes) {
  mlir::MLIRContext context;
  mlir::Type whole = mlir::IntegerType::get(&context, 8), number = mlir::Float8E4M3FNUZType::get(&context);
  std::vector<float> codes(2000, 17);
  reference::Tensor want({2000}, codes);
  auto passes = [&](mlir::Type type, float code, int count) {
    std::vector<float> got = codes;
    std::fill_n(got.begin(), count, code);
    return reference::compareCodes(got, want, type).passes();
  };
  EXPECT_TRUE(passes(whole, 18, 3));
  EXPECT_FALSE(passes(whole, 18, 4));
  EXPECT_FALSE(passes(whole, 19, 1));
  EXPECT_TRUE(passes(number, 16, 3)); // codes are 2 apart from 16 on
  EXPECT_FALSE(passes(number, 16, 4));
  EXPECT_FALSE(passes(number, 20, 1));
  EXPECT_FALSE(passes(number, std::nanf(""), 1));
}

TEST_F(VerifyTest, FindsAMissingFile) {
  compile(makeText("silu"));
  std::filesystem::remove(package() / "manifest.json");
  EXPECT_THAT(getError({}), HasSubstr("manifest.json"));
}

} // namespace
