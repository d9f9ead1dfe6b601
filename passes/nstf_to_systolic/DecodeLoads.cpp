// Loads of quantised matrices (DecodeLoads.h).
//
// BEFORE  %w = systolic.load %W[%n, %k] : memref<64x64xf32, #axes<N, K>> -> tensor<16x64xf32, #axes<BN, BK>>
// AFTER   %words = systolic.load %W[%n, %k/8] : memref<64x8xi32, #axes<N, K_codes>> -> tensor<16x8xi32, …>
//         %code = systolic.unpack 4 %words along 1 : … -> tensor<16x64xf32, #axes<BN, BK>>
//         %scales = systolic.load %w_scales[%n, %k/128] : memref<64x1xf16, …> -> tensor<16x1xf32, …>
//         %w = (%code - 8) * (systolic.broadcast %scales each along 1)
//
// Where a matrix goes into sums of products alone, codes are multiplied as they are; zeros and scales are the sums':
//
// BEFORE  %next = systolic.dot %w, %x, %acc
// AFTER   %products = systolic.dot %code, %x, 0        %x_sums = systolic.dot 1, %x, 0
//         %next = %acc + (%products - 8 * %x_sums) * (systolic.broadcast %scales each along 1)
#include "passes/nstf_to_systolic/DecodeLoads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

SmallVector<TemplateBinding::Buffer> nstf::getPlaneBuffers(StringRef name, DequantizeOp matrix) {
  SmallVector<TemplateBinding::Buffer> buffers;
  for (Plane plane : {Plane::codes, Plane::high, Plane::scales, Plane::zeros})
    if (Value value = matrix.getPlane(plane)) {
      std::string planeName = (name + "_" + stringifyPlane(plane)).str();
      buffers.push_back({plane == Plane::codes ? name.str() : planeName, value});
    }
  return buffers;
}

namespace {

/// Decodes the loads of one buffer.
class Decoder {
public:
  Decoder(systolic::KernelOp program, StringRef name, DequantizeOp matrix)
      : program(program), name(name), matrix(matrix), format(matrix.getFormat()), builder(program.getContext()) {}

  LogicalResult run() {
    std::optional<unsigned> position = program.findBuffer(name);
    if (!position || !isa<MemRefType>(program.getArgumentTypes()[*position]) ||
        cast<MemRefType>(program.getArgumentTypes()[*position]).getRank() != 2)
      return program.emitError() << "expected a buffer " << name << " of rank 2 for a quantised matrix";
    whole = cast<MemRefType>(program.getArgumentTypes()[*position]);
    Value codes = program.getArgument(*position);
    SmallVector<systolic::LoadOp> loads;
    for (Operation *user : codes.getUsers()) {
      auto load = dyn_cast<systolic::LoadOp>(user);
      if (!load || load.getRows() || load.getCols() || load.getAt() || !load.getLimits().empty())
        return user->emitError() << "expected plain loads only of buffer " << name << ", which is quantised";
      loads.push_back(load);
    }
    addBuffers(*position);
    for (systolic::LoadOp load : loads)
      if (failed(decode(load)))
        return failure();
    return success();
  }

private:
  // Buffers

  void addBuffers(unsigned position) {
    buffers[Plane::codes] = program.getArgument(position);
    program.getArgument(position).setType(makeBuffer(Plane::codes));
    SmallVector<Type> types(program.getArgumentTypes());
    types[position] = makeBuffer(Plane::codes);
    program.setFunctionType(FunctionType::get(program.getContext(), types, {}));
    for (Plane plane : {Plane::high, Plane::scales, Plane::zeros})
      if (matrix.getPlane(plane)) {
        program.insertBuffer(++position, makeBuffer(plane), name + "_" + stringifyPlane(plane).str());
        buffers[plane] = program.getArgument(position);
      }
  }

  /// Codes of i8 stand as the matrix does; of other planes the sizes that differ are parameters of their own.
  MemRefType makeBuffer(Plane plane) {
    auto type = cast<RankedTensorType>(matrix.getPlane(plane).getType());
    auto buffer = MemRefType::Builder(whole).setElementType(type.getElementType());
    SmallVector<Attribute> names(cast<AxesAttr>(whole.getMemorySpace()).getNames());
    SmallVector<int64_t> shape(whole.getShape());
    for (unsigned dim = 0; dim < 2; ++dim)
      if (type.getDimSize(dim) != matrix.getType().getDimSize(dim)) {
        names[dim] = addAxis(names[dim], plane, type.getDimSize(dim));
        shape[dim] = 1; // systolic-instantiate gives it the parameter's
      }
    return buffer.setShape(shape).setMemorySpace(AxesAttr::get(program.getContext(), names));
  }

