// Kernels whose operands are f16 and bf16 in memory, at sizes that no tile and no vector of 16 bytes divides.
#include "test/compiler/driver/KernelTest.h"

#include "llvm/ADT/STLExtras.h"

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t tokens = GraphText::tokens;

class PrecisionTest : public KernelTest, public ::testing::WithParamInterface<Precision> {
protected:
  PrecisionTest() {
    options.precision = GetParam();
    options.maxTokens = 200;
  }
  /// Both types have the same layout in memory, so each size is tested in one of them.
  bool isOfThisType(size_t size) const { return size % 2 == (GetParam() == Precision::F16 ? 0 : 1); }
};

TEST_P(PrecisionTest, Linear) {
  GraphText graph(1024);
  const std::pair<int64_t, int64_t> sizes[] = {{1, 1},    {7, 16},  {16, 38},   {38, 1},    {64, 172},
                                               {172, 64}, {200, 7}, {257, 200}, {130, 257}, {1024, 3}};
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!isOfThisType(i))
      continue;
    auto [k, n] = size;
    TextValue x = graph.input({tokens, k});
    graph.output(graph.op("linear", {x, graph.weight({n, k}), graph.weight({n})}, tensorType({tokens, n})));
    // The store rounds a result that another product reads.
    TextValue y = graph.op("linear", {x, graph.weight({n, k})}, tensorType({tokens, n}));
    TextValue other = graph.input({tokens, n});
    TextValue gated = graph.op("swiglu", {y, other}, tensorType({tokens, n}));
    graph.output(graph.op("linear", {gated, graph.weight({5, n})}, tensorType({tokens, 5})));
  }
  check(graph, allTokens());
}

TEST_P(PrecisionTest, AttentionOverACache) {
  GraphText graph(300);
  struct Case {
    int64_t headSize, heads, kvHeads;
  };
  const Case cases[] = {{8, 8, 4}, {1, 4, 4}, {38, 6, 3}, {64, 5, 1}, {80, 4, 4}, {128, 6, 3}, {256, 2, 1}};
  for (auto [i, test] : llvm::enumerate(cases)) {
    if (!isOfThisType(i))
      continue;
    auto [headSize, heads, kvHeads] = test;
    TextValue q = graph.input({tokens, heads * headSize}), k = graph.input({tokens, kvHeads * headSize});
    TextValue v = graph.input({tokens, kvHeads * headSize});
    TextValue keys = graph.state({300, kvHeads * headSize}), values = graph.state({300, kvHeads * headSize});
    if (headSize >= 4) // the conversion and the append join the rope
      k = graph.op("rope", {k}, k.type,
                   "{head_size = " + std::to_string(headSize) + " : i64, inv_freq = array<f64: 1.0, 0.1>}");
    keys = graph.op("kv_append", {k, keys}, keys.type);
    values = graph.op("kv_append", {v, values}, values.type);
    std::string attributes = "{heads = " + std::to_string(heads) + " : i64, kv_heads = " + std::to_string(kvHeads) +
                             " : i64, causal, scale = 0.5 : f64}";
    TextValue y = graph.op("attention", {q, keys, values}, q.type, attributes);
    graph.output(graph.op("linear", {y, graph.weight({12, heads * headSize})}, tensorType({tokens, 12})));
  }
  check(graph, {{7, 1, 1, 16, 200, 65, 9, 1}, {}});
}

TEST_P(PrecisionTest, RowsTablesAndMixedTypes) {
  GraphText graph(512, 54);
  TextValue ids = graph.input({tokens}, "i32");
  for (int64_t features : {1, 38, 172}) {
    TextValue x = graph.op("embedding", {ids, graph.weight({54, features})}, tensorType({tokens, features}));
    TextValue h = graph.op("rms_norm", {x, graph.weight({features})}, x.type, "{eps = 1.0e-5 : f64}");
    std::string attributes = "{heads = 1 : i64, kv_heads = 1 : i64, scale = 0.3 : f64}";
    TextValue a = graph.op("attention", {h, h, h}, h.type, attributes);
    // An activation in both types, since a product and a sum read it.
    TextValue product = graph.op("linear", {h, graph.weight({features, features})}, h.type);
    graph.output(graph.op("add", {graph.op("add", {product, h}, h.type), a}, h.type));
    // Rounded in the middle of a chain, and converted back.
    TextValue narrow = graph.op("convert", {x}, tensorType({tokens, features}, "bf16"), "{type = bf16}");
    TextValue wide = graph.op("convert", {narrow}, x.type, "{type = f32}");
    graph.output(graph.op("mul", {graph.op("silu", {wide}, x.type), x}, x.type));
  }
  check(graph, allTokens());
}

INSTANTIATE_TEST_SUITE_P(Types, PrecisionTest, ::testing::Values(Precision::F16, Precision::BF16));

} // namespace
