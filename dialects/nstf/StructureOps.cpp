// Syntax and verifiers of graph, kernel, weight, state, get, step and return. Constraint numbers are those of
// StructureOps.td.
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf;

namespace nstf { // VariantOp.cpp
ParseResult parseTokenRanges(OpAsmParser &parser, DenseI64ArrayAttr &tokens);
void printTokenRanges(OpAsmPrinter &printer, VariantOp variant, DenseI64ArrayAttr tokens);
} // namespace nstf

#define GET_OP_CLASSES
#include "dialects/nstf/Ops.cpp.inc"

// Shared by graph and kernel

template <typename OpT> static ParseResult parseFunction(OpAsmParser &parser, OperationState &result) {
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag,
                     std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, OpT::getFunctionTypeAttrName(result.name), makeType,
      OpT::getArgAttrsAttrName(result.name), OpT::getResAttrsAttrName(result.name));
}

template <typename OpT> static void printFunction(OpT op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
                                           op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

template <typename OpT>
static void buildFunction(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(OpT::getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Block &entry = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    entry.addArgument(input, state.location);
}

// graph_c1, kernel_c1, graph_c3, kernel_c3
static LogicalResult verifyFunction(FunctionOpInterface op, int64_t minRank) {
  if (!llvm::hasSingleElement(op.getFunctionBody()))
    return op.emitOpError() << "expected a body of one block but got " << op.getFunctionBody().getBlocks().size();
  auto verifyTypes = [&](ArrayRef<Type> types, StringRef where) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.getRank() < minRank ||
          (tensor.getRank() > 0 && llvm::is_contained(tensor.getShape().drop_front(), ShapedType::kDynamic)))
        return op.emitOpError() << "expected " << where << " " << i
                                << " to be a ranked tensor, static but for its leading dimension, but got " << type;
    }
    return success();
  };
  if (failed(verifyTypes(op.getArgumentTypes(), "argument")))
    return failure();
  return verifyTypes(op.getResultTypes(), "result");
}

// graph_c5, kernel_c5
static LogicalResult verifyCaches(Region &body) {
  auto refuse = [](KvAppendOp append, Operation *other) -> LogicalResult {
    InFlightDiagnostic error = append.emitOpError() << "expected the cache, which is written in place, to have no "
                                                       "other use";
    error.attachNote(other->getLoc()) << "other use";
    return error;
  };
  llvm::DenseMap<Attribute, SmallVector<GetOp, 1>> gets;
  for (GetOp get : body.getOps<GetOp>())
    gets[get.getSymbolAttr()].push_back(get);
  for (KvAppendOp append : body.getOps<KvAppendOp>()) {
    Value cache = append.getCache();
    for (OpOperand &use : cache.getUses())
      if (use.getOwner() != append)
        return refuse(append, use.getOwner());
    auto get = cache.getDefiningOp<GetOp>();
    if (!get && !isa<BlockArgument>(cache) && !cache.getDefiningOp<KvAppendOp>())
      return append.emitOpError() << "expected a state or an argument as cache but got the result of "
                                  << cache.getDefiningOp()->getName();
    if (!get)
      continue;
    for (GetOp other : gets[get.getSymbolAttr()])
      if (other != get)
        return refuse(append, other);
  }
  return success();
}

// GraphOp

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<GraphOp>(parser, result);
}
void GraphOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type, int64_t context) {
  buildFunction<GraphOp>(builder, state, name, type);
  state.addAttribute(getContextAttrName(state.name), builder.getI64IntegerAttr(context));
}

ReturnOp GraphOp::getReturn() { return cast<ReturnOp>(getBody().front().getTerminator()); }

static StringRef nameOf(StringAttr name) { return name ? name.getValue() : StringRef(); }
StringRef GraphOp::getInputName(unsigned index) {
  return nameOf(getArgAttrOfType<StringAttr>(index, NSTFDialect::nameAttributeName));
}
StringRef GraphOp::getOutputName(unsigned index) {
  return nameOf(getResultAttrOfType<StringAttr>(index, NSTFDialect::nameAttributeName));
}
void GraphOp::setInputName(unsigned index, StringRef name) {
  setArgAttr(index, NSTFDialect::nameAttributeName, StringAttr::get((*this)->getContext(), name));
}
void GraphOp::setOutputName(unsigned index, StringRef name) {
  setResultAttr(index, NSTFDialect::nameAttributeName, StringAttr::get((*this)->getContext(), name));
}

std::optional<int64_t> GraphOp::getArenaSize() {
  auto size = (*this)->getAttrOfType<IntegerAttr>(NSTFDialect::arenaSizeAttributeName);
  return size ? std::optional<int64_t>(size.getInt()) : std::nullopt;
}

