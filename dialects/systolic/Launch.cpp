// Syntax and verifier of #systolic.launch, verifier of #systolic.geometry (Launch.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

static ParseResult parseArgument(AsmParser &parser, LaunchArgument &argument) {
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  argument.name = parser.getBuilder().getStringAttr(name);
  if (name == controlArgumentName)
    argument.kind = LaunchArgument::Control;
  if (failed(parser.parseOptionalEqual()))
    return success();
  StringRef kind;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return failure();
  if (name == controlArgumentName || !llvm::is_contained({"operand", "result", "scratch", "zeros", "none"}, kind))
    return parser.emitError(where) << "expected operand or result of a buffer, scratch, zeros or none, but got " << kind
                                   << " of '" << name << "'";
  if (kind == "none") {
    argument.kind = LaunchArgument::None;
    return success();
  }
  if (kind == "scratch" || kind == "zeros") {
    argument.kind = kind == "zeros" ? LaunchArgument::Zeros : LaunchArgument::Scratch;
    return succeeded(parser.parseOptionalColon()) ? parser.parseType(argument.memory) : success();
  }
  if (parser.parseInteger(argument.index))
    return failure();
  argument.kind = kind == "result"                                     ? LaunchArgument::Result
                  : succeeded(parser.parseOptionalKeyword("in_place")) ? LaunchArgument::InPlace
                                                                       : LaunchArgument::Operand;
  return success();
}

Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  SmallVector<LaunchArgument> arguments;
  DictionaryAttr perToken = parser.getBuilder().getDictionaryAttr({});
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseArgument(parser, arguments.emplace_back());
      }))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("per_token") || parser.parseEqual() || parser.parseAttribute(perToken)))
    return {};
  if (parser.parseGreater())
    return {};
  if (failed(verify([&] { return parser.emitError(where); }, arguments, perToken)))
    return {};
  return get(parser.getContext(), arguments, perToken);
}

void LaunchAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getArguments(), printer, [&](const LaunchArgument &argument) {
    printer.printKeywordOrString(argument.name);
    if (argument.kind == LaunchArgument::None)
      printer << " = none";
    else if (argument.isOwn())
      printer << (argument.kind == LaunchArgument::Zeros ? " = zeros" : " = scratch");
    else if (argument.kind == LaunchArgument::Result)
      printer << " = result " << argument.index;
    else if (argument.kind == LaunchArgument::Operand || argument.kind == LaunchArgument::InPlace)
      printer << " = operand " << argument.index << (argument.isWritten() ? " in_place" : "");
    if (argument.memory)
      printer << " : " << argument.memory;
  });
  printer << "]";
  if (!getPerToken().empty())
    printer << ", per_token = " << getPerToken();
  printer << ">";
}

LogicalResult LaunchAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<LaunchArgument> arguments,
                                 DictionaryAttr perToken) {
  llvm::StringSet<> names;
  SmallVector<const LaunchArgument *> written;
  const LaunchArgument *bound = nullptr, *unbound = nullptr;
  for (const LaunchArgument &argument : arguments) {
    if (argument.name.empty()) // launch_c1
      return emitError() << "expected a name for every argument but got none";
    if (!names.insert(argument.name).second)
      return emitError() << "expected arguments of different names but got '" << argument.name.getValue() << "' twice";
    if (argument.kind == LaunchArgument::Control || argument.kind == LaunchArgument::None || argument.isOwn())
      continue;
    (argument.kind == LaunchArgument::Unbound ? unbound : bound) = &argument;
    if (bound && unbound) // launch_c2
      return emitError() << "expected all buffers bound or none but got '" << bound->name.getValue()
                         << "', which is, and '" << unbound->name.getValue() << "', which is not";
  }
  for (const LaunchArgument &argument : arguments) {
    if (!argument.isWritten())
      continue;
    bool isResult = argument.kind == LaunchArgument::Result;
    for (const LaunchArgument &other : arguments) // launch_c3
      if (&other != &argument && other.index == argument.index && other.isPassed() &&
          (other.kind == LaunchArgument::Result) == isResult)
        return emitError() << "expected " << (isResult ? "result " : "operand ") << argument.index
                           << ", which is written, in one argument but got it in '" << argument.name.getValue()
                           << "' and '" << other.name.getValue() << "'";
  }
  for (NamedAttribute entry : perToken) // launch_c4
    if (auto rows = dyn_cast<IntegerAttr>(entry.getValue()); !rows || rows.getInt() < 1)
      return emitError() << "expected at least 1 for each token in " << entry.getName() << " but got "
                         << entry.getValue();
  return success();
}

static bool isPositive(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  return number && number.getInt() >= 1;
}

