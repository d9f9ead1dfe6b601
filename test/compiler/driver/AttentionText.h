// Attention as graph text.
#pragma once

#include "test/compiler/driver/GraphText.h"

#include <cmath>

namespace nstf::test {

struct AttentionCase {
  int64_t headSize, heads, kvHeads;
  int64_t window = 0; // none
};

inline std::string attributes(const AttentionCase &attention, bool isCausal, double scale = 4) {
  return "{heads = " + std::to_string(attention.heads) + " : i64, kv_heads = " + std::to_string(attention.kvHeads) +
         " : i64, " + (isCausal ? "causal, " : "") +
         (attention.window ? "window = " + std::to_string(attention.window) + " : i64, " : "") +
         "scale = " + std::to_string(scale / std::sqrt(double(attention.headSize))) + " : f64}";
}

/// The keys and values of each step are appended to their caches, which the step's queries then read.
inline void addCached(GraphText &graph, const AttentionCase &attention, int64_t context, double scale = 4) {
  int64_t features = attention.kvHeads * attention.headSize;
  TextValue q = graph.input({GraphText::tokens, attention.heads * attention.headSize});
  TextValue k = graph.input({GraphText::tokens, features}), v = graph.input({GraphText::tokens, features});
  TextValue keys = graph.state({context, features}), values = graph.state({context, features});
  keys = graph.op("kv_append", {k, keys}, keys.type);
  values = graph.op("kv_append", {v, values}, values.type);
  graph.output(graph.op("attention", {q, keys, values}, q.type, attributes(attention, true, scale)));
}

} // namespace nstf::test
