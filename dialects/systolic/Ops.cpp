// Verifiers, folds and custom syntax of the systolic ops, except those of memory (MemoryOps.cpp). Comments give
// the constraints' numbers (Ops.td).
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

nstf::support::Schedule KernelOp::getScheduleFields() {
  return getSchedule() ? getSchedule()->getFields() : support::Schedule();
}

int64_t KernelOp::getCrews() {
  int64_t crews = 1;
  walk([&](CrewOp op) {
    crews = op.getKnownCount().value_or(1);
    return WalkResult::interrupt();
  });
  return crews;
}

int64_t KernelOp::getElementsPerToken(unsigned argument) {
  auto perToken = getArgAttrOfType<IntegerAttr>(argument, perTokenAttributeName);
  bool isVariable = perToken && cast<MemRefType>(getArgumentTypes()[argument]).getNumElements() > perToken.getInt();
  return isVariable ? perToken.getInt() : 0;
}

bool KernelOp::isOfRequest(unsigned argument) {
  if (getMaxRequests() == 1)
    return false;
  if (getArgAttr(argument, perRequestAttributeName) || getArgAttr(argument, perSlotAttributeName))
    return true;
  std::optional<LaunchAttr> launch = getLaunch();
  return launch && llvm::any_of(llvm::zip_equal(getLaunchedArguments(), launch->getArguments()), [&](auto entry) {
           return std::get<0>(entry) == argument && std::get<1>(entry).isOwn();
         });
}

PackedAttr KernelOp::getPacking(unsigned argument) {
  return getArgAttrOfType<PackedAttr>(argument, packedAttributeName);
}

/// The value of a grid's tile, which is a parameter or a number; nothing if it is neither.
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

bool KernelOp::growsWithTokens(const GridAxis &axis) {
  std::optional<LaunchAttr> launch = getLaunch();
  return launch && launch->getPerToken().contains(axis.extent);
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

/// kernel_c10
static LogicalResult verifyPacking(KernelOp kernel, unsigned argument) {
  Attribute attribute = kernel.getArgAttr(argument, packedAttributeName);
  if (!attribute)
    return success();
  Type type = kernel.getArgumentTypes()[argument];
  auto packing = dyn_cast<PackedAttr>(attribute);
  bool isWhole = packing && isBuffer(type) && cast<MemRefType>(type).getElementType().isIntOrFloat() &&
                 packing.divides(cast<MemRefType>(type).getShape(), cast<MemRefType>(type).getElementTypeBitWidth());
  if (!isWhole || kernel.getArgAttr(argument, perTokenAttributeName))
    return kernel.emitOpError()
           << "expected a buffer of whole blocks that does not end with the launch's tokens but got " << type
           << " with " << attribute;
  return success();
}

/// kernel_c12
static LogicalResult verifyTune(KernelOp kernel, DictionaryAttr tune) {
  for (NamedAttribute entry : tune) {
    StringRef name = entry.getName();
    bool isField = nstf::support::Schedule::isField(name);
    if (!isField && !kernel.getParam(name))
      return kernel.emitOpError() << "expected tune to name parameters and fields of schedule but got " << name;
    auto values = dyn_cast<ArrayAttr>(entry.getValue());
    if (!values || values.empty())
      return kernel.emitOpError() << "expected tune to have a list for " << name << " but got " << entry.getValue();
    for (Attribute value : values) {
      auto number = dyn_cast<IntegerAttr>(value);
      auto text = dyn_cast<StringAttr>(value);
      if (!isField && (!number || number.getInt() < 1))
        return kernel.emitOpError() << "expected tune to have numbers of at least 1 for " << name << " but got "
                                    << value;
      nstf::support::Schedule schedule;
      std::string fault = isField && text ? schedule.set(name, text.getValue()) : "";
      fault = fault.empty() ? schedule.findFault() : fault;
      if (isField && (!text || !fault.empty()))
        return kernel.emitOpError() << "expected tune to have texts of the field " << name << " but got " << value
                                    << (fault.empty() ? "" : ": " + fault);
    }
  }
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
      if (lds && !getBody().getArgument(i).use_empty())
        continue;
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
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (failed(verifyPacking(*this, i)))
      return failure();
  if (auto array = getArray()) // kernel_c11
    if (auto waves = getScheduleFields().waves;
        waves && (waves->rows != array->getWaveRows() || waves->columns != array->getWaveCols()))
      return emitOpError() << "expected an array of the " << waves->rows << "x" << waves->columns
                           << " waves that schedule asks for but got " << array->getWaveRows() << "x"
                           << array->getWaveCols();
  if (std::optional<DictionaryAttr> tune = getTune(); tune && failed(verifyTune(*this, *tune)))
    return failure();
  if (getMaxRequests() < 1) // kernel_c13
    return emitOpError() << "expected at least 1 request but got " << getMaxRequests();
  for (unsigned i = 0; i < getNumArguments(); ++i)
    for (StringRef name : {perRequestAttributeName, perSlotAttributeName})
      if (getArgAttr(i, name) && (!isBuffer(getArgumentTypes()[i]) || getArgAttr(i, perTokenAttributeName)))
        return emitOpError() << "expected " << name
                             << " of a buffer that does not end with the launch's tokens but got it of "
                             << "argument " << i << ", " << getArgumentTypes()[i];
  return getLaunch() ? verifyLaunch(*this, *getLaunch()) : success();
}

// param

/// "BM", an index, or "EPS" : f32
ParseResult ParamOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type = parser.getBuilder().getIndexType();
  // Parsed with a type, or the attribute would take the type after the colon as its own.
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

// Computation

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  int64_t parts = getParts();
  if (parts < 1) // mma_c4
    return emitOpError() << "expected at least one part but got " << parts;
  if (getRuns() && (parts == 1 || a.getDimSize(1) % parts != 0)) // mma_c4
    return emitOpError() << "expected more than one part of as many columns for runs but got " << parts << " of " << a;
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 || a.getDimSize(1) != b.getDimSize(0) ||
      parts * a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(1) != acc.getDimSize(1)) { // mma_c1
    auto error = emitOpError() << "expected MxK, KxN and " << (parts > 1 ? "(P*M)xN" : "MxN") << " but got " << a
                               << ", " << b << " and " << acc;
    return parts > 1 ? error << " in " << parts << " parts" : error;
  }
  if (a.getElementType() != b.getElementType()) // mma_c2
    return emitOpError() << "expected operands of one element type but got " << a.getElementType() << " and "
                         << b.getElementType();
  Type sum = getAccumulatorType(a.getElementType());
  bool isOpen = isa<OperandType>(a.getElementType()) && acc.getElementType().isF32();
  if (acc.getElementType() != sum && !isOpen) // mma_c3
    return emitOpError() << "expected products of " << a.getElementType() << " to be summed up in " << sum
                         << " but got " << acc.getElementType();
  return success();
}

LogicalResult IotaOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (getDim() >= uint64_t(tile.getRank()) || !tile.getElementType().isInteger(32)) // iota_c1
    return emitOpError() << "expected an i32 tile with dimension " << int64_t(getDim()) << " but got " << tile;
  return success();
}
