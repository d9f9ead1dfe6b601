// Binds kernel regions to templates (Binding.h); bindings/ has the part of each operation.
#include "passes/nstf_to_systolic/Binding.h"
#include "passes/nstf_to_systolic/DecodeLoads.h"
#include "passes/nstf_to_systolic/TensorSlot.h"
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

#include "passes/nstf_to_systolic/TemplateOp.cpp.inc"

// TemplateBinder

TemplateBinder::TemplateBinder(Operation *anchor, StringRef templateName, int64_t maxTokens)
    : templateName(templateName), maxTokens(maxTokens) {
  if (anchor->getNumResults() == 1)
    binding.tile = anchor->getResult(0);
}

void TemplateBinder::addBuffer(StringRef name, Value value) {
  if (auto matrix = value.getDefiningOp<DequantizeOp>())
    llvm::append_range(binding.buffers, getPlaneBuffers(name, matrix));
  else
    binding.buffers.push_back({name.str(), value});
}

int64_t TemplateBinder::getRows(Value value) const {
  return getType(value).isDynamicDim(0) ? maxTokens : getType(value).getDimSize(0);
}

void TemplateBinder::addRows(StringRef name, Value value, int64_t factor) {
  bool isStep = getType(value).isDynamicDim(0);
  binding.parameters.push_back({name, getRows(value) * factor, isStep ? factor : 0});
  if (llvm::none_of(binding.parameters, [](const auto &parameter) { return parameter.name == "ROWS"; }))
    addParameter("ROWS", isStep ? 0 : getRows(value));
}

void TemplateBinder::bindRows(Value x) {
  addBuffer("x", x);
  addRows("M", x);
  addParameter("N", getType(x).getDimSize(1));
}

void TemplateBinder::bindCopy(Value from, Value to) {
  addBuffer("x", from);
  addRows("M", to);
  addParameter("MX", getRows(from));
  addParameter("N", getType(from).getDimSize(1));
}

// Kernels

void nstf::registerTemplateOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NSTFDialect *) {
    attachAttentionBindings(*context);
    attachElementwiseBindings(*context);
    attachLayerBindings(*context);
    attachNormBindings(*context);
    attachQuantizeBindings(*context);
    attachRowBindings(*context);
  });
}

SmallVector<StringRef> nstf::getTemplateNames(KernelOp kernel) {
  if (isTensorKernel(kernel))
    return {"generic"};
  Operation *op = kernel.getAnchor();
  auto anchor = dyn_cast<TemplateOp>(op);
  return anchor ? anchor.getTemplateNames() : SmallVector<StringRef>{op->getName().stripDialect()};
}

FailureOr<TemplateBinding> nstf::bindTemplate(KernelOp kernel, StringRef templateName, int64_t maxTokens) {
  if (isTensorKernel(kernel))
    return bindTensorKernel(kernel, maxTokens);
  auto anchor = dyn_cast<TemplateOp>(kernel.getAnchor());
  if (!anchor)
    return kernel.emitError() << "expected an operation with a kernel template but got "
                              << kernel.getAnchor()->getName();
  TemplateBinder binder(anchor, templateName, maxTokens);
  if (failed(anchor.bindTemplate(binder)))
    return failure();
  return std::move(binder.binding);
}

void nstf::setElementsPerToken(systolic::KernelOp program, unsigned argument, RankedTensorType tensor) {
  if (tensor.hasStaticShape())
    return;
  int64_t elements = ShapedType::getNumElements(tensor.getShape().drop_front());
  program.setArgAttr(argument, systolic::perTokenAttributeName,
                     Builder(program.getContext()).getI64IntegerAttr(elements));
}

/// The region's values in the order in which bindings number them: arguments, then results of ops.
static SmallVector<Value> getValues(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> values(body.getArguments());
  for (Operation &op : body)
    llvm::append_range(values, op.getResults());
  return values;
}

bool nstf::worksByRequest(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps(), [](Operation &op) {
    if (isa<RopeOp, KvAppendOp, AttentionOp, LastRowOp>(op))
      return true;
    auto elementwise = dyn_cast<ElementwiseOp>(op);
    auto readsTable = [&](unsigned i) { return !elementwise.isByElement(i); };
    return elementwise && llvm::any_of(llvm::seq(op.getNumOperands()), readsTable);
  });
}

bool nstf::isCache(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    if (auto append = dyn_cast<KvAppendOp>(use.getOwner()))
      return use.get() == append.getCache();
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    return attention && attention.readsCache() && use.get() != attention.getQ();
  });
}

BindingAttr nstf::getBindingAttr(const TemplateBinding &binding, KernelOp kernel, StringRef templateName,
                                 int64_t tokens, int64_t requests) {
  SmallVector<Value> values = getValues(kernel);
  auto count = [&](Value value) { return value ? int64_t(llvm::find(values, value) - values.begin()) : -1; };
  Builder builder(kernel->getContext());
  NamedAttrList parameters, perToken, buffers;
  for (const TemplateBinding::Parameter &parameter : binding.parameters) {
    parameters.set(parameter.name, builder.getI64IntegerAttr(parameter.value));
    if (parameter.perToken)
      perToken.set(parameter.name, builder.getI64IntegerAttr(parameter.perToken));
  }
  for (auto [name, value] : binding.numbers)
    parameters.set(name, builder.getF32FloatAttr(value));
  for (const TemplateBinding::Buffer &buffer : binding.buffers)
    buffers.set(buffer.name, builder.getI64IntegerAttr(count(buffer.value)));
  MLIRContext *context = builder.getContext();
  return BindingAttr::get(context, templateName, tokens, parameters.getDictionary(context),
                          perToken.getDictionary(context), buffers.getDictionary(context), count(binding.tile),
                          binding.operandType, requests);
}

TemplateBinding nstf::readBinding(BindingAttr attribute, KernelOp kernel) {
  SmallVector<Value> values = getValues(kernel);
  auto number = [](NamedAttribute entry) { return cast<IntegerAttr>(entry.getValue()).getInt(); };
  TemplateBinding binding;
  if (attribute.getTile() >= 0)
    binding.tile = values[attribute.getTile()];
  binding.operandType = attribute.getOperandType();
  for (NamedAttribute buffer : attribute.getBuffers())
    binding.buffers.push_back({buffer.getName().str(), values[number(buffer)]});
  for (NamedAttribute parameter : attribute.getParameters()) {
    if (auto value = dyn_cast<FloatAttr>(parameter.getValue())) {
      binding.numbers.push_back({parameter.getName(), value.getValue().convertToFloat()});
      continue;
    }
    auto perToken = attribute.getPerToken().getAs<IntegerAttr>(parameter.getName());
    binding.parameters.push_back({parameter.getName(), number(parameter), perToken ? perToken.getInt() : 0});
  }
  return binding;
}
