// The operators + - * / // % ** of numbers, texts and lists.
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"

#include <cmath>

namespace nstf::runtime::jinja {

namespace {

[[noreturn]] void failOperands(Context &context, std::string_view name, const Value &left, const Value &right) {
  for (const Value &operand : {left, right})
    if (operand.isUndefined())
      context.fail(describeUndefined(operand));
  context.fail("the operator '" + std::string(name) + "' can't take " + std::string(describe(left)) + " and " +
               std::string(describe(right)));
}

[[noreturn]] void failOverflow(Context &context) { context.fail("expected an integer of 64 bits but got more"); }

Value joinSequences(Context &context, const Value &left, const Value &right) {
  std::vector<Value> items(left.getItems().begin(), left.getItems().end());
  items.insert(items.end(), right.getItems().begin(), right.getItems().end());
  return context.sequence(left.kind(), items);
}

Value joinTexts(Context &context, const Value &left, const Value &right) {
  const bool markup = left.isMarkup() || right.isMarkup();
  TextBuilder out(context);
  for (const Value &part : {left, right})
    markup && !part.isMarkup() ? appendEscaped(out, part.getText()) : void(out += part.getText());
  return out.finish(markup);
}

/// Repeats a text or a list `count` times.
Value repeat(Context &context, const Value &value, int64_t count) {
  if (value.isText()) {
    TextBuilder out(context);
    out.repeat(value.getText(), count);
    return out.finish(value.isMarkup());
  }
  const std::span<const Value> items = value.getItems();
  if (count <= 0 || items.empty())
    return Value::sequence(value.kind(), {});
  uint64_t size = 0;
  if (__builtin_mul_overflow(items.size(), static_cast<uint64_t>(count), &size) || size > UINT32_MAX / sizeof(Value))
    context.addMemory(UINT32_MAX); // exceeds every limit
  context.addMemory(size * sizeof(Value));
  std::vector<Value> result;
  result.reserve(size);
  for (int64_t i = 0; i < count; ++i)
    result.insert(result.end(), items.begin(), items.end());
  return context.sequence(value.kind(), result);
}

int64_t floorDivide(Context &context, int64_t left, int64_t right) {
  if (right == 0)
    context.fail("division by zero");
  if (left == INT64_MIN && right == -1)
    failOverflow(context);
  return left / right - (left % right != 0 && (left < 0) != (right < 0));
}

int64_t modulo(Context &context, int64_t left, int64_t right) {
  if (right == 0)
    context.fail("division by zero");
  if (right == -1)
    return 0;
  const int64_t rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

int64_t power(Context &context, int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      failOverflow(context);
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      failOverflow(context);
  }
  return result;
}

/// Python's float // and %, whose remainder has the divisor's sign.
double floorDivide(double left, double right, double &rest) {
  rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (right < 0) != (rest < 0)) {
    rest += right;
    quotient -= 1;
  }
  if (rest == 0)
    rest = std::copysign(0.0, right);
  if (quotient == 0)
    return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Value powerReal(Context &context, double base, double exponent) {
  if (base == 0 && exponent < 0)
    context.fail("zero can't be raised to a negative power");
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent))
    context.fail("a negative number can't be raised to a fraction");
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent))
    context.fail("the result of '**' is too large");
  return Value::real(result);
}

Value applyReal(Context &context, std::string_view name, double left, double right) {
  if (name == "+")
    return Value::real(left + right);
  if (name == "-")
    return Value::real(left - right);
  if (name == "*")
    return Value::real(left * right);
  if (name == "**")
    return powerReal(context, left, right);
  if (right == 0)
    context.fail("division by zero");
  if (name == "/")
    return Value::real(left / right);
  double rest = 0;
  const double quotient = floorDivide(left, right, rest);
  return Value::real(name == "%" ? rest : quotient);
}

/// Correctly rounded if both are exact as doubles.
Value divide(Context &context, int64_t left, int64_t right) {
  if (right == 0)
    context.fail("division by zero");
  auto isExact = [](int64_t value) { return value >= -(1ll << 53) && value <= (1ll << 53); };
  if (isExact(left) && isExact(right))
    return Value::real(static_cast<double>(left) / static_cast<double>(right));
  return Value::real(static_cast<double>(static_cast<long double>(left) / static_cast<long double>(right)));
}

Value applyInteger(Context &context, std::string_view name, int64_t left, int64_t right) {
  int64_t result = 0;
  bool overflows = false;
  if (name == "+")
    overflows = __builtin_add_overflow(left, right, &result);
  else if (name == "-")
    overflows = __builtin_sub_overflow(left, right, &result);
  else if (name == "*")
    overflows = __builtin_mul_overflow(left, right, &result);
  else if (name == "//")
    result = floorDivide(context, left, right);
  else if (name == "%")
    result = modulo(context, left, right);
  else if (name == "/")
    return divide(context, left, right);
  else if (right < 0)
    return powerReal(context, static_cast<double>(left), static_cast<double>(right));
  else
    result = power(context, left, right);
  if (overflows)
    failOverflow(context);
  return Value::integer(result);
}

} // namespace

Value applyBinary(Context &context, std::string_view name, const Value &left, const Value &right) {
  if (left.isInteger() && right.isInteger())
    return applyInteger(context, name, left.getInteger(), right.getInteger());
  if (left.isNumber() && right.isNumber())
    return applyReal(context, name, left.asReal(), right.asReal());
  if (name == "%" && left.isText())
    return formatPercent(context, left, right);
  if (name == "+" && left.isText() && right.isText())
    return joinTexts(context, left, right);
  if (name == "+" && left.isSequence() && right.is(left.kind()))
    return joinSequences(context, left, right);
  if (name == "*" && (left.isText() || left.isSequence()) && right.isInteger())
    return repeat(context, left, right.getInteger());
  if (name == "*" && (right.isText() || right.isSequence()) && left.isInteger())
    return repeat(context, right, left.getInteger());
  failOperands(context, name, left, right);
}

Value negate(Context &context, const Value &value) {
  if (value.is(Kind::Float))
    return Value::real(-value.getReal());
  if (!value.isInteger())
    context.fail(value.isUndefined() ? describeUndefined(value)
                                     : "the operator '-' can't take " + std::string(describe(value)));
  if (value.getInteger() == INT64_MIN)
    failOverflow(context);
  return Value::integer(-value.getInteger());
}

Value affirm(Context &context, const Value &value) {
  if (!value.isNumber())
    context.fail(value.isUndefined() ? describeUndefined(value)
                                     : "the operator '+' can't take " + std::string(describe(value)));
  return value.is(Kind::Boolean) ? Value::integer(value.getInteger()) : value;
}

} // namespace nstf::runtime::jinja
