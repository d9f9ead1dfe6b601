// Decodes loads of quantised matrices (DecodeLoads.h).
//
// BEFORE  %w = systolic.load %W[%n, %k] : memref<64x64xf32, #axes<N, K>> -> tensor<16x64xf32, #axes<BN, BK>>
// AFTER   %words = systolic.load %W[%n, %k/8] : memref<64x8xi32, #axes<N, K_codes>> -> tensor<16x8xi32, …>
//         %code = systolic.unpack 4 %words along 1 : … -> tensor<16x64xf32, #axes<BN, BK>>
//         %scales = systolic.load %w_scales[%n, %k/128] : memref<64x1xf16, …> -> tensor<16x1xf32, …>
//         %w = (%code - 8) * (systolic.broadcast %scales each along 1)
//
// If only sums of products use a matrix, its codes are multiplied without decoding, and zeros and scales are applied to
// the sums:
//
// BEFORE  %next = systolic.dot %w, %x, %acc
// AFTER   %products = systolic.dot %code, %x, 0        %x_sums = systolic.dot 1, %x, 0
//         %next = %acc + (%products - 8 * %x_sums) * (systolic.broadcast %scales each along 1)
//
// The same holds for systolic.mma if the operands' 16-bit type holds the codes exactly, and either a row has one scale
// or each wave computes a part of the sum.
#include "passes/nstf_to_systolic/DecodeLoads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/nstf_to_systolic/PlaneLoads.h"

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
class Decoder : PlaneLoads {
public:
  Decoder(systolic::KernelOp program, StringRef name, DequantizeOp matrix) : PlaneLoads(program, name, matrix) {}

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
    // The chips compute on packed f16 but not on bf16, so bf16 is decoded in f32.
    number = tile.getElementType().isBF16() ? Type(builder.getF32Type()) : tile.getElementType();
    auto dot = dyn_cast<systolic::DotOp>(*op->user_begin());
    if (dot && op->hasOneUse() && dot.getW() == op.getResult()) {
      OpResult loop = format.getGroups() == 1 ? findSum(dot, dot.getAcc()) : OpResult();
      loadPlanes(builder.getF32Type(), loop ? loop.getOwner() : op);
      return decodeSums(dot, loop);
    }
    auto product = dyn_cast<systolic::MmaOp>(*op->user_begin());
    if (product && op->hasOneUse() && product.getB() == op.getResult() && holdsCodes())
      if (OpResult sum = findSum(product, product.getAcc()))
        return decodeProducts(product, sum);
    if (format.getElementType(Plane::scales).isF32()) // their range exceeds that of f16
      number = builder.getF32Type();
    loadPlanes(number, op);
    Value value = arith::MulFOp::create(builder, loc, subtractZeros(getCodes()), repeat(loaded.scales));
    if (number != tile.getElementType()) {
      auto rounded = arith::TruncFOp::create(builder, loc, tile, value);
      // Codes and scales are never NaN, and ties may round away from zero.
      rounded.setFastmath(arith::FastMathFlags::nnan | arith::FastMathFlags::afn);
      value = rounded;
    }
    op.replaceAllUsesWith(value);
    op.erase();
    return success();
  }

  /// The planes are loaded where the matrix was loaded, which is before x is shared. The code that uses them is placed
  /// at the product, after x is shared. If a loop computes the whole sum of a row, `whole` is the result of that loop,
  /// and the scale multiplies it once.
  LogicalResult decodeSums(systolic::DotOp dot, OpResult whole) {
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
    // Codes of f16 are unpacked with an offset, which takes fewer instructions; subtracting the zeros removes the
    // offset.
    bool raised = format.isPacked() && number.isF16();
    Value zero = makeSplat(sums, 0.0),
          codes = format.isPacked() || format.getNumberType() ? getCodes(raised) : loaded.codes;
    auto multiply = [&](Value w, Value acc) {
      return systolic::DotOp::create(builder, loc, sums, w, x, acc).getResult();
    };
    Value zeros = getZeros(builder.getF32Type(), raised),
          products = multiply(codes, whole && !zeros ? dot.getAcc() : zero);
    if (zeros) {
      Value less = arith::NegFOp::create(builder, loc, repeat(zeros, sums));
      Value ones = makeSplat(withElement(number), 1.0);
      products = math::FmaOp::create(builder, loc, less, multiply(ones, zero), products);
      if (whole)
        products = arith::AddFOp::create(builder, loc, dot.getAcc(), products);
    }
    if (whole) {
      dot.replaceAllUsesWith(products);
      builder.setInsertionPointAfter(whole.getOwner());
      auto scaled = arith::MulFOp::create(builder, loc, whole, repeat(loaded.scales, sums));
      whole.replaceAllUsesExcept(scaled, scaled);
    } else {
      Value scales = repeat(loaded.scales, sums);
      dot.replaceAllUsesWith(math::FmaOp::create(builder, loc, products, scales, dot.getAcc()).getResult());
    }
    dot.erase();
    load.erase();
    return success();
  }

  /// Whether products can multiply the codes themselves: the tile's 16-bit type must hold them exactly, and no group
  /// may end inside the part of a block that one wave multiplies.
  bool holdsCodes() {
    int64_t parts = program.getWaves().parts;
    bool fits = format.getGroups() == 1 || (parts > 1 && format.getGroupSize() % (columns / parts) == 0);
    Type element = tile.getElementType();
    return columns % parts == 0 && fits && (element.isF16() || (element.isBF16() && !format.getHighBits()));
  }

  /// If a row has one scale and no zero, its sum is multiplied by the scale. Otherwise the sums of each block are,
  /// separately for the part that each wave computes.
  LogicalResult decodeProducts(systolic::MmaOp product, OpResult sum) {
    number = tile.getElementType();
    bool raised = format.isPacked(), isByRow = format.getGroups() == 1;
    loadPlanes(format.getElementType(Plane::scales), isByRow ? sum.getOwner() : load);
    builder.setInsertionPoint(product);
    Value codes = getCodes(raised), zeros = getZeros(builder.getF32Type(), raised);
    auto sums = cast<RankedTensorType>(product.getType());
    if (isByRow && !zeros)
      product.getBMutable().assign(codes);
    else
      addBlocks(product, sum, codes, zeros, isByRow ? Value() : widen(loaded.scales));
    if (isByRow) {
      if (auto parts = dyn_cast<systolic::SumPartsOp>(*sum.user_begin()))
        sum = cast<OpResult>(parts.getResult());
      builder.setInsertionPointAfter(sum.getOwner());
      auto scaled = arith::MulFOp::create(builder, loc, sum, repeat(widen(loaded.scales), sums));
      sum.replaceAllUsesExcept(scaled, scaled);
    }
    load.erase();
    return success();
  }

  /// Widens a tile at its use; while it is in flight it keeps its own type.
  Value widen(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType().isF32())
      return tile;
    return arith::ExtFOp::create(builder, loc, type.clone(builder.getF32Type()), tile);
  }

  /// Replaces what the loop sums in `result` by (codes * x - zeros * sum of x) * scales, one block at a time.
  void addBlocks(systolic::MmaOp product, OpResult result, Value codes, Value zeros, Value scales) {
    auto loop = cast<scf::ForOp>(result.getOwner());
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
    loop.getInitArgsMutable()[result.getResultNumber()].assign(makeSplat(partial, 0.0));
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

  /// The loop's result that is the sum of `term` over the rounds, from 0 on and with the same rows in every round; null
  /// if there is none.
  OpResult findSum(Operation *term, Value acc) {
    auto loop = dyn_cast<scf::ForOp>(term->getParentOp());
    auto carried = dyn_cast<BlockArgument>(acc);
    if (!loop || !carried || carried.getOwner() != loop.getBody() || carried == loop.getInductionVar())
      return {};
    unsigned number = carried.getArgNumber() - 1;
    bool isSum = acc.hasOneUse() && loop.getYieldedValues()[number] == term->getResult(0) &&
                 matchPattern(loop.getInitArgs()[number], m_PosZeroFloat()) &&
                 loop.isDefinedOutsideOfLoop(load.getIndices()[0]);
    return isSum ? cast<OpResult>(loop.getResult(number)) : OpResult();
  }
};

} // namespace

LogicalResult nstf::decodeLoads(systolic::KernelOp program, StringRef name, DequantizeOp matrix) {
  return Decoder(program, name, matrix).run();
}
