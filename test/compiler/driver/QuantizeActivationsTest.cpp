// Rows as codes, and products of codes on both sides, at sizes that fit no group, no word and no tile: every launch and
// output on both chips against the reference.
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

using QuantizeRowsTest = KernelTest;

TEST_F(QuantizeRowsTest, CodesAndScales) {
  std::string arguments, results, body, names, types;
  int64_t count = 0;
  auto add = [&](std::string &list, const std::string &entry) { list += (list.empty() ? "" : ", ") + entry; };
  for (auto [columns, group, type] :
       {std::tuple(64, 64, "f32"), std::tuple(1, 1, "f32"), std::tuple(36, 12, "f32"), std::tuple(38, 38, "f16"),
        std::tuple(172, 43, "bf16"), std::tuple(300, 300, "f32"), std::tuple(4096, 128, "f32"),
        std::tuple(4097, 4097, "f32"), std::tuple(9000, 9000, "f16")}) {
    std::string n = std::to_string(count++), x = tensorType({-1, columns}, type),
                codes = tensorType({-1, columns}, "i8"), scales = tensorType({-1, columns / group});
    add(arguments, "%x" + n + ": " + x + " {nstf.name = \"x" + n + "\"}");
    add(results, codes + " {nstf.name = \"q" + n + "\"}, " + scales + " {nstf.name = \"s" + n + "\"}");
    body += "%q" + n + ", %s" + n + " = nstf.quantize %x" + n + " {type = i8, group = " + std::to_string(group) +
            "} : " + x + " -> " + codes + ", " + scales + "\n";
    add(names, "%q" + n + ", %s" + n);
    add(types, codes + ", " + scales);
  }
  options.maxTokens = 65;
  compile("nstf.graph @main(" + arguments + ") -> (" + results + ") attributes {context = 128 : i64} {\n" + body +
          "nstf.return " + names + " : " + types + "\n}\n");
  if (!HasFatalFailure())
    expectReference({{1, 2, 16, 17, 64, 65}, {}});
}

struct Case {
  const char *type, *format;
  Precision precision;
};

class QuantizeActivationsTest : public KernelTest, public ::testing::WithParamInterface<Case> {
protected:
  QuantizeActivationsTest() {
    options.quantize = GetParam().format;
    options.activations = GetParam().type;
    options.precision = GetParam().precision;
    options.maxTokens = 65;
  }
};

TEST_P(QuantizeActivationsTest, Linear) {
  GraphText graph(256);
  constexpr int64_t tokens = GraphText::tokens;
  for (auto [k, n] : {std::pair<int64_t, int64_t>{1, 38}, {38, 172}, {172, 1}, {300, 17}, {38, 4096}, {4096, 38}}) {
    TextValue x = graph.input({tokens, k});
    std::vector<TextValue> operands = {x, graph.weight({n, k})};
    if (n == 172)
      operands.push_back(graph.weight({n}));
    TextValue y = graph.op("linear", operands, tensorType({tokens, n}));
    graph.output(n == 17 ? graph.op("add", {y, graph.input({tokens, n})}, y.type) : y);
  }
  check(graph, {{1, 2, 16, 17, 64, 65}, {}});
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizeActivationsTest,
                         ::testing::Values(Case{"i8", "int8", Precision::F16}, Case{"i8", "int8", Precision::F32}),
                         [](const auto &info) {
                           return std::string(info.param.type) + "_" + getName(info.param.precision).str();
                         });

} // namespace
