// Models of the reference: states from step to step, kernels in place of operations, weights of every origin.
#include "test/compiler/reference/ReferenceTest.h"

#include "compiler/reference/Tolerance.h"
#include "nstf/RandomWeights.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using ReferenceModelTest = ReferenceTest;

const char *const accumulating = R"(
  nstf.state @cache : tensor<4x1xf32>
  nstf.graph @main(%x: tensor<?x1xf32> {nstf.name = "x"}) -> (tensor<?x1xf32> {nstf.name = "y"})
      attributes {context = 4 : i64} {
    %c = nstf.get @cache : tensor<4x1xf32>
    %k = nstf.kv_append %x, %c : (tensor<?x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %y = nstf.attention %x, %k, %k {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 0.0 : f64}
       : (tensor<?x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
    nstf.return %y : tensor<?x1xf32>
  })";

TEST_F(ReferenceModelTest, StatesLiveFromStepToStep) {
  auto module = parse(accumulating);
  ReferenceModel model(*module);
  auto run = [&](std::vector<int> rows, int64_t position) {
    int64_t tokens = rows.size();
    return numbers(model.run({{"x", Tensor({tokens, 1}, rows)}}, tokens, position).at("y"));
  };
  EXPECT_THAT(run({2, 4}, 0), ElementsAre(2, 3)); // means of the numbers seen so far
  EXPECT_THAT(run({9}, 2), ElementsAre(5));
  EXPECT_THAT(numbers(model.state("cache")), ElementsAre(2, 4, 9, 0));
  model.reset();
  EXPECT_THAT(numbers(model.state("cache")), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(run({8}, 0), ElementsAre(8));

  auto message = [](const std::string &text) { return testing::ThrowsMessage<std::runtime_error>(HasSubstr(text)); };
  EXPECT_THAT([&] { run({1}, 4); }, message("within a context of 4 but got 1 at position 4"));
  EXPECT_THAT([&] { run({}, 0); }, message("expected 1 or more tokens"));
  EXPECT_THAT([&] { model.run({}, 1, 0); }, message("input 'x' is missing"));
  EXPECT_THAT([&] { model.run({{"x", Tensor({2, 1})}}, 1, 0); }, message("expected shape [1, 1] but got [2, 1]"));
  EXPECT_THAT([&] { model.state("none"); }, message("no state 'none'"));

  model.setState("cache", Tensor({4, 1}, std::vector<int>{1, 2, 3, 4}));
  EXPECT_THAT(run({8}, 2), ElementsAre((1 + 2 + 8) / 3.0));
  EXPECT_THAT([&] { model.setState("cache", Tensor({3, 1})); }, message("expected shape [4, 1] but got [3, 1]"));
  EXPECT_THAT([&] { model.setState("none", Tensor({4, 1})); }, message("no state 'none'"));
}

TEST_F(ReferenceModelTest, KernelsMeanWhatTheirOperationsMean) {
  auto module = parse(R"(
    nstf.state @cache : tensor<4x1xf32>
    nstf.kernel @append(%x: tensor<?x1xf32>, %c: tensor<4x1xf32>) -> tensor<4x1xf32> {
      %k = nstf.kv_append %x, %c : (tensor<?x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
      nstf.return %k : tensor<4x1xf32>
    }
    nstf.kernel @double_silu(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
      %d = nstf.add %x, %x : tensor<?x1xf32>
      %y = nstf.silu %d : tensor<?x1xf32>
      nstf.return %y : tensor<?x1xf32>
    }
    nstf.graph @main(%x: tensor<?x1xf32> {nstf.name = "x"}) -> (tensor<?x1xf32> {nstf.name = "y"})
        attributes {context = 4 : i64} {
      %c = nstf.get @cache : tensor<4x1xf32>
      %k = nstf.step @append(%x, %c) : (tensor<?x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
      %y = nstf.step @double_silu(%x) : (tensor<?x1xf32>) -> tensor<?x1xf32>
      nstf.return %y : tensor<?x1xf32>
    })");
  ReferenceModel model(*module);
  std::vector<std::string> seen;
  auto observe = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *> results) {
    ASSERT_EQ(results.size(), 1u);
    seen.push_back(mlir::cast<StepOp>(op).getKernel().str() + " " + std::to_string(results[0]->size()));
  };
  Tensor y = model.run({{"x", Tensor({1, 1}, std::vector<int>{3})}}, 1, /*position=*/2, observe).at("y");
  EXPECT_DOUBLE_EQ(y.data()[0], 6 / (1 + std::exp(-6.0)));
  EXPECT_THAT(numbers(model.state("cache")), ElementsAre(0, 0, 3, 0)); // written through the kernel's argument
  EXPECT_THAT(seen, ElementsAre("append 4", "double_silu 1"));

  auto kernel = module->lookupSymbol<KernelOp>("append");
  std::vector<Tensor> arguments = {Tensor({1, 1}, std::vector<int>{5}), Tensor({4, 1})};
  std::vector<Tensor> results = evaluateKernel(kernel, arguments, {1, 1});
  EXPECT_THAT(numbers(results[0]), ElementsAre(0, 5, 0, 0));
  EXPECT_THAT(numbers(arguments[1]), ElementsAre(0, 5, 0, 0));
}

std::string weightGraph(const std::string &weight, const std::string &type) {
  return "nstf.weight @w : " + type + " " + weight + "\nnstf.graph @main() -> (" + type +
         " {nstf.name = \"y\"}) attributes {context = 1 : i64} {\n%y = nstf.get @w : " + type +
         "\nnstf.return %y : " + type + "\n}";
}

TEST_F(ReferenceModelTest, WeightsFromFiles) {
  std::string path = (std::filesystem::temp_directory_path() / ("nstf-reference-" + std::to_string(getpid()))).string();
  double stored[] = {0, 0.1, 2};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<char *>(stored), sizeof stored);
  auto module = parse(weightGraph("from <\"" + path + "\", offset = 8, type = f64>", "tensor<2xf32>"));
  ReferenceModel model(*module);
  EXPECT_THAT(numbers(model.run({}, 1, 0).at("y")), ElementsAre(double(0.1f), 2)); // rounded as the package does
  auto beyond = parse(weightGraph("from <\"" + path + "\", offset = 16, type = f64>", "tensor<2xf32>"));
  EXPECT_THAT([&] { ReferenceModel(*beyond).run({}, 1, 0); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("expected 16 bytes at offset 16")));
  std::filesystem::remove(path);
}

// Compared with LLVM's arithmetic: ties, subnormals, overflow, and numbers of every magnitude.
TEST_F(ReferenceModelTest, WeightsOf16Bits) {
  std::vector<double> stored = {0.0,         -0.0,
                                1 + 0x1p-11, 1 + 0x3p-11,
                                1 + 0x1p-8,  1 + 0x3p-8,
                                65504,       65519.9,
                                65520,       -1e6,
                                0x1p-24,     0x1p-25,
                                0x1.8p-25,   -0x3p-25,
                                0x1p-133,    0x1p-134,
                                0x1.fffp-15, 3.4e38,
                                3.4028e38,   1e300,
                                5e-324,      std::numeric_limits<double>::infinity()};
  RandomWeights random(3, "any", nullptr, 0);
  for (int i = 0; i < 2000; ++i)
    stored.push_back(std::ldexp(random(i), i % 300 - 150));
  std::string path = (std::filesystem::temp_directory_path() / ("nstf-rounding-" + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char *>(stored.data()), static_cast<std::streamsize>(stored.size() * sizeof(double)));
  for (auto [name, format] : {std::pair("f16", &llvm::APFloat::IEEEhalf()), {"bf16", &llvm::APFloat::BFloat()}}) {
    auto type = "tensor<" + std::to_string(stored.size()) + "x" + name + ">";
    auto module = parse(weightGraph("from <\"" + path + "\", offset = 0, type = f64>", type));
    std::vector<double> got = numbers(ReferenceModel(*module).run({}, 1, 0).at("y"));
    ASSERT_EQ(got.size(), stored.size());
    for (size_t i = 0; i < stored.size(); ++i) {
      llvm::APFloat expected(stored[i]);
      bool losesInfo;
      expected.convert(*format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      EXPECT_EQ(got[i], expected.convertToDouble()) << name << " of " << stored[i];
    }
  }
  std::filesystem::remove(path);
}

TEST_F(ReferenceModelTest, ComputedAndRandomWeights) {
  auto table = parse(weightGraph("computed <inv_freq = [1.0, 0.5], scale = 2.0>", "tensor<3x4xf32>"));
  std::vector<double> numbersOf = numbers(ReferenceModel(*table).run({}, 1, 0).at("y"));
  EXPECT_EQ(numbersOf[0], 2);
  EXPECT_EQ(numbersOf[8 + 1], static_cast<float>(2 * std::cos(1.0)));
  EXPECT_EQ(numbersOf[8 + 2], static_cast<float>(2 * std::sin(2.0)));

  auto nothing = parse(weightGraph("", "tensor<2x3xf32>"));
  EXPECT_THAT([&] { ReferenceModel(*nothing).run({}, 1, 0); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("weight 'w' has neither a file nor a formula")));
  ReferenceOptions options;
  options.randomSeed = 7;
  std::vector<double> random = numbers(ReferenceModel(*nothing, options).run({}, 1, 0).at("y"));
  int64_t shape[] = {2, 3};
  RandomWeights expected(7, "w", shape, 2);
  for (size_t i = 0; i < random.size(); ++i)
    EXPECT_EQ(random[i], expected(i));
}

// The generator is part of the package's format: these numbers must never change.
TEST(RandomWeightsTest, IsTheDocumentedGenerator) {
  int64_t vector[] = {4}, matrix[] = {4, 48};
  RandomWeights first(0, "model.norm.weight", vector, 1), other(1, "model.norm.weight", vector, 1);
  RandomWeights scaled(0, "model.norm.weight", matrix, 2);
  EXPECT_EQ(first(0), -0.7924787998199463f); // computed by a separate program
  EXPECT_EQ(first(1), 0.8289439678192139f);
  EXPECT_EQ(first(1000000), 0.996557354927063f);
  EXPECT_NE(first(0), other(0));
  EXPECT_EQ(scaled(2), first(2) * 0.25f); // sqrt(3 / 48)
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_GE(first(i), -1.0f);
    ASSERT_LT(first(i), 1.0f);
    sum += first(i);
    squares += first(i) * first(i);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.02);
  EXPECT_NEAR(squares / 10000, 1.0 / 3, 0.02);
}

TEST_F(ReferenceModelTest, Tolerances) {
  mlir::Type f32 = mlir::Float32Type::get(&context), f16 = mlir::Float16Type::get(&context);
  for (const std::string &operation : referenceOperations())
    EXPECT_TRUE(operationTolerance(operation, f32)) << operation;
  EXPECT_FALSE(operationTolerance("no_such_op", f32));
  EXPECT_EQ(operationTolerance("linear", f16)->relative, operationTolerance("linear", f32)->relative);
  EXPECT_EQ(operationTolerance("linear", mlir::IntegerType::get(&context, 32))->relative, 0);
  EXPECT_EQ(operationTolerance("convert", f16)->relative, 0x1p-11);
  EXPECT_EQ(operationTolerance("embedding", f16)->relative, 0);

  Tensor want({3}, std::vector<int>{1, -100, 0});
  Comparison near = compare({1.0f, -100.0f, 1e-5f}, want, {0, 1e-6});
  EXPECT_TRUE(near.passes());
  EXPECT_EQ(near.where, 2);
  EXPECT_EQ(near.largestWant, 100);
  EXPECT_FALSE(compare({1.0f, -100.0f, 2e-4f}, want, {0, 1e-6}).passes());
  EXPECT_FALSE(compare({1.0f, std::nanf(""), 0.0f}, want, {1, 1}).passes());
  EXPECT_FALSE(compare({1.0f, INFINITY, 0.0f}, want, {1, 1}).passes());
}

} // namespace
