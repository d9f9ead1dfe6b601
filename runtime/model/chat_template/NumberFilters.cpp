// Filters that return numbers.
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Operators.h"

#include <cmath>

namespace nstf::runtime::jinja {

namespace {

[[noreturn]] void failNumber(Context &context, const Value &value) {
  context.fail(value.isUndefined() ? describeUndefined(value)
                                   : "expected a number but got " + std::string(describe(value)));
}

Value toInteger(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "int", arguments, {"default", "base"});
  const Value fallback = bound.get(0, Value::integer(0));
  if (value.isInteger())
    return Value::integer(value.getInteger());
  if (value.is(Kind::Float))
    return std::isnan(value.getReal()) ? fallback : Value::integer(truncate(context, value.getReal()));
  if (value.isUndefined())
    failNumber(context, value);
  if (!value.isText())
    return fallback;
  const int64_t base = bound.integer(1, 10);
  if (base == 0 || (base >= 2 && base <= 36))
    if (const std::optional<int64_t> whole = parseInteger(context, value.getText(), static_cast<int>(base)))
      return Value::integer(*whole);
  const std::optional<double> real = parseReal(value.getText());
  return real && std::isfinite(*real) ? Value::integer(truncate(context, *real)) : fallback;
}

Value toFloat(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "float", arguments, {"default"});
  if (value.isNumber())
    return Value::real(value.asReal());
  if (value.isUndefined())
    failNumber(context, value);
  const std::optional<double> real = value.isText() ? parseReal(value.getText()) : std::nullopt;
  return real ? Value::real(*real) : bound.get(0, Value::real(0));
}

Value absolute(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "abs", arguments, {});
  if (!value.isNumber())
    failNumber(context, value);
  if (value.is(Kind::Float))
    return Value::real(std::fabs(value.getReal()));
  return value.getInteger() < 0 ? negate(context, value) : affirm(context, value);
}

Value round(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "round", arguments, {"precision", "method"});
  const int64_t precision = bound.integer(0);
  const std::string_view method = bound.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor")
    context.fail("expected 'common', 'ceil' or 'floor' as 'method' of 'round'");
  if (!value.isNumber())
    failNumber(context, value);
  if (method == "common")
    return value.isInteger() ? Value::integer(roundInteger(context, value.getInteger(), precision))
                             : Value::real(roundReal(value.getReal(), precision));
  const Value scale = applyBinary(context, "**", Value::integer(10), Value::integer(precision));
  const Value scaled = applyBinary(context, "*", value, scale);
  const Value whole = scaled.isInteger()
                          ? scaled
                          : Value::integer(truncate(context, method == "ceil" ? std::ceil(scaled.getReal())
                                                                              : std::floor(scaled.getReal())));
  return applyBinary(context, "/", whole, scale);
}

const Filter filters[] = {{"int", toInteger}, {"float", toFloat}, {"abs", absolute}, {"round", round}};

} // namespace

const std::span<const Filter> numberFilters = filters;

} // namespace nstf::runtime::jinja
