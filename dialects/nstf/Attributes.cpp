// Verifiers and syntax of the attributes, and the formula behind #nstf.rope_table.
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace nstf;

#define GET_ATTRDEF_CLASSES
#include "dialects/nstf/Attributes.cpp.inc"

void NSTFDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nstf/Attributes.cpp.inc"
      >();
}

// SourceAttr

/// Of a view, or where `sizes` is empty, of so many elements side by side.
static std::optional<int64_t> byteSpan(Type storedType, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                                       int64_t elements) {
  int64_t span = sizes.empty() ? elements : 1, bytes = storedType.getIntOrFloatBitWidth() / 8;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (int64_t part; llvm::MulOverflow(size - 1, stride, part) || llvm::AddOverflow(span, part, span))
      return std::nullopt;
  if (llvm::MulOverflow(span, bytes, span))
    return std::nullopt;
  return span;
}

LogicalResult SourceAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef path, int64_t offset,
                                 Type storedType, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  // source_c1
  if (path.empty())
    return emitError() << "expected the path of a file but got none";
  // source_c2
  if (offset < 0)
    return emitError() << "expected an offset of at least 0 but got " << offset;
  // source_c3
  if (!storedType.isIntOrFloat() || storedType.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "expected a stored type of whole bytes but got " << storedType;
  // source_c4
  if (sizes.size() != strides.size())
    return emitError() << "expected a stride for each of " << sizes.size() << " sizes but got " << strides.size();
  for (int64_t number : llvm::concat<const int64_t>(sizes, strides))
    if (number < 1)
      return emitError() << "expected sizes and strides of at least 1 but got " << number;
  // source_c5
  std::optional<int64_t> span = byteSpan(storedType, sizes, strides, /*elements=*/0);
  if (int64_t end; !span || llvm::AddOverflow(offset, *span, end))
    return emitError() << "expected a view that ends within 2^63 bytes";
  return success();
}

std::optional<int64_t> SourceAttr::getByteSpan(int64_t elements) const {
  return byteSpan(getStoredType(), getSizes(), getStrides(), elements);
}

// RopeTableAttr

Attribute RopeTableAttr::parse(AsmParser &parser, Type) {
  SmallVector<double> frequencies;
  double scale;
  auto parseFrequency = [&]() { return parser.parseFloat(frequencies.emplace_back()); };
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("inv_freq") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFrequency) || parser.parseComma() ||
      parser.parseKeyword("scale") || parser.parseEqual() || parser.parseFloat(scale) || parser.parseGreater())
    return {};
  MLIRContext *context = parser.getContext();
  return getChecked([&] { return parser.emitError(where); }, context, DenseF64ArrayAttr::get(context, frequencies),
                    FloatAttr::get(Float64Type::get(context), scale));
}

void RopeTableAttr::print(AsmPrinter &printer) const {
  printer << "<inv_freq = [";
  llvm::interleaveComma(getInvFreq().asArrayRef(), printer, [&](double value) {
    printer.printFloat(APFloat(value)); // All digits, so that the number reads back as it was.
  });
  printer << "], scale = ";
  printer.printFloat(getScale().getValue());
  printer << ">";
}

LogicalResult RopeTableAttr::verify(function_ref<InFlightDiagnostic()> emitError, DenseF64ArrayAttr invFreq,
                                    FloatAttr scale) {
  // rope_table_c1
  if (invFreq.empty())
    return emitError() << "expected at least one frequency but got none";
  for (double value : invFreq.asArrayRef())
    if (!std::isfinite(value))
      return emitError() << "expected finite frequencies but got " << value;
  // rope_table_c2
  if (!scale.getType().isF64() || !scale.getValue().isFinite())
    return emitError() << "expected a finite f64 scale but got " << scale;
  return success();
}

void RopeTableAttr::fillRow(int64_t position, MutableArrayRef<double> row) const {
  ArrayRef<double> frequencies = getInvFreq();
  double scale = getScale().getValueAsDouble();
  for (auto [i, frequency] : llvm::enumerate(frequencies)) {
    double angle = static_cast<double>(position) * frequency;
    row[i] = scale * std::cos(angle);
    row[frequencies.size() + i] = scale * std::sin(angle);
  }
}
