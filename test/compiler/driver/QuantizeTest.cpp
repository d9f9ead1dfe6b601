// Products with quantised weights, and with quantised rows too, at sizes that no group, word or tile divides: every
// launch and output on both chips is compared with the reference of the same codes. ctest runs it with all checks.
#include "passes/nstf/WeightFormat.h"
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

struct Case {
  std::string format;
  Precision precision;
  const char *activations = "none";
};

std::string getName(const Case &test) {
  std::string rows = test.activations;
  return test.format + "_" + nstf::getName(test.precision).str() + (rows == "none" ? "" : "_times_" + rows);
}

/// Every format with both 16-bit types, and products of codes on both sides.
std::vector<Case> makeCases() {
  std::vector<Case> cases;
  for (const char *code : {"int4", "int5", "int6", "int8", "e4m3fnuz"})
    for (std::string group : {"", "_g32", "_g64", "_g128"})
      for (std::string zeros : {"", group.empty() ? "_asym" : "_sym"})
        for (Precision precision : {Precision::F16, Precision::BF16})
          if (std::string format = code + group + zeros; parseWeightFormat(format))
            cases.push_back({format, precision});
  for (Precision precision : {Precision::F16, Precision::BF16, Precision::F32}) {
    cases.push_back({"int8", precision, "i8"});
    cases.push_back({"e4m3fnuz", precision, "e4m3fnuz"});
  }
  cases.push_back({"int5_g32", Precision::F32});
  return cases;
}

const std::vector<Case> cases = makeCases();

/// The sizes rotate, so that codes of each number of bits are tested with all sizes.
std::pair<int64_t, int64_t> getSizes(size_t index) {
  static constexpr std::pair<int64_t, int64_t> sizes[] = {
      {1, 38},   {38, 172}, {172, 4096}, {4096, 1}, {1, 172},    {38, 4096}, {172, 1}, {4096, 38},
      {1, 4096}, {38, 1},   {172, 38},   {300, 17}, {4096, 172}, {1, 1},     {38, 38}, {172, 172}};
  constexpr size_t count = std::size(sizes);
  return sizes[(index + index / count) % count]; // shifted each time, since types alternate too
}

class QuantizeTest : public KernelTest, public ::testing::WithParamInterface<size_t> {
protected:
  QuantizeTest() {
    const Case &test = cases[GetParam()];
    options.quantize = test.format;
    options.precision = test.precision;
    options.activations = test.activations;
    if (*options.activations == "e4m3fnuz")
      options.targets = {"gfx942"};
    options.maxTokens = 64;
  }
};

TEST_P(QuantizeTest, Linear) {
  GraphText graph(256);
  constexpr int64_t tokens = GraphText::tokens;
  auto [k, n] = getSizes(GetParam());
  k = std::max(k, parseWeightFormat(options.quantize)->group); // larger groups are refused
  TextValue x = graph.input({tokens, k});
  std::vector<TextValue> operands = {x, graph.weight({n, k})};
  if (n == 172)
    operands.push_back(graph.weight({n}));
  TextValue y = graph.op("linear", operands, tensorType({tokens, n}));
  graph.output(n == 17 ? graph.op("add", {y, graph.input({tokens, n})}, y.type) : y);
  check(graph, {{1, 2, 16, 17, 64}, {}});
}

INSTANTIATE_TEST_SUITE_P(Formats, QuantizeTest, ::testing::Range<size_t>(0, cases.size()),
                         [](const auto &info) { return getName(cases[info.param]); });

} // namespace
