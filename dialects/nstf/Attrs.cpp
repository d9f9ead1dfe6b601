// Verifiers and syntax of the attributes, the computation of #nstf.rope_table, and the planes of quantised matrices.
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace nstf;

#include "dialects/nstf/AttributeInterfaces.cpp.inc"
#include "dialects/nstf/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nstf/Attrs.cpp.inc"

void NSTFDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nstf/Attrs.cpp.inc"
      >();
}

// SourceAttr

/// The bytes from the first to the last element of a view or, if `sizes` is empty, of `elements` contiguous elements.
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
    printer.printFloat(APFloat(value)); // All digits, so that parsing gives the same number.
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

// IntFormatAttr, FloatFormatAttr

/// "group = 128, columns = 4096", "group = row, columns = 64, scales = f32"
static ParseResult parseGroups(AsmParser &parser, int64_t &group, int64_t &columns, FloatType &scale) {
  group = 0;
  scale = Float16Type::get(parser.getContext());
  if (parser.parseKeyword("group") || parser.parseEqual())
    return failure();
  if (failed(parser.parseOptionalKeyword("row"))) {
    if (parser.parseInteger(group))
      return failure();
    group = group ? group : -1; // a row is stored as 0 and written as `row`
  }
  if (parser.parseComma() || parser.parseKeyword("columns") || parser.parseEqual() || parser.parseInteger(columns))
    return failure();
  return failure(succeeded(parser.parseOptionalComma()) &&
                 (parser.parseKeyword("scales") || parser.parseEqual() || parser.parseType(scale)));
}

static void printGroups(AsmPrinter &printer, CodeFormat format) {
  printer << "group = ";
  if (format.getGroup())
    printer << format.getGroup();
  else
    printer << "row";
  printer << ", columns = " << format.getColumns();
  if (Type scale = format.getElementType(Plane::scales); !scale.isF16())
    printer << ", scales = " << scale;
}

static LogicalResult verifyGroups(function_ref<InFlightDiagnostic()> emitError, int64_t group, int64_t columns,
                                  FloatType scale) {
  // int_c1, float_c1
  if (!scale.isF16() && !scale.isF32())
    return emitError() << "expected scales of f16 or f32 but got " << scale;
  // int_c2, float_c2
  if (!llvm::is_contained({0, 32, 64, 128}, group))
    return emitError() << "expected groups of 32, 64, 128 or row but got " << std::max<int64_t>(group, 0);
  // int_c3, float_c3
  if (columns < 1)
    return emitError() << "expected at least 1 column but got " << columns;
  return success();
}

/// <4, group = 128, columns = 4096>
Attribute IntFormatAttr::parse(AsmParser &parser, Type) {
  int64_t bits, group, columns;
  FloatType scale;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(bits) || parser.parseComma() ||
      parseGroups(parser, group, columns, scale) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, parser.getContext(), bits, group, columns, scale);
}

void IntFormatAttr::print(AsmPrinter &printer) const {
  printer << "<" << getBits() << ", ";
  printGroups(printer, *this);
  printer << ">";
}

LogicalResult IntFormatAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bits, int64_t group,
                                    int64_t columns, FloatType scale) {
  // int_c1
  if (!llvm::is_contained({4, 5, 6, 8}, bits))
    return emitError() << "expected 4, 5, 6 or 8 bits but got " << bits;
  return verifyGroups(emitError, group, columns, scale);
}

Type IntFormatAttr::getElementType(Plane plane) const {
  Builder builder(getContext());
  if (plane == Plane::scales)
    return getScaleType();
  return plane == Plane::codes && !isPacked() ? builder.getI8Type() : builder.getI32Type();
}

/// <f8E4M3FNUZ, group = row, columns = 64>, <f8E4M3FNUZ, group = 128, columns = 4096, scales = f32>
Attribute FloatFormatAttr::parse(AsmParser &parser, Type) {
  FloatType number, scale;
  int64_t group, columns;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(number) || parser.parseComma() ||
      parseGroups(parser, group, columns, scale) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, parser.getContext(), number, group, columns, scale);
}

void FloatFormatAttr::print(AsmPrinter &printer) const {
  printer << "<" << getNumberType() << ", ";
  printGroups(printer, *this);
  printer << ">";
}

LogicalResult FloatFormatAttr::verify(function_ref<InFlightDiagnostic()> emitError, FloatType number, int64_t group,
                                      int64_t columns, FloatType scale) {
  // float_c1
  if (!isa<Float8E4M3FNUZType>(number))
    return emitError() << "expected numbers of f8E4M3FNUZ but got " << number;
  return verifyGroups(emitError, group, columns, scale);
}

Type FloatFormatAttr::getElementType(Plane plane) const {
  return plane == Plane::scales  ? Type(getScaleType())
         : plane == Plane::codes ? Type(getNumberType())
                                 : IntegerType::get(getContext(), 32);
}

// StoredCodesAttr

LogicalResult StoredCodesAttr::verify(function_ref<InFlightDiagnostic()> emitError, CodeLayout layout, SourceAttr,
                                      SourceAttr, SourceAttr, int64_t scaleRows, SourceAttr) {
  // stored_codes_c1
  if (scaleRows < 1 || (scaleRows > 1 && layout != CodeLayout::bytes && layout != CodeLayout::floats))
    return emitError() << "expected a scale for each row, or of bytes and floats for several, but got " << scaleRows;
  return success();
}

// PlaneSourceAttr

