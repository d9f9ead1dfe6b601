// Products with quantised weights, and with rows that are quantised too, at sizes that fit no group, no word and no
// tile: every launch and output on both chips against the reference of the same codes.
#include "passes/nstf/WeightFormat.h"
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

struct Case {
  const char *format;
  Precision precision;
  const char *activations = "none";
};

class QuantizeTest : public KernelTest, public ::testing::WithParamInterface<Case> {
protected:
  QuantizeTest() {
    options.quantize = GetParam().format;
    options.precision = GetParam().precision;
    options.activations = GetParam().activations;
    if (*options.activations == "e4m3fnuz")
      options.targets = {"gfx942"};
    options.maxTokens = 65;
  }
};

TEST_P(QuantizeTest, Linear) {
  GraphText graph(256);
  constexpr int64_t tokens = GraphText::tokens;
  int64_t group = parseWeightFormat(options.quantize)->group;
  for (auto [k, n] : {std::pair<int64_t, int64_t>{172, 1}, {1, 38}, {38, 172}, {300, 17}, {38, 4096}, {4096, 38}}) {
    k = std::max(k, group); // larger groups are refused
    TextValue x = graph.input({tokens, k});
    std::vector<TextValue> operands = {x, graph.weight({n, k})};
    if (n == 172)
      operands.push_back(graph.weight({n}));
    TextValue y = graph.op("linear", operands, tensorType({tokens, n}));
    graph.output(n == 17 ? graph.op("add", {y, graph.input({tokens, n})}, y.type) : y);
  }
  check(graph, {{1, 2, 16, 17, 64, 65}, {}});
}

INSTANTIATE_TEST_SUITE_P(Formats, QuantizeTest,
                         ::testing::Values(Case{"int8", Precision::F16}, Case{"int8_g64", Precision::BF16},
                                           Case{"int4_g128", Precision::F16}, Case{"int4_g32_sym", Precision::BF16},
                                           Case{"int4_asym", Precision::F32}, Case{"int5_g64", Precision::F16},
                                           Case{"int6_g32", Precision::BF16}, Case{"int6", Precision::F16},
                                           Case{"e4m3fnuz", Precision::F16}, Case{"e4m3fnuz_g64", Precision::BF16},
                                           Case{"int8", Precision::F16, "i8"}, Case{"int8", Precision::F32, "i8"},
                                           Case{"e4m3fnuz", Precision::F16, "e4m3fnuz"}),
                         [](const auto &info) {
                           std::string rows = info.param.activations;
                           return std::string(info.param.format) + "_" + getName(info.param.precision).str() +
                                  (rows == "none" ? "" : "_times_" + rows);
                         });

} // namespace
