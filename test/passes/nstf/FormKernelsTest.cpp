// Forming and merging kernels does not change the results of random graphs.
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "test/passes/nstf/RandomGraph.h"

#include <gtest/gtest.h>
#include <map>

namespace nstf {
namespace {

// Numbers expressions: two values have one number exactly if they are the same operations on the same operands.
class Expressions {
public:
  int number(std::string key) { return numbers.try_emplace(std::move(key), int(numbers.size())).first->second; }

  // The numbers of the values that a block returns, given those of its arguments.
  std::vector<int> evaluate(mlir::Block &block, const std::vector<int> &arguments, mlir::SymbolTable &symbols) {
    llvm::DenseMap<mlir::Value, int> value;
    for (auto [argument, known] : llvm::zip_equal(block.getArguments(), arguments))
      value[argument] = known;
    for (mlir::Operation &op : block) {
      std::vector<int> operands;
      for (mlir::Value operand : op.getOperands())
        operands.push_back(value.at(operand));
      if (llvm::isa<ReturnOp>(op))
        return operands;
      std::vector<int> results;
      if (auto step = llvm::dyn_cast<StepOp>(op)) {
        ++steps;
        results = evaluate(symbols.lookup<KernelOp>(step.getKernel()).getBody().front(), operands, symbols);
      } else {
        std::string key;
        llvm::raw_string_ostream out(key);
        out << op.getName() << op.getAttrDictionary();
        for (int operand : operands)
          out << " " << operand;
        results = {number(key)};
      }
      for (auto [result, known] : llvm::zip_equal(op.getResults(), results))
        value[result] = known;
    }
    ADD_FAILURE() << "no return";
    return {};
  }

  int steps = 0;

private:
  std::map<std::string, int> numbers;
};

std::vector<int> evaluateGraph(Expressions &expressions, mlir::ModuleOp module) {
  GraphOp graph = *getGraph(module);
  std::vector<int> arguments;
  for (unsigned i = 0; i != graph.getNumArguments(); ++i)
    arguments.push_back(expressions.number("argument " + std::to_string(i)));
  mlir::SymbolTable symbols(module);
  return expressions.evaluate(graph.getBody().front(), arguments, symbols);
}

TEST(FormKernels, ComputesTheSame) {
  mlir::MLIRContext context;
  context.loadDialect<NSTFDialect>();
  int operations = 0, launches = 0;
  for (unsigned seed = 0; seed != 200; ++seed) {
    auto module = test::makeRandomGraph(context, seed, 1 + seed % 40);
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    for (mlir::Operation &op : getGraph(*module)->getBody().front())
      operations += !llvm::isa<GetOp, ReturnOp>(op);
    Expressions expressions;
    std::vector<int> before = evaluateGraph(expressions, *module);
    ASSERT_EQ(expressions.steps, 0);

    mlir::PassManager passes(&context);
    passes.addPass(createFormKernelsPass());
    passes.addPass(createDeduplicateKernelsPass());
    ASSERT_TRUE(mlir::succeeded(passes.run(*module))) << "seed " << seed;
    EXPECT_TRUE(mlir::succeeded(verifyFormed(*getGraph(*module))));
    EXPECT_EQ(evaluateGraph(expressions, *module), before) << "seed " << seed;
    launches += expressions.steps;
  }
  EXPECT_LT(launches, operations); // something was fused
}

} // namespace
} // namespace nstf
