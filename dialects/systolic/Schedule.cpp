// Syntax and verifier of #systolic.schedule (Schedule.td); support/Schedule.h parses the fields.
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::Schedule;

/// Parses a number, numbers with an x between them, or a word.
static ParseResult parseFieldText(AsmParser &parser, StringRef field, std::string &text) {
  if (field == "waves") {
    SmallVector<int64_t> numbers;
    if (parser.parseDimensionList(numbers, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return failure();
    text = llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), "x");
    return success();
  }
  int64_t number;
  if (OptionalParseResult isNumber = parser.parseOptionalInteger(number); isNumber.has_value()) {
    text = std::to_string(number);
    return *isNumber;
  }
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  text = word.str();
  return success();
}

/// <waves = 2x4, sum = 16, through = lds>
Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  Schedule fields;
  SMLoc begin = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    std::string text;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (!Schedule::isField(name)) // schedule_c8
      return parser.emitError(place) << "expected a field of a schedule (" << llvm::join(Schedule::fields, ", ")
                                     << ") but got '" << name << "'";
    if (!fields.get(name).empty())
      return parser.emitError(place) << "expected " << name << " once but got it again";
    if (parser.parseEqual() || parseFieldText(parser, name, text))
      return failure();
    if (std::string fault = fields.set(name, text); !fault.empty())
      return parser.emitError(place) << fault;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return {};
  return getChecked([&] { return parser.emitError(begin); }, parser.getContext(), fields);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::ListSeparator comma;
  for (std::string_view field : Schedule::fields)
    if (std::string text = getFields().get(field); !text.empty())
      printer << StringRef(comma) << StringRef(field) << " = " << text;
  printer << ">";
}

// schedule_c1 to schedule_c7
LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, Schedule fields) {
  if (std::string fault = fields.findFault(); !fault.empty())
    return emitError() << fault;
  return success();
}
