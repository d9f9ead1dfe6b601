// Norms, activations, positions, windows and rows, on numbers small enough to compute by hand.
#include "test/compiler/reference/ReferenceTest.h"

#include <cmath>
#include <limits>

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

namespace {

const double tiny = 1e-15;

using NormsTest = ReferenceTest;

TEST_F(NormsTest, RmsNormOfHeads) {
  Tensor y = evaluate(argument("a", "tensor<?x4xf32>") + ", " + argument("b", "tensor<2xf32>"), "tensor<?x4xf32>",
                      "%y = nstf.rms_norm %a, %b {eps = 11.5 : f64} : (tensor<?x4xf32>, tensor<2xf32>) -> "
                      "tensor<?x4xf32>",
                      {Tensor({1, 4}, std::vector<int>{3, 4, 0, 1}), Tensor({2}, std::vector<int>{1, 10})}, 1);
  double first = std::sqrt(12.5 + 11.5), second = std::sqrt(0.5 + 11.5);
  EXPECT_THAT(numbers(y), Pointwise(DoubleNear(tiny), {3 / first, 40 / first, 0.0, 10 / second}));
}

TEST_F(NormsTest, LayerNorm) {
  auto run = [&](const std::string &bias, const std::string &type, std::vector<Tensor> inputs) {
    return numbers(evaluate(argument("a", "tensor<?x3xf32>") + ", " + argument("b", "tensor<3xf32>") +
                                (bias.empty() ? "" : ", " + argument("c", "tensor<3xf32>")),
                            "tensor<?x3xf32>",
                            "%y = nstf.layer_norm %a, %b" + bias +
                                " {eps = 2.0 : f64} : (tensor<?x3xf32>, tensor<3xf32>" + type + ") -> tensor<?x3xf32>",
                            inputs, 2));
  };
  // Means 2 and 5, variances 2/3 and 14.
  Tensor x({2, 3}, std::vector<int>{1, 2, 3, 0, 5, 10}), w({3}, std::vector<int>{1, 1, 2}),
      b({3}, std::vector<int>{10, 20, 30});
  double first = std::sqrt(2.0 / 3 + 2), second = std::sqrt(50.0 / 3 + 2);
  EXPECT_THAT(run("", "", {x, w}),
              Pointwise(DoubleNear(tiny), {-1 / first, 0.0, 2 / first, -5 / second, 0.0, 10 / second}));
  EXPECT_THAT(run(", %c", ", tensor<3xf32>", {x, w, b}),
              Pointwise(DoubleNear(tiny * 100),
                        {10 - 1 / first, 20.0, 30 + 2 / first, 10 - 5 / second, 20.0, 30 + 10 / second}));
}

TEST_F(NormsTest, L2Normalize) {
  Tensor y = evaluate(argument("a", "tensor<?x2xf32>"), "tensor<?x2xf32>",
                      "%y = nstf.l2_normalize %a {eps = 10.0 : f64} : (tensor<?x2xf32>) -> tensor<?x2xf32>",
                      {Tensor({3, 2}, std::vector<int>{30, -40, 3, 4, 0, 0})}, 3);
  EXPECT_THAT(numbers(y), Pointwise(DoubleNear(tiny), {0.6, -0.8, 0.3, 0.4, 0.0, 0.0}));
}

TEST_F(NormsTest, AddPositions) {
  auto run = [&](int64_t position) {
    return numbers(evaluate(argument("a", "tensor<?x1xf32>") + ", " + argument("b", "tensor<102x1xf32>"),
                            "tensor<?x1xf32>",
                            "%y = nstf.add_positions %a, %b {offset = 2 : i64} : (tensor<?x1xf32>, tensor<102x1xf32>) "
                            "-> tensor<?x1xf32>",
                            {Tensor({2, 1}, std::vector<int>{1000, 2000}),
                             [] {
                               Tensor table({102, 1});
                               for (int i = 0; i < 102; ++i)
                                 table.data()[i] = i;
                               return table;
                             }()},
                            2, position));
  };
  EXPECT_THAT(run(0), ElementsAre(1002, 2003));
  EXPECT_THAT(run(98), ElementsAre(1100, 2101));
}

/// Without a graph that gives the context, the table may be too short.
TEST_F(NormsTest, AddPositionsPastTheTable) {
  auto module = parse("nstf.kernel @k(%a: tensor<?x1xf32>, %b: tensor<3x1xf32>) -> tensor<?x1xf32> {\n"
                      "%y = nstf.add_positions %a, %b : (tensor<?x1xf32>, tensor<3x1xf32>) -> tensor<?x1xf32>\n"
                      "nstf.return %y : tensor<?x1xf32>\n}");
  std::vector<Tensor> arguments = {Tensor({2, 1}), Tensor({3, 1})};
  auto run = [&](int64_t position) {
    return evaluateKernel(*module->getOps<KernelOp>().begin(), arguments, {2, position});
  };
  EXPECT_NO_THROW(run(1));
  EXPECT_THAT([&] { run(2); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("rows of 0 to 2 of the positions but "
                                                                   "got 2 to 3")));
}

TEST_F(NormsTest, Activations) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto unary = [&](const std::string &op) {
    Tensor x({1, 6}, std::vector<double>{0, 1, -2, -800, infinity, -infinity});
    return numbers(evaluate(argument("a", "tensor<?x6xf32>"), "tensor<?x6xf32>",
                            "%y = nstf." + op + " : tensor<?x6xf32>", {x}, 1));
  };
  EXPECT_THAT(unary("relu %a"), ElementsAre(0, 1, 0, 0, infinity, 0));
  EXPECT_THAT(unary("tanh %a"), Pointwise(DoubleNear(tiny), {0.0, std::tanh(1.0), std::tanh(-2.0), -1.0, 1.0, -1.0}));
  auto gelu = [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); };
  auto approximate = [](double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  std::vector<double> exact = unary("gelu %a"), close = unary("gelu %a {tanh}");
  EXPECT_THAT(std::vector(exact.begin(), exact.begin() + 4),
              Pointwise(DoubleNear(tiny), {0.0, gelu(1), gelu(-2), 0.0}));
  EXPECT_THAT(std::vector(close.begin(), close.begin() + 4),
              Pointwise(DoubleNear(tiny), {0.0, approximate(1), approximate(-2), 0.0}));
  for (const std::vector<double> &y : {exact, close}) {
    EXPECT_EQ(y[4], infinity);
    EXPECT_EQ(y[5], 0);
  }
}