  /// "K" -> "K_codes", a parameter of the kernel.
  Attribute addAxis(Attribute axis, Plane plane, int64_t size) { return addAxis(axis, stringifyPlane(plane), size); }
  Attribute addAxis(Attribute axis, StringRef suffix, int64_t size) {
    std::string text =
        isa<StringAttr>(axis) ? cast<StringAttr>(axis).str() : "A" + std::to_string(cast<IntegerAttr>(axis).getInt());
    StringAttr added = builder.getStringAttr(text + "_" + suffix);
    NamedAttrList parameters(program.getParams());
    parameters.set(added, builder.getI64IntegerAttr(size));
    program.setParamsAttr(parameters.getDictionary(program.getContext()));
    return added;
  }

  // Tiles

  LogicalResult decode(systolic::LoadOp op) {
    load = op;
    loc = op.getLoc();
    builder.setInsertionPoint(op);
    tile = cast<RankedTensorType>(op.getType());
    along = op.getTransposed() ? 0 : 1;
    Attribute axis = getAxis(along);
    auto size = isa<StringAttr>(axis) ? program.getParam(cast<StringAttr>(axis).getValue())
                                      : std::optional(cast<IntegerAttr>(axis).getInt());
    int64_t group = format.getGroupSize();
    if (!size || *size % 32 != 0 || tile.getDimSize(along) % 32 != 0 ||
        (format.getGroups() > 1 && *size % group != 0 && group % *size != 0))
      return op.emitError() << "expected a tile whose " << axis
                            << " is a multiple of 32, and a multiple or a divisor of "
                            << "the group of " << group << ", to load " << format << " but got " << size.value_or(0);
    columns = *size;
    // f16 has instructions for two numbers, bf16 none.
    number = tile.getElementType().isBF16() ? Type(builder.getF32Type()) : tile.getElementType();
    auto dot = dyn_cast<systolic::DotOp>(*op->user_begin());
    if (dot && op->hasOneUse() && dot.getW() == op.getResult()) {
      auto loop = format.getGroups() == 1 ? findSum(dot, dot.getAcc()) : scf::ForOp();
      loadPlanes(builder.getF32Type(), loop ? loop : op);
      return decodeSums(dot, loop);
    }
    auto product = dyn_cast<systolic::MmaOp>(*op->user_begin());
    if (product && op->hasOneUse() && product.getB() == op.getResult() && holdsCodes())
      if (auto loop = findSum(product, product.getAcc()))
        return decodeProducts(product, loop);
    if (format.getElementType(Plane::scales).isF32()) // more than f16 holds
      number = builder.getF32Type();
    loadPlanes(number, op);
    Value value = arith::MulFOp::create(builder, loc, subtractZeros(getCodes()), repeat(loaded.scales));
    if (number != tile.getElementType()) {
      auto rounded = arith::TruncFOp::create(builder, loc, tile, value);
      // Codes and scales are numbers; ties go away from zero.
      rounded.setFastmath(arith::FastMathFlags::nnan | arith::FastMathFlags::afn);
      value = rounded;
    }
    op.replaceAllUsesWith(value);
    op.erase();
    return success();
  }

  /// Loads stand where the matrix was loaded, what is computed of them beside the sums: between them x is shared. Where
  /// `loop` makes a row's whole sum, the scale is for its result.
  LogicalResult decodeSums(systolic::DotOp dot, scf::ForOp loop) {
    auto sums = cast<RankedTensorType>(dot.getResult().getType());
    Attribute axis = cast<AxesAttr>(sums.getEncoding()).getNames()[1];
    int64_t length = isa<StringAttr>(axis) ? columns / *program.getParam(cast<StringAttr>(axis).getValue()) : 0;
    if (length == 0 || (format.getGroups() > 1 && format.getGroupSize() % length != 0))
      return dot.emitOpError() << "expected sums of columns that divide the group of " << format.getGroupSize()
                               << " but got " << length;
    Value x = dot.getX();
    if (number != tile.getElementType()) {
      builder.setInsertionPointAfterValue(x);
      x = arith::ExtFOp::create(builder, loc, cast<RankedTensorType>(x.getType()).clone(number), x);
    }
    builder.setInsertionPoint(dot);
    // With f16, whose codes are cheaper so; the zeros of groups make up for it.
    bool raised = format.isPacked() && number.isF16();
    Value zero = makeSplat(sums, 0.0),
          codes = format.isPacked() || format.getNumberType() ? getCodes(raised) : loaded.codes;
    auto multiply = [&](Value w, Value acc) {
      return systolic::DotOp::create(builder, loc, sums, w, x, acc).getResult();
    };
    Value zeros = getZeros(builder.getF32Type(), raised),
          products = multiply(codes, loop && !zeros ? dot.getAcc() : zero);
    if (zeros) {
      Value less = arith::NegFOp::create(builder, loc, repeat(zeros, sums));
      Value ones = makeSplat(withElement(number), 1.0);
      products = math::FmaOp::create(builder, loc, less, multiply(ones, zero), products);
      if (loop)
        products = arith::AddFOp::create(builder, loc, dot.getAcc(), products);
    }
    if (loop) {
      dot.replaceAllUsesWith(products);
      builder.setInsertionPointAfter(loop);
      Value sum = loop.getResult(0);
      auto scaled = arith::MulFOp::create(builder, loc, sum, repeat(loaded.scales, sums));
      sum.replaceAllUsesExcept(scaled, scaled);
    } else {
      Value scales = repeat(loaded.scales, sums);
      dot.replaceAllUsesWith(math::FmaOp::create(builder, loc, products, scales, dot.getAcc()).getResult());
    }
    dot.erase();
    load.erase();
    return success();
  }

