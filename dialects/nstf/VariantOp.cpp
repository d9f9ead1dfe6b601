// Syntax and verifiers of variant, part and their attributes. Constraint numbers are those of VariantOp.td and
// Attrs.td.
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace nstf;

/// Verifies a dictionary of i64 numbers of at least `min`.
static LogicalResult verifyNumbers(function_ref<InFlightDiagnostic()> emitError, StringRef what, DictionaryAttr numbers,
                                   int64_t min) {
  for (NamedAttribute entry : numbers) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (!number || !number.getType().isSignlessInteger(64) || number.getInt() < min)
      return emitError() << "expected " << what << " to be i64 numbers of at least " << min << " but got "
                         << entry.getName().getValue() << " = " << entry.getValue();
  }
  return success();
}

// BindingAttr

LogicalResult BindingAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef templateName, int64_t tokens,
                                  DictionaryAttr parameters, DictionaryAttr perToken, DictionaryAttr buffers, int64_t,
                                  Type, int64_t requests) {
  // binding_c1
  if (templateName.empty())
    return emitError() << "expected the name of a template but got none";
  // binding_c2
  if (tokens < 1)
    return emitError() << "expected at least 1 token but got " << tokens;
  // binding_c3
  if (failed(verifyNumbers(emitError, "per_token", perToken, 0)) ||
      failed(verifyNumbers(emitError, "buffers", buffers, 0)))
    return failure();
  // binding_c4
  for (NamedAttribute entry : perToken) {
    auto parameter = parameters.getAs<IntegerAttr>(entry.getName());
    int64_t min = cast<IntegerAttr>(entry.getValue()).getInt() * tokens;
    if (!parameter || parameter.getInt() < min)
      return emitError() << "expected parameter " << entry.getName().getValue() << " to be at least " << min << " for "
                         << tokens << " tokens but got " << parameter;
  }
  // binding_c5
  if (requests < 1)
    return emitError() << "expected at least 1 request but got " << requests;
  return success();
}

// ChoiceAttr

// choice_c1
LogicalResult ChoiceAttr::verify(function_ref<InFlightDiagnostic()> emitError, DictionaryAttr tuning, Attribute,
                                 StringRef, ArrayAttr, StringRef, ArrayAttr) {
  return verifyNumbers(emitError, "tuning", tuning, 0);
}

std::string ChoiceAttr::getReason() const {
  return (getTemplateReason().empty() ? getTuningReason() : getTemplateReason() + "; " + getTuningReason()).str();
}

// VariantOp

void VariantOp::build(OpBuilder &builder, OperationState &state, StringRef name, StringRef kernel) {
  state.addAttribute(mlir::SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getKernelAttrName(state.name), FlatSymbolRefAttr::get(builder.getContext(), kernel));
  state.addAttribute(getTokensAttrName(state.name), builder.getDenseI64ArrayAttr({}));
  state.addRegion()->emplaceBlock();
}

