// systolic-select-array: how many waves stand where, and which matrix instruction is the cell (Passes.td).
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SELECTARRAYPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// More accumulators a lane than this make the register allocator spill.
constexpr int64_t mostAccumulators = 128;
/// Elements along K that a lane holds of a cell; fewer make the cell several instructions deep.
constexpr int64_t leastElementsPerLane = 4;

struct SelectArrayPass : nstf::systolic::impl::SelectArrayPassBase<SelectArrayPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target) || failed(requireWaveSize(kernel)))
      return signalPassFailure();
    int64_t rows = kernel.getParam("WM").value_or(1), cols = kernel.getParam("WN").value_or(1);
    int64_t workItems = rows * cols * *kernel.getWaveSize();
    if (rows < 1 || cols < 1 || workItems > target->maxWorkgroupSize()) {
      kernel.emitError() << "expected at most " << target->maxWorkgroupSize() << " work-items in a workgroup but got "
                         << rows << "x" << cols << " waves of " << *kernel.getWaveSize();
      return signalPassFailure();
    }
    auto products = collectProducts(kernel);
    if (products.empty()) {
      kernel.setArrayAttr(SystolicArrayAttr::get(&getContext(), rows, cols, 0, 0, 0, 0));
      return;
    }
    for (const nstf::MatrixInstruction &instruction : candidates(*target, products.front())) {
      SystolicArrayAttr array = makeArray(instruction, rows, cols, *kernel.getWaveSize());
      if (!fits(array, products, *kernel.getWaveSize()))
        continue;
      kernel.setArrayAttr(array);
      remark::passed(kernel.getLoc(),
                     remark::RemarkOpts::name("Array").category(getArgument()).function(kernel.getSymName()))
          << (instruction.name + " on " + Twine(rows) + "x" + Twine(cols) + " waves").str();
      return;
    }
    auto error = kernel.emitError() << "expected a matrix instruction of " << target->name()
                                    << " that divides the products of the kernel but got none for";
    for (MmaOp product : products)
      error << " " << product.getA().getType() << " x " << product.getB().getType();
    error << " on " << rows << "x" << cols << " waves";
    signalPassFailure();
  }

  static SmallVector<MmaOp> collectProducts(KernelOp kernel) {
    SmallVector<MmaOp> products;
    kernel.walk([&](MmaOp op) { products.push_back(op); });
    return products;
  }

  /// Single-block instructions for the product's types, largest first.
  static SmallVector<nstf::MatrixInstruction> candidates(nstf::TargetView target, MmaOp product) {
    auto name = [](Value value) {
      std::string text;
      llvm::raw_string_ostream(text) << getTileType(value).getElementType();
      return text;
    };
    std::string operand = name(product.getA()), result = name(product.getAcc());
    SmallVector<nstf::MatrixInstruction> instructions;
    for (const nstf::MatrixInstruction &instruction : target.matrixInstructions())
      if (instruction.blocks == 1 && instruction.a == operand && instruction.b == operand && instruction.c == result)
        instructions.push_back(instruction);
    llvm::stable_sort(instructions, [](const auto &left, const auto &right) {
      return std::pair(left.m * left.n, left.k) > std::pair(right.m * right.n, right.k);
    });
    return instructions;
  }

  SystolicArrayAttr makeArray(const nstf::MatrixInstruction &instruction, int64_t rows, int64_t cols,
                              int64_t waveSize) {
    int64_t leastK = leastElementsPerLane * waveSize / instruction.m;
    return SystolicArrayAttr::get(&getContext(), rows, cols, instruction.m, instruction.n,
                                  std::max(instruction.k, leastK), instruction.k);
  }

  static bool fits(SystolicArrayAttr array, ArrayRef<MmaOp> products, int64_t waveSize) {
    auto elementTypes = [](MmaOp product) {
      return std::pair(getTileType(product.getA()).getElementType(), getTileType(product.getAcc()).getElementType());
    };
    return llvm::all_of(products, [&](MmaOp product) {
      // One array, one instruction.
      if (elementTypes(product) != elementTypes(products.front()))
        return false;
      auto layout = [&](Value value, MmaOperand operand) {
        return getMmaLayout(array, operand, getTileType(value).getShape(), waveSize);
      };
      FragmentAttr acc = layout(product.getAcc(), MmaOperand::Acc);
      return acc && layout(product.getA(), MmaOperand::A) && layout(product.getB(), MmaOperand::B) &&
             acc.getNumRegisters() <= mostAccumulators;
    });
  }
};

} // namespace
