// Products on vector units and matrix cores at sizes that no tile divides, and fused epilogues.
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t positions = 1024, tokens = GraphText::tokens;

TextValue addLinear(GraphText &graph, const TextValue &x, int64_t k, int64_t n, bool hasBias, int64_t rows = tokens) {
  std::vector<TextValue> operands = {x, graph.weight({n, k})};
  if (hasBias)
    operands.push_back(graph.weight({n}));
  return graph.op("linear", operands, tensorType({rows, n}));
}

TEST_F(KernelTest, LinearOfAnySize) {
  GraphText graph(positions);
  // Every size as K and as N, each with a small and a large other extent.
  const std::pair<int64_t, int64_t> sizes[] = {{1, 1},   {1, 257},  {7, 16},   {7, 200},   {16, 38},  {16, 7},
                                               {38, 64}, {38, 1},   {64, 172}, {64, 64},   {172, 64}, {172, 257},
                                               {200, 7}, {200, 38}, {257, 16}, {257, 200}, {64, 7},   {38, 172}};
  bool hasBias = false;
  for (auto [k, n] : sizes) {
    graph.output(addLinear(graph, graph.input({tokens, k}), k, n, hasBias));
    hasBias = !hasBias;
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

// Near the lengths at which a partial sum of the matrix kernel ends: 512, and 1024 in 16 bits.
TEST_F(KernelTest, LinearOfSeveralPartialSums) {
  for (Precision precision : {Precision::F32, Precision::F16}) {
    GraphText graph(positions);
    for (int64_t k : {511, 512, 513, 1024, 1041})
      graph.output(addLinear(graph, graph.input({tokens, k}), k, 38, k == 513));
    options.maxTokens = 200;
    options.precision = precision;
    check(graph, allTokens());
  }
}

TEST_F(KernelTest, LinearOfOneRowWhateverTheTokens) {
  GraphText graph(positions);
  for (auto [k, n] : {std::pair<int64_t, int64_t>{64, 54}, {257, 200}, {7, 1}}) {
    TextValue last = graph.op("last_row", {graph.input({tokens, k})}, tensorType({1, k}));
    graph.output(addLinear(graph, last, k, n, n == 54, 1));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, LinearWithSlotsFilled) {
  GraphText graph(positions);
  for (auto [k, n] : {std::pair<int64_t, int64_t>{64, 172}, {38, 7}, {257, 200}}) {
    std::string type = tensorType({tokens, n});
    TextValue x = graph.input({tokens, k}), other = graph.input({tokens, n});
    graph.output(graph.op("add", {other, addLinear(graph, x, k, n, false)}, type));
    graph.output(graph.op("mul", {addLinear(graph, x, k, n, true), other}, type));
    graph.output(graph.op("silu", {addLinear(graph, x, k, n, true)}, type));
    graph.output(graph.op("swiglu", {addLinear(graph, x, k, n, false), other}, type));
    graph.output(graph.op("swiglu", {other, addLinear(graph, x, k, n, true)}, type));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, LinearWithAChainInItsSlot) {
  GraphText graph(positions);
  for (int64_t n : {38, 172}) {
    std::string type = tensorType({tokens, n});
    TextValue x = graph.input({tokens, 64}), a = graph.input({tokens, n}), b = graph.input({tokens, n});
    TextValue sum = graph.op("add", {addLinear(graph, x, 64, n, true), a}, type);
    TextValue product = graph.op("mul", {graph.op("silu", {sum}, type), b}, type);
    graph.output(graph.op("add", {product, a}, type));
    // Two products in one sum, and a product times itself.
    TextValue left = addLinear(graph, x, 64, n, false), right = addLinear(graph, x, 64, n, true);
    graph.output(graph.op("add", {left, right}, type));
    TextValue twice = addLinear(graph, x, 64, n, false);
    graph.output(graph.op("mul", {twice, twice}, type));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, GraphsWithoutTokens) {
  GraphText graph(1);
  for (int64_t rows : {1, 5, 16, 70}) {
    TextValue x = graph.input({rows, 38});
    TextValue y = graph.op("silu", {addLinear(graph, x, 38, 20, true, rows)}, tensorType({rows, 20}));
    graph.output(graph.op("softmax", {y}, y.type));
    graph.output(graph.op("argmax", {y}, tensorType({rows}, "i32")));
    TextValue norm = graph.weight({38});
    graph.output(graph.op("rms_norm", {x, norm}, x.type, "{eps = 1.0e-6 : f64}"));
    graph.output(graph.op("attention", {x, x, x}, x.type, "{heads = 2 : i64, kv_heads = 2 : i64, scale = 0.3 : f64}"));
  }
  check(graph, {{1, 1}, {}});
}

} // namespace
