// nstf-to-systolic-fill-template: fills the sizes, buffers and elementwise ops of a kernel region into its template
// (Passes.td).
#include "dialects/systolic/OperandTypes.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf_to_systolic/Binding.h"
#include "passes/nstf_to_systolic/CodeProduct.h"
#include "passes/nstf_to_systolic/DecodeLoads.h"
#include "passes/nstf_to_systolic/Passes.h"
#include "passes/nstf_to_systolic/ProductPair.h"
#include "passes/nstf_to_systolic/QuantizeRows.h"
#include "passes/nstf_to_systolic/Slot.h"
#include "passes/nstf_to_systolic/TensorSlot.h"

namespace nstf {
#define GEN_PASS_DEF_FILLTEMPLATEPASS
#include "passes/nstf_to_systolic/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

constexpr StringLiteral slotName = "epilogue", outputName = "y", scalesName = "scales";
using systolic::LaunchArgument;

struct FillTemplatePass : nstf::impl::FillTemplatePassBase<FillTemplatePass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    auto regions = llvm::to_vector(getOperation()->getRegion(0).getOps<KernelOp>());
    auto programs = llvm::to_vector(getOperation()->getRegion(0).getOps<systolic::KernelOp>());
    if (regions.size() != 1 || programs.size() != 1) {
      getOperation()->emitError() << "expected one nstf.kernel and one systolic.kernel in the module but got "
                                  << regions.size() << " and " << programs.size();
      return signalPassFailure();
    }
    if (failed(fill(regions.front(), programs.front())))
      return signalPassFailure();
    regions.front().erase();
  }

  /// The binding of the part, or a new one if the pass runs on a module.
  FailureOr<BindingAttr> findBinding(KernelOp region, StringRef templateName) {
    if (auto part = dyn_cast<PartOp>(getOperation()))
      return part.getBinding();
    auto maxTokens = getOperation()->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName);
    if (!maxTokens)
      return getOperation()->emitError("expected nstf.max_tokens on the module but got none");
    FailureOr<TemplateBinding> binding = bindTemplate(region, templateName, maxTokens.getInt());
    if (failed(binding))
      return failure();
    return getBindingAttr(*binding, region, templateName, maxTokens.getInt());
  }

  DictionaryAttr findTuning(KernelOp region) {
    auto part = dyn_cast<PartOp>(getOperation());
    return part ? part.getChoice().getTuning() : region->getAttrOfType<DictionaryAttr>("nstf.tuning");
  }

  /// The schedule from the tuning row; null if there is none.
  Attribute findSchedule(KernelOp region) {
    auto part = dyn_cast<PartOp>(getOperation());
    return part ? part.getChoice().getSchedule() : region->getAttr("nstf.schedule");
  }

  LogicalResult fill(KernelOp region, systolic::KernelOp program) {
    FailureOr<BindingAttr> attribute = findBinding(region, program.getSymName());
    if (failed(attribute))
      return failure();
    TemplateBinding binding = readBinding(*attribute, region);
    if (int64_t requests = attribute->getRequests(); requests > 1)
      program.setRequests(requests);
    if (failed(setParameters(region, program, binding)) || failed(setSchedule(region, program)))
      return failure();
    if (findSecondProduct(region.getAnchor())) {
      auto slot = findSlot(slotName);
      if (!slot || failed(pairProducts(program, slot)))
        return failure();
    }
    if (failed(bindBuffers(region, program, binding)))
      return failure();
    if (isTensorKernel(region) ? failed(fillCompute(region, program, attribute->getTokens()))
                               : failed(fillEpilogue(region, program, binding)))
      return failure();
    if (QuantizeOp op = findRowQuantizer(region); op && failed(fillQuantizer(op, region, program)))
      return failure();
    if (failed(setLaunch(program, binding)))
      return failure();
    remark::passed(region.getLoc(),
                   remark::RemarkOpts::name("Template").category(getArgument()).function(region.getSymName()))
        << ("template " + program.getSymName()).str();
    program.setSymName(region.getSymName());
    program->setLoc(region.getLoc());
    return success();
  }

  /// Sets the template's defaults, then the extents, then the tuning row's values.
  LogicalResult setParameters(KernelOp region, systolic::KernelOp program, const TemplateBinding &binding) {
    Builder builder(&getContext());
    NamedAttrList parameters(program.getParams());
    auto set = [&](StringRef name, Attribute value) {
      if (!parameters.get(name))
        return failure();
      parameters.set(name, value);
      return success();
    };
    for (auto [name, value] : binding.numbers)
      if (failed(set(name, builder.getF32FloatAttr(value))))
        return program.emitError() << "expected the template to have parameter " << name;
    for (const TemplateBinding::Parameter &parameter : binding.parameters) {
      // ROWS may be missing: a template with a fixed number of rows (matvec) does not need it.
      if (failed(set(parameter.name, builder.getI64IntegerAttr(parameter.value))) && parameter.name != "ROWS")
        return program.emitError() << "expected the template to have parameter " << parameter.name;
    }
    if (DictionaryAttr tuning = findTuning(region))
      for (NamedAttribute entry : tuning) {
        auto value = dyn_cast<IntegerAttr>(entry.getValue());
        if (!value || failed(set(entry.getName(), value)))
          return program.emitError() << "expected tuning to name an integer parameter of the template but got "
                                     << entry.getName().getValue();
        if (value.getInt() < 1 && llvm::is_contained(program.getGrid(), Attribute(entry.getName())))
          return region.emitError() << "expected tuning to make " << entry.getName().getValue()
                                    << ", a tile, at least 1 but got " << value.getInt();
      }
    // Templates that compute on the vector units have no such parameter: they compute in f32, whatever type memory
    // holds.
    if (binding.operandType && parameters.get(systolic::operandParameterName))
      parameters.set(systolic::operandParameterName, TypeAttr::get(binding.operandType));
    program.setParamsAttr(parameters.getDictionary(&getContext()));
    program.removeTuneAttr(); // the parameters to tune are chosen now
    // Slots and loads are filled in next; their types must be known by then.
    if (auto operand = dyn_cast_or_null<TypeAttr>(parameters.get(systolic::operandParameterName)))
      systolic::resolveOperandTypes(getOperation(), operand.getValue());
    return success();
  }

  /// Sets the template's schedule, then the tuning row's fields.
  LogicalResult setSchedule(KernelOp region, systolic::KernelOp program) {
    Attribute tuning = findSchedule(region);
    if (!tuning)
      return success();
    auto schedule = dyn_cast<systolic::ScheduleAttr>(tuning);
    if (!schedule)
      return region.emitError() << "expected a #systolic.schedule of tuning but got " << tuning;
    support::Schedule fields = program.getScheduleFields();
    fields.apply(schedule.getFields());
    schedule = systolic::ScheduleAttr::getChecked([&] { return region.emitError(); }, &getContext(), fields);
    if (!schedule)
      return failure();
    program.setScheduleAttr(schedule);
    return success();
  }

  /// A buffer gets the element type, rows and order of the value bound to it; loads and stores convert elements.
  static void setContents(systolic::KernelOp program, unsigned argument, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<Type> types(program.getArgumentTypes());
    types[argument] = MemRefType::Builder(cast<MemRefType>(types[argument])).setElementType(tensor.getElementType());
    program.getBody().getArgument(argument).setType(types[argument]);
    program.setFunctionType(FunctionType::get(program.getContext(), types, {}));
    setElementsPerToken(program, argument, tensor);
    using support::OperandOrder;
    if (OperandOrderAttr order = OperandOrderAttr::find(tensor); order && order.getOrder().hasBlocks())
      program.setArgAttr(argument, systolic::packedAttributeName,
                         systolic::PackedAttr::get(program.getContext(), OperandOrder::blockRows,
                                                   OperandOrder::blockBytes, OperandOrder::run));
  }

  /// If a buffer holds codes, loads of floats become loads of codes, which are converted in registers.
  static void convertLoads(systolic::KernelOp program, unsigned argument) {
    BlockArgument buffer = program.getArgument(argument);
    Type code = cast<MemRefType>(buffer.getType()).getElementType();
    if (!isa<Float8E4M3FNUZType>(code) && !code.isInteger(8))
      return;
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
      auto load = dyn_cast<systolic::LoadOp>(user);
      Type wanted = load ? getElementTypeOrSelf(load.getType()) : code;
      if (wanted == code || !isa<FloatType>(wanted))
        continue;
      OpBuilder builder(load);
      auto codes = cast<systolic::LoadOp>(builder.clone(*load));
      codes.getResult().setType(cast<RankedTensorType>(load.getType()).clone(code));
      Value numbers =
          code.isInteger()
              ? arith::SIToFPOp::create(builder, load.getLoc(), load.getType(), codes.getResult()).getResult()
              : arith::ExtFOp::create(builder, load.getLoc(), load.getType(), codes.getResult()).getResult();
      load.replaceAllUsesWith(numbers);
      load.erase();
    }
  }

  void bind(StringRef buffer, LaunchArgument::Kind kind, unsigned index) {
    bound.push_back({StringAttr::get(&getContext(), buffer), kind, index});
  }

  void bindOperand(systolic::KernelOp program, unsigned argument, StringRef buffer, Value value,
                   LaunchArgument::Kind kind = LaunchArgument::Operand) {
    setContents(program, argument, value.getType());
    if (program.getMaxRequests() > 1 && isCache(value))
      program.setArgAttr(argument, systolic::perSlotAttributeName, UnitAttr::get(&getContext()));
    bind(buffer, kind, cast<BlockArgument>(value).getArgNumber());
  }

  void bindResult(systolic::KernelOp program, unsigned argument, StringRef buffer, KernelOp region, unsigned index) {
    if (std::optional<unsigned> inPlace = region.getInPlaceArgument(index))
      return bindOperand(program, argument, buffer, region.getBody().getArgument(*inPlace), LaunchArgument::InPlace);
    setContents(program, argument, region.getResultTypes()[index]);
    // A result without a row for each token has one for each request.
    if (program.getMaxRequests() > 1 && !program.getArgAttr(argument, systolic::perTokenAttributeName))
      program.setArgAttr(argument, systolic::perRequestAttributeName, UnitAttr::get(&getContext()));
    bind(buffer, LaunchArgument::Result, index);
  }

  LogicalResult bindBuffers(KernelOp region, systolic::KernelOp program, const TemplateBinding &binding) {
    if (!program.getLaunch())
      return program.emitError("expected the template to name its buffers in launch but got none");
    bound.clear();
    // A product of codes multiplies its codes undecoded.
    auto matrices = findCodeProduct(region.getAnchor()) ? SmallVector<DequantizeOp>()
                                                        : llvm::to_vector(region.getBody().getOps<DequantizeOp>());
    for (DequantizeOp matrix : matrices)
      for (const TemplateBinding::Buffer &buffer : binding.buffers)
        if (buffer.value == matrix.getCodes() && failed(decodeLoads(program, buffer.name, matrix)))
          return failure();
    auto results = region.getReturn().getValues();
    for (const TemplateBinding::Buffer &buffer : binding.buffers) {
      std::optional<unsigned> argument = program.findBuffer(buffer.name);
      auto result = llvm::find(results, buffer.value);
      if (!argument || (!isa<BlockArgument>(buffer.value) && result == results.end()))
        return program.emitError() << "expected buffer " << buffer.name
                                   << " for an argument or a result of the nstf.kernel";
      if (!isa<BlockArgument>(buffer.value)) {
        bindResult(program, *argument, buffer.name, region, result.getIndex());
        continue;
      }
      bindOperand(program, *argument, buffer.name, buffer.value);
      convertLoads(program, *argument);
    }
    std::optional<unsigned> output = program.findBuffer(outputName);
    if (!output)
      return program.emitError() << "expected a buffer " << outputName << " in the template";
    bindResult(program, *output, outputName, region, 0);
    return success();
  }

  /// Records on the kernel what a launch passes as each argument.
  LogicalResult setLaunch(systolic::KernelOp program, const TemplateBinding &binding) {
    SmallVector<LaunchArgument> arguments(program.getLaunch()->getArguments());
    for (LaunchArgument &argument : arguments)
      if (auto known = llvm::find_if(bound, [&](const auto &other) { return other.name == argument.name; });
          known != bound.end())
        argument = *known;
    Builder builder(&getContext());
    NamedAttrList perToken;
    for (const TemplateBinding::Parameter &parameter : binding.parameters)
      if (parameter.perToken)
        perToken.set(parameter.name, builder.getI64IntegerAttr(parameter.perToken));
    DictionaryAttr growing = perToken.getDictionary(&getContext());
    if (failed(systolic::LaunchAttr::verify([&] { return program.emitError(); }, arguments, growing)))
      return failure();
    program.setLaunchAttr(systolic::LaunchAttr::get(&getContext(), arguments, growing));
    return success();
  }

  func::FuncOp findSlot(StringRef name) {
    return dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(getOperation(), name));
  }

  LogicalResult fillCompute(KernelOp region, systolic::KernelOp program, int64_t maxTokens) {
    auto slot = findSlot("compute");
    if (!slot)
      return region.emitError() << "expected a template with a slot @compute but got " << program.getSymName();
    for (BlockArgument argument : region.getBody().getArguments())
      if (!argument.use_empty())
        bind(("x" + Twine(argument.getArgNumber())).str(), LaunchArgument::Operand, argument.getArgNumber());
    return fillTensorSlot(slot, region, program, maxTokens);
  }

  LogicalResult fillEpilogue(KernelOp region, systolic::KernelOp program, const TemplateBinding &binding) {
    unsigned output = *program.findBuffer(outputName);
    auto outputType = cast<MemRefType>(program.getArgumentTypes()[output]);
    SmallVector<SlotOperand> operands = getSlotOperands(region, binding.tile, outputType);
    // The store does the conversion of the result, so the slot does not.
    bool isEmpty = operands.empty() && llvm::none_of(region.getBody().front(), [](Operation &op) {
                     return isa<ElementwiseOp>(op) && !isStoreConversion(op);
                   });
    if (isEmpty)
      return success();
    auto slot = findSlot(slotName);
    if (!slot)
      return region.emitError() << "expected a template with a slot @" << slotName << " but got "
                                << program.getSymName();

    if (findCodeProduct(region.getAnchor()))
      setScaledTypes(slot, program);

    // The operands of the slot become buffers after the output.
    SmallVector<Value> buffers;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      std::string name = ("e" + Twine(i)).str();
      program.insertBuffer(output + 1 + i, operand.type, name);
      bindOperand(program, output + 1 + i, name, operand.value);
      if (program.getMaxRequests() > 1 && program.getArgAttr(output, systolic::perRequestAttributeName) &&
          operand.type.getRank() == 2 && !operand.reader)
        program.setArgAttr(output + 1 + i, systolic::perRequestAttributeName, UnitAttr::get(&getContext()));
      buffers.push_back(program.getArgument(output + 1 + i));
    }
    if (readsPosition(operands)) {
      auto control = llvm::find_if(program.getArguments(), [](BlockArgument argument) {
        return isa<systolic::ControlType>(argument.getType());
      });
      if (control == program.getArguments().end())
        return program.emitError("expected a template with a control block, which has the step's position");
      buffers.push_back(*control);
    }
    program.walk([&](func::CallOp call) {
      if (call.getCallee() == slotName)
        call.getOperandsMutable().append(buffers);
    });
    return fillSlot(slot, region, binding.tile, operands);
  }

  LogicalResult fillQuantizer(QuantizeOp op, KernelOp region, systolic::KernelOp program) {
    unsigned codes = *program.findBuffer(outputName), scales = codes + 1;
    auto rows = cast<MemRefType>(program.getArgumentTypes()[codes]);
    auto type =
        MemRefType::get(rows.getDimSize(0), getElementTypeOrSelf(op.getScales().getType()), MemRefLayoutAttrInterface(),
                        cast<systolic::AxesAttr>(rows.getMemorySpace()).dropDim(1));
    program.insertBuffer(scales, type, scalesName);
    bindResult(program, scales, scalesName, region, 1);
    return quantizeRows(program, op, codes, scales);
  }

  /// Makes the results of the slot f32 for sums that it multiplies by scales.
  void setScaledTypes(func::FuncOp slot, systolic::KernelOp program) {
    auto sums = cast<RankedTensorType>(slot.getArgumentTypes()[0]);
    Type scaled = sums.clone(Float32Type::get(&getContext()));
    slot.setFunctionType(FunctionType::get(&getContext(), slot.getArgumentTypes(), scaled));
    program.walk([&](func::CallOp call) {
      if (call.getCallee() == slotName)
        call.getResult(0).setType(scaled);
    });
  }

  SmallVector<LaunchArgument> bound; ///< what a launch passes for each buffer of the template, by its name
};

} // namespace
