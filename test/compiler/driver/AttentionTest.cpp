// Attention of every head size and grouping, over caches and over the rows of a step.
#include "test/compiler/driver/AttentionText.h"
#include "test/compiler/driver/KernelTest.h"

#include <bit>
#include <cmath>
#include <functional>

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t tokens = GraphText::tokens;

/// Adds caches of codes, with a scale for each row and head.
void addCoded(GraphText &graph, const AttentionCase &attention, int64_t context, const std::string &type,
              const std::string &code = "i8") {
  int64_t features = attention.kvHeads * attention.headSize;
  TextValue q = graph.input({tokens, attention.heads * attention.headSize}, type);
  std::vector<TextValue> operands{q};
  for (int64_t width : {features, features, attention.kvHeads, attention.kvHeads}) {
    std::string element = operands.size() < 3 ? code : "f32";
    TextValue rows = graph.input({tokens, width}, element), cache = graph.state({context, width}, element);
    operands.push_back(graph.op("kv_append", {rows, cache}, cache.type));
  }
  std::string result = tensorType({tokens, attention.heads * attention.headSize});
  graph.output(graph.op("attention", operands, result, attributes(attention, true, 4.0 / 127)));
}

/// Steps at many positions, up to the end of the context.
TEST_F(KernelTest, AttentionOverACache) {
  GraphText graph(300);
  for (AttentionCase attention :
       {AttentionCase{8, 8, 4}, {1, 4, 4}, {16, 8, 1}, {38, 6, 3}, {64, 5, 1}, {80, 4, 4}, {128, 6, 3}, {256, 2, 1}})
    addCached(graph, attention, 300);
  options.maxTokens = 200;
  check(graph, {{7, 1, 1, 16, 200, 65, 9, 1, 64, 17, 2, 38, 65}, {}});
}

