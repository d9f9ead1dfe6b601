// Syntax and verifiers of the systolic dialect's attributes and types.
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

#define GET_ATTRDEF_CLASSES
#include "dialects/systolic/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/systolic/Types.cpp.inc"

void SystolicDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/systolic/Attrs.cpp.inc"
      >();
}

void SystolicDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/systolic/Types.cpp.inc"
      >();
}

// #systolic.axes

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    int64_t size;
    OptionalParseResult isInteger = parser.parseOptionalInteger(size);
    if (isInteger.has_value()) {
      names.push_back(parser.getBuilder().getI64IntegerAttr(size));
      return *isInteger;
    }
    std::string product;
    auto parseFactor = [&](StringRef sign) -> ParseResult {
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      product += (sign + name).str();
      return success();
    };
    do {
      if (parseFactor(product.empty() ? "" : " * ") || (succeeded(parser.parseOptionalSlash()) && parseFactor(" / ")))
        return failure();
    } while (succeeded(parser.parseOptionalStar()));
    names.push_back(parser.getBuilder().getStringAttr(product));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseName))
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), names);
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<Attribute> names) {
  for (Attribute name : names)
    if (auto size = dyn_cast<IntegerAttr>(name); size && size.getInt() < 1) // axes_c1
      return emitError() << "expected an axis of size at least 1 but got " << size.getInt();
  return success();
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getNames(), printer.getStream(), [&](Attribute name) {
    if (auto string = dyn_cast<StringAttr>(name))
      printer << string.getValue();
    else
      printer << cast<IntegerAttr>(name).getInt();
  });
  printer << ">";
}

LogicalResult AxesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getNames().size()) // axes_c2
    return emitError() << "expected " << shape.size() << " axis names but got " << getNames().size();
  return success();
}

AxesAttr AxesAttr::dropDim(unsigned dim) const {
  SmallVector<Attribute> names(getNames());
  names.erase(names.begin() + dim);
  return get(getContext(), names);
}

// #systolic.fragment

static ParseResult parseDigits(AsmParser &parser, StringRef keyword, SmallVector<Digit> &digits) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    Digit digit;
    if (parser.parseInteger(digit.dim) || parser.parseColon() || parser.parseInteger(digit.count) ||
        parser.parseStar() || parser.parseInteger(digit.stride))
      return failure();
    digits.push_back(digit);
    return success();
  });
}

Attribute FragmentAttr::parse(AsmParser &parser, Type) {
  SmallVector<Digit> reg, lane, wave;
  if (parser.parseLess() || parseDigits(parser, "reg", reg) || parser.parseComma() ||
      parseDigits(parser, "lane", lane) || parser.parseComma() || parseDigits(parser, "wave", wave) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), reg, lane, wave);
}

void FragmentAttr::print(AsmPrinter &printer) const {
  auto print = [&](StringRef name, ArrayRef<Digit> digits) {
    printer << name << " [";
    llvm::interleaveComma(digits, printer.getStream(), [&](const Digit &digit) {
      printer << digit.dim << ":" << digit.count << "*" << digit.stride;
    });
    printer << "]";
  };
  printer << "<";
  print("reg", getReg());
  print(", lane", getLane());
  print(", wave", getWave());
  printer << ">";
}

LogicalResult FragmentAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<SmallVector<Digit>> byDim(shape.size());
  for (ArrayRef<Digit> digits : {getReg(), getLane(), getWave()})
    for (const Digit &digit : digits) {
      if (digit.dim < -1 || digit.dim >= int64_t(shape.size())) // fragment_c1
        return emitError() << "expected a dimension below " << shape.size() << ", or -1, but got " << digit.dim;
      if (digit.count <= 0) // fragment_c2
        return emitError() << "expected a positive digit count but got " << digit.count;
      if (digit.dim >= 0 && digit.count > 1)
        byDim[digit.dim].push_back(digit);
    }
  for (auto [dim, size] : llvm::enumerate(shape)) { // fragment_c3
    SmallVector<Digit> &digits = byDim[dim];
    llvm::sort(digits, [](const Digit &left, const Digit &right) { return left.stride < right.stride; });
    int64_t covered = 1;
    for (const Digit &digit : digits) {
      if (digit.stride != covered)
        return emitError() << "expected a digit of dimension " << dim << " with stride " << covered << " but got "
                           << digit.stride;
      covered *= digit.count;
    }
    if (covered != size)
      return emitError() << "expected the digits of dimension " << dim << " to cover " << size << " but got "
                         << covered;
  }
  return success();
}

