#include "passes/systolic_to_gpu/BufferAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>
#include <set>
#include <tuple>

using namespace mlir;
using namespace nstf::systolic;

/// The range of a buffer instruction's offset field, in bytes.
constexpr int64_t offsetFieldBytes = 4096;

/// The max number of address VGPRs that a load may keep live through a loop to save scalar additions in it.
constexpr int64_t maxAddresses = 8;

/// The max number of SGPRs that a load may take before a loop to save additions in each lane.
constexpr int64_t maxChoices = 3;

static bool divides(int64_t divisor, int64_t value) { return value % divisor == 0; }

BufferAccess::BufferAccess(IndexBuilder &index, const KernelContext &kernel, Description description)
    : index(index), access(std::move(description)), rank(access.tile.getRank()), layout(getFragment(access.tile)),
      places{access.packing, access.buffer.getShape().back(), access.buffer.getElementTypeBitWidth()},
      row(getRowAccess()), loads(getLoadRegisters()) {
  start = getLaneCoordinates(index, kernel, layout, rank);
  if (access.transposed)
    std::swap(start[0], start[1]);
  if (access.rows)
    start[0] = index.constant(0);
  if (access.cols)
    start[rank - 1] = index.constant(0);
  if (access.rows)
    rowRegisters = mapRegisters(access.rowsLayout, 1);
  if (access.cols)
    colRegisters = mapRegisters(access.colsLayout, 1);
}

RowAccess BufferAccess::getRowAccess() const {
  if (access.cols)
    return {1, std::nullopt};
  unsigned bits = access.buffer.getElementTypeBitWidth();
  int64_t length = access.buffer.getDimSize(rank - 1);
  int64_t width = getVectorWidth(layout, access.transposed ? 0 : rank - 1, bits);
  bool endsWithRow = access.limits.empty() || isFullBound(rank - 1);
  if (!access.packing && endsWithRow && access.perToken % length == 0)
    return RowAccess::get(width, bits, length, access.known.back());
  // An access must not cross a boundary at which a row begins or ends.
  auto shrink = [&](int64_t divisor) { width = std::gcd(width, divisor); };
  shrink(length);
  shrink(access.known.back().getDivisor());
  if (!access.limits.empty())
    shrink(access.knownLimits.back().getDivisor());
  if (access.packing)
    shrink(access.packing.getRun(bits));
  if (access.perToken * bits % 32 != 0)
    shrink(access.perToken);
  return {width, std::nullopt};
}

AccessRegisters BufferAccess::getLoadRegisters() const {
  int64_t dim = access.transposed ? 0 : rank - 1;
  PackedAttr packing = access.packing;
  // A granule lies inside the buffer as a whole or not at all.
  auto isWhole = [&](const KnownIndex &known) {
    return known.getDivisor() % (packing.getBytes() * 8 / places.elementBits) == 0;
  };
  if (packing && (!isWhole(access.known.back()) || (!access.limits.empty() && !isWhole(access.knownLimits.back()))))
    packing = {};
  return getAccessRegisters(layout, row.width, dim, packing, places.elementBits);
}

Value BufferAccess::getIndex(int64_t number, bool dropsCut) {
  SmallVector<Value> coordinates = getCoordinates(getOffsets(number));
  Value &column = coordinates.back(), condition = access.condition;
  if (row.cut && dropsCut)
    condition = index.both(condition, index.lessThan(column, index.constant(row.cut->at)));
  else if (row.cut)
    column = arith::SelectOp::create(index.builder, index.loc, isAtCut(column), index.constant(row.cut->from), column);
  return index.toI32(orPastEnd(places.getPlace(index, coordinates), coordinates, condition));
}

Value BufferAccess::getIndexOfCut(int64_t number, int64_t offset) {
  SmallVector<Value> coordinates = getCoordinates(getOffsets(number));
  Value condition = index.both(access.condition, isAtCut(coordinates.back()));
  coordinates.back() = index.constant(row.cut->at + offset);
  return index.toI32(orPastEnd(places.getPlace(index, coordinates), coordinates, condition));
}

