// Tensor code in the reference, against hand-computed numbers.
#include "test/compiler/reference/ReferenceTest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class TensorCodeTest : public ReferenceTest {
protected:
  TensorCodeTest() {
    context.loadDialect<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                        mlir::math::MathDialect, mlir::tensor::TensorDialect>();
  }

  const Tensor matrix{{2, 3}, std::vector<int>{1, 2, 3, 4, 5, 6}};

  /// A scalar function of the elements of [4] floats "a" and "b".
  std::vector<double> map(const std::string &body, std::vector<double> a, std::vector<double> b = {0, 0, 0, 0}) {
    return numbers(evaluate(argument("a", "tensor<4xf32>") + ", " + argument("b", "tensor<4xf32>"), "tensor<4xf32>",
                            R"(%e = tensor.empty() : tensor<4xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
)" + body + R"(
        linalg.yield %r : f32
      } -> tensor<4xf32>)",
                            {Tensor({4}, a), Tensor({4}, b)}, 1));
  }
};

TEST_F(TensorCodeTest, Floats) {
  EXPECT_THAT(map("%1 = arith.subf %p, %q : f32\n %r = arith.divf %1, %q : f32", {4, 6, -1, 0}, {2, 3, 1, 4}),
              ElementsAre(1, 1, -2, -1));
  EXPECT_THAT(map("%r = arith.maximumf %p, %q : f32", {4, 6, -1, 0}, {5, 3, 1, -4}), ElementsAre(5, 6, 1, 0));
  std::vector<double> maxima = map("%r = arith.maximumf %p, %q : f32", {NAN, 1, 2, 3}, {1, NAN, 3, 2});
  EXPECT_TRUE(std::isnan(maxima[0]) && std::isnan(maxima[1]));
  EXPECT_THAT(map("%r = arith.maxnumf %p, %q : f32", {NAN, 1, 2, 3}, {1, NAN, 3, 2}), ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(map("%1 = math.sqrt %p : f32\n %2 = math.floor %q : f32\n %r = math.fma %1, %1, %2 : f32", {4, 9, 1, 0},
                  {-0.5, 0.5, 1.5, 2}),
              ElementsAre(3, 9, 2, 2));
  EXPECT_THAT(map("%r = math.roundeven %p : f32", {0.5, 1.5, -2.5, 2.25}), ElementsAre(0, 2, -2, 2));
  EXPECT_THAT(map("%r = math.round %p : f32", {0.5, 1.5, -2.5, 2.25}), ElementsAre(1, 2, -3, 2));
}

TEST_F(TensorCodeTest, NarrowFloatsRound) {
  // 1 + 2^-11 and 1 + 3·2^-11 lie halfway between two f16 numbers: ties go to even.
  EXPECT_THAT(
      map("%1 = arith.truncf %p : f32 to f16\n %r = arith.extf %1 : f16 to f32", {1 + 0x1p-11, 1 + 0x3p-11, 65520, 3}),
      ElementsAre(1, 1 + 0x1p-9, INFINITY, 3));
  EXPECT_THAT(
      map("%1 = arith.truncf %p : f32 to bf16\n %2 = arith.addf %1, %1 : bf16\n %r = arith.extf %2 : bf16 to f32",
          {1 + 0x1p-8, 1 + 0x3p-8, 257, 3}),
      ElementsAre(2, 2 + 0x1p-5, 512, 6));
}

TEST_F(TensorCodeTest, Integers) {
  const std::string prefix = "%1 = arith.fptosi %p : f32 to i32\n %2 = arith.fptosi %q : f32 to i32\n",
                    suffix = "\n %r = arith.sitofp %3 : i32 to f32";
  auto integers = [&](const std::string &op, std::vector<double> a, std::vector<double> b) {
    return map(prefix + "%3 = arith." + op + " %1, %2 : i32" + suffix, std::move(a), std::move(b));
  };
  EXPECT_THAT(integers("divsi", {7, -7, 7, -7}, {2, 2, -2, -2}), ElementsAre(3, -3, -3, 3));
  EXPECT_THAT(integers("remsi", {7, -7, 7, -7}, {2, 2, -2, -2}), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(integers("divui", {7, -2, 7, 1}, {2, 2, -1, 1}), ElementsAre(3, 2147483648.0, 0, 1));
  EXPECT_THAT(integers("muli", {65536, 65536, -3, 0}, {65536, 32768, 5, 1}), ElementsAre(0, -2147483648.0, -15, 0));
  EXPECT_THAT(integers("shrsi", {-8, 8, -1, 0}, {1, 1, 3, 1}), ElementsAre(-4, 4, -1, 0));
  EXPECT_THAT(integers("shrui", {-8, 8, 1, 0}, {28, 1, 3, 1}), ElementsAre(15, 4, 0, 0));
  EXPECT_THAT(integers("maxui", {-1, 2, 3, 4}, {5, 1, 9, 4}), ElementsAre(-1, 2, 9, 4));
  EXPECT_THAT(map(prefix + "%c = arith.cmpi ult, %1, %2 : i32\n %3 = arith.extsi %c : i1 to i32" + suffix,
                  {1, -1, 3, 2}, {2, 0, 3, -1}),
              ElementsAre(-1, 0, 0, -1));
}

TEST_F(TensorCodeTest, Reductions) {
  const std::string type = argument("a", "tensor<?x3xf32>");
  EXPECT_THAT(numbers(evaluate(type, "tensor<3xf32>", R"(
      %i = arith.constant dense<10.0> : tensor<3xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
                           iterator_types = ["reduction", "parallel"]} ins(%a : tensor<?x3xf32>) outs(%i : tensor<3xf32>) {
      ^bb0(%p: f32, %acc: f32):
        %1 = arith.addf %p, %acc : f32
        linalg.yield %1 : f32
      } -> tensor<3xf32>)",
                               {matrix}, 2)),
              ElementsAre(15, 17, 19));
  // Two results, and the index of an element.
  EXPECT_THAT(numbers(evaluate(type, "tensor<?xi32>", R"(
      %c0 = arith.constant 0 : index
      %t = tensor.dim %a, %c0 : tensor<?x3xf32>
      %ef = tensor.empty(%t) : tensor<?xf32>
      %ei = tensor.empty(%t) : tensor<?xi32>
      %x, %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                                affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<?x3xf32>) outs(%ef, %ei : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%p: f32, %acc: f32, %at: i32):
        %j = linalg.index 1 : index
        %1 = arith.index_cast %j : index to i32
        %2 = arith.cmpf ogt, %p, %acc : f32
        %3 = arith.select %2, %p, %acc : f32
        %4 = arith.select %2, %1, %at : i32
        linalg.yield %3, %4 : f32, i32
      } -> (tensor<?xf32>, tensor<?xi32>))",
                               {Tensor({2, 3}, std::vector<int>{1, 5, 3, 4, 5, 6})}, 2)),
              ElementsAre(1, 2));
}