TEST_F(NormsTest, FirstAndMeanRow) {
  auto run = [&](const std::string &op) {
    return numbers(evaluate(argument("a", "tensor<?x2xf32>"), "tensor<1x2xf32>",
                            "%y = nstf." + op + " %a : (tensor<?x2xf32>) -> tensor<1x2xf32>",
                            {Tensor({3, 2}, std::vector<int>{1, 2, 3, 4, 8, 0})}, 3));
  };
  EXPECT_THAT(run("first_row"), ElementsAre(1, 2));
  EXPECT_THAT(run("mean_rows"), ElementsAre(4, 2));
}

// With equal scores, the result is the mean of the values that a row sees. With a cache filled up to position 4 and a
// window of 2, the row at 3 sees keys 2 and 3, and the row at 4 sees keys 3 and 4.
TEST_F(NormsTest, AttentionInAWindow) {
  auto run = [&](const std::string &kind, const Tensor &values, int64_t position, const std::string &window) {
    return numbers(evaluate(
        argument("a", "tensor<?x1xf32>") + ", " + argument("b", kind) + ", " + argument("c", kind), "tensor<?x1xf32>",
        "%y = nstf.attention %a, %b, %c {heads = 1 : i64, kv_heads = 1 : i64, causal, window = " + window +
            " : i64, scale = 1.0 : f64} : (tensor<?x1xf32>, " + kind + ", " + kind + ") -> tensor<?x1xf32>",
        {Tensor({2, 1}), Tensor(values.shape), values}, 2, position));
  };
  Tensor cache({6, 1}, std::vector<int>{1, 10, 100, 1000, 10000, 99});
  EXPECT_THAT(run("tensor<6x1xf32>", cache, 3, "2"), Pointwise(DoubleNear(1e-9), {550.0, 5500.0}));
  EXPECT_THAT(run("tensor<6x1xf32>", cache, 3, "1"), Pointwise(DoubleNear(1e-9), {1000.0, 10000.0}));
  EXPECT_THAT(run("tensor<6x1xf32>", cache, 3, "99"), Pointwise(DoubleNear(1e-9), {1111.0 / 4, 11111.0 / 5}));
  Tensor rows({2, 1}, std::vector<int>{1, 3});
  EXPECT_THAT(run("tensor<?x1xf32>", rows, 3, "1"), Pointwise(DoubleNear(tiny), {1.0, 3.0}));
  EXPECT_THAT(run("tensor<?x1xf32>", rows, 3, "2"), Pointwise(DoubleNear(tiny), {1.0, 2.0}));
}

} // namespace
