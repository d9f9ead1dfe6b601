// nstf-set-precision: stores operands of matrix products in fewer bits (Passes.td).
//
//   %h = nstf.rms_norm %x, %g                          %h = nstf.rms_norm %x, %g
//   %q = nstf.linear %h, %w                      ->    %t = nstf.convert %h {type = f16}
//                                                      %q = nstf.linear %t, %w : (tensor<?x64xf16>, tensor<64x64xf16>)
//                                                      …
#include "dialects/nstf/F32Product.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_SETPRECISIONPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType withElement(Type tensor, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(tensor).getShape(), element);
}

/// The op as one that may read operands in fewer bits; null if it may not.
MixedPrecisionOp getMixedPrecision(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return op->hasAttr(f32ProductAttributeName) ? MixedPrecisionOp() : dyn_cast<MixedPrecisionOp>(op);
}

/// Whether the operand is one of a matrix product.
bool isProductOperand(OpOperand &operand) {
  MixedPrecisionOp op = getMixedPrecision(operand);
  return op && op.isProductOperand(operand.getOperandNumber());
}

/// Whether the op accepts any float type for this operand.
bool takesAnyFloat(OpOperand &operand) {
  MixedPrecisionOp op = getMixedPrecision(operand);
  return op && op.readsAnyFloat(operand.getOperandNumber());
}

struct SetPrecisionPass : nstf::impl::SetPrecisionPassBase<SetPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    if (type == Precision::F32)
      return;
    Builder builder(&getContext());
    target = type == Precision::F16 ? Type(builder.getF16Type()) : Type(builder.getBF16Type());
    for (StepOp step : graph->getBody().getOps<StepOp>()) {
      step.emitOpError("expected a graph without launches but got one");
      return signalPassFailure();
    }
    weights = states = conversions = 0;
    setWeights(*graph);
    setDecoded(*graph);
    setStates(*graph);
    convertOperands(*graph);
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Precision").category(getArgument()).function(graph->getSymName()))
        << ("operands of matrix products in " + nstf::getName(type).str()) << remark::metric("weights", weights)
        << remark::metric("states", states) << remark::metric("conversions", conversions);
  }

  /// The f32 reads of each symbol, for the symbols of which all uses of all reads satisfy `test`.
  llvm::MapVector<StringAttr, SmallVector<GetOp>> findReads(GraphOp graph, function_ref<bool(OpOperand &)> test) {
    llvm::MapVector<StringAttr, SmallVector<GetOp>> reads;
    for (GetOp get : graph.getBody().getOps<GetOp>())
      reads[get.getSymbolAttr().getAttr()].push_back(get);
    reads.remove_if([&](auto &entry) {
      return !llvm::all_of(entry.second, [&](GetOp get) {
        return getTensorType(get).getElementType().isF32() && llvm::all_of(get->getUses(), test);
      });
    });
    return reads;
  }

  void setWeights(GraphOp graph) {
    SymbolTable symbols(getOperation());
    for (auto &[symbol, reads] : findReads(graph, takesAnyFloat))
      if (auto weight = symbols.lookup<WeightOp>(symbol)) {
        weight.setType(withElement(weight.getType(), target));
        for (GetOp get : reads)
          get.getResult().setType(cast<RankedTensorType>(weight.getType()));
        ++weights;
      }
  }

  /// Changes the result type of decode ops that only products read: the product decodes the codes as it loads them.
  void setDecoded(GraphOp graph) {
    for (DequantizeOp op : graph.getBody().getOps<DequantizeOp>())
      if (op.getType().getElementType().isF32() && llvm::all_of(op->getUses(), isProductOperand))
        op.getResult().setType(withElement(op.getType(), target));
  }

  /// Changes the type of caches that are only appended to and read by products.
  void setStates(GraphOp graph) {
    SymbolTable symbols(getOperation());
    auto isCache = [](OpOperand &use) {
      auto append = dyn_cast<KvAppendOp>(use.getOwner());
      return append && use.get() == append.getCache() && llvm::all_of(append->getUses(), isProductOperand);
    };
    for (auto &[symbol, reads] : findReads(graph, isCache))
      if (auto state = symbols.lookup<StateOp>(symbol)) {
        state.setType(withElement(state.getType(), target));
        for (GetOp get : reads) {
          get.getResult().setType(cast<RankedTensorType>(state.getType()));
          for (Operation *user : get->getUsers())
            cast<KvAppendOp>(user).getResult().setType(cast<RankedTensorType>(state.getType()));
        }
        ++states;
      }
  }

  /// Converts the remaining f32 operands of products, and f32 rows appended to caches of the target type.
  void convertOperands(GraphOp graph) {
    DenseMap<Value, Value> converted;
    for (Operation &op : llvm::make_early_inc_range(graph.getBody().front()))
      for (OpOperand &operand : op.getOpOperands()) {
        auto append = dyn_cast<KvAppendOp>(op);
        bool isRowsOfCache =
            append && operand.get() == append.getRows() && getTensorType(append.getCache()).getElementType() == target;
        if (isRowsOfCache || (isProductOperand(operand) && !hasOtherType(op)))
          operand.set(convert(operand.get(), converted));
      }
  }

  /// Whether a product has an operand of a third type; such a product keeps that type.
  bool hasOtherType(Operation &op) {
    return llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
      Type element = getTensorType(operand.get()).getElementType();
      return isProductOperand(operand) && element != target && !element.isF32();
    });
  }

  Value convert(Value value, DenseMap<Value, Value> &converted) {
    if (getTensorType(value).getElementType() == target)
      return value;
    Value &result = converted[value];
    if (!result) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      result = ConvertOp::create(builder, value.getLoc(), withElement(value.getType(), target), value, target);
      ++conversions;
    }
    return result;
  }

  Type target;
  int64_t weights = 0, states = 0, conversions = 0;
};

} // namespace
