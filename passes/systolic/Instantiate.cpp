// systolic-instantiate: sets parameters and resizes every type by its axis names (Passes.td).
//
// Types are replaced in place through AttrTypeReplacer, which reaches block arguments, loop-carried values, signatures,
// and buffer types; splat constants keep their value at the new size.
#include "dialects/systolic/OperandTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSTANTIATEPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::Schedule;

namespace {

using Parameters = llvm::StringMap<Attribute>;

/// The value of an integer parameter; 0 if the parameter is missing or no integer.
int64_t getInteger(const Parameters &parameters, StringRef name) {
  auto value = dyn_cast_or_null<IntegerAttr>(parameters.lookup(name));
  return value ? value.getInt() : 0;
}

/// Gives shapes the sizes of their axes. Types have no location for a diagnostic, so the resizer records an axis that
/// is no parameter of at least 1 in `badAxis`, and a tile without its operand type in `lacksOperand`.
struct Resizer {
  const Parameters &parameters;
  StringAttr badAxis;
  bool lacksOperand = false;

  SmallVector<int64_t> resize(AxesAttr axes) {
    SmallVector<int64_t> shape;
    for (Attribute axis : axes.getNames()) {
      auto name = dyn_cast<StringAttr>(axis);
      int64_t size = name ? getProduct(name) : cast<IntegerAttr>(axis).getInt();
      if (size < 1 && !badAxis)
        badAxis = name;
      shape.push_back(std::max<int64_t>(size, 1));
    }
    return shape;
  }

  /// The product of the parameters that an axis names; 0 if one is missing.
  int64_t getProduct(StringAttr axis) {
    SmallVector<StringRef> factors;
    axis.getValue().split(factors, " * ");
    int64_t product = 1;
    for (StringRef factor : factors) {
      auto [name, divisor] = factor.split(" / ");
      int64_t size = getInteger(parameters, name), parts = divisor.empty() ? 1 : getInteger(parameters, divisor);
      product *= parts < 1 ? 0 : llvm::divideCeil(size, parts);
    }
    return product;
  }

