// Norms, positions, activations, and the selection and mean of rows: every size and bucket on both chips.
#include "test/compiler/driver/KernelTest.h"

#include <array>

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t positions = 1024, tokens = GraphText::tokens;

void scaleRows(runtime::HostTensor &x, const std::array<float, 4> &factors) {
  float *numbers = reinterpret_cast<float *>(x.data.data());
  for (uint64_t i = 0; i < x.elements(); ++i)
    numbers[i] *= factors[i / x.shape.back() % 4];
}

TEST_F(KernelTest, LayerNorm) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172, 1000, 4096}) {
    TextValue x = graph.input({tokens, features}), weight = graph.weight({features});
    graph.output(graph.op("layer_norm", {x, weight, graph.weight({features})}, x.type, "{eps = 1.0e-5 : f64}"));
    if (features >= 1000)
      continue;
    TextValue y = graph.op("layer_norm", {x, weight}, x.type, "{eps = 0.25 : f64}");
    graph.output(graph.op("mul", {graph.op("gelu", {y}, x.type), x}, x.type));
    TextValue last = graph.op("last_row", {x}, tensorType({1, features}));
    graph.output(graph.op("layer_norm", {last, weight}, last.type, "{eps = 1.0e-5 : f64}"));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// Rows whose mean is large relative to their spread, rows of zeros, and rows whose squares are near the limits of f32.
TEST_F(KernelTest, LayerNormOfShiftedAndZeroRows) {
  GraphText graph(positions);
  TextValue x = graph.input({tokens, 64});
  graph.output(graph.op("layer_norm", {x, graph.weight({64}), graph.weight({64})}, x.type, "{eps = 1.0e-12 : f64}"));
  options.maxTokens = 16;
  check(graph, {{4, 1}, [](const std::string &, runtime::HostTensor &x) {
                  scaleRows(x, {1, 0, 1e15f, 1e-6f});
                  float *numbers = reinterpret_cast<float *>(x.data.data());
                  for (int i = 0; i < 64; ++i)
                    numbers[i] += 4;
                }});
}

/// Norms of queries and keys: one factor for each feature of a head, for any head size, with a following op.
TEST_F(KernelTest, RmsNormOfHeads) {
  GraphText graph(positions);
  struct {
    int64_t heads, headSize;
  } cases[] = {{8, 8}, {4, 38}, {3, 80}, {2, 96}, {5, 128}, {7, 1}, {2, 300}};
  for (auto [heads, headSize] : cases) {
    TextValue x = graph.input({tokens, heads * headSize}), weight = graph.weight({headSize});
    graph.output(graph.op("rms_norm", {x, weight}, x.type, "{eps = 1.0e-6 : f64}"));
    TextValue y = graph.op("rms_norm", {x, weight}, x.type, "{eps = 0.25 : f64}");
    graph.output(graph.op("mul", {graph.op("silu", {y}, x.type), x}, x.type));
    TextValue last = graph.op("last_row", {x}, tensorType({1, heads * headSize}));
    graph.output(graph.op("rms_norm", {last, weight}, last.type, "{eps = 1.0e-6 : f64}"));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, L2Normalize) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 172, 384, 1030}) {
    TextValue x = graph.input({tokens, features});
    graph.output(graph.op("l2_normalize", {x}, x.type));
    TextValue mean = graph.op("mean_rows", {x}, tensorType({1, features}));
    graph.output(graph.op("l2_normalize", {mean}, mean.type));
    graph.output(graph.op("relu", {graph.op("l2_normalize", {x}, x.type, "{eps = 2.0 : f64}")}, x.type));
  }
  options.maxTokens = 200;
  check(graph, {allTokens().steps, [](const std::string &, runtime::HostTensor &x) {
                  if (x.shape.front() > 3) // rows whose squares overflow f32, underflow it, and are zero
                    scaleRows(x, {1, 1e25f, 1e-25f, 0});
                }});
}