LogicalResult GraphOp::verify() {
  if (failed(verifyFunction(*this, /*minRank=*/1)))
    return failure();
  // graph_c2
  auto verifyNames = [&](unsigned count, StringRef where,
                         llvm::function_ref<StringRef(unsigned)> name) -> LogicalResult {
    llvm::StringSet<> seen;
    for (unsigned i = 0; i != count; ++i) {
      if (name(i).empty())
        return emitOpError() << "expected '" << NSTFDialect::nameAttributeName << "' on " << where << " " << i;
      if (!seen.insert(name(i)).second)
        return emitOpError() << "expected " << where << "s of different names but got '" << name(i) << "' twice";
    }
    return success();
  };
  if (failed(verifyNames(getNumArguments(), "argument", [&](unsigned i) { return getInputName(i); })) ||
      failed(verifyNames(getNumResults(), "result", [&](unsigned i) { return getOutputName(i); })))
    return failure();
  // graph_c4
  int64_t positions = getContextAttr().getInt();
  if (positions <= 0)
    return emitOpError() << "expected a context of at least 1 but got " << positions;
  // graph_c7
  if (getMaxRequests() < 1)
    return emitOpError() << "expected at least 1 request but got " << getMaxRequests();
  // graph_c6
  if (auto module = dyn_cast<ModuleOp>((*this)->getParentOp()))
    for (GraphOp other : module.getOps<GraphOp>()) {
      if (other == *this)
        break;
      return emitOpError() << "expected one graph in a module but got a second";
    }
  return success();
}

LogicalResult GraphOp::verifyRegions() { return verifyCaches(getBody()); }

// KernelOp

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  buildFunction<KernelOp>(builder, state, name, type);
}

ReturnOp KernelOp::getReturn() { return cast<ReturnOp>(getBody().front().getTerminator()); }

Operation *KernelOp::getAnchor() { return &*llvm::find_if_not(getBody().front(), llvm::IsaPred<DecodeOp>); }

std::vector<KernelOp::Part> KernelOp::getParts() {
  Block &body = getBody().front();
  llvm::EquivalenceClasses<Operation *> classes;
  for (Operation &op : body.without_terminator()) {
    classes.insert(&op);
    for (Operation *user : op.getUsers())
      if (Operation *reader = body.findAncestorOpInBlock(*user); reader != body.getTerminator())
        classes.unionSets(&op, reader);
  }
  llvm::MapVector<Operation *, Part> parts;
  for (Operation &op : body.without_terminator())
    parts[classes.getLeaderValue(&op)].ops.push_back(&op);
  for (auto [i, value] : llvm::enumerate(getReturn().getValues()))
    if (Operation *op = value.getDefiningOp())
      parts[classes.getLeaderValue(op)].results.push_back(i);
  if (parts.empty())
    return {{{}, llvm::to_vector(llvm::seq<int64_t>(0, getNumResults()))}};
  auto ordered = llvm::make_second_range(parts);
  return {ordered.begin(), ordered.end()};
}

KernelOp KernelOp::clonePart(OpBuilder &builder, const Part &part) {
  auto types = llvm::map_to_vector(part.results, [&](int64_t i) { return getResultTypes()[i]; });
  OpBuilder::InsertionGuard guard(builder);
  auto kernel = cast<KernelOp>(builder.insert((*this)->cloneWithoutRegions()));
  if (part.results.size() < getNumResults())
    kernel->setLoc(part.ops.front()->getLoc());
  kernel.setFunctionType(builder.getFunctionType(getArgumentTypes(), types));
  builder.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  kernel.getBody().addArguments(getArgumentTypes(), SmallVector<Location>(getNumArguments(), kernel.getLoc()));
  IRMapping mapping;
  mapping.map(getBody().getArguments(), kernel.getBody().getArguments());
  for (Operation *op : part.ops)
    builder.clone(*op, mapping);
  auto values =
      llvm::map_to_vector(part.results, [&](int64_t i) { return mapping.lookup(getReturn().getValues()[i]); });
  ReturnOp::create(builder, getReturn().getLoc(), values);
  return kernel;
}