  /// Whether products can take codes as they are: as numbers of the tile's own 16 bits, whose groups don't end within
  /// what a wave multiplies of a block.
  bool holdsCodes() {
    int64_t parts = program.getWaves().parts;
    bool fits = format.getGroups() == 1 || (parts > 1 && format.getGroupSize() % (columns / parts) == 0);
    Type element = tile.getElementType();
    return columns % parts == 0 && fits && (element.isF16() || (element.isBF16() && !format.getHighBits()));
  }

  /// Where a row has one scale and no zero, its sum is multiplied by the scale. Otherwise each block's sums are, in the
  /// parts that waves make of them.
  LogicalResult decodeProducts(systolic::MmaOp product, scf::ForOp loop) {
    number = tile.getElementType();
    bool raised = format.isPacked(), isByRow = format.getGroups() == 1;
    loadPlanes(format.getElementType(Plane::scales), isByRow ? loop : load);
    builder.setInsertionPoint(product);
    Value codes = getCodes(raised), zeros = getZeros(builder.getF32Type(), raised);
    auto sums = cast<RankedTensorType>(product.getType());
    if (isByRow && !zeros)
      product.getBMutable().assign(codes);
    else
      addBlocks(product, loop, codes, zeros, isByRow ? Value() : widen(loaded.scales));
    if (isByRow) {
      Operation *sum = loop;
      if (auto parts = dyn_cast<systolic::SumPartsOp>(loop->getNextNode()))
        sum = parts;
      builder.setInsertionPointAfter(sum);
      auto scaled = arith::MulFOp::create(builder, loc, sum->getResult(0), repeat(widen(loaded.scales), sums));
      sum->getResult(0).replaceAllUsesExcept(scaled, scaled);
    }
    load.erase();
    return success();
  }

  /// Where it is used: a tile that is on its way has its own type.
  Value widen(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType().isF32())
      return tile;
    return arith::ExtFOp::create(builder, loc, type.clone(builder.getF32Type()), tile);
  }

  /// What the loop adds up becomes (codes * x - zeros * sum of x) * scales of a block at a time.
  void addBlocks(systolic::MmaOp product, scf::ForOp loop, Value codes, Value zeros, Value scales) {
    auto sums = cast<RankedTensorType>(product.getType());
    int64_t parts = program.getWaves().parts;
    RankedTensorType partial = parts == 1 ? sums : getPartial(sums, parts);
    Value zero = makeSplat(partial, 0.0), acc = product.getAcc();
    auto multiply = [&](Value w) -> Value {
      return systolic::MmaOp::create(builder, loc, partial, product.getA(), w, zero, parts, /*runs=*/parts > 1);
    };
    acc.setType(partial);
    Value block = multiply(codes);
    if (zeros)
      block = math::FmaOp::create(builder, loc, arith::NegFOp::create(builder, loc, repeat(zeros, partial)),
                                  multiply(makeSplat(1.0)), block);
    Value next = scales ? math::FmaOp::create(builder, loc, block, repeat(scales, partial), acc).getResult()
                        : arith::AddFOp::create(builder, loc, acc, block).getResult();
    product.replaceAllUsesWith(next);
    product.erase();
    builder.setInsertionPoint(loop);
    loop.getInitArgsMutable()[0].assign(makeSplat(partial, 0.0));
    Value result = loop.getResult(0);
    result.setType(partial);
    if (parts == 1)
      return;
    builder.setInsertionPointAfter(loop);
    auto total = systolic::SumPartsOp::create(builder, loc, sums, result);
    result.replaceAllUsesExcept(total, total);
  }

