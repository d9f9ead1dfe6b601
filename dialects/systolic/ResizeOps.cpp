// Verifiers of ops whose result has other sizes than their tile: dot, sum_parts, reduce, broadcast, unpack and slice.
// Comments give the constraints' numbers (Ops.td).
#include "dialects/systolic/Systolic.h"

using namespace mlir;
using namespace nstf::systolic;

/// Whether `slice` is `whole` without dimension `dim`.
static bool isSlice(RankedTensorType slice, RankedTensorType whole, int64_t dim) {
  if (dim < 0 || dim >= whole.getRank() || slice.getElementType() != whole.getElementType())
    return false;
  SmallVector<int64_t> shape(whole.getShape());
  shape.erase(shape.begin() + dim);
  return slice.getShape() == ArrayRef<int64_t>(shape);
}

LogicalResult DotOp::verify() {
  auto w = cast<RankedTensorType>(getW().getType()), x = cast<RankedTensorType>(getX().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  if (w.getRank() != 2 || x.getRank() != 2 || acc.getRank() != 2 || x.getDimSize(0) != 1 ||
      x.getDimSize(1) != w.getDimSize(1) || acc.getDimSize(0) != w.getDimSize(0) ||
      w.getDimSize(1) % acc.getDimSize(1) != 0) // dot_c1
    return emitOpError() << "expected NxK, 1xK and NxP with P a divisor of K but got " << w << ", " << x << " and "
                         << acc;
  bool isBytes = w.getElementType().isInteger(8);
  bool isFloat = isa<Float32Type, Float16Type, BFloat16Type, Float8E4M3FNUZType, OperandType>(x.getElementType());
  bool isWhole = isBytes && x.getElementType().isInteger(8);
  if (!(isFloat || isWhole) || (isBytes ? getLength() % 4 != 0 : w.getElementType() != x.getElementType())) // dot_c2
    return emitOpError() << "expected floats of one type, or i8 in sums of a multiple of 4 columns, but got " << w
                         << " and " << x << " in sums of " << getLength();
  if (Type sum = getAccumulatorType(x.getElementType()); acc.getElementType() != sum) // dot_c3
    return emitOpError() << "expected sums of " << sum << " but got " << acc;
  return success();
}

int64_t DotOp::getLength() { return getTileType(getW()).getDimSize(1) / getTileType(getAcc()).getDimSize(1); }

FragmentAttr DotOp::getSumsLayout(FragmentAttr layout) {
  FragmentAttr sums = layout.coarsen(1, getLength());
  return sums && sums.refine(1, getLength()) == layout ? sums : FragmentAttr();
}

LogicalResult SumPartsOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (tile.getRank() != 2 || result.getRank() != 2 || tile.getElementType() != result.getElementType() ||
      tile.getDimSize(1) != result.getDimSize(1) || tile.getDimSize(0) % result.getDimSize(0) != 0) // sum_parts_c1
    return emitOpError() << "expected (P*M)xN and MxN of one type but got " << tile << " and " << result;
  Type element = tile.getElementType();
  if (!element.isF32() && !element.isInteger(32) && !isa<AccumulatorType>(element)) // sum_parts_c2
    return emitOpError() << "expected sums of f32 or i32 but got " << tile;
  return success();
}

int64_t SumPartsOp::getParts() { return getTileType(getTile()).getDimSize(0) / getTileType(getResult()).getDimSize(0); }

LogicalResult ReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (getParts()) {
    bool fits = getDim() < uint64_t(tile.getRank()) && result.getRank() == tile.getRank() &&
                result.getElementType() == tile.getElementType();
    for (int64_t i = 0; fits && i < tile.getRank(); ++i)
      fits = result.getDimSize(i) == (i == int64_t(getDim()) ? int64_t(*getParts()) : tile.getDimSize(i));
    if (!fits) // reduce_c1
      return emitOpError() << "expected the tile with " << int64_t(*getParts()) << " elements along dimension "
                           << getDim() << " but got " << result << " from " << tile;
    if (int64_t parts = *getParts(); parts < 1 || tile.getDimSize(getDim()) % parts != 0) // reduce_c3
      return emitOpError() << "expected parts that divide the tile but got " << parts << " of " << tile;
  } else if (!isSlice(result, tile, getDim())) { // reduce_c1
    return emitOpError() << "expected the tile without dimension " << getDim() << " but got " << result << " from "
                         << tile;
  }
  if (tile.getElementType().isInteger(1)) // reduce_c2
    return emitOpError() << "expected elements that are numbers but got " << tile;
  return success();
}