// #systolic.swizzle, #systolic.array

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t vector, int64_t rows,
                                  int64_t phase, int64_t fold) {
  if (!llvm::all_of(ArrayRef({vector, rows, phase, fold}), llvm::isPowerOf2_64)) // swizzle_c1
    return emitError() << "expected powers of two but got " << vector << ", " << rows << ", " << phase << " and fold "
                       << fold;
  return success();
}

LogicalResult PackedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t bytes,
                                 int64_t by) {
  if (!llvm::isPowerOf2_64(rows) || bytes <= 0 || bytes % 16 != 0 || rows * bytes != 1024) // packed_c1
    return emitError() << "expected blocks of 1024 bytes, a power of two of rows with a multiple of 16 bytes each, but "
                          "got "
                       << rows << " x " << bytes;
  if (by != 0 && by != 1 && by != 2 && by != 4) // packed_c2
    return emitError() << "expected granules by 1, 2 or 4 elements but got " << by;
  return success();
}

SmallVector<PackedAttr::PlaceDigit, 4> PackedAttr::getPlaceDigits(unsigned dim, int64_t columns,
                                                                  unsigned elementBits) const {
  int64_t granule = getGranule(elementBits), across = getBytes() * 8 / elementBits, block = getRows() * across;
  if (dim == 0)
    return {{1, getRows(), granule}, {getRows(), 0, columns / across * block}};
  int64_t run = getRun(elementBits), span = getSpan(elementBits);
  return {{1, run, 1},
          {run, span / run, getRows() * granule},
          {span, across / span, run}, // the next runs
          {across, 0, block}};
}

int64_t PackedAttr::getPlace(int64_t row, int64_t column, int64_t columns, unsigned elementBits) const {
  int64_t place = 0;
  for (auto [dim, coordinate] : {std::pair(0u, row), std::pair(1u, column)})
    for (const PlaceDigit &digit : getPlaceDigits(dim, columns, elementBits)) {
      int64_t quotient = coordinate / digit.divisor;
      place += (digit.count ? quotient % digit.count : quotient) * digit.stride;
    }
  return place;
}

bool PackedAttr::divides(ArrayRef<int64_t> shape, unsigned elementBits) const {
  return shape.size() == 2 && shape[0] % getRows() == 0 && shape[1] * elementBits % (getBytes() * 8) == 0;
}

/// <waves = 2x2, cell = 16x16x16, instruction_k = 4, transposed>, <…, chained>, <…, runs> or <waves = 1x4>
Attribute SystolicArrayAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> waves, cell = {0, 0, 0};
  int64_t instructionK = 0;
  bool transposed = false, chained = false, runs = false;
  if (parser.parseLess() || parser.parseKeyword("waves") || parser.parseEqual() ||
      parser.parseDimensionList(waves, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    cell.clear();
    if (parser.parseKeyword("cell") || parser.parseEqual() ||
        parser.parseDimensionList(cell, /*allowDynamic=*/false, /*withTrailingX=*/false) || parser.parseComma() ||
        parser.parseKeyword("instruction_k") || parser.parseEqual() || parser.parseInteger(instructionK))
      return {};
    while (succeeded(parser.parseOptionalComma())) {
      if (succeeded(parser.parseOptionalKeyword("chained")))
        chained = true;
      else if (succeeded(parser.parseOptionalKeyword("runs")))
        runs = true;
      else if (parser.parseKeyword("transposed"))
        return {};
      else
        transposed = true;
    }
  }
  if (parser.parseGreater())
    return {};
  if (waves.size() == 2)
    waves.push_back(1);
  if (waves.size() != 3 || cell.size() != 3) {
    parser.emitError(parser.getNameLoc(), "expected RxC or RxCxP waves and an MxNxK cell");
    return {};
  }
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), waves[0], waves[1],
                    cell[0], cell[1], cell[2], instructionK, transposed, chained, waves[2], runs);
}

