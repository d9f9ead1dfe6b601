// The template and parameters chosen for a region, and the reasons given.
#include "compiler/catalog/Catalog.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using testing::StartsWith;

namespace nstf {
namespace {

/// For steps of up to `tokens` rows, the max.
mlir::FailureOr<KernelChoice> chooseKernel(KernelOp kernel, int64_t tokens, const Target &target) {
  return KernelChooser(kernel, tokens).choose(tokens, target);
}

class Catalog : public testing::Test {
protected:
  Catalog() {
    mlir::DialectRegistry registry;
    registerTemplateOps(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<NSTFDialect>();
  }

  KernelOp parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return module ? *module->getOps<KernelOp>().begin() : KernelOp();
  }

  KernelOp linear(const std::string &rows, int K = 64, int N = 200, const std::string &type = "f32") {
    std::string x = "tensor<" + rows + "x" + std::to_string(K) + "x" + type + ">",
                w = "tensor<" + std::to_string(N) + "x" + std::to_string(K) + "x" + type + ">",
                y = "tensor<" + rows + "x" + std::to_string(N) + "xf32>";
    return parse("nstf.kernel @linear_0(%x: " + x + ", %w: " + w + ") -> " + y + " { %y = nstf.linear %x, %w : (" + x +
                 ", " + w + ") -> " + y + " nstf.return %y : " + y + " }");
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target = findTarget("gfx942");
};

TEST_F(Catalog, OneRowTakesTheVectorUnits) {
  for (const char *rows : {"?", "1"}) {
    mlir::FailureOr<KernelChoice> choice = chooseKernel(linear(rows), 1, target);
    ASSERT_TRUE(succeeded(choice));
    EXPECT_EQ(choice->templateName, "matvec");
    EXPECT_THAT(choice->getReason(), StartsWith("one row: vector units; tuning/default/matvec/f32.yaml row "));
  }
}

TEST_F(Catalog, MoreRowsTakeTheMatrixCores) {
  struct {
    int64_t tokens, BM;
  } cases[] = {{2, 16}, {16, 16}, {17, 64}, {64, 64}, {65, 32}, {512, 32}};
  for (auto [tokens, BM] : cases) {
    mlir::FailureOr<KernelChoice> choice = chooseKernel(linear("?"), tokens, target);
    ASSERT_TRUE(succeeded(choice));
    EXPECT_EQ(choice->templateName, "matmul") << tokens;
    EXPECT_EQ(choice->tuning.at("BM"), BM) << tokens;
    EXPECT_THAT(choice->getReason(), StartsWith("up to " + std::to_string(tokens) + " rows: matrix cores; "));
    EXPECT_THAT(choice->getReason(), HasSubstr("(predicted, "));
  }
}

TEST_F(Catalog, BucketsOfTokens) {
  using Buckets = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(getTokenBuckets(1), (Buckets{{1, 1}}));
  EXPECT_EQ(getTokenBuckets(16), (Buckets{{1, 1}, {2, 16}}));
  EXPECT_EQ(getTokenBuckets(40), (Buckets{{1, 1}, {2, 16}, {17, 40}}));
  EXPECT_EQ(getTokenBuckets(512), (Buckets{{1, 1}, {2, 16}, {17, 64}, {65, 512}}));
}

TEST_F(Catalog, OneBindingServesAllBuckets) {
  KernelOp kernel = linear("?");
  KernelChooser chooser(kernel, 512);
  for (int64_t tokens : {1, 2, 16, 17, 64, 65, 512}) {
    KernelChoice whole = *chooseKernel(kernel, tokens, target), choice = *chooser.choose(tokens, target);
    EXPECT_EQ(whole.templateName, choice.templateName) << tokens;
    EXPECT_EQ(whole.tuning, choice.tuning) << tokens;
    EXPECT_EQ(whole.schedule, choice.schedule) << tokens;
    EXPECT_EQ(whole.getReason(), choice.getReason()) << tokens;
    EXPECT_EQ(chooser.getBinding(choice).getTokens(), 512);
  }
}

TEST_F(Catalog, AFixedRowCountDecidesAlone) {
  mlir::FailureOr<KernelChoice> choice = chooseKernel(linear("40"), 1, target);
  ASSERT_TRUE(succeeded(choice));
  EXPECT_EQ(choice->templateName, "matmul");
  EXPECT_EQ(choice->tuning.at("BM"), 64);
}

TEST_F(Catalog, EqualChoicesAreEqual) {
  KernelChoice two = *chooseKernel(linear("?"), 2, target), sixteen = *chooseKernel(linear("?"), 16, target),
               many = *chooseKernel(linear("?"), 512, target);
  EXPECT_TRUE(two == sixteen); // one kernel serves both, though the reasons differ
  EXPECT_FALSE(two == many);
}

TEST_F(Catalog, AnotherChipTakesTheDefaultRows) {
  Target other = target;
  other.name = other.chip = "gfx000";
  EXPECT_TRUE(*chooseKernel(linear("?"), 16, other) == *chooseKernel(linear("?"), 16, target));
}

TEST_F(Catalog, OtherTemplates) {
  struct {
    const char *text, *name;
  } cases[] = {
      {"nstf.kernel @k(%x: tensor<?x8xf32>) -> tensor<?x8xf32> { %y = nstf.softmax %x : tensor<?x8xf32> "
       "nstf.return %y : tensor<?x8xf32> }",
       "softmax"},
      {"nstf.kernel @k(%x: tensor<?x8xf32>) -> tensor<?xi32> { %y = nstf.argmax %x : (tensor<?x8xf32>) -> "
       "tensor<?xi32> nstf.return %y : tensor<?xi32> }",
       "argmax"},
      {"nstf.kernel @k(%x: tensor<?x8xf32>) -> tensor<?x8xf32> { %y = nstf.silu %x : tensor<?x8xf32> "
       "nstf.return %y : tensor<?x8xf32> }",
       "elementwise"},
      {"nstf.kernel @k(%x: tensor<?x8xf32>) -> tensor<1x8xf32> { %y = nstf.last_row %x : (tensor<?x8xf32>) -> "
       "tensor<1x8xf32> nstf.return %y : tensor<1x8xf32> }",
       "elementwise"},
      {"nstf.kernel @k(%i: tensor<?xi32>, %t: tensor<9x8xf32>) -> tensor<?x8xf32> { %y = nstf.embedding %i, %t : "
       "(tensor<?xi32>, tensor<9x8xf32>) -> tensor<?x8xf32> nstf.return %y : tensor<?x8xf32> }",
       "embedding"},
  };
  for (auto [text, name] : cases) {
    mlir::FailureOr<KernelChoice> choice = chooseKernel(parse(text), 5, target);
    ASSERT_TRUE(succeeded(choice)) << text;
    EXPECT_EQ(choice->templateName, name);
    EXPECT_THAT(choice->getReason(), HasSubstr(std::string("tuning/default/") + name + "/f32.yaml row "));
  }
}

TEST_F(Catalog, OtherTypes) {
  EXPECT_THAT(chooseKernel(linear("?", 64, 200, "f16"), 16, target)->getReason(),
              HasSubstr("tuning/default/matmul/f16.yaml row 1 "));
  EXPECT_THAT(chooseKernel(linear("1", 64, 200, "bf16"), 16, target)->getReason(),
              HasSubstr("tuning/default/matvec/f16.yaml row 1 ")); // rows of bf16 are those of f16
  // Without matrix products the type in memory makes no difference.
  std::string text = "nstf.kernel @k(%x: tensor<?x8xf16>) -> tensor<?x8xf32> {\n"
                     "%y = nstf.convert %x {type = f32} : (tensor<?x8xf16>) -> tensor<?x8xf32>\n"
                     "nstf.return %y : tensor<?x8xf32>\n}";
  EXPECT_THAT(chooseKernel(parse(text), 5, target)->getReason(), HasSubstr("tuning/default/elementwise/f32.yaml row "));
}

} // namespace
} // namespace nstf