FragmentAttr ReduceOp::getResultLayout(FragmentAttr layout) {
  if (!getParts())
    return layout.dropDim(getDim());
  // Each part is what one lane (or wave) holds; the remaining parts are registers.
  int64_t parts = 1, dim = getDim(), elements = getTileType(getTile()).getDimSize(getDim());
  auto compact = [&](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      if (digit.dim == dim) {
        digit.stride = parts;
        parts *= digit.count;
      }
    return result;
  };
  SmallVector<Digit> lane = compact(layout.getLane()), wave = compact(layout.getWave()), reg;
  if (*getParts() % parts != 0 || elements % *getParts() != 0)
    return {};
  reg.push_back({dim, int64_t(*getParts()) / parts, parts});
  llvm::copy_if(layout.getReg(), std::back_inserter(reg), [&](const Digit &digit) { return digit.dim != dim; });
  return FragmentAttr::getCanonical(getContext(), reg, lane, wave);
}

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type elementType = getElementTypeOrSelf(getSource().getType());
  if (elementType != result.getElementType()) // broadcast_c1
    return emitOpError() << "expected a source of element type " << result.getElementType() << " but got "
                         << elementType;
  auto source = getTileType(getSource());
  if (getEach()) { // broadcast_c3
    bool fits = source && getDim() < uint64_t(result.getRank()) && source.getRank() == result.getRank();
    for (int64_t i = 0; fits && i < result.getRank(); ++i)
      fits = i == int64_t(getDim()) ? result.getDimSize(i) % source.getDimSize(i) == 0
                                    : result.getDimSize(i) == source.getDimSize(i);
    if (!fits)
      return emitOpError() << "expected a tile whose size along dimension " << int64_t(getDim())
                           << " divides the result's, and equal ones else, as source but got " << getSource().getType()
                           << " for " << result;
    return success();
  }
  if (source && !isSlice(source, result, getDim())) // broadcast_c2
    return emitOpError() << "expected the result without dimension " << getDim() << " as source but got " << source
                         << " for " << result;
  return success();
}

int64_t BroadcastOp::getRepeats() {
  return getResult().getType().getDimSize(getDim()) / getTileType(getSource()).getDimSize(getDim());
}

FragmentAttr BroadcastOp::getSourceLayout(FragmentAttr layout) {
  return getEach() ? layout.coarsen(getDim(), getRepeats()) : layout.dropDim(getDim());
}

LogicalResult UnpackOp::verify() {
  auto words = cast<RankedTensorType>(getWords().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (!llvm::is_contained({1, 2, 4}, int64_t(getBits()))) // unpack_c1
    return emitOpError() << "expected codes of 1, 2 or 4 bits but got " << int64_t(getBits());
  bool fits = getDim() < uint64_t(result.getRank()) && words.getRank() == result.getRank();
  for (int64_t i = 0; fits && i < result.getRank(); ++i)
    fits = result.getDimSize(i) == words.getDimSize(i) * (i == int64_t(getDim()) ? getCodesPerWord() : 1);
  if (!fits) // unpack_c2
    return emitOpError() << "expected " << getCodesPerWord() << " elements along dimension " << int64_t(getDim())
                         << " for each word but got " << result << " for " << words;
  Type element = result.getElementType();
  bool isNumber = element.isF16() || element.isF32() || (element.isBF16() && getRaised()) || isa<OperandType>(element);
  if (!words.getElementType().isInteger(32) || !isNumber) // unpack_c3
    return emitOpError() << "expected words of i32 and codes of f16 or f32, raised ones of bf16 too, but got " << words
                         << " and " << result;
  return success();
}

FragmentAttr UnpackOp::getWordsLayout(FragmentAttr layout) {
  FragmentAttr words = layout.coarsen(getDim(), getCodesPerWord());
  return words && words.refine(getDim(), getCodesPerWord()) == layout ? words : FragmentAttr();
}

LogicalResult SliceOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType()), part = cast<RankedTensorType>(getResult().getType());
  bool fits = tile.getRank() == 2 && part.getRank() == 2 && getFrom().size() == 2 &&
              tile.getElementType() == part.getElementType();
  for (size_t dim = 0; fits && dim < 2; ++dim)
    fits = getFrom()[dim] >= 0 && getFrom()[dim] + part.getDimSize(dim) <= tile.getDimSize(dim);
  if (!fits) // slice_c1
    return emitOpError() << "expected a part of the tile but got " << part << " from [" << getFrom() << "] of " << tile;
  return success();
}