TEST_F(KernelTest, AttentionOverTheRowsOfAStep) {
  GraphText graph(1024);
  for (AttentionCase attention : {AttentionCase{8, 8, 4}, {1, 6, 3}, {38, 4, 4}, {64, 5, 1}, {128, 2, 1}}) {
    int64_t features = attention.kvHeads * attention.headSize;
    TextValue q = graph.input({tokens, attention.heads * attention.headSize});
    TextValue k = graph.input({tokens, features}), v = graph.input({tokens, features});
    graph.output(graph.op("attention", {q, k, v}, q.type, attributes(attention, false)));
    graph.output(graph.op("attention", {q, k, v}, q.type, attributes(attention, true)));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// Windows of one key, shorter than a block of keys, longer, odd, just short of the context, and longer than it.
TEST_F(KernelTest, AttentionInAWindow) {
  GraphText graph(300);
  for (AttentionCase attention : {AttentionCase{8, 8, 4, 1},
                                  {38, 6, 3, 31},
                                  {64, 5, 1, 33},
                                  {80, 4, 4, 64},
                                  {96, 2, 2, 7},
                                  {128, 6, 3, 150},
                                  {256, 2, 1, 17},
                                  {8, 2, 1, 299},
                                  {8, 2, 1, 300},
                                  {8, 2, 2, 100000}})
    addCached(graph, attention, 300);
  options.maxTokens = 200;
  check(graph, {{7, 1, 1, 16, 200, 65, 9, 1, 64, 17, 2, 38, 65, {1, 299}, {200, 100}, {33, 31}}, {}});
}

TEST_F(KernelTest, AttentionInAWindowOfTheRowsOfAStep) {
  GraphText graph(1024);
  for (AttentionCase attention : {AttentionCase{8, 8, 4, 1}, {38, 4, 4, 33}, {64, 5, 1, 199}, {128, 2, 1, 200}}) {
    int64_t features = attention.kvHeads * attention.headSize;
    TextValue q = graph.input({tokens, attention.heads * attention.headSize});
    TextValue k = graph.input({tokens, features}), v = graph.input({tokens, features});
    graph.output(graph.op("attention", {q, k, v}, q.type, attributes(attention, true)));
  }
  options.maxTokens = 200;
  check(graph, allTokens());
}

/// Groups whose size is not a power of two, groups larger than a tile of queries, and a context of one position.
TEST_F(KernelTest, AttentionOfOddGroups) {
  GraphText graph(40);
  for (AttentionCase attention : {AttentionCase{8, 21, 3}, {4, 40, 1}, {10, 9, 3}, {2, 7, 7}})
    addCached(graph, attention, 40);
  options.maxTokens = 40;
  check(graph, {{1, 3, 1, 17, 1, 40, 16}, {}});
}

TEST_F(KernelTest, AttentionOverACacheOfCodes) {
  GraphText graph(300);
  for (AttentionCase attention : {AttentionCase{8, 8, 4}, {1, 4, 4}, {38, 6, 3}, {64, 5, 1, 33}})
    addCoded(graph, attention, 300, "f32");
  for (AttentionCase attention : {AttentionCase{80, 4, 4, 150}, {128, 6, 3}, {176, 2, 2}})
    addCoded(graph, attention, 300, "f16");
  addCoded(graph, {64, 4, 2}, 300, "bf16");
  options.maxTokens = 200;
  for (const char *order : {"rows", "operands"}) {
    SCOPED_TRACE(order);
    options.kvOrder = order;
    check(graph, {{7, 1, 1, 16, 200, 65, {1, 299}, {38, 150}}, {}});
  }
}

TEST_F(KernelTest, AttentionOverACacheOfFloatCodes) {
  GraphText graph(300);
  addCoded(graph, {38, 6, 3}, 300, "f32", "f8E4M3FNUZ");
  addCoded(graph, {128, 6, 3}, 300, "f16", "f8E4M3FNUZ");
  addCoded(graph, {64, 4, 2, 100}, 300, "bf16", "f8E4M3FNUZ");
  options.maxTokens = 65;
  options.targets = {"gfx942"};
  for (const char *order : {"rows", "operands"}) {
    SCOPED_TRACE(order);
    options.kvOrder = order;
    check(graph, {{7, 1, 16, 65, {1, 299}, {38, 150}}, {}});
  }
}

/// Queries far above and far below the range of f16.
TEST_F(KernelTest, AttentionOverCodesOfWideQueries) {
  GraphText graph(200);
  addCoded(graph, {64, 4, 2}, 200, "bf16");
  options.maxTokens = 64;
  compile(graph.text());
  for (double size : {1e6, 1e-8})
    expectReference({{64, 1, 16, 64, 1}, [=](const std::string &name, runtime::HostTensor &value) {
                       if (name != "in0")
                         return;
                       uint16_t *halves = reinterpret_cast<uint16_t *>(value.data.data());
                       for (uint64_t i = 0; i < value.elements(); ++i) {
                         uint32_t bits = uint32_t(halves[i]) << 16;
                         halves[i] = std::bit_cast<uint32_t>(float(std::bit_cast<float>(bits) * size)) >> 16;
                       }
                     }});
}

TEST_F(KernelTest, AttentionInAContextOfOne) {
  GraphText graph(1);
  addCached(graph, {8, 2, 1}, 1);
  check(graph, {{1, 1}, {}});
}

/// Scores that differ widely: the running max grows from block to block of keys, and earlier keys become negligible.
TEST_F(KernelTest, AttentionOfLargeScores) {
  GraphText graph(200);
  addCached(graph, {16, 4, 2}, 200);
  options.maxTokens = 64;
  check(graph, {{64, 1, 16, 64, 1}, [](const std::string &name, runtime::HostTensor &value) {
                  float *numbers = reinterpret_cast<float *>(value.data.data());
                  if (name == "in0")
                    for (uint64_t i = 0; i < value.elements(); ++i)
                      numbers[i] *= 30;
                }});
}

/// The rows of an input in a step, by their number modulo the attention's `period`.
using RowFactor = std::function<double(int64_t row, int64_t rows)>;

auto scaleRows(int period, int number, RowFactor factor) {
  return [=](const std::string &name, runtime::HostTensor &value) {
    if (std::stoi(name.substr(2)) % period != number)
      return;
    float *numbers = reinterpret_cast<float *>(value.data.data());
    int64_t rows = value.shape[0], columns = value.elements() / rows;
    for (int64_t i = 0; i < rows * columns; ++i)
      numbers[i] *= factor(i / columns, rows);
  };
}

/// Keys that need a new reference repeatedly, at the very end only, never after the first, or for slightly less than a
/// new one; in each operand type, and with the max score from the smallest product.
TEST_F(KernelTest, AttentionOfLateAndRisingKeys) {
  for (Precision precision : {Precision::F32, Precision::F16, Precision::BF16}) {
    GraphText graph(160);
    for (AttentionCase attention : {AttentionCase{38, 2, 1}, {80, 1, 1, 90}, {128, 4, 2}, {256, 1, 1}})
      addCached(graph, attention, 160);
    addCached(graph, {64, 2, 1}, 160, -4);
    options.maxTokens = 100;
    options.precision = precision;
    compile(graph.text());
    for (RowFactor factor : {RowFactor([](int64_t row, int64_t) { return row / 32.0; }),
                             RowFactor([](int64_t row, int64_t rows) { return row + 1 == rows ? 8 : 0.1; }),
                             RowFactor([](int64_t row, int64_t) { return row ? 0.01 : 8; }),
                             RowFactor([](int64_t row, int64_t) { return row < 40 ? 0 : 1.5; })})
      expectReference({{100, 1, 16, 38}, scaleRows(3, 1, factor)});
  }
}

/// Equal keys have equal weights at any position.
TEST_F(KernelTest, AttentionOfEqualKeys) {
  GraphText graph(200);
  addCached(graph, {128, 4, 2}, 200);
  options.maxTokens = 64;
  for (Precision precision : {Precision::F32, Precision::F16, Precision::BF16}) {
    options.precision = precision;
    check(graph, {{64, 1, 16, 64, 1}, [](const std::string &name, runtime::HostTensor &value) {
                    if (name != "in1")
                      return;
                    float *numbers = reinterpret_cast<float *>(value.data.data());
                    for (uint64_t i = 0; i < value.elements(); ++i)
                      numbers[i] = float(i % 256) / 64 - 2;
                  }});
  }
}

/// Scales of values that grow from key to key; the units of weights follow them.
TEST_F(KernelTest, AttentionOverCodesOfRisingScales) {
  GraphText graph(200);
  addCoded(graph, {64, 4, 2}, 200, "f16");
  addCoded(graph, {128, 6, 3, 100}, 200, "bf16");
  options.maxTokens = 64;
  compile(graph.text());
  for (RowFactor factor : {RowFactor([](int64_t row, int64_t) { return std::exp2(row / 8.0 - 4); }),
                           RowFactor([](int64_t row, int64_t) { return std::exp2(-row / 8.0); })})
    expectReference({{64, 1, 16, 64, 1}, scaleRows(5, 4, factor)});
}

} // namespace
