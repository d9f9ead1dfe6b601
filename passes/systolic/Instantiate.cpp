// systolic-instantiate: parameters in, every type resized by its axis names (Passes.td).
//
// Types are replaced in place through AttrTypeReplacer, which reaches block arguments, loop-carried values, signatures,
// LDS and buffer types; splat constants keep their value at the new size.
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "llvm/Support/MathExtras.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSTANTIATEPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

using Parameters = llvm::StringMap<int64_t>;

/// Gives shapes the sizes of their axes, and swizzles the chip's banks. An axis that is no parameter of at least 1 is
/// remembered in `badAxis`, and a swizzle that wants a chip where there is none in `lacksTarget`, since types have no
/// location to report them at.
struct Resizer {
  const Parameters &parameters;
  nstf::TargetView target;
  StringAttr badAxis;
  bool lacksTarget = false;

  SmallVector<int64_t> resize(AxesAttr axes) {
    SmallVector<int64_t> shape;
    for (Attribute axis : axes.getNames()) {
      int64_t size;
      if (auto name = dyn_cast<StringAttr>(axis)) {
        size = parameters.lookup(name.getValue());
        if (size < 1 && !badAxis)
          badAxis = name;
      } else {
        size = cast<IntegerAttr>(axis).getInt();
      }
      shape.push_back(std::max<int64_t>(size, 1));
    }
    return shape;
  }

  RankedTensorType resize(RankedTensorType tile) {
    auto axes = dyn_cast_or_null<AxesAttr>(tile.getEncoding());
    return axes ? RankedTensorType::get(resize(axes), tile.getElementType(), axes) : tile;
  }

  /// The chip's swizzle for a template's.
  Attribute resolve(Attribute attribute) {
    auto swizzle = dyn_cast<BankSwizzleAttr>(attribute);
    if (!swizzle)
      return attribute;
    lacksTarget |= !target;
    int64_t banks = target ? target.ldsBanks() : swizzle.getBanks();
    auto rows = int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(banks / swizzle.getBanks(), 1))));
    return SwizzleAttr::get(swizzle.getContext(), swizzle.getVector(), rows);
  }
};

/// The swizzle with as many rows as rows of `columns` elements allow: a group must not leave its row.
Attribute fitSwizzle(Attribute attribute, int64_t columns) {
  auto swizzle = dyn_cast<SwizzleAttr>(attribute);
  if (!swizzle)
    return attribute;
  int64_t vector = swizzle.getVector(), rows = swizzle.getRows();
  while (vector > 1 && columns % vector != 0)
    vector /= 2;
  while (rows > 1 && columns % (vector * rows) != 0)
    rows /= 2;
  return SwizzleAttr::get(swizzle.getContext(), vector, rows);
}

AttrTypeReplacer makeReplacer(Resizer &resizer) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](RankedTensorType tile) -> std::pair<Type, WalkResult> { return {resizer.resize(tile), WalkResult::skip()}; });
  replacer.addReplacement([&](MemRefType buffer) -> std::optional<std::pair<Type, WalkResult>> {
    AxesAttr axes = getBufferAxes(buffer);
    if (!axes)
      return std::nullopt;
    return std::pair<Type, WalkResult>{
        MemRefType::get(resizer.resize(axes), buffer.getElementType(), MemRefLayoutAttrInterface(), axes),
        WalkResult::skip()};
  });
  replacer.addReplacement([&](LdsType lds) -> std::pair<Type, WalkResult> {
    SmallVector<int64_t> shape = resizer.resize(lds.getAxes());
    return {LdsType::get(lds.getContext(), lds.getBuffers(), shape, lds.getElementType(),
                         fitSwizzle(resizer.resolve(lds.getSwizzle()), shape.back()), lds.getAxes()),
            WalkResult::skip()};
  });
  replacer.addReplacement([&](DenseElementsAttr splat) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto tile = dyn_cast<RankedTensorType>(splat.getType());
    if (!tile || !splat.isSplat())
      return std::nullopt;
    return std::pair<Attribute, WalkResult>{splat.resizeSplat(resizer.resize(tile)), WalkResult::skip()};
  });
  return replacer;
}

struct InstantiatePass : nstf::systolic::impl::InstantiatePassBase<InstantiatePass> {
  using Base::Base;

  /// Any name is an option: {BM=48 BN=96} is {params=BM=48,BN=96}.
  LogicalResult initializeOptions(StringRef options, function_ref<LogicalResult(const Twine &)> errorHandler) override {
    SmallVector<StringRef> entries;
    options.split(entries, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    std::string list;
    for (StringRef entry : entries) {
      entry.consume_front("params=");
      list += (list.empty() ? "params=" : ",") + entry.str();
    }
    return Base::initializeOptions(list, errorHandler);
  }

  void runOnOperation() override {
    FailureOr<KernelOp> found = requireOneKernel(getOperation());
    if (failed(found))
      return signalPassFailure();
    KernelOp kernel = *found;
    Parameters parameters;
    if (failed(readParameters(kernel, parameters)))
      return signalPassFailure();

    Resizer resizer{parameters, nstf::TargetView::lookup(kernel), {}};
    makeReplacer(resizer).recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                                       /*replaceTypes=*/true);
    if (resizer.badAxis) {
      kernel.emitError() << "expected axis " << resizer.badAxis.getValue() << " to be a parameter of at least 1";
      return signalPassFailure();
    }
    if (resizer.lacksTarget)
      return (void)nstf::TargetView::require(kernel), signalPassFailure();

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
        return kernel.emitError() << "expected an integer for parameter " << parameter.getName().getValue()
                                  << " but got " << parameter.getValue();
      parameters[parameter.getName()] = value.getInt();
    }
    for (const std::string &text : params) {
      auto [name, number] = StringRef(text).split('=');
      int64_t value;
      if (number.getAsInteger(10, value))
        return kernel.emitError() << "expected NAME=INTEGER but got " << text;
      if (!parameters.contains(name))
        return kernel.emitError() << "expected a parameter of the kernel but got " << name;
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