SmallVector<BufferAccess::Piece> BufferAccess::getPieces() const {
  SmallVector<Piece> pieces;
  for (int64_t offset = row.firstInside(); offset < row.endInside(); offset += pieces.back().count)
    pieces.push_back({offset, int64_t(llvm::bit_floor(uint64_t(row.endInside() - offset)))});
  return pieces;
}

Value BufferAccess::reachesCut() {
  int64_t columns = access.tile.getDimSize(access.transposed ? 0 : rank - 1);
  return index.lessThan(index.constant(row.cut->at), index.add(access.indices.back(), columns));
}

/// Moves the elements of an access that a row cuts to the columns they belong to; all other accesses stay as they are.
Value BufferAccess::moveCut(Value loaded, int64_t number) {
  if (!row.cut)
    return loaded;
  auto type = cast<VectorType>(loaded.getType());
  SmallVector<int64_t> from;
  for (int64_t i = 0; i < row.width; ++i)
    from.push_back(i >= row.firstInside() && i < row.endInside() ? i + row.cut->at - row.cut->from : row.width);
  Value moved = vector::ShuffleOp::create(index.builder, index.loc, loaded, zeroVector(index, type), from);
  Value isMoved = isAtCut(getCoordinates(getOffsets(number)).back());
  return arith::SelectOp::create(index.builder, index.loc, isMoved, moved, loaded);
}

Value BufferAccess::isAtCut(Value column) {
  return arith::CmpIOp::create(index.builder, index.loc, arith::CmpIPredicate::eq, column, index.constant(row.cut->at));
}

BufferAddress BufferAccess::getAddress(int64_t number) {
  int64_t elementBytes = access.buffer.getElementTypeBitWidth() / 8;
  // An access out of range must not come back into range because the sum of the parts exceeds 2^32, and no part may be
  // negative.
  if (access.buffer.getNumElements() * elementBytes >= int64_t(1) << 31 || !addsUp() || row.cut ||
      llvm::any_of(access.known, [](const KnownIndex &known) { return known.minimum < 0; }))
    return {orNowhere(getIndex(number, /*dropsCut=*/false)), {}, 0};
  SmallVector<int64_t> offsets = getOffsets(number);
  scf::ForOp loop = getLoop();
  SmallVector<Value> lanes, shared;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value own = getLanePart(dim, offsets[dim], /*withOffset=*/false), all = access.indices[dim];
    if (loop && loop.isDefinedOutsideOfLoop(all))
      std::tie(own, all) = std::pair(index.add(own, all), index.constant(0));
    lanes.push_back(own);
    shared.push_back(all);
  }
  int64_t constant = getConstant(offsets), field = constant % (offsetFieldBytes / elementBytes);
  // Under a condition each scalar part costs an SGPR and a select.
  bool isOwn = loop || (access.when && countAddresses() > maxChoices);
  Value own = index.add(places.getPlace(index, lanes), isOwn ? constant - field : 0);
  return {index.toI32(orPastEnd(own, getCoordinates(offsets), access.condition)),
          orNowhere(index.toI32(index.add(places.getPlace(index, shared), isOwn ? 0 : constant - field))), field};
}

SmallVector<int64_t> BufferAccess::getOffsets(int64_t number) {
  SmallVector<int64_t> offsets = layout.getRegisterCoordinates(number, rank);
  if (access.transposed)
    std::swap(offsets[0], offsets[1]);
  return offsets;
}

/// The coordinates of the element `offsets` from the lane's first one.
SmallVector<Value> BufferAccess::getCoordinates(ArrayRef<int64_t> offsets) {
  SmallVector<Value> coordinates;
  for (unsigned dim = 0; dim < rank; ++dim)
    coordinates.push_back(index.add(getLanePart(dim, offsets[dim], /*withOffset=*/true), access.indices[dim]));
  return coordinates;
}