LogicalResult GeometryAttr::verify(function_ref<InFlightDiagnostic()> emitError, LaunchAttr launch, ArrayAttr grid,
                                   DictionaryAttr params, SystolicArrayAttr, ScheduleAttr, int64_t waveSize, bool, bool,
                                   int64_t crews, int64_t requests) {
  if (grid.size() % 2 != 0) // geometry_c1
    return emitError() << "expected grid to be pairs of an extent and a tile but got " << grid.size() << " entries";
  for (size_t i = 0; i < grid.size(); i += 2) {
    auto extent = dyn_cast<StringAttr>(grid[i]);
    if (!extent || !isPositive(params.get(extent)))
      return emitError() << "expected an extent in grid to be a parameter of at least 1 but got " << grid[i];
    if (!isPositive(grid[i + 1]))
      return emitError() << "expected a tile in grid to be a number of at least 1 but got " << grid[i + 1];
  }
  for (NamedAttribute entry : launch.getPerToken()) // geometry_c2
    if (!isPositive(params.get(entry.getName())))
      return emitError() << "expected per_token to list parameters of at least 1 but got " << entry.getName();
  if (waveSize != 32 && waveSize != 64) // geometry_c3
    return emitError() << "expected a wave size of 32 or 64 but got " << waveSize;
  if (crews < 1) // geometry_c5
    return emitError() << "expected at least 1 crew but got " << crews;
  if (requests < 1) // geometry_c6
    return emitError() << "expected at least 1 request but got " << requests;
  return success();
}

int64_t GeometryAttr::getWorkgroups(int64_t tokens) const {
  auto number = [](Attribute attribute) { return cast<IntegerAttr>(attribute).getInt(); };
  ArrayAttr grid = getGrid();
  int64_t workgroups = getRequests();
  for (size_t i = 0; i < grid.size(); i += 2) {
    auto extent = cast<StringAttr>(grid[i]);
    Attribute perToken = getRequests() > 1 ? Attribute() : getLaunch().getPerToken().get(extent);
    int64_t size = perToken ? number(perToken) * tokens : number(getParams().get(extent));
    workgroups *= llvm::divideCeil(size, number(grid[i + 1]));
  }
  return workgroups;
}

static LogicalResult verifyGeometryPlace(Operation *op, Attribute value) {
  if (!isa<GeometryAttr>(value) || !op->hasTrait<OpTrait::SymbolTable>()) // geometry_c4
    return op->emitOpError() << "expected a #systolic.geometry on an operation with symbols as '"
                             << geometryAttributeName << "' but got " << value;
  return success();
}

static LogicalResult verifyLoopAttribute(Operation *op, NamedAttribute attribute) {
  bool isPlan = attribute.getName() == planAttributeName;
  if (!isa<LoopLikeOpInterface>(op) ||
      !(isPlan ? isa<PlanAttr>(attribute.getValue()) : isa<UnitAttr>(attribute.getValue())))
    return op->emitOpError() << "expected a " << (isPlan ? "#systolic.plan" : "unit attribute") << " on a loop as "
                             << attribute.getName() << " but got " << attribute.getValue();
  return success();
}

/// On kernels of lower levels, whose arguments are those of the launch, the attribute needs one entry for each
/// argument.
LogicalResult SystolicDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == geometryAttributeName)
    return verifyGeometryPlace(op, attribute.getValue());
  if (attribute.getName() == lastRoundAttributeName) {
    auto workgroup = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!workgroup || !workgroup.getType().isInteger(64) || !isa<FunctionOpInterface>(op))
      return op->emitOpError() << "expected an i64 on a function as '" << lastRoundAttributeName << "' but got "
                               << attribute.getValue();
    return success();
  }
  StringRef ofLoops[] = {planAttributeName, pipelinedAttributeName, productsAttributeName};
  if (llvm::is_contained(ofLoops, attribute.getName().getValue()))
    return verifyLoopAttribute(op, attribute);
  if (attribute.getName() != launchAttributeName)
    return success();
  auto launch = dyn_cast<LaunchAttr>(attribute.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (launch && op->hasTrait<OpTrait::SymbolTable>()) // on a module: the launch of the kernel in it
    return success();
  if (!launch || !function)
    return op->emitOpError() << "expected a #systolic.launch on a function as '" << launchAttributeName << "' but got "
                             << attribute.getValue();
  if (launch.getArguments().size() != function.getNumArguments())
    return op->emitOpError() << "expected '" << launchAttributeName << "' to have an entry for each of "
                             << function.getNumArguments() << " arguments but got " << launch.getArguments().size();
  return success();
}