  RankedTensorType resize(RankedTensorType tile) {
    auto axes = dyn_cast_or_null<AxesAttr>(tile.getEncoding());
    lacksOperand |= isa<OperandType, AccumulatorType>(tile.getElementType());
    return axes ? RankedTensorType::get(resize(axes), tile.getElementType(), axes) : tile;
  }
};

AttrTypeReplacer makeReplacer(Resizer &resizer) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](RankedTensorType tile) -> std::pair<Type, WalkResult> { return {resizer.resize(tile), WalkResult::skip()}; });
  replacer.addReplacement([&](MemRefType buffer) -> std::optional<std::pair<Type, WalkResult>> {
    AxesAttr axes = getBufferAxes(buffer);
    if (!axes)
      return std::nullopt;
    resizer.lacksOperand |= isa<OperandType, AccumulatorType>(buffer.getElementType());
    return std::pair<Type, WalkResult>{
        MemRefType::get(resizer.resize(axes), buffer.getElementType(), MemRefLayoutAttrInterface(), axes),
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

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

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

    if (auto operand = dyn_cast_or_null<TypeAttr>(parameters.lookup(operandParameterName)))
      resolveOperandTypes(getOperation(), operand.getValue());
    Resizer resizer{parameters, {}};
    makeReplacer(resizer).recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                                       /*replaceTypes=*/true);
    if (resizer.badAxis) {
      kernel.emitError() << "expected axis " << resizer.badAxis.getValue() << " to be a parameter of at least 1";
      return signalPassFailure();
    }
    if (resizer.lacksOperand) {
      kernel.emitError() << "expected a parameter " << operandParameterName
                         << ", the type of !systolic.operand, but got none";
      return signalPassFailure();
    }
    if (failed(setParameters(parameters)) || failed(setRows(parameters)))
      signalPassFailure();
  }

  LogicalResult setParameters(const Parameters &parameters) {
    WalkResult result = getOperation()->walk([&](ParamOp op) {
      auto value = dyn_cast_or_null<TypedAttr>(parameters.lookup(op.getName()));
      if (!value) {
        op.emitOpError() << "expected a parameter of the kernel but got " << op.getName();
        return WalkResult::interrupt();
      }
      OpBuilder builder(op);
      if (auto integer = dyn_cast<IntegerAttr>(value))
        value = builder.getIndexAttr(integer.getInt());
      if (value.getType() != op.getType()) {
        op.emitOpError() << "expected parameter " << op.getName() << " to be of type " << op.getType() << " but got "
                         << parameters.lookup(op.getName());
        return WalkResult::interrupt();
      }
      op.replaceAllUsesWith(arith::ConstantOp::create(builder, op.getLoc(), value).getResult());
      op.erase();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Replaces the rows of a launch by a number or by the tokens of the step.
  LogicalResult setRows(const Parameters &parameters) {
    WalkResult result = getOperation()->walk([&](ControlOp op) {
      if (op.getField() != ControlField::rows)
        return WalkResult::advance();
      if (!parameters.contains("ROWS")) {
        op.emitOpError("expected a parameter ROWS of the kernel but got none");
        return WalkResult::interrupt();
      }
      int64_t rows = getInteger(parameters, "ROWS");
      if (rows == 0) {
        op.setField(ControlField::tokens);
        return WalkResult::advance();
      }
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op.getLoc(), rows).getResult());
      op.erase();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Parses the option's text as a value of the same kind as `example`; null if it is none.
  static Attribute parseAs(Attribute example, StringRef text) {
    Builder builder(example.getContext());
    int64_t integer;
    double number;
    if (isa<IntegerAttr>(example))
      return text.getAsInteger(10, integer) ? nullptr : builder.getI64IntegerAttr(integer);
    if (isa<FloatAttr>(example))
      return text.getAsDouble(number) ? nullptr : builder.getF32FloatAttr(float(number));
    Type type = parseType(text, example.getContext());
    return type ? TypeAttr::get(type) : nullptr;
  }

  /// Sets the schedule if it differs; a kernel without a schedule attribute keeps none if the defaults apply.
  static LogicalResult setSchedule(KernelOp kernel, const Schedule &schedule) {
    if (schedule == kernel.getScheduleFields())
      return success();
    auto attribute = ScheduleAttr::getChecked([&] { return kernel.emitError(); }, kernel.getContext(), schedule);
    if (!attribute)
      return failure();
    kernel.setScheduleAttr(attribute);
    return success();
  }

  /// Reads the kernel's parameters and schedule, overridden by the option's, and sets the latter on the kernel too.
  LogicalResult readParameters(KernelOp kernel, Parameters &parameters) {
    for (NamedAttribute parameter : kernel.getParams()) {
      Attribute value = parameter.getValue();
      if (auto number = dyn_cast<FloatAttr>(value);
          !isa<IntegerAttr, TypeAttr>(value) && !(number && number.getType().isF32()))
        return kernel.emitError() << "expected an integer, an f32 or a type for parameter "
                                  << parameter.getName().getValue() << " but got " << value;
      parameters[parameter.getName()] = value;
    }
    Schedule schedule = kernel.getScheduleFields();
    for (const std::string &text : params) {
      auto [name, value] = StringRef(text).split('=');
      if (Schedule::isField(name)) {
        if (std::string fault = schedule.set(name, value); !fault.empty())
          return kernel.emitError() << fault;
        continue;
      }
      auto known = parameters.find(name);
      if (std::string_view field = Schedule::getFieldInPlaceOf(name); known == parameters.end() && !field.empty())
        return kernel.emitError() << "expected the field " << StringRef(field)
                                  << " of the schedule in place of the parameter but got " << name;
      if (known == parameters.end())
        return kernel.emitError() << "expected a parameter of the kernel or a field of its schedule but got " << name;
      known->second = parseAs(known->second, value);
      if (!known->second)
        return kernel.emitError() << "expected NAME=INTEGER but got " << text;
    }
    SmallVector<NamedAttribute> attributes;
    for (auto &parameter : parameters) {
      if (auto integer = dyn_cast<IntegerAttr>(parameter.second); integer && integer.getInt() < 0)
        return kernel.emitError() << "expected parameter " << parameter.first() << " to be at least 0 but got "
                                  << integer.getInt();
      attributes.emplace_back(StringAttr::get(&getContext(), parameter.first()), parameter.second);
    }
    kernel.setParamsAttr(DictionaryAttr::get(&getContext(), attributes));
    return setSchedule(kernel, schedule);
  }
};

} // namespace