/// The name of integer formats, which most formats are, is omitted.
static CodeFormat parseFormat(AsmParser &parser) {
  Attribute format;
  SMLoc where = parser.getCurrentLocation();
  OptionalParseResult named = parser.parseOptionalAttribute(format);
  if (!named.has_value())
    return llvm::cast_or_null<CodeFormat>(IntFormatAttr::parse(parser, {}));
  if (failed(*named))
    return {};
  auto result = dyn_cast<CodeFormat>(format);
  if (!result)
    parser.emitError(where) << "expected a format of codes but got " << format;
  return result;
}

/// <scales of "up", rows = 172, format = <…>, zeros, from = <…>>
Attribute PlaneSourceAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  std::string matrix;
  int64_t rows;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  FailureOr<Plane> plane = FieldParser<Plane>::parse(parser);
  if (failed(plane) || parser.parseKeyword("of") || parser.parseString(&matrix) || parser.parseComma() ||
      parser.parseKeyword("rows") || parser.parseEqual() || parser.parseInteger(rows) || parser.parseComma() ||
      parser.parseKeyword("format") || parser.parseEqual())
    return {};
  CodeFormat format = parseFormat(parser);
  if (!format)
    return {};
  bool zeros = false;
  SourceAttr source;
  StoredCodesAttr stored;
  while (succeeded(parser.parseOptionalComma())) {
    if (!zeros && succeeded(parser.parseOptionalKeyword("zeros"))) {
      zeros = true;
      continue;
    }
    if (succeeded(parser.parseOptionalKeyword("stored"))) {
      if (parser.parseEqual())
        return {};
      stored = llvm::cast_or_null<StoredCodesAttr>(StoredCodesAttr::parse(parser, {}));
      if (!stored)
        return {};
      break;
    }
    if (parser.parseKeyword("from") || parser.parseEqual())
      return {};
    source = llvm::cast_or_null<SourceAttr>(SourceAttr::parse(parser, {}));
    if (!source)
      return {};
    break;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, context, *plane, matrix, rows, format, zeros, source,
                    stored);
}

void PlaneSourceAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyPlane(getPlane()) << " of ";
  printer.printString(getMatrix());
  printer << ", rows = " << getRows() << ", format = ";
  if (auto whole = dyn_cast<IntFormatAttr>(getFormat()))
    whole.print(printer);
  else
    printer << getFormat();
  if (getZeros())
    printer << ", zeros";
  if (SourceAttr source = getSource()) {
    printer << ", from = ";
    source.print(printer);
  }
  if (StoredCodesAttr stored = getStored()) {
    printer << ", stored = ";
    stored.print(printer);
  }
  printer << ">";
}

LogicalResult PlaneSourceAttr::verify(function_ref<InFlightDiagnostic()> emitError, Plane plane, StringRef,
                                      int64_t rows, CodeFormat format, bool zeros, SourceAttr source,
                                      StoredCodesAttr stored) {
  // plane_c1
  if (rows < 1)
    return emitError() << "expected at least 1 row but got " << rows;
  // plane_c2
  if ((plane == Plane::zeros && !zeros) || (plane == Plane::high && !format.getHighBits()) ||
      (plane == Plane::order && !(stored && stored.getGroups())))
    return emitError() << "expected a plane of the format but got " << stringifyPlane(plane) << " of " << format
                       << (zeros ? " with" : " without") << " zeros";
  // plane_c3
  if (source && stored)
    return emitError() << "expected at most one of 'from' and 'stored' but got both";
  if (stored && bool(stored.getZeros()) != zeros)
    return emitError() << "expected stored codes " << (zeros ? "with" : "without") << " zeros but got some "
                       << (zeros ? "without" : "with") << " them";
  return success();
}

// OperandOrderAttr

OperandOrderAttr OperandOrderAttr::get(MLIRContext *context, const support::OperandOrder &order) {
  return get(context, *symbolizeCacheKind(nameOf(order.operand)), order.heads);
}

support::OperandOrder OperandOrderAttr::getOrder() const {
  return {*support::operandFromName(stringifyCacheKind(getKind())), getHeads()};
}

support::OperandOrder::Matrix OperandOrderAttr::getMatrix(RankedTensorType type) const {
  return getOrder().getMatrix(type.getDimSize(0), type.getDimSize(1), type.getElementTypeBitWidth() / 8);
}

OperandOrderAttr OperandOrderAttr::find(Type type) {
  return dyn_cast_or_null<OperandOrderAttr>(cast<RankedTensorType>(type).getEncoding());
}

LogicalResult OperandOrderAttr::verify(function_ref<InFlightDiagnostic()> emitError, CacheKind, int64_t heads) {
  // operand_order_c1
  if (heads < 1)
    return emitError() << "expected at least 1 head but got " << heads;
  return success();
}

LogicalResult OperandOrderAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                               function_ref<InFlightDiagnostic()> emitError) const {
  // operand_order_c2
  if (shape.size() != 2 || llvm::any_of(shape, ShapedType::isDynamic) || shape[1] % getHeads() != 0)
    return emitError() << "expected a static matrix of " << getHeads() << " heads for " << *this;
  // operand_order_c3
  if (!elementType.isIntOrFloat() || !llvm::is_contained({8u, 16u, 32u}, elementType.getIntOrFloatBitWidth()))
    return emitError() << "expected elements of 1, 2 or 4 bytes for " << *this << " but got " << elementType;
  // operand_order_c4
  if (getKind() == CacheKind::scales && shape[1] != getHeads())
    return emitError() << "expected a column for each head for " << *this << " but got " << shape[1];
  return success();
}
