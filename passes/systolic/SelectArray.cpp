// systolic-select-array: chooses the waves of the array and the matrix instruction of its cells (Passes.td).
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "support/ElementType.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SELECTARRAYPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::Schedule;

namespace {

/// The max number of accumulators of a lane without spills.
constexpr int64_t maxAccumulators = 128;
/// The elements along K that a lane holds of a cell: as many as an accumulator's rows lie side by side, so that the
/// result of a product can be the operand of the next, whatever the cell.
constexpr int64_t elementsOfChain = 4;
/// Alternatively, as many as one LDS access fetches.
constexpr int64_t bitsOfAccess = 128;

struct SelectArrayPass : nstf::systolic::impl::SelectArrayPassBase<SelectArrayPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target) || failed(requireInlined(kernel)) || failed(requireWaveSize(kernel)) ||
        failed(requireNoLayouts(kernel)))
      return signalPassFailure();
    int64_t rows = kernel.getWaves().rows, cols = kernel.getWaves().columns;
    auto products = collectProducts(kernel);
    int64_t parts = products.empty() ? 1 : products.front().getParts();
    bool runs = !products.empty() && products.front().getRuns();
    std::string waves = getText(rows, cols, parts);
    int64_t workItems = rows * cols * parts * *kernel.getWaveSize(), crews = kernel.getCrews();
    if (crews * workItems > target->maxWorkgroupSize()) {
      kernel.emitError() << "expected at most " << target->maxWorkgroupSize() << " work-items in a workgroup but got "
                         << (crews > 1 ? std::to_string(crews) + " crews of " : "") << waves << " waves of "
                         << *kernel.getWaveSize();
      return signalPassFailure();
    }
    if (crews > 1 && workItems > *kernel.getWaveSize()) {
      kernel.emitError() << "expected crews of one wave but got " << waves << " waves";
      return signalPassFailure();
    }
    if (failed(checkTiles(kernel, *target, workItems)) || failed(checkStores(kernel, *target)))
      return signalPassFailure();
    if (products.empty()) {
      if (failed(checkFields(kernel)))
        return signalPassFailure();
      kernel.setArrayAttr(SystolicArrayAttr::get(&getContext(), rows, cols, 0, 0, 0, 0, /*transposed=*/false));
      return;
    }
    bool isFromMemory = llvm::all_of(products, isOfMemory);
    SmallVector<nstf::MatrixInstruction> instructions = candidates(*target, products.front());
    if (instructions.empty()) {
      kernel.emitError() << "expected products of " << llvm::join(getOperandTypes(*target), ", ")
                         << ", which the matrix cores of " << target->name() << " multiply, but got "
                         << nameOf(getTileType(products.front().getA()).getElementType());
      return signalPassFailure();
    }
    bool isChosen = false;
    for (const nstf::MatrixInstruction &instruction : instructions) {
      auto options = remark::RemarkOpts::name("Array").category(getArgument()).function(kernel.getSymName());
      if (isChosen) {
        remark::missed(kernel.getLoc(), options) << (instruction.name + ": smaller than the one that fits").str();
        continue;
      }
      SystolicArrayAttr array;
      std::string reason;
      for (int64_t elements : getElementsPerLane(products.front(), instruction, *kernel.getWaveSize(), isFromMemory)) {
        bool isChained = !isFromMemory && elements > elementsOfChain;
        array = makeArray(instruction, rows, cols, *kernel.getWaveSize(), elements, isFromMemory && storesRows(kernel),
                          isChained, parts, runs);
        reason = getMisfit(array, products, *kernel.getWaveSize());
        if (reason.empty())
          break;
      }
      if (!reason.empty()) {
        remark::missed(kernel.getLoc(), options) << (instruction.name + ": " + reason).str();
        continue;
      }
      kernel.setArrayAttr(array);
      isChosen = true;
      remark::passed(kernel.getLoc(), options)
          << (instruction.name + " on " + waves + " waves").str()
          << remark::metric("elements_per_lane", array.getElementsPerLane(*kernel.getWaveSize()))
          << remark::metric("transposed", array.getTransposed()) << remark::metric("chained", array.getChained());
    }
    if (isChosen)
      return;
    auto error = kernel.emitError() << "expected a matrix instruction of " << target->name()
                                    << " that divides the products of the kernel but got none for";
    for (MmaOp product : products)
      error << " " << product.getA().getType() << " x " << product.getB().getType();
    error << " on " << waves << " waves";
    signalPassFailure();
  }

  /// Rejects tiles that exceed the register file; without the check they would fail only after hours of unrolling.
  static LogicalResult checkTiles(KernelOp kernel, nstf::TargetView target, int64_t workItems) {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      for (Type type : op->getResultTypes()) {
        auto tile = dyn_cast<RankedTensorType>(type);
        int64_t bits = target.maxVgprsPerWave() * 32 * workItems;
        if (!tile || tile.getNumElements() <= bits / std::max(tile.getElementTypeBitWidth(), 16u))
          continue;
        return kernel.emitError() << "expected tiles of at most " << target.maxVgprsPerWave()
                                  << " registers a lane but got " << tile << " on " << workItems << " work-items";
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult checkStores(KernelOp kernel, nstf::TargetView target) {
    WalkResult result = kernel.walk([&](StoreOp store) -> WalkResult {
      Type memory = getElementTypeOrSelf(store.getBuffer().getType());
      bool rounds = isa<Float8E4M3FNUZType>(memory) && getTileType(store.getTile()).getElementType() != memory;
      if (!rounds || target.fp8() == "fnuz")
        return WalkResult::advance();
      return kernel.emitError() << "expected a chip that rounds to " << memory << ", as gfx942 does, but got "
                                << target.name() << ", which only decodes what it reads (i8 runs on it)";
    });
    return failure(result.wasInterrupted());
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

  /// Rejects fields of matrix products in other kernels, for which a schedule sets the waves along rows and columns
  /// only.
  static LogicalResult checkFields(KernelOp kernel) {
    Schedule fields = kernel.getScheduleFields();
    if (kernel.getWaves().parts == 1)
      fields.waves = std::nullopt;
    if (fields == Schedule())
      return success();
    return kernel.emitError()
           << "expected a schedule of waves along rows and columns alone for a kernel without matrix "
              "products but got "
           << fields.str();
  }

  /// The operand types of single-block instructions, in the target's order.
  static SmallVector<StringRef> getOperandTypes(nstf::TargetView target) {
    llvm::SmallSetVector<StringRef, 8> types;
    for (const nstf::MatrixInstruction &instruction : target.matrixInstructions())
      if (instruction.blocks == 1 && instruction.a == instruction.b &&
          (instruction.c == "f32" || instruction.c == "i32"))
        if (auto type = nstf::support::elementTypeFromMlir(instruction.a))
          types.insert(nstf::support::nameOf(*type));
    return SmallVector<StringRef>(types.getArrayRef());
  }

  /// The name of a type on the command line.
  static std::string nameOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    auto known = nstf::support::elementTypeFromMlir(text);
    return known ? std::string(nstf::support::nameOf(*known)) : text;
  }

  /// The numbers of elements along K that a lane may hold of a cell, the best first. If a product's result is another's
  /// operand, the rows of a cell must be a multiple of the cell's depth.
  static SmallVector<int64_t> getElementsPerLane(MmaOp product, const nstf::MatrixInstruction &instruction,
                                                 int64_t waveSize, bool isFromMemory) {
    int64_t ofAccess = bitsOfAccess / getTileType(product.getA()).getElementTypeBitWidth();
    if (comesInRuns(product.getA()) || comesInRuns(product.getB()))
      return {elementsOfChain};
    bool fits = isFromMemory || instruction.m % (ofAccess * waveSize / instruction.m) == 0;
    if (ofAccess <= elementsOfChain || !fits)
      return {elementsOfChain};
    return {ofAccess, elementsOfChain};
  }

  /// Whether one memory access fetches a lane's elements of several cells.
  static bool comesInRuns(Value operand) {
    LoadOp load = findLoad(operand);
    PackedAttr packing = load ? findPacking(load.getBuffer()) : PackedAttr();
    return packing && packing.getBy() == elementsOfChain;
  }

  /// Whether the operands of a product are loaded, or one is loaded and the other constant.
  static bool isOfMemory(MmaOp product) {
    bool loadsA = bool(findLoad(product.getA())), loadsB = bool(findLoad(product.getB()));
    auto isConstant = [](Value operand) { return bool(operand.getDefiningOp<arith::ConstantOp>()); };
    return (loadsA && loadsB) || (loadsA && isConstant(product.getB())) || (loadsB && isConstant(product.getA()));
  }

  /// Whether results are stored along rows: then accumulators along rows make stores wide.
  static bool storesRows(KernelOp kernel) {
    bool anyStore = false, allRows = true;
    kernel.walk([&](StoreOp store) {
      anyStore = true;
      allRows &= getTileType(store.getTile()).getRank() == 2 && !store.getTransposed();
    });
    return anyStore && allRows;
  }

  SystolicArrayAttr makeArray(const nstf::MatrixInstruction &instruction, int64_t rows, int64_t cols, int64_t waveSize,
                              int64_t elementsPerLane, bool transposed, bool chained, int64_t parts, bool runs) {
    int64_t k = elementsPerLane * waveSize / instruction.m;
    return SystolicArrayAttr::get(&getContext(), rows, cols, instruction.m, instruction.n, std::max(instruction.k, k),
                                  instruction.k, transposed, chained, parts, runs);
  }

  static std::string getText(int64_t rows, int64_t cols, int64_t parts) {
    return std::to_string(rows) + "x" + std::to_string(cols) + (parts > 1 ? "x" + std::to_string(parts) : "");
  }

  /// The reason why a product cannot be divided into cells of the array; empty if all can.
  static std::string getMisfit(SystolicArrayAttr array, ArrayRef<MmaOp> products, int64_t waveSize) {
    auto elementTypes = [](MmaOp product) {
      return std::pair(getTileType(product.getA()).getElementType(), getTileType(product.getAcc()).getElementType());
    };
    auto shape = [](Value tile) {
      return std::to_string(getTileType(tile).getDimSize(0)) + "x" + std::to_string(getTileType(tile).getDimSize(1));
    };
    std::string waves = getText(array.getWaveRows(), array.getWaveCols(), array.getParts()) + " waves";
    for (MmaOp product : products) {
      if (elementTypes(product) != elementTypes(products.front()))
        return "the kernel's products have different types, and an array has one instruction";
      if (int64_t(product.getParts()) != array.getParts() || product.getRuns() != array.getRuns())
        return "the kernel's products have different parts";
      if (array.getChained() && array.getParts() > 1)
        return "its rows would be chained, and parts are of products alone";
      auto layout = [&](Value value, MmaOperand operand) {
        return getMmaLayout(array, operand, getTileType(value).getShape(), waveSize);
      };
      FragmentAttr acc = layout(product.getAcc(), MmaOperand::Acc);
      if (!acc)
        return "its cells do not tile " + shape(product.getAcc()) + " on " + waves;
      SmallVector<int64_t> sum(getTileType(product.getAcc()).getShape());
      sum[0] /= array.getParts();
      if (!getSumLayout(array, sum, waveSize))
        return "the registers of its " + std::to_string(array.getParts()) + " parts do not come out even";
      if (!layout(product.getA(), MmaOperand::A) || !layout(product.getB(), MmaOperand::B))
        return "its cells are " + std::to_string(array.getDepth()) + " deep, which does not divide the " +
               std::to_string(getTileType(product.getA()).getDimSize(1)) + " of a product";
      if (acc.getNumRegisters() > maxAccumulators)
        return std::to_string(acc.getNumRegisters()) + " accumulators a lane, over the " +
               std::to_string(maxAccumulators) + " that do not spill";
    }
    return "";
  }
};

} // namespace
