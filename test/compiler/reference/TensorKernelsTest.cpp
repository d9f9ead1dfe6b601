// nstf-form-tensor-kernels does not change a graph's results: random tensor code in the reference before and after.
#include "test/compiler/driver/RandomTensors.h"
#include "test/compiler/reference/ReferenceTest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "passes/nstf/Passes.h"

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;

namespace {

class TensorKernelsTest : public ReferenceTest {
protected:
  TensorKernelsTest() {
    context.loadDialect<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                        mlir::math::MathDialect, mlir::tensor::TensorDialect>();
  }

  void run(mlir::ModuleOp module, std::unique_ptr<mlir::Pass> pass) {
    mlir::PassManager manager(&context);
    manager.addPass(std::move(pass));
    ASSERT_TRUE(succeeded(manager.run(module)));
  }

  static ReferenceModel::Tensors evaluate(mlir::ModuleOp module, int64_t tokens) {
    GraphOp graph = *module.getOps<GraphOp>().begin();
    ReferenceModel::Tensors inputs;
    std::mt19937 random(5);
    for (unsigned i = 0; i < graph.getNumArguments(); ++i) {
      std::vector<int64_t> shape(mlir::cast<mlir::RankedTensorType>(graph.getArgumentTypes()[i]).getShape());
      shape[0] = shape[0] < 0 ? tokens : shape[0];
      Tensor value(shape);
      for (int64_t element = 0; element < value.size(); ++element)
        value.data()[element] = double(int32_t(random() & 0xffff) - 0x8000) / 0x8000;
      inputs[graph.getInputName(i).str()] = value;
    }
    return ReferenceModel(module).run(inputs, tokens, 0);
  }
};

TEST_F(TensorKernelsTest, ComputeWhatTheGraphDid) {
  int64_t kernels = 0, compound = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::string text = RandomTensors(seed).text();
    SCOPED_TRACE(text);
    auto module = parse(text);
    ASSERT_TRUE(module);
    run(*module, createNormalizeTensorOpsPass());
    auto before = evaluate(*module, 3);
    run(*module, createFormTensorKernelsPass());
    if (HasFatalFailure())
      return;
    for (KernelOp kernel : module->getOps<KernelOp>()) {
      int64_t reading = llvm::count_if(kernel.getBody().front(), [](mlir::Operation &op) {
        return op.getNumOperands() > 0 && mlir::isa<mlir::RankedTensorType>(op.getOperand(0).getType()) &&
               !mlir::isa<mlir::tensor::DimOp, ReturnOp>(op);
      });
      ++kernels;
      compound += reading > 1;
    }
    auto after = evaluate(*module, 3);
    ASSERT_EQ(before.size(), after.size());
    for (const auto &[name, tensor] : before)
      ASSERT_EQ(numbers(tensor), numbers(after.at(name))) << name;
  }
  // Otherwise the graphs would not test which values are stored and which are recomputed.
  EXPECT_GT(compound, 100) << "of " << kernels;
  EXPECT_GT(kernels, 400);
}

} // namespace
