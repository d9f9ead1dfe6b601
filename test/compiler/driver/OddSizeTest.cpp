// Chains of a model's kernels at sizes that no tile divides: heads from norm to attention, vocabularies from lookup to
// argmax.
#include "test/compiler/driver/KernelTest.h"

#include <cmath>
#include <cstring>

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t tokens = GraphText::tokens;

/// The attention of a layer with norms of queries and keys, partial and full rotation, and a window, for three head
/// sizes.
TEST_F(KernelTest, HeadsOf38And80And96) {
  GraphText graph(300);
  struct {
    int64_t headSize, heads, kvHeads, pairs, window;
  } cases[] = {{38, 6, 3, 19, 0}, {80, 4, 4, 16, 50}, {96, 3, 1, 48, 0}, {96, 2, 2, 20, 33}};
  for (auto [headSize, heads, kvHeads, pairs, window] : cases) {
    auto number = [](int64_t value) { return std::to_string(value) + " : i64"; };
    std::string frequencies;
    for (int64_t i = 0; i < pairs; ++i)
      frequencies += (i ? ", " : " ") + std::to_string(std::pow(10000.0, -double(i) / double(pairs)));
    std::string turn = "{head_size = " + number(headSize) + ", inv_freq = array<f64:" + frequencies + ">}";
    auto normed = [&](int64_t count) {
      TextValue x = graph.input({tokens, count * headSize});
      x = graph.op("rms_norm", {x, graph.weight({headSize})}, x.type, "{eps = 1.0e-6 : f64}");
      return graph.op("rope", {x}, x.type, turn);
    };
    TextValue q = normed(heads), k = normed(kvHeads), v = graph.input({tokens, kvHeads * headSize});
    TextValue keys = graph.state({300, kvHeads * headSize}), values = graph.state({300, kvHeads * headSize});
    keys = graph.op("kv_append", {k, keys}, keys.type);
    values = graph.op("kv_append", {v, values}, values.type);
    graph.output(graph.op("attention", {q, keys, values}, q.type,
                          "{heads = " + number(heads) + ", kv_heads = " + number(kvHeads) + ", causal, " +
                              (window ? "window = " + number(window) + ", " : "") +
                              "scale = " + std::to_string(1 / std::sqrt(double(headSize))) + " : f64}"));
  }
  options.maxTokens = 200;
  check(graph, {{7, 1, 16, 200, 65, 9, 1, 64, 17, 2, 38, {1, 299}, {200, 100}}, {}});
}

/// Both kinds of blocks with 16-bit operands: the results of norms, positions and rotations go to products, caches and
/// attention, and finally to the mean of rows.
TEST_F(KernelTest, BlocksInSixteenBits) {
  for (Precision precision : {Precision::F16, Precision::BF16}) {
    GraphText graph(80, 54);
    TextValue ids = graph.input({tokens}, "i32", "ids");
    const int64_t hidden = 76, headSize = 38;
    TextValue x = graph.op("embedding", {ids, graph.weight({54, hidden})}, tensorType({tokens, hidden}));
    x = graph.op("add_positions", {x, graph.weight({82, hidden})}, x.type, "{offset = 2 : i64}");
    for (bool isLlama : {false, true}) {
      std::string eps = "{eps = 1.0e-5 : f64}", norm = isLlama ? "rms_norm" : "layer_norm";
      auto normed = [&] { return graph.op(norm, {x, graph.weight({hidden})}, x.type, eps); };
      auto linear = [&](const TextValue &from, int64_t k, int64_t n) {
        return graph.op("linear", {from, graph.weight({n, k}), graph.weight({n})}, tensorType({tokens, n}));
      };
      TextValue h = normed();
      auto head = [&](TextValue y) {
        if (!isLlama)
          return y;
        y = graph.op("rms_norm", {y, graph.weight({headSize})}, y.type, eps);
        return graph.op("rope", {y}, y.type, "{head_size = 38 : i64, inv_freq = array<f64: 1.0, 0.3, 0.01>}");
      };
      TextValue q = head(linear(h, hidden, hidden)), k = head(linear(h, hidden, hidden)), v = linear(h, hidden, hidden);
      TextValue keys = graph.state({80, hidden}), values = graph.state({80, hidden});
      keys = graph.op("kv_append", {k, keys}, keys.type);
      values = graph.op("kv_append", {v, values}, values.type);
      TextValue a = graph.op("attention", {q, keys, values}, q.type,
                             "{heads = 2 : i64, kv_heads = 2 : i64, causal, window = 21 : i64, scale = 0.16 : f64}");
      x = graph.op("add", {x, linear(a, hidden, hidden)}, x.type);
      TextValue up = linear(normed(), hidden, 172);
      up = graph.op("gelu", {up}, up.type, isLlama ? "" : "{tanh}");
      x = graph.op("add", {x, linear(up, 172, hidden)}, x.type);
    }
    TextValue mean = graph.op("mean_rows", {x}, tensorType({1, hidden}));
    graph.output(graph.op("l2_normalize", {mean}, mean.type));
    TextValue first = graph.op("first_row", {x}, mean.type);
    graph.output(
        graph.op("tanh", {graph.op("linear", {first, graph.weight({hidden, hidden})}, first.type)}, first.type));
    options.maxTokens = 64;
    options.precision = precision;
    check(graph, {{7, 1, 1, 16, 33, {64, 16}, 1, {1, 79}}, {}});
  }
}

/// One table as embedding and head, with a hidden size of 172, learned positions and a norm in between.
TEST_F(KernelTest, VocabulariesOf1And54And50257) {
  for (auto [vocabulary, hidden] : {std::pair<int64_t, int64_t>{1, 172}, {54, 172}, {50257, 38}}) {
    GraphText graph(64, vocabulary);
    TextValue ids = graph.input({tokens}, "i32", "ids");
    TextValue table = graph.weight({vocabulary, hidden});
    TextValue x = graph.op("embedding", {ids, table}, tensorType({tokens, hidden}));
    x = graph.op("add_positions", {x, graph.weight({64, hidden})}, x.type);
    x = graph.op("last_row", {x}, tensorType({1, hidden}));
    x = graph.op("layer_norm", {x, graph.weight({hidden}), graph.weight({hidden})}, x.type, "{eps = 1.0e-5 : f64}");
    TextValue logits = graph.op("linear", {x, table}, tensorType({1, vocabulary}));
    graph.output(logits);
    graph.output(graph.op("argmax", {logits}, tensorType({1}, "i32")));
    options.maxTokens = 17;
    check(graph, {{1, 3, 17, 1}, [&](const std::string &name, runtime::HostTensor &value) {
                    if (name == "ids" && value.elements() > 1) {
                      int32_t ends[2] = {0, int32_t(vocabulary) - 1};
                      std::memcpy(value.data.data(), ends, sizeof ends);
                    }
                  }});
  }
}

} // namespace
