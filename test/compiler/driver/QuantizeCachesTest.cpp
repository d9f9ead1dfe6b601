// Caches of codes: keys and values are quantised as they are appended, and attention reads them, for heads that no tile
// and no word divides. Every launch, output and cache is compared with the reference.
#include "test/compiler/driver/KernelTest.h"

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t tokens = GraphText::tokens;

struct Heads {
  int64_t size, queries, keys;
};

/// Appends keys and values of the step; keys are rotated if the head is large enough.
void addAttention(GraphText &graph, const Heads &heads, int64_t context) {
  int64_t features = heads.keys * heads.size;
  TextValue q = graph.input({tokens, heads.queries * heads.size}), k = graph.input({tokens, features});
  TextValue v = graph.input({tokens, features});
  if (heads.size >= 4)
    k = graph.op("rope", {k}, k.type,
                 "{head_size = " + std::to_string(heads.size) + " : i64, inv_freq = array<f64: 1.0, 0.1>}");
  TextValue keys = graph.state({context, features}), values = graph.state({context, features});
  keys = graph.op("kv_append", {k, keys}, keys.type);
  values = graph.op("kv_append", {v, values}, values.type);
  std::string attributes = "{heads = " + std::to_string(heads.queries) +
                           " : i64, kv_heads = " + std::to_string(heads.keys) + " : i64, causal, scale = 0.5 : f64}";
  graph.output(graph.op("attention", {q, keys, values}, q.type, attributes));
}

class QuantizeCachesTest : public KernelTest {
protected:
  void expectReferenceOf(const std::string &type, std::initializer_list<Heads> shapes) {
    GraphText graph(130);
    for (const Heads &heads : shapes)
      addAttention(graph, heads, 130);
    options.kvCache = type;
    options.precision = Precision::F16;
    options.maxTokens = 65;
    check(graph, {{7, 1, 17, 65, {1, 129}}, {}});
  }
};

TEST_F(QuantizeCachesTest, Integers) { expectReferenceOf("i8", {{8, 8, 4}, {1, 4, 4}, {38, 6, 3}}); }

TEST_F(QuantizeCachesTest, Floats) {
  options.targets = {"gfx942"};
  expectReferenceOf("e4m3fnuz", {{8, 8, 4}, {38, 6, 3}});
}

} // namespace