LogicalResult SystolicArrayAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t waveRows,
                                        int64_t waveCols, int64_t m, int64_t n, int64_t k, int64_t instructionK,
                                        bool transposed, bool chained, int64_t parts, bool runs) {
  if (waveRows < 1 || waveCols < 1 || parts < 1) // array_c1
    return emitError() << "expected at least 1x1x1 waves but got " << waveRows << "x" << waveCols << "x" << parts;
  if (parts > 1 && (m == 0 || chained)) // array_c4
    return emitError() << "expected parts of sums of a cell that is not chained but got " << parts;
  if (runs && parts == 1) // array_c5
    return emitError() << "expected runs of more than one part";
  if (m == 0 && n == 0 && k == 0 && instructionK == 0)
    return success();
  if (m < 1 || n < 1 || k < 1 || instructionK < 1 || k % instructionK != 0) // array_c2
    return emitError() << "expected a cell of positive sizes whose K instruction_k divides but got " << m << "x" << n
                       << "x" << k << " and " << instructionK;
  if (chained && (transposed || m % k != 0)) // array_c3
    return emitError() << "expected a chained cell that is not transposed, with M a multiple of K, but got " << m << "x"
                       << n << "x" << k;
  return success();
}

void SystolicArrayAttr::print(AsmPrinter &printer) const {
  printer << "<waves = " << getWaveRows() << "x" << getWaveCols();
  if (getParts() > 1)
    printer << "x" << getParts();
  if (hasCell())
    printer << ", cell = " << getM() << "x" << getN() << "x" << getK() << ", instruction_k = " << getInstructionK()
            << (getTransposed() ? ", transposed" : "") << (getChained() ? ", chained" : "")
            << (getRuns() ? ", runs" : "");
  printer << ">";
}

// !systolic.operand, !systolic.accumulator, !systolic.lds

const llvm::fltSemantics &OperandType::getFloatSemantics() const { return llvm::APFloat::IEEEhalf(); }
const llvm::fltSemantics &AccumulatorType::getFloatSemantics() const { return llvm::APFloat::IEEEsingle(); }

Type nstf::systolic::getAccumulatorType(Type operand) {
  MLIRContext *context = operand.getContext();
  if (isa<OperandType>(operand))
    return AccumulatorType::get(context);
  return operand.isInteger() ? Type(IntegerType::get(context, 32)) : Float32Type::get(context);
}

Type LdsType::parse(AsmParser &parser) {
  int64_t buffers;
  SmallVector<int64_t> shape;
  Type elementType;
  Attribute swizzle;
  AxesAttr axes;
  if (parser.parseLess() || parser.parseInteger(buffers) || parser.parseKeyword("x") ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(swizzle) || parser.parseComma() || parser.parseAttribute(axes) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), buffers, shape,
                    elementType, swizzle, axes);
}

void LdsType::print(AsmPrinter &printer) const {
  printer << "<" << getBuffers() << " x ";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", " << getSwizzle() << ", " << getAxes() << ">";
}

LogicalResult LdsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t buffers, ArrayRef<int64_t> shape,
                              Type elementType, Attribute swizzle, AxesAttr axes) {
  if (buffers <= 0 || shape.empty() || shape.size() > 2 || llvm::is_contained(shape, 0)) // lds_c1
    return emitError() << "expected at least one buffer of rank 1 or 2 that is not empty but got " << buffers
                       << " of rank " << shape.size();
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8 != 0) // lds_c2
    return emitError() << "expected an integer or float element type of whole bytes but got " << elementType;
  if (shape.size() != axes.getNames().size()) // lds_c3
    return emitError() << "expected " << shape.size() << " axis names but got " << axes.getNames().size();
  if (!isa<UnitAttr, SwizzleAttr, PackedAttr>(swizzle)) // lds_c4
    return emitError() << "expected unit, a #systolic.swizzle or #systolic.packed but got " << swizzle;
  auto groups = dyn_cast<SwizzleAttr>(swizzle);
  if (groups && (shape.size() != 2 || shape[1] % (groups.getVector() * groups.getRows()) != 0)) // lds_c5
    return emitError() << "expected rows of a multiple of " << groups.getVector() * groups.getRows()
                       << " columns for the swizzle but got " << shape.back() << " in rank " << shape.size();
  if (groups && shape[0] % groups.getFold() != 0) // lds_c7
    return emitError() << "expected a multiple of the " << groups.getFold() << " rows that the swizzle folds but got "
                       << shape[0];
  if (auto packed = dyn_cast<PackedAttr>(swizzle);
      packed && !packed.divides(shape, elementType.getIntOrFloatBitWidth())) // lds_c6
    return emitError() << "expected whole blocks of " << packed.getRows() << " rows and " << packed.getBytes()
                       << " bytes but got " << shape << " of " << elementType;
  return success();
}

int64_t LdsType::getSizeInBytes() const {
  int64_t elements = getBuffers();
  for (int64_t size : getShape())
    elements *= size;
  return elements * llvm::divideCeil(getElementType().getIntOrFloatBitWidth(), 8);
}
