// Verifiers, folds and custom syntax of the systolic ops. Comments carry the constraints' numbers (SystolicOps.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

// kernel

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), build,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

std::optional<int64_t> KernelOp::getParam(StringRef name) {
  if (auto value = getParams().getAs<IntegerAttr>(name))
    return value.getInt();
  return std::nullopt;
}

int64_t KernelOp::getElementsPerToken(unsigned argument) {
  auto perToken = getArgAttrOfType<IntegerAttr>(argument, perTokenAttributeName);
  bool isVariable = perToken && cast<MemRefType>(getArgumentTypes()[argument]).getNumElements() > perToken.getInt();
  return isVariable ? perToken.getInt() : 0;
}

/// A tile of a grid, a parameter or a number; nothing where it is neither.
static std::optional<int64_t> getGridTile(KernelOp kernel, Attribute tile) {
  if (auto number = dyn_cast<IntegerAttr>(tile))
    return number.getInt();
  auto name = dyn_cast<StringAttr>(tile);
  return name ? kernel.getParam(name.getValue()) : std::nullopt;
}

SmallVector<KernelOp::GridAxis> KernelOp::getGridAxes() {
  SmallVector<GridAxis> axes;
  for (size_t i = 0; i + 1 < getGrid().size(); i += 2)
    axes.push_back({cast<StringAttr>(getGrid()[i]), *getGridTile(*this, getGrid()[i + 1])});
  return axes;
}

int64_t KernelOp::getNumWorkItems(const GridAxis &axis) {
  return llvm::divideCeil(*getParam(axis.extent.getValue()), axis.tile);
}

int64_t KernelOp::getNumWorkItems() {
  int64_t items = 1;
  for (const GridAxis &axis : getGridAxes())
    items *= getNumWorkItems(axis);
  return items;
}

SmallVector<unsigned> KernelOp::getLaunchedArguments() {
  SmallVector<unsigned> launched;
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (isa<MemRefType, ControlType>(type))
      launched.push_back(i);
  return launched;
}

std::optional<unsigned> KernelOp::findBuffer(StringRef name) {
  if (LaunchAttr launch = getLaunchAttr())
    for (auto [position, argument] : llvm::zip_equal(getLaunchedArguments(), launch.getArguments()))
      if (argument.name == name && argument.kind != LaunchArgument::Control)
        return position;
  return std::nullopt;
}

void KernelOp::insertBuffer(unsigned index, MemRefType type, StringRef name) {
  LaunchAttr launch = getLaunchAttr();
  SmallVector<LaunchArgument> arguments(launch.getArguments());
  size_t place = llvm::count_if(getLaunchedArguments(), [&](unsigned position) { return position < index; });
  arguments.insert(arguments.begin() + place, LaunchArgument{StringAttr::get(getContext(), name)});
  (void)insertArgument(index, type, {}, getLoc());
  setLaunchAttr(LaunchAttr::get(getContext(), arguments, launch.getPerToken()));
}

/// kernel_c8, kernel_c9
static LogicalResult verifyLaunch(KernelOp kernel, LaunchAttr launch) {
  SmallVector<unsigned> launched = kernel.getLaunchedArguments();
  if (launch.getArguments().size() != launched.size()) // kernel_c8
    return kernel.emitOpError() << "expected launch to have an entry for each of " << launched.size()
                                << " buffers and control blocks but got " << launch.getArguments().size();
  for (auto [position, argument] : llvm::zip_equal(launched, launch.getArguments()))
    if (isa<ControlType>(kernel.getArgumentTypes()[position]) != (argument.kind == LaunchArgument::Control))
      return kernel.emitOpError() << "expected launch to say control of a control block, and of no buffer, but got '"
                                  << argument.name.getValue() << "' for argument " << position;
  for (NamedAttribute entry : launch.getPerToken()) // kernel_c9
    if (!kernel.getParam(entry.getName()))
      return kernel.emitOpError() << "expected launch to name a parameter in per_token but got " << entry.getName();
  return success();
}

LogicalResult KernelOp::verify() {
  int64_t workItems = llvm::count_if(getArgumentTypes(), [](Type type) { return isa<IndexType>(type); });
  int64_t axes = getGrid().size() / 2;
  if (workItems != 1 && (workItems == 0 || workItems != axes)) // kernel_c1
    return emitOpError() << "expected one work item argument of type index, or one for each of " << axes
                         << " axes of grid, but got " << workItems;
  if (!getResultTypes().empty()) // kernel_c2
    return emitOpError() << "expected no results but got " << getResultTypes().size();
  for (Type type : getArgumentTypes())
    if (!isBuffer(type) && !isa<ControlType, IndexType, LdsType>(type)) // kernel_c3
      return emitOpError() << "expected a buffer, a control block, a work item or an LDS array but got " << type;
  if (getGrid().size() % 2) // kernel_c4
    return emitOpError() << "expected pairs of parameters in grid but got " << getGrid().size() << " names";
  for (auto [i, entry] : llvm::enumerate(getGrid()))
    if ((i % 2 == 0 && !isa<StringAttr>(entry)) || getGridTile(*this, entry).value_or(0) < 1)
      return emitOpError() << "expected grid to name parameters of at least 1 but got " << entry;
  if (auto size = getWaveSize(); size && *size != 32 && *size != 64) // kernel_c5
    return emitOpError() << "expected a wave size of 32 or 64 but got " << *size;
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (getArgAttr(i, "systolic.scratch")) { // kernel_c6
      auto lds = dyn_cast<LdsType>(getArgumentTypes()[i]);
      if (!lds || lds.getBuffers() != 1 || lds.getShape().size() != 1 || !lds.getElementType().isInteger(8))
        return emitOpError() << "expected scratch to be one LDS buffer of rank 1 and type i8 but got "
                             << getArgumentTypes()[i];
    }
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (Attribute attribute = getArgAttr(i, perTokenAttributeName)) { // kernel_c7
      auto perToken = dyn_cast<IntegerAttr>(attribute);
      if (!isBuffer(getArgumentTypes()[i]) || !perToken || perToken.getInt() < 1)
        return emitOpError() << "expected a buffer with at least 1 element a token but got " << getArgumentTypes()[i]
                             << " with " << attribute;
      if (getElementsPerToken(i) && llvm::none_of(getArgumentTypes(), llvm::IsaPred<ControlType>))
        return emitOpError() << "expected a control block for the tokens of argument " << i << " but got none";
    }
  return getLaunch() ? verifyLaunch(*this, *getLaunch()) : success();
}