std::optional<unsigned> KernelOp::getInPlaceArgument(unsigned index) {
  Value value = getReturn().getValues()[index];
  bool written = false;
  while (auto append = value.getDefiningOp<KvAppendOp>()) {
    value = append.getCache();
    written = true;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  return written && argument ? std::optional<unsigned>(argument.getArgNumber()) : std::nullopt;
}

LogicalResult KernelOp::verify() {
  if (failed(verifyFunction(*this, /*minRank=*/0)))
    return failure();
  // kernel_c2: get and step verify it themselves, by their trait HasParent<"GraphOp">.
  // kernel_c4
  if (getNumResults() == 0)
    return emitOpError() << "expected at least one result but got none";
  return success();
}

LogicalResult KernelOp::verifyRegions() { return verifyCaches(getBody()); }

// WeightOp, StateOp

void WeightOp::build(OpBuilder &builder, OperationState &state, StringRef name, RankedTensorType type,
                     SourceAttr source) {
  build(builder, state, builder.getStringAttr(name), TypeAttr::get(type), source, /*generator=*/nullptr,
        /*plane=*/nullptr,
        /*sym_visibility=*/nullptr);
}

static LogicalResult verifyStatic(Operation *op, Type type) {
  if (!cast<RankedTensorType>(type).hasStaticShape())
    return op->emitOpError() << "expected a static type but got " << type;
  return success();
}

LogicalResult WeightOp::verify() {
  // weight_c1
  if (failed(verifyStatic(*this, getType())))
    return failure();
  // weight_c2
  if (bool(getSource()) + bool(getGenerator()) + bool(getPlane()) > 1)
    return emitOpError() << "expected at most one of 'from', 'computed' and 'plane' but got "
                         << bool(getSource()) + bool(getGenerator()) + bool(getPlane());
  // weight_c3
  if (std::optional<RopeTableAttr> table = getGenerator()) {
    auto type = cast<RankedTensorType>(getType());
    if (type.getRank() != 2 || type.getDimSize(1) != table->getWidth() || !isa<FloatType>(type.getElementType()))
      return emitOpError() << "expected a float tensor of " << table->getWidth() << " columns but got " << type;
  }
  // weight_c4
  if (std::optional<SourceAttr> source = getSource(); source && source->isView()) {
    int64_t elements = 1;
    bool overflow = false;
    for (int64_t size : source->getSizes())
      overflow |= llvm::MulOverflow(elements, size, elements);
    if (overflow || elements != cast<RankedTensorType>(getType()).getNumElements())
      return emitOpError() << "expected a view of as many elements as " << getType() << " but got one of "
                           << llvm::interleaved_array(source->getSizes());
  }
  // weight_c5
  if (std::optional<PlaneSourceAttr> plane = getPlane())
    if (Type expected = plane->getFormat().getPlaneType(plane->getPlane(), plane->getRows()); getType() != expected)
      return emitOpError() << "expected the type " << expected << " for " << stringifyPlane(plane->getPlane())
                           << " but got " << getType();
  return success();
}

void StateOp::build(OpBuilder &builder, OperationState &state, StringRef name, RankedTensorType type) {
  build(builder, state, builder.getStringAttr(name), TypeAttr::get(type), /*sym_visibility=*/nullptr);
}

// state_c1
LogicalResult StateOp::verify() { return verifyStatic(*this, getType()); }

// GetOp, StepOp, ReturnOp

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getSymbolAttr());
  // get_c1
  if (!isa_and_nonnull<WeightOp, StateOp>(target)) {
    InFlightDiagnostic error = emitOpError() << "expected the name of a weight or state but got " << getSymbolAttr();
    if (target)
      error.attachNote(target->getLoc()) << "which is this";
    return error;
  }
  // get_c2
  Type expected = isa<WeightOp>(target) ? cast<WeightOp>(target).getType() : cast<StateOp>(target).getType();
  if (getType() != expected) {
    InFlightDiagnostic error = emitOpError() << "expected the type " << expected << " but got " << getType();
    error.attachNote(target->getLoc()) << "declared here";
    return error;
  }
  // get_c3
  if (isa<WeightOp>(target))
    for (OpOperand &use : getResult().getUses())
      if (auto append = dyn_cast<KvAppendOp>(use.getOwner()); append && append.getCache() == getResult())
        return append.emitOpError() << "expected a state as cache but got the weight " << getSymbolAttr();
  return success();
}

LogicalResult StepOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  // step_c1
  auto kernel = dyn_cast_or_null<KernelOp>(target);
  if (!kernel) {
    InFlightDiagnostic error = emitOpError() << "expected the name of a kernel but got " << getKernelAttr();
    if (target)
      error.attachNote(target->getLoc()) << "which is this";
    return error;
  }
  // step_c2
  auto type = FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (type != kernel.getFunctionType()) {
    InFlightDiagnostic error = emitOpError() << "expected the type " << kernel.getFunctionType() << " but got " << type;
    error.attachNote(kernel.getLoc()) << "declared here";
    return error;
  }
  // step_c3
  if (std::optional<ArrayRef<int64_t>> offsets = getOffsets()) {
    if (offsets->size() != getNumResults())
      return emitOpError() << "expected " << getNumResults() << " offsets but got " << offsets->size();
    for (int64_t offset : *offsets)
      if (offset < -1)
        return emitOpError() << "expected offsets of at least -1 but got " << offset;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  // return_c1
  if (!llvm::equal(getOperandTypes(), function.getResultTypes())) {
    InFlightDiagnostic error = emitOpError() << "expected the types " << function.getResultTypes() << " but got "
                                             << getOperandTypes();
    error.attachNote(function.getLoc()) << "declared here";
    return error;
  }
  return success();
}
