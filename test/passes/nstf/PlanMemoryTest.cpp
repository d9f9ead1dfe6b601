// Simulates random graphs on an arena that tracks the writer of each block: every operand must be intact when it is
// read.
#include "mlir/Pass/PassManager.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "test/passes/nstf/RandomGraph.h"

#include <gtest/gtest.h>
#include <set>

namespace nstf {
namespace {

constexpr int64_t blockBytes = 256, stepTokens = 5;

int64_t countBlocks(mlir::Type type) {
  int64_t bytes = 4;
  for (int64_t size : llvm::cast<mlir::ShapedType>(type).getShape())
    bytes *= mlir::ShapedType::isDynamic(size) ? stepTokens : size;
  return (bytes + blockBytes - 1) / blockBytes;
}

// Runs the steps of a planned graph on blocks that remember their owner.
void simulate(GraphOp graph) {
  mlir::SymbolTableCollection symbols;
  std::vector<mlir::Value> owner(*graph.getArenaSize() / blockBytes);
  auto first = [&](mlir::Value value) -> std::optional<int64_t> { // the first block of a value in the arena
    if (getStorage(value, symbols).kind != Storage::Arena)
      return std::nullopt;
    auto step = llvm::cast<StepOp>(value.getDefiningOp());
    return (*step.getOffsets())[llvm::cast<mlir::OpResult>(value).getResultNumber()] / blockBytes;
  };
  for (StepOp step : graph.getBody().getOps<StepOp>()) {
    std::set<int64_t> read;
    for (mlir::Value operand : step.getInputs())
      if (std::optional<int64_t> start = first(operand))
        for (int64_t block = *start; block != *start + countBlocks(operand.getType()); ++block) {
          EXPECT_EQ(owner.at(block), operand) << "overwritten before its last use";
          read.insert(block);
        }
    ASSERT_TRUE(step.getOffsets().has_value());
    for (mlir::OpResult result : step->getResults()) {
      int64_t offset = (*step.getOffsets())[result.getResultNumber()];
      if (getStorage(result, symbols).kind != Storage::Arena) {
        EXPECT_EQ(offset, -1);
        continue;
      }
      ASSERT_GE(offset, 0);
      EXPECT_EQ(offset % blockBytes, 0);
      for (int64_t block = offset / blockBytes; block != offset / blockBytes + countBlocks(result.getType()); ++block) {
        EXPECT_FALSE(read.contains(block)) << "a step writes over what it reads";
        owner.at(block) = result;
      }
    }
  }
}

TEST(PlanMemory, EveryOperandIsIntact) {
  mlir::MLIRContext context;
  context.loadDialect<NSTFDialect>();
  for (unsigned seed = 0; seed != 200; ++seed) {
    auto module = test::makeRandomGraph(context, seed, 1 + seed % 60);
    mlir::PassManager passes(&context);
    passes.addPass(createFormKernelsPass());
    passes.addPass(createPlanMemoryPass({stepTokens}));
    ASSERT_TRUE(mlir::succeeded(passes.run(*module))) << "seed " << seed;
    SCOPED_TRACE(seed);
    simulate(*getGraph(*module));
  }
}

} // namespace
} // namespace nstf