// param

/// "BM", an index, or "EPS" : f32
ParseResult ParamOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type = parser.getBuilder().getIndexType();
  // With a type, or the attribute would take what stands behind the colon for its own.
  if (parser.parseAttribute(name, parser.getBuilder().getNoneType(), getNameAttrName(result.name), result.attributes) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type);
  return success();
}

void ParamOp::print(OpAsmPrinter &printer) {
  printer << " " << getNameAttr();
  if (!getType().isIndex())
    printer << " : " << getType();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getNameAttrName()});
}

// Memory

/// The rules that load and store share: constraints 1 and 2 of both.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile, MemRefType buffer, size_t indices,
                                  size_t limits) {
  Type from = tile.getElementType(), to = buffer.getElementType();
  if (tile.getRank() != buffer.getRank() || (from != to && !(isa<FloatType>(from) && isa<FloatType>(to))))
    return op->emitOpError() << "expected tile and buffer of one rank and element type, or two float types, but got "
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
  Type from = tile.getElementType(), to = cast<MemRefType>(op.getBuffer().getType()).getElementType();
  if (from != to && !(isa<FloatType>(from) && isa<FloatType>(to)))
    return op.emitOpError() << "expected tile and buffer of one element type, or two float types, but got " << tile
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

/// A part of an array, of rank 2, that it holds.
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

// Order

/// { … } with { … } : types
ParseResult OverlapOp::parse(OpAsmParser &parser, OperationState &result) {
  do {
    Region *part = result.addRegion();
    if (parser.parseRegion(*part))
      return failure();
    ensureTerminator(*part, parser.getBuilder(), result.location);
  } while (succeeded(parser.parseOptionalKeyword("with")));
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return parser.parseOptionalColonTypeList(result.types);
}

void OverlapOp::print(OpAsmPrinter &printer) {
  for (auto [i, part] : llvm::enumerate(getParts())) {
    printer << (i ? " with " : " ");
    printer.printRegion(part, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
  if (getNumResults())
    printer << " : " << getResultTypes();
}

LogicalResult OverlapOp::verify() {
  if (getParts().size() < 2) // overlap_c1
    return emitOpError() << "expected two parts or more but got " << getParts().size();
  SmallVector<Type> yielded;
  for (Region &part : getParts())
    llvm::append_range(yielded, part.front().getTerminator()->getOperandTypes());
  if (TypeRange(yielded) != getResultTypes()) // overlap_c2
    return emitOpError() << "expected results of the types that the parts yield, " << TypeRange(yielded) << ", but got "
                         << getResultTypes();
  return success();
}

// Computation

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 || a.getDimSize(1) != b.getDimSize(0) ||
      a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(1) != acc.getDimSize(1)) // mma_c1
    return emitOpError() << "expected MxK, KxN and MxN but got " << a << ", " << b << " and " << acc;
  if (a.getElementType() != b.getElementType()) // mma_c2
    return emitOpError() << "expected operands of one element type but got " << a.getElementType() << " and "
                         << b.getElementType();
  return success();
}

/// Whether `slice` is `whole` without dimension `dim`.
static bool isSlice(RankedTensorType slice, RankedTensorType whole, int64_t dim) {
  if (dim < 0 || dim >= whole.getRank() || slice.getElementType() != whole.getElementType())
    return false;
  SmallVector<int64_t> shape(whole.getShape());
  shape.erase(shape.begin() + dim);
  return slice.getShape() == ArrayRef<int64_t>(shape);
}

LogicalResult ReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (!isSlice(result, tile, getDim())) // reduce_c1
    return emitOpError() << "expected the tile without dimension " << getDim() << " but got " << result << " from "
                         << tile;
  if (tile.getElementType().isInteger(1)) // reduce_c2
    return emitOpError() << "expected elements that are numbers but got " << tile;
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type elementType = getElementTypeOrSelf(getSource().getType());
  if (elementType != result.getElementType()) // broadcast_c1
    return emitOpError() << "expected a source of element type " << result.getElementType() << " but got "
                         << elementType;
  if (auto source = getTileType(getSource()); source && !isSlice(source, result, getDim())) // broadcast_c2
    return emitOpError() << "expected the result without dimension " << getDim() << " as source but got " << source
                         << " for " << result;
  return success();
}

LogicalResult IotaOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (getDim() >= uint64_t(tile.getRank()) || !tile.getElementType().isInteger(32)) // iota_c1
    return emitOpError() << "expected an i32 tile with dimension " << int64_t(getDim()) << " but got " << tile;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) { return getTile().getType() == getType() ? getTile() : Value(); }

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getTile().getType()), to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) // convert_layout_c1
    return emitOpError() << "expected one shape and element type but got " << from << " and " << to;
  return success();
}