  RankedTensorType getPartial(RankedTensorType sums, int64_t parts) {
    SmallVector<Attribute> names(cast<AxesAttr>(sums.getEncoding()).getNames());
    auto rows = isa<StringAttr>(names[0]) ? *program.getParam(cast<StringAttr>(names[0]).getValue())
                                          : cast<IntegerAttr>(names[0]).getInt();
    names[0] = addAxis(names[0], "parts", parts * rows);
    return RankedTensorType::get({parts * sums.getDimSize(0), sums.getDimSize(1)}, sums.getElementType(),
                                 AxesAttr::get(program.getContext(), names));
  }

  /// The loop that makes nothing but the sum that `term` adds to, of 0, of the same rows; null where there is none.
  scf::ForOp findSum(Operation *term, Value acc) {
    auto loop = dyn_cast<scf::ForOp>(term->getParentOp());
    bool isSum = loop && loop.getNumResults() == 1 && loop.getRegionIterArgs()[0] == acc && acc.hasOneUse() &&
                 loop.getYieldedValues()[0] == term->getResult(0) &&
                 matchPattern(loop.getInitArgs()[0], m_PosZeroFloat()) &&
                 loop.isDefinedOutsideOfLoop(load.getIndices()[0]);
    return isSum ? loop : scf::ForOp();
  }

