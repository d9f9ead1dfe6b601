// Syntax and verifier of #systolic.plan (Plan.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace nstf::systolic;

namespace {

constexpr int64_t maxBuffers = 3;
constexpr int64_t maxAhead = 8;
constexpr int64_t maxPriority = 3;

struct ActionName {
  PlanActionKind kind;
  StringRef name;
  bool hasIndex, hasAhead;
};

constexpr ActionName actionNames[] = {
    {PlanActionKind::Load, "load", true, true},          {PlanActionKind::Write, "write", true, true},
    {PlanActionKind::Stage, "stage", true, true},        {PlanActionKind::Wait, "wait", false, true},
    {PlanActionKind::Barrier, "barrier", false, false},  {PlanActionKind::Read, "read", true, true},
    {PlanActionKind::Multiply, "multiply", true, false}, {PlanActionKind::Reduce, "reduce", true, false},
};

const ActionName &getName(PlanActionKind kind) {
  return *llvm::find_if(actionNames, [&](const ActionName &one) { return one.kind == kind; });
}

} // namespace

static ParseResult parseAction(AsmParser &parser, PlanAction &action) {
  StringRef word;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  const ActionName *name = llvm::find_if(actionNames, [&](const ActionName &one) { return one.name == word; });
  if (name == std::end(actionNames))
    return parser.emitError(where) << "expected load, write, stage, wait, barrier, read, multiply or reduce but got "
                                   << word;
  action.kind = name->kind;
  OptionalParseResult index = name->hasIndex ? parser.parseOptionalInteger(action.index) : OptionalParseResult();
  if (index.has_value() && failed(*index))
    return failure();
  if (name->hasIndex && !index.has_value() && action.kind != PlanActionKind::Multiply)
    return parser.emitError(parser.getCurrentLocation()) << "expected the number of what is meant by " << word;
  if (name->hasAhead && succeeded(parser.parseOptionalPlus()) && parser.parseInteger(action.ahead))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("step")) && parser.parseInteger(action.step))
    return failure();
  action.pairs = succeeded(parser.parseOptionalKeyword("pairs"));
  return success();
}

static void printAction(AsmPrinter &printer, const PlanAction &action) {
  const ActionName &name = getName(action.kind);
  printer << name.name;
  if (name.hasIndex && (action.kind != PlanActionKind::Multiply || action.index))
    printer << " " << action.index;
  if (action.ahead)
    printer << " +" << action.ahead;
  if (action.step)
    printer << " step " << action.step;
  if (action.pairs)
    printer << " pairs";
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  int64_t buffers = 1;
  StringRef orderName;
  SmallVector<int64_t> priorities;
  SmallVector<PlanAction> round;
  if (parser.parseLess() || parser.parseKeyword("buffers") || parser.parseEqual() || parser.parseInteger(buffers) ||
      parser.parseComma() || parser.parseKeyword("order") || parser.parseEqual())
    return {};
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&orderName) || parser.parseComma())
    return {};
  std::optional<LoopOrder> order = symbolizeLoopOrder(orderName);
  if (!order) {
    parser.emitError(where) << "expected merged or turns but got " << orderName;
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword("priorities"))) {
    auto parsePriority = [&] { return parser.parseInteger(priorities.emplace_back()); };
    if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePriority) ||
        parser.parseComma())
      return {};
  }
  bool flags[3] = {};
  for (auto [flag, name] : llvm::zip_equal(flags, ArrayRef<StringRef>{"pinned", "first_alone", "reads_first"})) {
    flag = succeeded(parser.parseOptionalKeyword(name));
    if (flag && parser.parseComma())
      return {};
  }
  if (parser.parseKeyword("round") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseAction(parser, round.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), buffers, *order,
                    ArrayRef<int64_t>(priorities), flags[0], flags[1], flags[2], ArrayRef<PlanAction>(round));
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << "<buffers = " << getBuffers() << ", order = " << stringifyLoopOrder(getOrder());
  if (!getPriorities().empty()) {
    printer << ", priorities = [";
    llvm::interleaveComma(getPriorities(), printer);
    printer << "]";
  }
  printer << (getPinned() ? ", pinned" : "") << (getFirstAlone() ? ", first_alone" : "")
          << (getReadsFirst() ? ", reads_first" : "") << ", round = [";
  llvm::interleaveComma(getRound(), printer, [&](const PlanAction &action) { printAction(printer, action); });
  printer << "]>";
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t buffers, LoopOrder order,
                               ArrayRef<int64_t> priorities, bool, bool, bool, ArrayRef<PlanAction> round) {
  if (buffers < 1 || buffers > maxBuffers) // plan_c1
    return emitError() << "expected 1 to " << maxBuffers << " buffers but got " << buffers;
  auto multiplies = [](const PlanAction &action) { return action.kind == PlanActionKind::Multiply; };
  if (llvm::none_of(round, multiplies)) // plan_c2
    return emitError() << "expected a round that multiplies but got none";
  for (const PlanAction &action : round) {
    StringRef name = getName(action.kind).name;
    if (int64_t number = std::min(action.index, action.step); number < 0) // plan_c3
      return emitError() << "expected " << name << " of a number of at least 0 but got " << number;
    if (action.ahead < 0 || action.ahead > maxAhead) // plan_c3
      return emitError() << "expected " << name << " of 0 to " << maxAhead << " blocks ahead but got " << action.ahead;
    if (action.pairs && action.kind != PlanActionKind::Load) // plan_c6
      return emitError() << "expected pairs of loads only but got a " << name;
    if (action.step && action.kind != PlanActionKind::Read) // plan_c6
      return emitError() << "expected a step of reads only but got a " << name;
  }
  auto isPriority = [](int64_t priority) { return priority >= 0 && priority <= maxPriority; };
  if (!priorities.empty() && (priorities.size() != 3 || !llvm::all_of(priorities, isPriority))) // plan_c4
    return emitError() << "expected three priorities of 0 to " << maxPriority << " but got [" << priorities << "]";
  if (order == LoopOrder::turns && !priorities.empty()) // plan_c5
    return emitError() << "expected turns without priorities but got [" << priorities << "]";
  return success();
}

bool PlanAttr::isAsItStands() const {
  return getBuffers() == 1 &&
         llvm::all_of(getRound(), [](const PlanAction &action) { return action.ahead == 0 && action.step == 0; });
}

int64_t PlanAttr::countProducts() const {
  return llvm::count_if(getRound(), [](const PlanAction &action) { return action.kind == PlanActionKind::Multiply; });
}

int64_t PlanAttr::getBlocksOfRound() const {
  bool hasPairs = llvm::any_of(getRound(), [](const PlanAction &action) { return action.pairs; });
  return std::lcm(getBuffers(), hasPairs ? 2 : 1);
}

const PlanAction *PlanAttr::find(PlanActionKind kind, int64_t index) const {
  const PlanAction *found =
      llvm::find_if(getRound(), [&](const PlanAction &action) { return action.kind == kind && action.index == index; });
  return found == getRound().end() ? nullptr : found;
}