TEST_F(TensorCodeTest, Movement) {
  auto move = [&](const std::string &type, const std::string &body) {
    return numbers(evaluate(argument("a", "tensor<2x3xf32>"), type, body, {matrix}, 1));
  };
  EXPECT_THAT(
      move("tensor<2xf32>", "%y = tensor.extract_slice %a[0, 2] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>"),
      ElementsAre(3, 6));
  EXPECT_THAT(
      move("tensor<2x2xf32>", "%y = tensor.extract_slice %a[0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>"),
      ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(move("tensor<2x3xf32>", R"(
      %s = tensor.extract_slice %a[1, 0] [1, 2] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
      %y = tensor.insert_slice %s into %a[0, 0] [1, 2] [1, 2] : tensor<2xf32> into tensor<2x3xf32>)"),
              ElementsAre(4, 2, 5, 4, 5, 6));
  EXPECT_THAT(move("tensor<2x4xf32>", R"(
      %s = tensor.extract_slice %a[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2x1xf32>
      %y = tensor.concat dim(1) %s, %a : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>)"),
              ElementsAre(2, 1, 2, 3, 5, 4, 5, 6));
  EXPECT_THAT(move("tensor<3x4xf32>", R"(
      %y = tensor.pad %a low[0, 1] high[1, 0] {
      ^bb0(%i: index, %j: index):
        %1 = arith.index_cast %i : index to i32
        %2 = arith.sitofp %1 : i32 to f32
        tensor.yield %2 : f32
      } : tensor<2x3xf32> to tensor<3x4xf32>)"),
              ElementsAre(0, 1, 2, 3, 1, 4, 5, 6, 2, 2, 2, 2));
  EXPECT_THAT(move("tensor<3x2xf32>", R"(
      %f = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
      %y = tensor.expand_shape %f [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>)"),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(TensorCodeTest, Gathers) {
  // Gathers columns, with the dimension kept as 1 or omitted; outside the tensor the result is 0.
  const std::string indices = "%i = arith.constant dense<[[2], [0], [7]]> : tensor<3x1xi32>\n";
  EXPECT_THAT(numbers(evaluate(argument("a", "tensor<2x3xf32>"), "tensor<3x2x1xf32>",
                               indices + "%y = tensor.gather %a[%i] gather_dims([1]) : (tensor<2x3xf32>, "
                                         "tensor<3x1xi32>) -> tensor<3x2x1xf32>",
                               {matrix}, 1)),
              ElementsAre(3, 6, 1, 4, 0, 0));
  EXPECT_THAT(numbers(evaluate(argument("a", "tensor<2x3xf32>"), "tensor<3x2xf32>",
                               indices + "%y = tensor.gather %a[%i] gather_dims([1]) : (tensor<2x3xf32>, "
                                         "tensor<3x1xi32>) -> tensor<3x2xf32>",
                               {matrix}, 1)),
              ElementsAre(3, 6, 1, 4, 0, 0));
  EXPECT_THAT(numbers(evaluate(argument("a", "tensor<2x3xf32>"), "tensor<3xf32>", R"(
      %c1 = arith.constant 1 : index
      %y = tensor.generate {
      ^bb0(%i: index):
        %at = affine.apply affine_map<(d0) -> (2 * d0 - 1)>(%i)
        %1 = tensor.extract %a[%c1, %at] : tensor<2x3xf32>
        tensor.yield %1 : f32
      } : tensor<3xf32>)",
                               {matrix}, 1)),
              ElementsAre(0, 5, 0));
}

TEST_F(TensorCodeTest, RefusesWhatHasNoMeaning) {
  auto message = [&](const std::string &body) -> std::string {
    try {
      evaluate(argument("a", "tensor<2x3xf32>"), "tensor<2x3xf32>", body, {matrix}, 1);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("%y = math.exp %a : tensor<2x3xf32>"),
              HasSubstr("the reference has no meaning for 'math.exp' on"));
  EXPECT_THAT(message("%y = linalg.copy ins(%a : tensor<2x3xf32>) outs(%a : tensor<2x3xf32>) -> tensor<2x3xf32>"),
              HasSubstr("expected linalg.generic"));
  EXPECT_THAT(message("%y = tensor.cast %a : tensor<2x3xf32> to tensor<2x3xf32>"), HasSubstr("no meaning for"));
}

} // namespace
