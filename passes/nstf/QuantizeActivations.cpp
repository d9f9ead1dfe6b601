// nstf-quantize-activations: quantises the activations of products with codes (Passes.td).
//
//   %t = nstf.convert %h {type = f16}                  %q, %s = nstf.quantize %h {type = i8, group = 64}
//   %w = nstf.dequantize %codes, %scales               %w = nstf.dequantize %codes, %scales
//   %y = nstf.linear %t, %w                      ->    %x = nstf.dequantize_rows %q, %s
//                                                      %y = nstf.linear %x, %w
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/CodeType.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeActivationsPass : nstf::impl::QuantizeActivationsPassBase<QuantizeActivationsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    if (type.empty())
      return;
    FailureOr<Type> codes = requireCodeType(type, getOperation());
    if (failed(codes))
      return signalPassFailure();
    quantized.clear();
    int64_t products = 0;
    for (LinearOp linear : llvm::make_early_inc_range(graph->getBody().getOps<LinearOp>())) {
      auto matrix = linear.getW().getDefiningOp<DequantizeOp>();
      if (!matrix || !matrix.hasPlainRows() || matrix.getCodes().getType().getElementType() != *codes) {
        remark::missed(linear.getLoc(),
                       remark::RemarkOpts::name("Product").category(getArgument()).function(graph->getSymName()))
            << "its matrix is not in codes of " + type + " with one scale a row";
        continue;
      }
      replaceRows(linear, *codes);
      ++products;
    }
    if (products == 0) {
      graph->emitError() << "expected a linear whose matrix is in codes of " << type
                         << " with one scale a row but got none";
      return signalPassFailure();
    }
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Quantized").category(getArgument()).function(graph->getSymName()))
        << "rows that products read, in codes of " + type << remark::metric("products", products)
        << remark::metric("values", int64_t(quantized.size()));
  }

private:
  void replaceRows(LinearOp linear, Type codes) {
    Value x = linear.getX();
    auto convert = x.getDefiningOp<ConvertOp>();
    QuantizeOp made = quantize(convert ? convert.getX() : x, codes);
    OpBuilder builder(linear);
    Type rows = cast<RankedTensorType>(x.getType()).clone(getElementTypeOrSelf(linear.getW().getType()));
    linear.getXMutable().assign(
        DequantizeRowsOp::create(builder, linear.getLoc(), rows, made.getCodes(), made.getScales()));
    if (convert && convert->use_empty())
      convert.erase();
  }

  /// One quantize op serves all readers of the value.
  QuantizeOp quantize(Value value, Type codes) {
    QuantizeOp &made = quantized[value];
    if (!made) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      int64_t columns = cast<RankedTensorType>(value.getType()).getDimSize(1);
      made = QuantizeOp::create(builder, getName(value.getLoc()), value, codes, columns);
    }
    return made;
  }

  /// The quantize op may become a launch of its own, so it gets a name that differs from that of the value's producer.
  static Location getName(Location location) {
    auto name = dyn_cast<NameLoc>(location);
    if (!name)
      return location;
    auto own = StringAttr::get(location.getContext(), name.getName().strref() + ".codes");
    return NameLoc::get(own, name.getChildLoc());
  }

  DenseMap<Value, QuantizeOp> quantized;
};

} // namespace
