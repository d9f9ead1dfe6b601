// Operations on rows: norms, rotations, softmax, argmax, lookups, copies and elementwise chains.
#include "test/compiler/driver/KernelTest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t positions = 1024, tokens = GraphText::tokens;

TEST_F(KernelTest, RmsNorm) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172, 1000, 4096}) {
    TextValue x = graph.input({tokens, features});
    graph.output(graph.op("rms_norm", {x, graph.weight({features})}, x.type, "{eps = 1.0e-5 : f64}"));
    TextValue y = graph.op("rms_norm", {x, graph.weight({features})}, x.type, "{eps = 0.25 : f64}");
    if (features < 1000)
      graph.output(graph.op("mul", {graph.op("silu", {y}, x.type), x}, x.type));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, RmsNormOfHugeAndZeroRows) {
  GraphText graph(positions);
  TextValue x = graph.input({tokens, 64}, "f32", "x");
  graph.output(graph.op("rms_norm", {x, graph.weight({64})}, x.type, "{eps = 1.0e-5 : f64}"));
  options.maxTokens = 16;
  check(graph, {{4, 1}, [](const std::string &, runtime::HostTensor &x) {
                  float *numbers = reinterpret_cast<float *>(x.data.data());
                  for (uint64_t i = 0; i < x.elements(); ++i)
                    numbers[i] *= std::array<float, 4>{0, 1e15f, 1e-15f, 1}[i / 64 % 4];
                }});
}

/// "{head_size = 8 : i64, inv_freq = array<f64: …>}" for `pairs` frequencies.
std::string ropeAttributes(int64_t headSize, int64_t pairs, bool isInterleaved, double scale = 1) {
  std::string frequencies;
  for (int64_t i = 0; i < pairs; ++i)
    frequencies += (i ? ", " : " ") + std::to_string(std::pow(10000.0, -double(i) / double(pairs)));
  return "{head_size = " + std::to_string(headSize) + " : i64, inv_freq = array<f64:" + frequencies + ">" +
         (isInterleaved ? ", interleaved" : "") + ", scale = " + std::to_string(scale) + " : f64}";
}

struct RopeCase {
  int64_t headSize, pairs, heads;
  bool isInterleaved;
};
const RopeCase ropeCases[] = {{8, 4, 8, true},    {8, 4, 4, false},    {38, 19, 3, false}, {38, 19, 3, true},
                              {80, 40, 2, false}, {80, 16, 2, false},  {80, 16, 2, true},  {96, 48, 1, false},
                              {96, 20, 5, true},  {128, 64, 4, false}, {128, 3, 1, true},  {2, 1, 1, false},
                              {5, 2, 3, true},    {8, 1, 5, false}};

