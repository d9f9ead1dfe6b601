// systolic-instantiate: parameters in, every type resized by its axis names (Passes.td).
//
// Types are replaced in place through AttrTypeReplacer, which reaches block arguments, loop-carried values, signatures,
// LDS and buffer types; splat constants keep their value at the new size.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/systolic/Passes.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSTANTIATEPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

using Parameters = llvm::StringMap<int64_t>;

SmallVector<int64_t> resize(ArrayRef<int64_t> shape, AxesAttr axes, const Parameters &parameters) {
  SmallVector<int64_t> result(shape);
  for (auto [dim, name] : llvm::enumerate(axes.getNames())) {
    if (auto string = dyn_cast<StringAttr>(name)) {
      if (auto it = parameters.find(string.getValue()); it != parameters.end())
        result[dim] = it->second;
    } else {
      result[dim] = cast<IntegerAttr>(name).getInt();
    }
  }
  return result;
}

RankedTensorType resizeTile(RankedTensorType tile, const Parameters &parameters) {
  auto axes = dyn_cast_or_null<AxesAttr>(tile.getEncoding());
  return axes ? RankedTensorType::get(resize(tile.getShape(), axes, parameters), tile.getElementType(), axes) : tile;
}

AttrTypeReplacer makeReplacer(const Parameters &parameters) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType tile) -> std::pair<Type, WalkResult> {
    return {resizeTile(tile, parameters), WalkResult::skip()};
  });
  replacer.addReplacement([&](MemRefType buffer) -> std::optional<std::pair<Type, WalkResult>> {
    AxesAttr axes = getBufferAxes(buffer);
    if (!axes)
      return std::nullopt;
    return std::pair<Type, WalkResult>{MemRefType::get(resize(buffer.getShape(), axes, parameters),
                                                       buffer.getElementType(), MemRefLayoutAttrInterface(), axes),
                                       WalkResult::skip()};
  });
  replacer.addReplacement([&](LdsType lds) -> std::pair<Type, WalkResult> {
    return {LdsType::get(lds.getContext(), lds.getBuffers(), resize(lds.getShape(), lds.getAxes(), parameters),
                         lds.getElementType(), lds.getSwizzle(), lds.getAxes()),
            WalkResult::skip()};
  });
  replacer.addReplacement([&](DenseElementsAttr splat) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto tile = dyn_cast<RankedTensorType>(splat.getType());
    if (!tile || !splat.isSplat())
      return std::nullopt;
    return std::pair<Attribute, WalkResult>{splat.resizeSplat(resizeTile(tile, parameters)), WalkResult::skip()};
  });
  return replacer;
}

struct InstantiatePass : nstf::systolic::impl::InstantiatePassBase<InstantiatePass> {
  using Base::Base;

  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<KernelOp>());
    if (kernels.size() != 1) {
      getOperation().emitError() << "expected one systolic.kernel in the module but got " << kernels.size();
      return signalPassFailure();
    }
    KernelOp kernel = kernels.front();
    Parameters parameters;
    if (failed(readParameters(kernel, parameters)))
      return signalPassFailure();

    makeReplacer(parameters)
        .recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                      /*replaceTypes=*/true);

    WalkResult result = getOperation().walk([&](ParamOp op) {
      auto it = parameters.find(op.getName());
      if (it == parameters.end()) {
        op.emitOpError() << "expected a parameter of the kernel but got " << op.getName();
        return WalkResult::interrupt();
      }
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op.getLoc(), it->second).getResult());
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The kernel's parameters with the option's put over them, also on the kernel itself.
  LogicalResult readParameters(KernelOp kernel, Parameters &parameters) {
    for (NamedAttribute parameter : kernel.getParams()) {
      auto value = dyn_cast<IntegerAttr>(parameter.getValue());
      if (!value)
        return kernel.emitError() << "expected an integer for parameter " << parameter.getName() << " but got "
                                  << parameter.getValue();
      parameters[parameter.getName()] = value.getInt();
    }
    for (const std::string &text : params) {
      auto [name, number] = StringRef(text).split('=');
      int64_t value;
      if (number.getAsInteger(10, value))
        return kernel.emitError() << "expected NAME=INTEGER but got " << text;
      if (!parameters.contains(name))
        return kernel.emitError() << "has no parameter " << name;
      parameters[name] = value;
    }
    Builder builder(&getContext());
    SmallVector<NamedAttribute> attributes;
    for (auto &parameter : parameters) {
      if (parameter.second < 0)
        return kernel.emitError() << "expected parameter " << parameter.first() << " to be at least 0 but got "
                                  << parameter.second;
      attributes.push_back(builder.getNamedAttr(parameter.first(), builder.getI64IntegerAttr(parameter.second)));
    }
    kernel.setParamsAttr(builder.getDictionaryAttr(attributes));
    return success();
  }
};

} // namespace