  Attribute getAxis(unsigned dim) { return cast<AxesAttr>(tile.getEncoding()).getNames()[dim]; }
  RankedTensorType withElement(Type element) { return tile.clone(element); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// The tile with another number of elements along K; `size` is what the axis will have.
  RankedTensorType withColumns(Plane plane, Type element, int64_t size) {
    SmallVector<Attribute> names(cast<AxesAttr>(tile.getEncoding()).getNames());
    SmallVector<int64_t> shape(tile.getShape());
    names[along] = addAxis(names[along], plane, size);
    // Before systolic-instantiate the sizes are the template's own.
    shape[along] = std::max<int64_t>(shape[along] * size / columns, 1);
    return RankedTensorType::get(shape, element, AxesAttr::get(program.getContext(), names));
  }

  Value loadPlane(Plane plane, Type element, int64_t size, Value column, Value row = {}, Value rows = {}) {
    auto type = withColumns(plane, element, size);
    Value place = row ? row : load.getIndices()[0];
    auto made = systolic::LoadOp::create(builder, loc, type, buffers.at(plane), ValueRange{place, column}, ValueRange(),
                                         rows, Value());
    copyModifiers(made);
    return made;
  }

  void copyModifiers(systolic::LoadOp made) {
    made.setTransposed(load.getTransposed());
    if (Value when = load.getWhen())
      made.getWhenMutable().assign(when);
  }

  /// Scales, as `scale`, before `place`.
  void loadPlanes(Type scale, Operation *place) {
    loaded = {};
    Value column = load.getIndices()[1];
    if (format.isPacked()) {
      loaded.codes = loadWords(Plane::codes, 4, column);
      if (format.getHighBits())
        loaded.high = loadWords(Plane::high, format.getHighBits(), column);
    } else {
      auto made = systolic::LoadOp::create(builder, loc, withElement(format.getElementType(Plane::codes)),
                                           buffers.at(Plane::codes), load.getIndices(), ValueRange(), Value(), Value());
      copyModifiers(made);
      loaded.codes = made;
    }
    if (matrix.getZeros())
      loadZeros();
    builder.setInsertionPoint(place);
    loaded.scales = loadPlane(Plane::scales, scale, countGroups(), getGroup());
  }

  Value loadWords(Plane plane, int64_t bits, Value column) {
    int64_t perWord = 32 / bits;
    return loadPlane(plane, builder.getI32Type(), columns / perWord,
                     arith::DivUIOp::create(builder, loc, column, constant(perWord)));
  }

  /// A word holds the zeros of several rows, each row has its own shift.
  void loadZeros() {
    auto rowType = RankedTensorType::get(tile.getDimSize(1 - along), builder.getI32Type(),
                                         AxesAttr::get(program.getContext(), {getAxis(1 - along)}));
    Value first = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), load.getIndices()[0]);
    Value row = arith::AddIOp::create(builder, loc, systolic::IotaOp::create(builder, loc, rowType, 0),
                                      systolic::BroadcastOp::create(builder, loc, rowType, first, 0));
    Value perWord = makeSplat(rowType, int32_t(format.getZerosPerWord()));
    Value word = arith::DivUIOp::create(builder, loc, row, perWord);
    loaded.zeros = loadPlane(Plane::zeros, builder.getI32Type(), countGroups(), getGroup(), constant(0), word);
    Value shift = arith::MulIOp::create(builder, loc, arith::RemUIOp::create(builder, loc, row, perWord),
                                        makeSplat(rowType, int32_t(format.getBits())));
    loaded.shifts = systolic::BroadcastOp::create(builder, loc, loaded.zeros.getType(), shift, along);
  }

  /// The codes as floats; whole numbers of 8 bits less 128.
  Value getCodes(bool raised = false) {
    if (format.getNumberType())
      return arith::ExtFOp::create(builder, loc, withElement(number), loaded.codes);
    if (!format.isPacked())
      return arith::SIToFPOp::create(builder, loc, withElement(number), loaded.codes);
    Value low = unpack(4, loaded.codes, raised);
    if (!format.getHighBits())
      return low;
    Value high = unpack(format.getHighBits(), loaded.high);
    return math::FmaOp::create(builder, loc, high, makeSplat(16), low);
  }

  Value unpack(int64_t bits, Value words, bool raised = false) {
    return systolic::UnpackOp::create(builder, loc, withElement(number), bits, words, along, raised);
  }

  Value makeSplat(double value) { return makeSplat(withElement(number), value); }
  Value makeSplat(RankedTensorType type, double value) {
    auto element = cast<FloatType>(type.getElementType());
    APFloat exact(value);
    bool isInexact;
    exact.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, exact));
  }
  Value makeSplat(RankedTensorType type, int32_t value) {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  }

  // Groups

  /// Groups that a tile has a part of along K.
  int64_t countGroups() { return format.getGroups() == 1 ? 1 : std::max<int64_t>(columns / format.getGroupSize(), 1); }
  Value getGroup() {
    if (format.getGroups() == 1)
      return constant(0);
    return arith::DivUIOp::create(builder, loc, load.getIndices()[1], constant(format.getGroupSize()));
  }
  Value repeat(Value groups) { return repeat(groups, withElement(number)); }
  Value repeat(Value groups, RankedTensorType type) {
    return systolic::BroadcastOp::create(builder, loc, type, groups, along, /*each=*/true);
  }

  /// What codes are less, as they are loaded, by groups: null where that is 0.
  Value getZeros(Type type, bool raised = false) {
    int64_t offset = !format.isPacked() ? format.getMiddle() : raised ? -systolic::UnpackOp::getRaise(number) : 0;
    auto zerosType = cast<RankedTensorType>(loaded.scales.getType()).clone(type);
    if (!loaded.zeros)
      return format.getMiddle() == offset ? Value() : makeSplat(zerosType, double(format.getMiddle() - offset));
    auto words = cast<RankedTensorType>(loaded.zeros.getType());
    Value zero = arith::AndIOp::create(builder, loc, arith::ShRUIOp::create(builder, loc, loaded.zeros, loaded.shifts),
                                       makeSplat(words, int32_t((1 << format.getBits()) - 1)));
    Value zeros = arith::UIToFPOp::create(builder, loc, words.clone(type), zero);
    if (offset != 0)
      zeros = arith::SubFOp::create(builder, loc, zeros, makeSplat(words.clone(type), double(offset)));
    return zeros;
  }

  Value subtractZeros(Value value) {
    Value zeros = getZeros(number);
    return zeros ? Value(arith::SubFOp::create(builder, loc, value, repeat(zeros))) : value;
  }

  systolic::KernelOp program;
  std::string name;
  DequantizeOp matrix;
  CodeFormat format;
  OpBuilder builder;
  MemRefType whole; ///< the template's buffer of the matrix
  std::map<Plane, Value> buffers;

  // Of the load that is decoded.
  systolic::LoadOp load;
  Location loc = UnknownLoc::get(builder.getContext());
  RankedTensorType tile;
  unsigned along = 1;  ///< the tile's dimension along K
  int64_t columns = 0; ///< its size there, with the program's parameters
  Type number;         ///< what is computed in
  struct {
    Value codes, high, scales, zeros; ///< of the planes, null where there is none
    Value shifts;                     ///< of a zero in its word
  } loaded;
};

} // namespace

LogicalResult nstf::decodeLoads(systolic::KernelOp program, StringRef name, DequantizeOp matrix) {
  return Decoder(program, name, matrix).run();
}