TEST_F(KernelTest, FirstAndMeanOfRows) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172, 384, 1030}) {
    TextValue x = graph.input({tokens, features}), fixed = graph.input({9, features});
    std::string type = tensorType({1, features});
    graph.output(graph.op("first_row", {x}, type));
    graph.output(graph.op("mean_rows", {x}, type));
    graph.output(graph.op("mean_rows", {fixed}, type));
    graph.output(graph.op(
        "tanh", {graph.op("add", {graph.op("mean_rows", {x}, type), graph.op("first_row", {fixed}, type)}, type)},
        type));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// Steps at many positions up to the table's last row: alone, after an embedding and in a chain, with and without an
/// offset, and with one row.
TEST_F(KernelTest, AddPositions) {
  GraphText graph(300, 54);
  TextValue ids = graph.input({tokens}, "i32", "ids");
  for (int64_t features : {1, 8, 64, 172, 1030}) {
    TextValue x = graph.input({tokens, features});
    TextValue exact = graph.weight({300, features}), longer = graph.weight({303, features});
    graph.output(graph.op("add_positions", {x, exact}, x.type));
    TextValue row = graph.op("embedding", {ids, graph.weight({54, features})}, x.type);
    graph.output(graph.op("add_positions", {row, longer}, x.type, "{offset = 2 : i64}"));
    TextValue turned = graph.op("gelu", {graph.op("mul", {x, x}, x.type)}, x.type, "{tanh}");
    graph.output(graph.op("silu", {graph.op("add_positions", {turned, longer}, x.type, "{offset = 3 : i64}")}, x.type));
    TextValue last = graph.op("last_row", {x}, tensorType({1, features}));
    graph.output(graph.op("add_positions", {last, exact}, last.type));
  }
  options.maxTokens = 200;
  check(graph, {{{7}, {1}, {1}, {16}, {200}, {65}, {9}, {1}, {100, 200}, {1, 299}, {64}, {17}, {2}, {38}, {65}}, {}});
}

TEST_F(KernelTest, AddPositionsOfNarrowTables) {
  GraphText graph(64);
  for (const char *element : {"f16", "bf16"})
    for (int64_t features : {1, 38, 172}) {
      TextValue x = graph.input({tokens, features}), table = graph.weight({65, features}, element);
      TextValue y = graph.op("add_positions", {x, table}, x.type, "{offset = 1 : i64}");
      graph.output(graph.op("layer_norm", {y, graph.weight({features})}, x.type, "{eps = 1.0e-5 : f64}"));
    }
  options.maxTokens = 64;
  check(graph, {{1, 17, 2, 64, {1, 63}}, {}});
}

TEST_F(KernelTest, Activations) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172, 1030}) {
    TextValue x = graph.input({tokens, features});
    graph.output(graph.op("gelu", {x}, x.type));
    graph.output(graph.op("gelu", {x}, x.type, "{tanh}"));
    graph.output(graph.op("relu", {x}, x.type));
    graph.output(graph.op("tanh", {x}, x.type));
  }
  options.maxTokens = 200;
  check(graph,
        {allTokens().steps, [](const std::string &, runtime::HostTensor &x) { scaleRows(x, {1, 5, 0.01f, 100}); }});
}

TEST_F(KernelTest, ActivationsBehindAProduct) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172}) {
    TextValue x = graph.input({tokens, features}), w = graph.weight({features, features});
    for (const char *op : {"gelu", "relu", "tanh"})
      graph.output(graph.op("mul", {graph.op(op, {graph.op("linear", {x, w}, x.type)}, x.type), x}, x.type));
    TextValue last = graph.op("last_row", {x}, tensorType({1, features}));
    graph.output(graph.op("tanh", {graph.op("linear", {last, w}, last.type)}, last.type));
    graph.output(graph.op("gelu", {graph.op("linear", {last, w}, last.type)}, last.type, "{tanh}"));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

} // namespace