TEST_F(KernelTest, Rope) {
  GraphText graph(512);
  for (const RopeCase &rope : ropeCases) {
    TextValue x = graph.input({tokens, rope.headSize * rope.heads});
    graph.output(graph.op("rope", {x}, x.type,
                          ropeAttributes(rope.headSize, rope.pairs, rope.isInterleaved, rope.pairs == 16 ? 1.25 : 1)));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// verify reads caches back as a whole, whatever attention computes from them.
TEST_F(KernelTest, RopeIntoACacheAndPlainAppend) {
  GraphText graph(300);
  // Every other case, because the attention behind them takes long.
  for (size_t i = 0; i < std::size(ropeCases); i += 2) {
    const RopeCase &rope = ropeCases[i];
    int64_t features = rope.headSize * rope.heads;
    TextValue x = graph.input({tokens, features}), y = graph.input({tokens, features});
    TextValue turned = graph.op("rope", {x}, x.type, ropeAttributes(rope.headSize, rope.pairs, rope.isInterleaved));
    TextValue k = graph.state({300, features}), v = graph.state({300, features});
    TextValue keys = graph.op("kv_append", {turned, k}, k.type), values = graph.op("kv_append", {y, v}, v.type);
    std::string heads = std::to_string(rope.heads);
    graph.output(graph.op("attention", {x, keys, values}, x.type,
                          "{heads = " + heads + " : i64, kv_heads = " + heads + " : i64, causal, scale = 0.2 : f64}"));
  }
  options.maxTokens = 200;
  check(graph, {{7, 1, 17, 2, 16, 38, 200, 64, 65, 1}, {}});
}

TEST_F(KernelTest, Embedding) {
  for (int64_t vocabulary : {1, 54, 512}) {
    GraphText graph(positions, vocabulary);
    TextValue ids = graph.input({tokens}, "i32", "ids");
    for (int64_t features : {1, 7, 64, 257}) {
      TextValue table = graph.weight({vocabulary, features});
      TextValue row = graph.op("embedding", {ids, table}, tensorType({tokens, features}));
      graph.output(row);
      if (features == 64)
        graph.output(graph.op("add", {graph.op("embedding", {ids, table}, row.type), graph.input({tokens, features})},
                              row.type));
    }
    options.maxTokens = 200;
    check(graph, {{1, 2, 17, 65, 200}, [&](const std::string &name, runtime::HostTensor &value) {
                    // Includes the first and the last row of the table.
                    if (name == "ids" && value.elements() > 1) {
                      int32_t ends[2] = {0, int32_t(vocabulary) - 1};
                      std::memcpy(value.data.data(), ends, sizeof ends);
                    }
                  }});
  }
}

TEST_F(KernelTest, SoftmaxAndArgmax) {
  GraphText graph(positions);
  for (int64_t features : {1, 54, 64, 512, 1000}) {
    TextValue x = graph.input({tokens, features});
    graph.output(graph.op("softmax", {x}, x.type));
    graph.output(graph.op("argmax", {x}, tensorType({tokens}, "i32")));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

TEST_F(KernelTest, SoftmaxAndArgmaxOfAGreatVocabulary) {
  GraphText graph(positions);
  TextValue x = graph.input({tokens, 50257});
  TextValue last = graph.op("last_row", {x}, tensorType({1, 50257}));
  graph.output(graph.op("softmax", {x}, x.type));
  graph.output(graph.op("argmax", {x}, tensorType({tokens}, "i32")));
  graph.output(graph.op("softmax", {last}, last.type));
  graph.output(graph.op("argmax", {last}, tensorType({1}, "i32")));
  options.maxTokens = 17;
  check(graph, {{1, 3, 17}, {}});
}

/// Equal max values in one lane's columns, in two lanes, in two waves and in two blocks; the first one counts.
TEST_F(KernelTest, ArgmaxTakesTheFirstOfEquals) {
  GraphText graph(positions);
  for (int64_t features : {2, 54, 512, 2500}) {
    TextValue x = graph.input({tokens, features});
    graph.output(graph.op("argmax", {x}, tensorType({tokens}, "i32")));
  }
  options.maxTokens = 200;
  std::mt19937 random(3);
  auto change = [&](const std::string &, runtime::HostTensor &x) {
    float *numbers = reinterpret_cast<float *>(x.data.data());
    int64_t features = x.shape.back();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (uint64_t row = 0; row < x.elements() / features; ++row, numbers += features) {
      float largest = std::array<float, 5>{2, 0, -1, infinity, -infinity}[row % 5];
      for (int64_t i = 0; i < features; ++i)
        numbers[i] = row % 5 == 4 ? largest : largest == infinity ? numbers[i] : largest - 1 - std::abs(numbers[i]);
      for (int i = 0; i < 3; ++i)
        numbers[random() % features] = largest;
    }
  };
  check(graph, {{1, 1, 1, 1, 1, 2, 7, 16, 38, 64, 200}, change});
}

TEST_F(KernelTest, SoftmaxOfLargeNumbers) {
  GraphText graph(positions);
  TextValue x = graph.input({tokens, 54});
  graph.output(graph.op("softmax", {x}, x.type));
  options.maxTokens = 16;
  check(graph, {{1, 16}, [](const std::string &, runtime::HostTensor &x) {
                  float *numbers = reinterpret_cast<float *>(x.data.data());
                  for (uint64_t i = 0; i < x.elements(); ++i)
                    numbers[i] *= 1e4f;
                }});
}

TEST_F(KernelTest, ElementwiseChains) {
  GraphText graph(positions);
  for (int64_t features : {1, 8, 64, 172, 257, 1030}) {
    TextValue a = graph.input({tokens, features}), b = graph.input({tokens, features});
    graph.output(graph.op("add", {a, b}, a.type));
    graph.output(graph.op("silu", {b}, a.type));
    graph.output(graph.op("swiglu", {a, a}, a.type));
    TextValue product = graph.op("mul", {graph.op("silu", {a}, a.type), b}, a.type);
    graph.output(graph.op("swiglu", {b, graph.op("add", {product, a}, a.type)}, a.type));
    TextValue last = graph.op("last_row", {a}, tensorType({1, features}));
    graph.output(last);
    graph.output(graph.op("silu", {graph.op("mul", {last, last}, last.type)}, last.type));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// silu of numbers whose exponential overflows or vanishes.
TEST_F(KernelTest, SiluOfLargeNumbers) {
  GraphText graph(positions);
  TextValue x = graph.input({tokens, 64});
  graph.output(graph.op("silu", {x}, x.type));
  options.maxTokens = 16;
  check(graph, {{1, 16}, [](const std::string &, runtime::HostTensor &x) {
                  float *numbers = reinterpret_cast<float *>(x.data.data());
                  for (uint64_t i = 0; i < x.elements(); ++i)
                    numbers[i] *= 1e3f;
                }});
}

} // namespace
