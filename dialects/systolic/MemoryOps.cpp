// Verifiers of the ops that move tiles. Comments give the constraints' numbers (MemoryOps.td).
#include "dialects/systolic/Systolic.h"

using namespace mlir;
using namespace nstf::systolic;

/// Whether an access can convert between these types: they are equal, both are numbers, or `from` is still an open type
/// of a template.
static bool isMoved(Type from, Type to) {
  auto isNumber = [](Type type) { return isa<FloatType>(type) || type.isInteger(8); };
  return from == to || (isNumber(from) && isNumber(to)) || isa<OperandType, AccumulatorType>(from);
}

/// The rules that load and store share: constraints 1 and 2 of both.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile, MemRefType buffer, size_t indices,
                                  size_t limits) {
  if (tile.getRank() != buffer.getRank() || !isMoved(tile.getElementType(), buffer.getElementType()))
    return op->emitOpError() << "expected tile and buffer of one rank and element type, or of floats and i8, but got "
                             << tile << " and " << buffer;
  if (indices != size_t(buffer.getRank()))
    return op->emitOpError() << "expected " << buffer.getRank() << " indices but got " << indices;
  if (limits != 0 && limits != indices)
    return op->emitOpError() << "expected " << indices << " limits or none but got " << limits;
  return success();
}

/// An index tile must have one entry for each of the `size` rows or columns.
static LogicalResult verifyIndexTile(Operation *op, StringRef name, Value tile, int64_t size) {
  if (tile && getTileType(tile).getDimSize(0) != size)
    return op->emitOpError() << "expected " << size << " entries in " << name << " but got "
                             << getTileType(tile).getDimSize(0);
  return success();
}

/// load_c4
static LogicalResult verifyPlaces(LoadOp op, RankedTensorType tile, RankedTensorType places) {
  if (!isMoved(tile.getElementType(), cast<MemRefType>(op.getBuffer().getType()).getElementType()))
    return op.emitOpError() << "expected tile and buffer of one element type, or of floats and i8, but got " << tile
                            << " and " << op.getBuffer().getType();
  if (op.getIndices().size() != 1 || cast<MemRefType>(op.getBuffer().getType()).getRank() != 1)
    return op.emitOpError() << "expected a buffer of rank 1 for at but got " << op.getBuffer().getType();
  if (places.getShape() != tile.getShape() || !places.getElementType().isInteger(32))
    return op.emitOpError() << "expected an i32 in at for each element of " << tile << " but got " << places;
  if (op.getRows() || op.getCols() || !op.getLimits().empty() || op.getTransposed() || op.getWhen()) // load_c6
    return op.emitOpError("expected at without rows, cols, limit, transposed and when");
  return success();
}

LogicalResult LoadOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (getAt())
    return verifyPlaces(*this, tile, cast<RankedTensorType>(getAt().getType()));
  if (failed(verifyAccess(*this, tile, cast<MemRefType>(getBuffer().getType()), getIndices().size(),
                          getLimits().size()))) // load_c1, load_c2
    return failure();
  if (getRows() && tile.getRank() != 2) // load_c3
    return emitOpError("expected a tile of rank 2 for rows");
  if (getTransposed() && tile.getRank() != 2) // load_c5
    return emitOpError("expected a tile of rank 2 for transposed");
  unsigned rowDim = getRowDim(*this), colDim = tile.getRank() == 2 ? 1 - rowDim : 0;
  if (failed(verifyIndexTile(*this, "rows", getRows(), tile.getDimSize(rowDim))))
    return failure();
  return verifyIndexTile(*this, "cols", getCols(), tile.getDimSize(colDim));
}

LogicalResult StoreOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (failed(verifyAccess(*this, tile, cast<MemRefType>(getBuffer().getType()), getIndices().size(),
                          getLimits().size()))) // store_c1, store_c2
    return failure();
  if ((getRows() || getTransposed()) && tile.getRank() != 2) // store_c3, store_c4
    return emitOpError("expected a tile of rank 2 for rows and transposed");
  return verifyIndexTile(*this, "rows", getRows(), tile.getDimSize(getRowDim(*this))); // store_c3
}

static bool sameShape(RankedTensorType tile, LdsType lds, bool transposed) {
  SmallVector<int64_t> shape(tile.getShape());
  if (transposed)
    std::reverse(shape.begin(), shape.end());
  return lds.getShape() == ArrayRef<int64_t>(shape) && tile.getElementType() == lds.getElementType();
}

LogicalResult WriteOp::verify() {
  if (!sameShape(cast<RankedTensorType>(getTile().getType()), getLds().getType(), getTransposed())) // write_c1
    return emitOpError() << "expected a tile of the LDS array's " << (getTransposed() ? "transposed " : "")
                         << "shape and element type but got " << getTile().getType() << " and " << getLds().getType();
  return success();
}

/// Verifies a read of a part, of rank 2, that lies inside the array.
static LogicalResult verifyPart(ReadOp op) {
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  LdsType lds = op.getLds().getType();
  SmallVector<int64_t> shape(tile.getShape());
  if (op.getTransposed())
    std::reverse(shape.begin(), shape.end());
  ArrayRef<int64_t> from = *op.getFrom();
  bool fits = lds.getShape().size() == 2 && shape.size() == 2 && from.size() == 2 &&
              tile.getElementType() == lds.getElementType();
  for (size_t dim = 0; fits && dim < 2; ++dim)
    fits = from[dim] >= 0 && from[dim] + shape[dim] <= lds.getShape()[dim];
  if (!fits)
    return op.emitOpError() << "expected a part of the LDS array but got " << tile << " from [" << from << "] of "
                            << lds;
  return success();
}

LogicalResult ReadOp::verify() {
  if (getFrom())
    return verifyPart(*this);
  if (!sameShape(cast<RankedTensorType>(getResult().getType()), getLds().getType(), getTransposed())) // read_c1
    return emitOpError() << "expected a tile of the LDS array's " << (getTransposed() ? "transposed " : "")
                         << "shape and element type but got " << getResult().getType() << " and " << getLds().getType();
  return success();
}

LogicalResult StageOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType());
  LdsType lds = getLds().getType();
  Type type = buffer.getElementType();
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  if (buffer.getRank() != 2 || lds.getShape().size() != 2 || lds.getElementType() != type ||
      !llvm::is_contained({8, 16, 32}, bits)) // stage_c1
    return emitOpError()
           << "expected a buffer and an LDS array of rank 2 and one element type of 1, 2 or 4 bytes but got " << buffer
           << " and " << lds;
  if (getIndices().size() != 2) // stage_c2
    return emitOpError() << "expected 2 indices but got " << getIndices().size();
  int64_t bytes = lds.getSizeInBytes() / lds.getBuffers();
  if (buffer.getDimSize(1) * bits % 32 != 0 || lds.getShape()[1] * bits % 32 != 0 ||
      bytes % bytesAtOnce != 0) // stage_c3
    return emitOpError() << "expected rows of whole dwords, and an array of a multiple of " << bytesAtOnce
                         << " bytes, but got " << buffer << " and " << lds;
  return success();
}

LogicalResult ViewOp::verify() {
  if (getResult().getType().getSizeInBytes() > getLds().getType().getSizeInBytes()) // view_c1
    return emitOpError() << "expected at most the " << getLds().getType().getSizeInBytes() << " bytes of "
                         << getLds().getType() << " but got " << getResult().getType();
  return success();
}
