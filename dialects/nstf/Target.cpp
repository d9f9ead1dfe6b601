// Reads and verifies the attribute `nstf.target` (Target.h).
#include "dialects/nstf/Target.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nstf {

TargetView TargetView::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto found = op->getAttrOfType<DictionaryAttr>(attributeName))
      return TargetView(found);
  return {};
}

FailureOr<TargetView> TargetView::require(Operation *op) {
  TargetView view = lookup(op);
  if (!view)
    return op->emitError("expected a target (the attribute ") << attributeName << " on the module) but got none";
  if (failed(verify(view.getAttribute(), [&] { return op->emitError(); })))
    return failure();
  return view;
}

ArrayRef<int64_t> TargetView::waveSizes() const {
  return attribute.getAs<DenseI64ArrayAttr>("wave_sizes").asArrayRef();
}

LogicalResult TargetView::requireWaveSize(int64_t lanes, function_ref<InFlightDiagnostic()> emitError) const {
  if (llvm::is_contained(waveSizes(), lanes))
    return success();
  InFlightDiagnostic error = emitError() << "expected a wave size of " << name() << " (";
  llvm::interleaveComma(waveSizes(), error);
  return error << ") but got " << lanes;
}

static MatrixInstruction instruction(DictionaryAttr row) {
  auto text = [&](StringRef key) { return row.getAs<StringAttr>(key).getValue(); };
  auto number = [&](StringRef key) { return row.getAs<IntegerAttr>(key).getInt(); };
  MatrixInstruction result;
  result.name = text("name");
  result.m = number("m");
  result.n = number("n");
  result.k = number("k");
  result.blocks = number("blocks");
  result.a = text("a");
  result.b = text("b");
  result.c = text("c");
  result.passes = number("passes");
  return result;
}

SmallVector<MatrixInstruction> TargetView::matrixInstructions() const {
  return llvm::map_to_vector(attribute.getAs<ArrayAttr>("matrix_instructions"),
                             [](Attribute row) { return instruction(cast<DictionaryAttr>(row)); });
}

/// Checks that a key of the dictionary is a text or a positive number; the error names the key.
static LogicalResult verifyText(DictionaryAttr dictionary, StringRef key, StringRef where,
                                function_ref<InFlightDiagnostic()> emitError) {
  auto value = dictionary.getAs<StringAttr>(key);
  if (!value || value.getValue().empty())
    return emitError() << "expected " << where << " to have a text '" << key << "' but got " << dictionary.get(key);
  return success();
}

static LogicalResult verifyNumber(DictionaryAttr dictionary, StringRef key, int64_t minimum, StringRef where,
                                  function_ref<InFlightDiagnostic()> emitError) {
  auto value = dictionary.getAs<IntegerAttr>(key);
  if (!value || value.getInt() < minimum)
    return emitError() << "expected " << where << " to have a number '" << key << "' of at least " << minimum
                       << " but got " << dictionary.get(key);
  return success();
}

static LogicalResult verifyInstructions(DictionaryAttr attribute, function_ref<InFlightDiagnostic()> emitError) {
  auto rows = attribute.getAs<ArrayAttr>("matrix_instructions");
  if (!rows)
    return emitError() << "expected a target to have a list 'matrix_instructions' but got none";
  for (Attribute row : rows) {
    auto dictionary = dyn_cast<DictionaryAttr>(row);
    if (!dictionary)
      return emitError() << "expected a matrix instruction to be a dictionary but got " << row;
    for (StringRef key : {"name", "a", "b", "c"})
      if (failed(verifyText(dictionary, key, "a matrix instruction", emitError)))
        return failure();
    for (StringRef key : {"m", "n", "k", "blocks", "passes"})
      if (failed(verifyNumber(dictionary, key, 1, "a matrix instruction", emitError)))
        return failure();
  }
  return success();
}

LogicalResult TargetView::verify(DictionaryAttr attribute, function_ref<InFlightDiagnostic()> emitError) {
  for (StringRef key : {"name", "chip", "fp8"})
    if (failed(verifyText(attribute, key, "a target", emitError)))
      return failure();
#define NSTF_TARGET_NUMBER(key, name, minimum, doc)                                                                    \
  if (failed(verifyNumber(attribute, #key, minimum, "a target", emitError)))                                           \
    return failure();
#include "dialects/nstf/TargetFields.def"
  if (int64_t banks = TargetView(attribute).ldsBanks(); banks > maxLdsBanks)
    return emitError() << "expected a target to have at most " << maxLdsBanks << " 'lds_banks' but got " << banks;

  auto waves = attribute.getAs<DenseI64ArrayAttr>("wave_sizes");
  if (!waves || waves.empty())
    return emitError() << "expected a target to have a list 'wave_sizes' but got " << attribute.get("wave_sizes");
  int64_t preferred = TargetView(attribute).preferredWaveSize();
  if (!llvm::is_contained(waves.asArrayRef(), preferred))
    return emitError() << "expected the preferred wave size of a target to be one of its wave sizes but got "
                       << preferred;
  return verifyInstructions(attribute, emitError);
}

} // namespace nstf
