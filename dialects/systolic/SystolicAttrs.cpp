// Syntax, rules and arithmetic of the systolic dialect's attributes and types.
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

#define GET_ATTRDEF_CLASSES
#include "dialects/systolic/SystolicAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/systolic/SystolicTypes.cpp.inc"

void SystolicDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/systolic/SystolicAttrs.cpp.inc"
      >();
}

void SystolicDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/systolic/SystolicTypes.cpp.inc"
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
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
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

static SmallVector<Digit> canonicalize(ArrayRef<Digit> digits) {
  SmallVector<Digit> result;
  for (Digit digit : digits) {
    if (digit.count == 1)
      continue;
    if (digit.dim < 0)
      digit.stride = 0;
    if (!result.empty() && result.back().dim == digit.dim &&
        (digit.dim < 0 || digit.stride == result.back().stride * result.back().count))
      result.back().count *= digit.count;
    else
      result.push_back(digit);
  }
  return result;
}

FragmentAttr FragmentAttr::getCanonical(MLIRContext *context, ArrayRef<Digit> reg, ArrayRef<Digit> lane,
                                        ArrayRef<Digit> wave) {
  return get(context, canonicalize(reg), canonicalize(lane), canonicalize(wave));
}

int64_t FragmentAttr::getNumRegisters() const {
  int64_t count = 1;
  for (const Digit &digit : getReg())
    count *= digit.count;
  return count;
}

SmallVector<int64_t> FragmentAttr::getRegisterCoordinates(int64_t index, unsigned rank) const {
  SmallVector<int64_t> coordinates(rank, 0);
  for (const Digit &digit : getReg()) {
    if (digit.dim >= 0)
      coordinates[digit.dim] += (index % digit.count) * digit.stride;
    index /= digit.count;
  }
  return coordinates;
}

FragmentAttr FragmentAttr::dropDim(int64_t dim) const {
  auto drop = [&](ArrayRef<Digit> digits, bool keepsReplicas) {
    SmallVector<Digit> result;
    for (Digit digit : digits) {
      if (digit.dim == dim && !keepsReplicas)
        continue;
      if (digit.dim == dim)
        digit = {-1, digit.count, 0};
      else if (digit.dim > dim)
        --digit.dim;
      result.push_back(digit);
    }
    return result;
  };
  return getCanonical(getContext(), drop(getReg(), false), drop(getLane(), true), drop(getWave(), true));
}

FragmentAttr FragmentAttr::transpose() const {
  auto turn = [](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      digit.dim = digit.dim < 0 ? digit.dim : 1 - digit.dim;
    return result;
  };
  return get(getContext(), turn(getReg()), turn(getLane()), turn(getWave()));
}

FragmentAttr FragmentAttr::insertUnitDim(int64_t dim) const {
  auto insert = [&](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      digit.dim += digit.dim >= dim;
    return result;
  };
  return getCanonical(getContext(), insert(getReg()), insert(getLane()), insert(getWave()));
}

// #systolic.swizzle, #systolic.array

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t vector, int64_t rows,
                                  int64_t phase) {
  for (int64_t number : {vector, rows, phase})
    if (number <= 0 || (number & (number - 1)) != 0) // swizzle_c1
      return emitError() << "expected powers of two but got " << vector << ", " << rows << " and " << phase;
  return success();
}

/// <waves = 2x2, cell = 16x16x16, instruction_k = 4, transposed> or <waves = 1x4>
Attribute SystolicArrayAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> waves, cell = {0, 0, 0};
  int64_t instructionK = 0;
  bool transposed = false;
  if (parser.parseLess() || parser.parseKeyword("waves") || parser.parseEqual() ||
      parser.parseDimensionList(waves, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    cell.clear();
    if (parser.parseKeyword("cell") || parser.parseEqual() ||
        parser.parseDimensionList(cell, /*allowDynamic=*/false, /*withTrailingX=*/false) || parser.parseComma() ||
        parser.parseKeyword("instruction_k") || parser.parseEqual() || parser.parseInteger(instructionK))
      return {};
    transposed = succeeded(parser.parseOptionalComma());
    if (transposed && parser.parseKeyword("transposed"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (waves.size() != 2 || cell.size() != 3) {
    parser.emitError(parser.getNameLoc(), "expected RxC waves and an MxNxK cell");
    return {};
  }
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), waves[0], waves[1],
                    cell[0], cell[1], cell[2], instructionK, transposed);
}

LogicalResult SystolicArrayAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t waveRows,
                                        int64_t waveCols, int64_t m, int64_t n, int64_t k, int64_t instructionK, bool) {
  if (waveRows < 1 || waveCols < 1) // array_c1
    return emitError() << "expected at least 1x1 waves but got " << waveRows << "x" << waveCols;
  if (m == 0 && n == 0 && k == 0 && instructionK == 0)
    return success();
  if (m < 1 || n < 1 || k < 1 || instructionK < 1 || k % instructionK != 0) // array_c2
    return emitError() << "expected a cell of positive sizes whose K instruction_k divides but got " << m << "x" << n
                       << "x" << k << " and " << instructionK;
  return success();
}

void SystolicArrayAttr::print(AsmPrinter &printer) const {
  printer << "<waves = " << getWaveRows() << "x" << getWaveCols();
  if (hasCell())
    printer << ", cell = " << getM() << "x" << getN() << "x" << getK() << ", instruction_k = " << getInstructionK()
            << (getTransposed() ? ", transposed" : "");
  printer << ">";
}

// !systolic.operand, !systolic.lds

const llvm::fltSemantics &OperandType::getFloatSemantics() const { return llvm::APFloat::IEEEhalf(); }

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
  if (!isa<UnitAttr, SwizzleAttr>(swizzle)) // lds_c4
    return emitError() << "expected unit or a #systolic.swizzle but got " << swizzle;
  auto groups = dyn_cast<SwizzleAttr>(swizzle);
  if (groups && (shape.size() != 2 || shape[1] % (groups.getVector() * groups.getRows()) != 0)) // lds_c5
    return emitError() << "expected rows of a multiple of " << groups.getVector() * groups.getRows()
                       << " columns for the swizzle but got " << shape.back() << " in rank " << shape.size();
  return success();
}

int64_t LdsType::getSizeInBytes() const {
  int64_t elements = getBuffers();
  for (int64_t size : getShape())
    elements *= size;
  return elements * llvm::divideCeil(getElementType().getIntOrFloatBitWidth(), 8);
}