/// Whether an element's place is the sum of the places of the index, the lane and the register.
bool BufferAccess::addsUp() const {
  if (!access.packing)
    return true;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isGathered(dim) || !divides(places.getAlignment(dim), access.known[dim].getDivisor()))
      return false;
  return places.addsUp(layout, access.transposed);
}

/// The constant that the register adds to the place of the lane's first element.
int64_t BufferAccess::getConstant(SmallVector<int64_t> offsets) const {
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isGathered(dim))
      offsets[dim] = 0;
  return places.getPlace(offsets);
}

/// The number of addresses that do not differ by a constant the offset field can hold.
int64_t BufferAccess::countAddresses() {
  int64_t field = offsetFieldBytes * 8 / access.buffer.getElementTypeBitWidth();
  std::set<int64_t> addresses;
  for (int64_t i = 0; i < loads.getNumAccesses(); ++i)
    addresses.insert(getConstant(getOffsets(loads.of(i).front())) / field);
  return addresses.size();
}

/// The loop before which the lanes' part of addresses is computed: the innermost, unless that takes too many
/// VGPRs.
scf::ForOp BufferAccess::getLoop() {
  Operation *around = index.builder.getInsertionBlock()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(around);
  if (!loop)
    loop = around->getParentOfType<scf::ForOp>();
  return countAddresses() <= maxAddresses ? loop : scf::ForOp();
}

/// `linear`, or the place past the buffer's end if the element at `coordinates` is outside.
Value BufferAccess::orPastEnd(Value linear, ArrayRef<Value> coordinates, Value condition) {
  Value inside = condition;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (Value bound = getBound(dim))
      inside = index.both(inside, index.lessThan(coordinates[dim], bound));
  if (!inside)
    return linear;
  return arith::SelectOp::create(index.builder, index.loc, inside, linear,
                                 index.constant(access.buffer.getNumElements()));
}

/// The part of the address, or the buffer's size if the access is disabled: that alone puts the address out of range.
Value BufferAccess::orNowhere(Value part) {
  if (!access.when)
    return part;
  return arith::SelectOp::create(index.builder, index.loc, access.when, part,
                                 index.toI32(index.constant(access.buffer.getNumElements())));
}

/// The lane's part of a coordinate: `start`, plus the entry of the index tile if the dimension is gathered, else plus
/// `offset` if `withOffset`.
Value BufferAccess::getLanePart(unsigned dim, int64_t offset, bool withOffset) {
  if (!isGathered(dim))
    return index.add(start[dim], withOffset ? offset : 0);
  Value tile = dim == rank - 1 && access.cols ? access.cols : access.rows;
  auto &registers = tile == access.cols ? colRegisters : rowRegisters;
  Value entry = vector::ExtractOp::create(index.builder, index.loc, tile, registers.at({offset}));
  return index.add(start[dim],
                   arith::IndexCastOp::create(index.builder, index.loc, index.builder.getIndexType(), entry));
}

/// The bound that the coordinate must be compared with; null if it always holds or the range check covers it.
Value BufferAccess::getBound(unsigned dim) {
  if (!access.limits.empty() && !isFullBound(dim))
    return access.limits[dim];
  int64_t size = access.buffer.getDimSize(dim);
  int64_t extent = access.tile.getDimSize(access.transposed ? 1 - dim : dim);
  // The range check covers rows, except gathered ones: an index from memory is arbitrary, and its product with the
  // row's bytes may wrap around modulo 2^32 into range.
  if (dim == 0 && !isGathered(dim))
    return {};
  const KnownIndex &known = access.known[dim];
  if (!isGathered(dim) && known.minimum >= 0 && known.congruence.modulo(extent) == size % extent)
    return {};
  return index.constant(size);
}

/// Whether the limit of a dimension is the constant size of the buffer.
bool BufferAccess::isFullBound(unsigned dim) const {
  return getConstantIntValue(access.limits[dim]) == access.buffer.getDimSize(dim);
}
