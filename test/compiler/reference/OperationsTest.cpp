// Every operation, on numbers small enough to compute by hand.
#include "test/compiler/reference/ReferenceTest.h"

#include "compiler/import/GraphBuilder.h"

#include <algorithm>
#include <cmath>

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

namespace {

const double tiny = 1e-15;

using OperationsTest = ReferenceTest;

TEST_F(OperationsTest, EveryGraphOperationHasAReference) {
  std::vector<std::string> operations = import::graphOperations(&context);
  for (const char *decoder : {"dequantize", "dequantize_rows"}) // only passes, not files, put these into a graph
    operations.push_back(decoder);
  std::sort(operations.begin(), operations.end());
  EXPECT_EQ(referenceOperations(), operations);
}

TEST_F(OperationsTest, Embedding) {
  auto run = [&](std::vector<int> ids) {
    return evaluate(argument("a", "tensor<?xi32>") + ", " + argument("b", "tensor<3x2xf32>"), "tensor<?x2xf32>",
                    "%y = nstf.embedding %a, %b : (tensor<?xi32>, tensor<3x2xf32>) -> tensor<?x2xf32>",
                    {Tensor({2}, ids), Tensor({3, 2}, std::vector<int>{1, 2, 3, 4, 5, 6})}, 2);
  };
  EXPECT_THAT(numbers(run({2, 0})), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT([&] { run({0, 3}); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("ids of 0 to 2 but got 3")));
  EXPECT_THAT([&] { run({-1, 0}); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("but got -1")));
}

TEST_F(OperationsTest, LinearWithBias) {
  Tensor y =
      evaluate(argument("a", "tensor<?x2xf32>") + ", " + argument("b", "tensor<3x2xf32>") + ", " +
                   argument("c", "tensor<3xf32>"),
               "tensor<?x3xf32>",
               "%y = nstf.linear %a, %b, %c : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>",
               {Tensor({2, 2}, std::vector<int>{1, 2, 3, 4}), Tensor({3, 2}, std::vector<int>{1, 0, 0, 1, 1, 1}),
                Tensor({3}, std::vector<int>{10, 20, 30})},
               2);
  EXPECT_THAT(y.shape, ElementsAre(2, 3));
  EXPECT_THAT(numbers(y), ElementsAre(11, 22, 33, 13, 24, 37));
}

/// Two groups per row, the second of zeros. The max gets code 127; half a code rounds to even.
TEST_F(OperationsTest, QuantizeGivesCodesAndScales) {
  auto module = parse("nstf.graph @main(" + argument("a", "tensor<1x6xf32>") +
                      ") -> (tensor<1x6xi8> {nstf.name = \"codes\"}, tensor<1x2xf32> {nstf.name = \"scales\"}, "
                      "tensor<1x6xf32> {nstf.name = \"y\"}) attributes {context = 1 : i64} {\n"
                      "%codes, %scales = nstf.quantize %a {type = i8, group = 3} "
                      ": tensor<1x6xf32> -> tensor<1x6xi8>, tensor<1x2xf32>\n"
                      "%y = nstf.dequantize_rows %codes, %scales "
                      ": (tensor<1x6xi8>, tensor<1x2xf32>) -> tensor<1x6xf32>\n"
                      "nstf.return %codes, %scales, %y : tensor<1x6xi8>, tensor<1x2xf32>, tensor<1x6xf32>\n}");
  ReferenceModel model(*module);
  auto results = model.run({{"a", Tensor({1, 6}, std::vector<double>{-254, 5, 7, 0, 0, 0})}}, 1, 0);
  EXPECT_THAT(numbers(results.at("scales")), ElementsAre(2, 0));
  EXPECT_THAT(numbers(results.at("codes")), ElementsAre(-127, 2, 4, 0, 0, 0));
  EXPECT_THAT(numbers(results.at("y")), ElementsAre(-254, 4, 8, 0, 0, 0));
}

/// 240 is the max of f8E4M3FNUZ; its numbers are 2 apart between 16 and 32, and 2⁻¹⁰ below 2⁻⁷.
TEST_F(OperationsTest, QuantizeToFloatsOf8Bits) {
  Tensor y = evaluate(argument("a", "tensor<1x5xf32>"), "tensor<1x5xf8E4M3FNUZ>",
                      "%y, %s = nstf.quantize %a {type = f8E4M3FNUZ, group = 5} "
                      ": tensor<1x5xf32> -> tensor<1x5xf8E4M3FNUZ>, tensor<1x1xf32>",
                      {Tensor({1, 5}, std::vector<double>{240, 17, -19, 0.0045, 0.0004})}, 1);
  EXPECT_THAT(numbers(y), ElementsAre(240, 16, -20, 5.0 / 1024, 0));
}

/// 2^17 products of 2^14 sum to 2^31, which wraps to -2^31; a sum of one less does not wrap.
TEST_F(OperationsTest, LinearOfBytesIsModulo2To32) {
  int64_t k = 1 << 17;
  std::vector<int> x(2 * k, -128);
  x[k] = -127;
  Tensor y =
      evaluate(argument("a", "tensor<?x131072xi8>") + ", " + argument("b", "tensor<1x131072xi8>"), "tensor<?x1xi32>",
               "%y = nstf.linear %a, %b : (tensor<?x131072xi8>, tensor<1x131072xi8>) -> tensor<?x1xi32>",
               {Tensor({2, k}, x), Tensor({1, k}, std::vector<int>(k, -128))}, 2);
  EXPECT_THAT(numbers(y), ElementsAre(-2147483648.0, 2147483648.0 - 128));
}

TEST_F(OperationsTest, RmsNorm) {
  Tensor y = evaluate(argument("a", "tensor<?x2xf32>") + ", " + argument("b", "tensor<2xf32>"), "tensor<?x2xf32>",
                      "%y = nstf.rms_norm %a, %b {eps = 11.5 : f64} : (tensor<?x2xf32>, tensor<2xf32>) -> "
                      "tensor<?x2xf32>",
                      {Tensor({1, 2}, std::vector<int>{3, 4}), Tensor({2}, std::vector<int>{1, 10})}, 1);
  double root = std::sqrt(12.5 + 11.5);
  EXPECT_THAT(numbers(y), Pointwise(DoubleNear(tiny), {3 / root, 40 / root}));
}

// One head of six features: four rotate in two pairs, and two stay.
TEST_F(OperationsTest, RopeRotateHalf) {
  Tensor y = evaluate(argument("a", "tensor<?x6xf32>"), "tensor<?x6xf32>",
                      "%y = nstf.rope %a {head_size = 6 : i64, inv_freq = array<f64: 1.0, 0.5>, scale = 2.0 : f64} : "
                      "(tensor<?x6xf32>) -> tensor<?x6xf32>",
                      {Tensor({2, 6}, std::vector<int>{9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6})}, 2, /*position=*/6);
  double c = std::cos(7.0), s = std::sin(7.0), d = std::cos(3.5), t = std::sin(3.5);
  std::vector<double> second = numbers(y);
  second.erase(second.begin(), second.begin() + 6);
  EXPECT_THAT(second, Pointwise(DoubleNear(tiny * 10), {2 * (1 * c - 3 * s), 2 * (2 * d - 4 * t), 2 * (3 * c + 1 * s),
                                                        2 * (4 * d + 2 * t), 5.0, 6.0}));
}

TEST_F(OperationsTest, RopeInterleavedInTwoHeads) {
  Tensor y = evaluate(argument("a", "tensor<?x4xf32>"), "tensor<?x4xf32>",
                      "%y = nstf.rope %a {head_size = 2 : i64, inv_freq = array<f64: 0.5>, interleaved} : "
                      "(tensor<?x4xf32>) -> tensor<?x4xf32>",
                      {Tensor({1, 4}, std::vector<int>{1, 2, 3, 4})}, 1, /*position=*/3);
  double c = std::cos(1.5), s = std::sin(1.5);
  EXPECT_THAT(numbers(y), Pointwise(DoubleNear(tiny), {c - 2 * s, 2 * c + s, 3 * c - 4 * s, 4 * c + 3 * s}));
}

TEST_F(OperationsTest, RopeFromATable) {
  const char *body = "%y = nstf.rope %a, %b {head_size = 2 : i64, inv_freq = array<f64: 9.0>} : (tensor<?x2xf32>, "
                     "tensor<5x2xf32>) -> tensor<?x2xf32>";
  auto run = [&](int64_t position) {
    return evaluate(
        argument("a", "tensor<?x2xf32>") + ", " + argument("b", "tensor<5x2xf32>"), "tensor<?x2xf32>", body,
        {Tensor({1, 2}, std::vector<int>{1, 2}), Tensor({5, 2}, std::vector<int>{0, 0, 0, 0, 0, 0, 3, 5, 0, 0})}, 1,
        position);
  };
  EXPECT_THAT(numbers(run(3)), ElementsAre(3 - 10, 6 + 5));
  EXPECT_THAT([&] { run(5); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("positions below 5 but got 5")));
}

// Two query heads of size 1 share one key-value head. The second token sees three cached rows, the first one two.
TEST_F(OperationsTest, AttentionOverACache) {
  Tensor y =
      evaluate(argument("a", "tensor<?x2xf32>") + ", " + argument("b", "tensor<4x1xf32>") + ", " +
                   argument("c", "tensor<4x1xf32>"),
               "tensor<?x2xf32>",
               "%y = nstf.attention %a, %b, %c {heads = 2 : i64, kv_heads = 1 : i64, causal, scale = 0.5 : f64} : "
               "(tensor<?x2xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<?x2xf32>",
               {Tensor({2, 2}, std::vector<int>{0, 2, 2, 4}), Tensor({4, 1}, std::vector<int>{0, 1, 2, 99}),
                Tensor({4, 1}, std::vector<int>{1, 2, 4, 99})},
               2, /*position=*/1);
  double e = std::exp(1.0);
  EXPECT_THAT(numbers(y),
              Pointwise(DoubleNear(tiny * 10), {1.5, (1 + 2 * e) / (1 + e), (1 + 2 * e + 4 * e * e) / (1 + e + e * e),
                                                (1 + 2 * e * e + 4 * e * e * e * e) / (1 + e * e + e * e * e * e)}));
}

TEST_F(OperationsTest, AttentionOverRowsOfTheStep) {
  auto run = [&](const std::string &causal) {
    return evaluate(argument("a", "tensor<?x1xf32>") + ", " + argument("b", "tensor<?x1xf32>") + ", " +
                        argument("c", "tensor<?x1xf32>"),
                    "tensor<?x1xf32>",
                    "%y = nstf.attention %a, %b, %c {heads = 1 : i64, kv_heads = 1 : i64, scale = 1.0 : f64" + causal +
                        "} : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>",
                    {Tensor({2, 1}, std::vector<int>{0, 0}), Tensor({2, 1}, std::vector<int>{7, 7}),
                     Tensor({2, 1}, std::vector<int>{1, 3})},
                    2);
  };
  EXPECT_THAT(numbers(run("")), Pointwise(DoubleNear(tiny), {2.0, 2.0}));
  EXPECT_THAT(numbers(run(", causal")), Pointwise(DoubleNear(tiny), {1.0, 2.0}));
}

TEST_F(OperationsTest, KvAppendIsAValueWhereItIsNoState) {
  Tensor y = evaluate(argument("a", "tensor<?x1xf32>") + ", " + argument("b", "tensor<4x1xf32>"), "tensor<4x1xf32>",
                      "%y = nstf.kv_append %a, %b : (tensor<?x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>",
                      {Tensor({2, 1}, std::vector<int>{8, 9}), Tensor({4, 1}, std::vector<int>{1, 2, 3, 4})}, 2,
                      /*position=*/2);
  EXPECT_THAT(numbers(y), ElementsAre(1, 2, 8, 9));
}

TEST_F(OperationsTest, Elementwise) {
  auto binary = [&](const std::string &op) {
    return numbers(evaluate(argument("a", "tensor<?x2xf32>") + ", " + argument("b", "tensor<?x2xf32>"),
                            "tensor<?x2xf32>", "%y = nstf." + op + " %a, %b : tensor<?x2xf32>",
                            {Tensor({1, 2}, std::vector<int>{1, -2}), Tensor({1, 2}, std::vector<int>{3, 5})}, 1));
  };
  auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  EXPECT_THAT(binary("add"), ElementsAre(4, 3));
  EXPECT_THAT(binary("mul"), ElementsAre(3, -10));
  EXPECT_THAT(binary("swiglu"), Pointwise(DoubleNear(tiny), {3 * silu(1), 5 * silu(-2)}));
  EXPECT_THAT(numbers(evaluate(argument("a", "tensor<?x2xf32>"), "tensor<?x2xf32>",
                               "%y = nstf.silu %a : tensor<?x2xf32>", {Tensor({1, 2}, std::vector<int>{1, -800})}, 1)),
              Pointwise(DoubleNear(tiny), {silu(1), 0.0}));
}

TEST_F(OperationsTest, SoftmaxOfLargeNumbers) {
  Tensor y = evaluate(argument("a", "tensor<?x2xf32>"), "tensor<?x2xf32>", "%y = nstf.softmax %a : tensor<?x2xf32>",
                      {Tensor({2, 2}, std::vector<int>{5000, 5001, 3, 3})}, 2);
  double e = std::exp(1.0);
  EXPECT_THAT(numbers(y), Pointwise(DoubleNear(tiny), {1 / (1 + e), e / (1 + e), 0.5, 0.5}));
}

TEST_F(OperationsTest, ArgmaxTakesTheFirstOfEquals) {
  Tensor y = evaluate(argument("a", "tensor<?x3xf32>"), "tensor<?xi32>",
                      "%y = nstf.argmax %a : (tensor<?x3xf32>) -> tensor<?xi32>",
                      {Tensor({2, 3}, std::vector<int>{1, 7, 7, -1, -2, -3})}, 2);
  EXPECT_THAT(y.shape, ElementsAre(2));
  EXPECT_THAT(numbers(y), ElementsAre(1, 0));
}

TEST_F(OperationsTest, LastRow) {
  Tensor y = evaluate(argument("a", "tensor<?x2xf32>"), "tensor<1x2xf32>",
                      "%y = nstf.last_row %a : (tensor<?x2xf32>) -> tensor<1x2xf32>",
                      {Tensor({2, 2}, std::vector<int>{1, 2, 3, 4})}, 2);
  EXPECT_THAT(numbers(y), ElementsAre(3, 4));
  y = evaluate(argument("a", "tensor<?x2xf32>"), "tensor<2x2xf32>",
               "%y = nstf.last_row %a {requests = 2 : i64} : (tensor<?x2xf32>) -> tensor<2x2xf32>",
               {Tensor({2, 2}, std::vector<int>{1, 2, 3, 4})}, 2);
  EXPECT_THAT(numbers(y), ElementsAre(3, 4, 0, 0));
}

} // namespace