namespace nstf { // the generated code in StructureOps.cpp calls them

/// [1, 1], [2, 16]
ParseResult parseTokenRanges(OpAsmParser &parser, DenseI64ArrayAttr &tokens) {
  SmallVector<int64_t> numbers;
  auto parseNumber = [&] { return parser.parseInteger(numbers.emplace_back()); };
  do
    if (parser.parseLSquare() || parseNumber() || parser.parseComma() || parseNumber() || parser.parseRSquare())
      return failure();
  while (succeeded(parser.parseOptionalComma()));
  tokens = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

void printTokenRanges(OpAsmPrinter &printer, VariantOp variant, DenseI64ArrayAttr) {
  llvm::interleaveComma(variant.getTokenRanges(), printer,
                        [&](auto range) { printer << "[" << range.first << ", " << range.second << "]"; });
}

} // namespace nstf

SmallVector<std::pair<int64_t, int64_t>> VariantOp::getTokenRanges() {
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  ArrayRef<int64_t> tokens = getTokens();
  for (size_t i = 0; i + 1 < tokens.size(); i += 2)
    ranges.push_back({tokens[i], tokens[i + 1]});
  return ranges;
}

void VariantOp::addTokenRange(int64_t min, int64_t max) {
  SmallVector<int64_t> tokens(getTokens());
  tokens.append({min, max});
  setTokens(tokens);
}

KernelOp VariantOp::getModelKernel() {
  auto model = (*this)->getParentOp()->getParentOfType<ModuleOp>();
  return cast<KernelOp>(mlir::SymbolTable::lookupSymbolIn(model, getKernelAttr().getAttr()));
}

LogicalResult VariantOp::verify() {
  // variant_c1
  int64_t before = 0;
  for (auto [min, max] : getTokenRanges()) {
    if (min <= before || max < min)
      return emitOpError() << "expected ascending ranges of at least 1 token but got [" << min << ", " << max << "]"
                           << (before ? " behind " + std::to_string(before) : "");
    before = max;
  }
  if (getTokens().empty() || getTokens().size() % 2 != 0)
    return emitOpError() << "expected ranges of tokens but got " << getTokens().size() << " numbers";
  // variant_c3
  for (PartOp part : getParts())
    if (before > part.getBinding().getTokens())
      return emitOpError() << "expected at most the " << part.getBinding().getTokens()
                           << " tokens of its binding but got " << before;
  return success();
}

SmallVector<PartOp> VariantOp::getParts() { return llvm::to_vector(getBody().getOps<PartOp>()); }

/// Verifies a part against that of the kernel in the module.
static LogicalResult verifyPart(PartOp op, KernelOp kernel, const KernelOp::Part &part) {
  // part_c1
  if (op.getResults() != ArrayRef(part.results))
    return op.emitOpError() << "expected results " << Builder(op.getContext()).getDenseI64ArrayAttr(part.results)
                            << " of @" << kernel.getSymName() << " but got " << op.getResultsAttr();
  // part_c2
  int64_t arguments = kernel.getNumArguments(), values = arguments;
  DenseSet<int64_t> results;
  for (Operation *made : part.ops)
    for (Value value : made->getResults()) {
      if (llvm::is_contained(kernel.getReturn().getValues(), value))
        results.insert(values);
      ++values;
    }
  for (NamedAttribute buffer : op.getBinding().getBuffers())
    if (int64_t number = cast<IntegerAttr>(buffer.getValue()).getInt();
        number >= arguments && !results.contains(number))
      return op.emitOpError() << "expected buffer " << buffer.getName().getValue() << " to be one of the " << arguments
                              << " arguments of @" << kernel.getSymName() << " or a result but got " << number;
  if (op.getBinding().getTile() < -1 || op.getBinding().getTile() >= values)
    return op.emitOpError() << "expected the tile to be one of the " << values << " values of @" << kernel.getSymName()
                            << " but got " << op.getBinding().getTile();
  return success();
}

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // variant_c2
  auto model = (*this)->getParentOp()->getParentOfType<ModuleOp>();
  auto kernel = model ? symbols.lookupSymbolIn<KernelOp>(model, getKernelAttr().getAttr()) : KernelOp();
  if (!kernel)
    return emitOpError() << "expected the name of a kernel in the module around the target's but got "
                         << getKernelAttr();
  // variant_c4
  std::vector<KernelOp::Part> parts = kernel.getParts();
  SmallVector<PartOp> held = getParts();
  if (held.size() != parts.size())
    return emitOpError() << "expected the parts of " << getKernelAttr() << ", which are " << parts.size()
                         << ", but got " << held.size();
  for (auto [number, part] : llvm::enumerate(held))
    if (failed(verifyPart(part, kernel, parts[number])))
      return failure();
  return success();
}

// PartOp

void PartOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> results, BindingAttr binding,
                   ChoiceAttr choice) {
  state.addAttribute(getResultsAttrName(state.name), builder.getDenseI64ArrayAttr(results));
  state.addAttribute(getBindingAttrName(state.name), binding);
  state.addAttribute(getChoiceAttrName(state.name), choice);
  state.addRegion()->emplaceBlock();
}
