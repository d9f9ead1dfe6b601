// The dialect's C++ interface beyond syntax: inferred types, the numbers of the rope table, storage of results.
#include "dialects/nstf/NSTF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <ctime>
#include <gtest/gtest.h>

namespace nstf {
namespace {

class Dialect : public testing::Test {
protected:
  Dialect() { context.loadDialect<NSTFDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::MLIRContext context;
};

TEST_F(Dialect, RopeTableRow) {
  auto table = RopeTableAttr::get(&context, {1.0, 0.25}, 2.0);
  ASSERT_EQ(table.getWidth(), 4);
  double row[4];
  table.fillRow(0, row);
  EXPECT_EQ(row[0], 2.0);
  EXPECT_EQ(row[1], 2.0);
  EXPECT_EQ(row[2], 0.0);
  EXPECT_EQ(row[3], 0.0);
  table.fillRow(1000000, row); // Far positions are as exact as near ones.
  EXPECT_DOUBLE_EQ(row[0], 2.0 * std::cos(1e6));
  EXPECT_DOUBLE_EQ(row[1], 2.0 * std::cos(2.5e5));
  EXPECT_DOUBLE_EQ(row[2], 2.0 * std::sin(1e6));
  EXPECT_DOUBLE_EQ(row[3], 2.0 * std::sin(2.5e5));
}

TEST_F(Dialect, BuildersInferTypes) {
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::Type f32 = builder.getF32Type();
  auto tensor = [&](llvm::ArrayRef<int64_t> shape, mlir::Type type) {
    return mlir::RankedTensorType::get(shape, type);
  };
  const int64_t tokens = mlir::ShapedType::kDynamic;
  auto graph =
      GraphOp::create(builder, loc, "main", builder.getFunctionType({tensor({tokens}, builder.getI32Type())}, {}), 16);
  mlir::OwningOpRef<mlir::Operation *> owner(graph);
  builder.setInsertionPointToEnd(&graph.getBody().front());
  mlir::Value table = GetOp::create(builder, loc, tensor({10, 8}, f32), "table");
  mlir::Value x = EmbeddingOp::create(builder, loc, graph.getArgument(0), table);
  EXPECT_EQ(x.getType(), tensor({tokens, 8}, f32));
  mlir::Value last = LastRowOp::create(builder, loc, AddOp::create(builder, loc, x, x));
  EXPECT_EQ(last.getType(), tensor({1, 8}, f32));
  mlir::Value logits = LinearOp::create(builder, loc, last, table, mlir::Value());
  EXPECT_EQ(logits.getType(), tensor({1, 10}, f32));
  mlir::Value next = ArgmaxOp::create(builder, loc, logits);
  EXPECT_EQ(next.getType(), tensor({1}, builder.getI32Type()));
}

TEST_F(Dialect, ElementwiseOps) {
  auto module = parse(R"(
    nstf.kernel @k(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = nstf.silu %x : tensor<?x4xf32>
      %1 = nstf.swiglu %0, %x : tensor<?x4xf32>
      %2 = nstf.add %1, %x : tensor<?x4xf32>
      %3 = nstf.mul %2, %x : tensor<?x4xf32>
      %4 = nstf.softmax %3 : tensor<?x4xf32>
      %5 = nstf.gelu %4 {tanh} : tensor<?x4xf32>
      %6 = nstf.relu %5 : tensor<?x4xf32>
      %7 = nstf.tanh %6 : tensor<?x4xf32>
      nstf.return %7 : tensor<?x4xf32>
    })");
  ASSERT_TRUE(module);
  int elementwise = 0;
  module->walk([&](ElementwiseOp op) {
    ++elementwise;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      EXPECT_TRUE(op.isByElement(i));
  });
  EXPECT_EQ(elementwise, 7); // softmax is not elementwise
}

TEST_F(Dialect, PositionsAreElementwiseButForTheirTable) {
  auto module = parse(R"(
    nstf.kernel @k(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = nstf.add_positions %x, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      nstf.return %0 : tensor<8x4xf32>
    })");
  ASSERT_TRUE(module);
  module->walk([&](ElementwiseOp op) {
    EXPECT_TRUE(op.isByElement(0));
    EXPECT_FALSE(op.isByElement(1));
  });
}

TEST_F(Dialect, ResultsInPlace) {
  auto module = parse(R"(
    nstf.kernel @k(%x: tensor<?x4xf32>, %a: tensor<8x4xf32>, %b: tensor<8x4xf32>)
        -> (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
      %0 = nstf.kv_append %x, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      %1 = nstf.kv_append %x, %0 : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      %2 = nstf.silu %x : tensor<?x4xf32>
      nstf.return %2, %1, %a : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    })");
  ASSERT_TRUE(module);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  EXPECT_EQ(kernel.getInPlaceArgument(0), std::nullopt);
  EXPECT_EQ(kernel.getInPlaceArgument(1), std::optional<unsigned>(2));
  EXPECT_EQ(kernel.getInPlaceArgument(2), std::nullopt); // the result is a copy
}

TEST_F(Dialect, CachesOfManyLayersAreVerifiedOnceEach) {
  constexpr int layers = 10'000;
  std::string states, text;
  for (int i = 0; i < layers; ++i) {
    std::string n = std::to_string(i);
    states += "nstf.state @s" + n + " : tensor<8x4xf32>\n";
    text += "%g" + n + " = nstf.get @s" + n + " : tensor<8x4xf32>\n%a" + n + " = nstf.kv_append %x, %g" + n +
            " : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n";
  }
  auto module = parse(states + R"(
    nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"})
        attributes {context = 8 : i64} {)" +
                      text + "nstf.return %x : tensor<?x4xf32> }");
  ASSERT_TRUE(module);
  std::clock_t start = std::clock();
  EXPECT_TRUE(succeeded(module->getOps<GraphOp>().begin().operator*().verifyRegions()));
  // It takes milliseconds, or 3 s if each cache is compared with all others.
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 0.3);
}

} // namespace
} // namespace nstf
