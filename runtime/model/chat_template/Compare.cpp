// Truth, length, equality, order and membership.
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Loop.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Text.h"

#include <cmath>
#include <compare>

namespace nstf::runtime::jinja {

namespace {

/// Exact even if the integer has more digits than a double.
std::partial_ordering compareNumbers(const Value &left, const Value &right) {
  if (left.isInteger() && right.isInteger())
    return left.getInteger() <=> right.getInteger();
  if (left.is(Kind::Float) && right.is(Kind::Float))
    return left.getReal() <=> right.getReal();
  const bool swapped = left.is(Kind::Float);
  const double real = swapped ? left.getReal() : right.getReal();
  const int64_t whole = swapped ? right.getInteger() : left.getInteger();
  std::partial_ordering order = std::partial_ordering::unordered; // of the integer to the float
  if (std::isnan(real))
    return order;
  if (real >= 0x1p63)
    order = std::partial_ordering::less;
  else if (real < -0x1p63)
    order = std::partial_ordering::greater;
  else {
    const double floor = std::floor(real);
    const std::strong_ordering integers = whole <=> static_cast<int64_t>(floor);
    order = integers == 0 && real > floor ? std::partial_ordering::less : std::partial_ordering(integers);
  }
  return swapped ? 0 <=> order : order;
}

bool isEqualDict(Context &context, std::span<const Entry> left, std::span<const Entry> right) {
  if (left.size() != right.size())
    return false;
  for (const Entry &entry : left) {
    const Value *other = find(context, right, entry.key);
    if (!other || !isEqual(context, entry.value, *other))
      return false;
  }
  return true;
}

bool isEqualRange(const Range &left, const Range &right) {
  return left.count == right.count && (left.count == 0 || left.start == right.start) &&
         (left.count <= 1 || left.step == right.step);
}

/// Equality for `in` and for comparisons of lists: an object equals itself, even a NaN.
bool isSameOrEqual(Context &context, const Value &left, const Value &right) {
  return left.isSame(right) || isEqual(context, left, right);
}

bool containsAll(Context &context, const Value &container, const Value &values) {
  Iterator &elements = iterate(context, values);
  for (Value element; elements.next(context, element);)
    if (!contains(context, container, element))
      return false;
  return true;
}

[[noreturn]] void failOrder(Context &context, const Value &left, const Value &right) {
  for (const Value &operand : {left, right})
    if (operand.isUndefined())
      context.fail(describeUndefined(operand));
  context.fail(std::string(describe(left)) + " and " + std::string(describe(right)) + " have no order");
}

/// `orEqual`: <= instead of <.
bool isBefore(Context &context, const Value &left, const Value &right, bool orEqual) {
  Context::Level level(context);
  context.step();
  if (left.isNumber() && right.isNumber()) {
    const std::partial_ordering order = compareNumbers(left, right);
    return orEqual ? order <= 0 : order < 0;
  }
  if (left.isText() && right.isText()) {
    context.stepBytes(std::min(left.getText().size(), right.getText().size()));
    const int order = left.getText().compare(right.getText()); // UTF-8 keeps the order of code points
    return orEqual ? order <= 0 : order < 0;
  }
  if (!left.isSequence() || !right.is(left.kind()))
    failOrder(context, left, right);
  const std::span<const Value> a = left.getItems(), b = right.getItems();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!isSameOrEqual(context, a[i], b[i]))
      return isBefore(context, a[i], b[i], orEqual);
  return orEqual ? a.size() <= b.size() : a.size() < b.size();
}

} // namespace

bool isTrue(Context &, const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
  case Kind::None:
    return false;
  case Kind::Boolean:
  case Kind::Integer:
    return value.getInteger() != 0;
  case Kind::Float:
    return value.getReal() != 0;
  case Kind::Text:
    return !value.getText().empty();
  case Kind::List:
  case Kind::Tuple:
    return !value.getItems().empty();
  case Kind::Dict:
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
    return !value.getEntries().empty();
  case Kind::Range:
    return value.get<Range>().count != 0;
  default:
    return true;
  }
}

int64_t getLength(Context &context, const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
    return 0;
  case Kind::Text:
    context.stepBytes(value.getText().size());
    return static_cast<int64_t>(countCharacters(value.getText()));
  case Kind::List:
  case Kind::Tuple:
    return static_cast<int64_t>(value.getItems().size());
  case Kind::Dict:
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
    return static_cast<int64_t>(value.getEntries().size());
  case Kind::Range:
    return value.get<Range>().count;
  case Kind::Loop:
    return value.get<Loop>().getLength(context);
  default:
    context.fail("expected a value with a length but got " + std::string(describe(value)));
  }
}

bool isEqual(Context &context, const Value &left, const Value &right) {
  Context::Level level(context);
  context.step();
  if (left.isNumber() && right.isNumber())
    return compareNumbers(left, right) == 0;
  if (left.kind() != right.kind())
    return false;
  if (left.is(Kind::Keys) || left.is(Kind::Items)) // sets in Python
    return getLength(context, left) == getLength(context, right) && containsAll(context, left, right);
  switch (left.kind()) {
  case Kind::Undefined:
  case Kind::None:
    return true;
  case Kind::Text:
    context.stepBytes(left.getText().size());
    return left.getText() == right.getText();
  case Kind::List:
  case Kind::Tuple: {
    const std::span<const Value> a = left.getItems(), b = right.getItems();
    if (a.size() != b.size())
      return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!isSameOrEqual(context, a[i], b[i]))
        return false;
    return true;
  }
  case Kind::Dict:
    return isEqualDict(context, left.getEntries(), right.getEntries());
  case Kind::Range:
    return isEqualRange(left.get<Range>(), right.get<Range>());
  default:
    return left.isSame(right);
  }
}

bool isLess(Context &context, const Value &left, const Value &right) { return isBefore(context, left, right, false); }
bool isLessOrEqual(Context &context, const Value &left, const Value &right) {
  return isBefore(context, left, right, true);
}

void checkKey(Context &context, const Value &key) {
  Context::Level level(context);
  if (key.is(Kind::List) || key.is(Kind::Dict) || key.isView())
    context.fail("expected a key of a dict but got " + std::string(describe(key)));
  if (key.is(Kind::Tuple))
    for (const Value &part : key.getItems())
      checkKey(context, part);
}

const Value *find(Context &context, std::span<const Entry> entries, const Value &key) {
  checkKey(context, key);
  if (key.isText()) { // nearly always
    const std::string_view name = key.getText();
    context.step(entries.size() / 8 + 1);
    context.stepBytes(name.size());
    for (const Entry &entry : entries)
      if (entry.key.isText() && entry.key.getText() == name)
        return &entry.value;
    return nullptr;
  }
  for (const Entry &entry : entries)
    if (isSameOrEqual(context, entry.key, key))
      return &entry.value;
  return nullptr;
}

bool contains(Context &context, const Value &container, const Value &value) {
  if (container.isText()) {
    if (!value.isText())
      context.fail("expected a text in front of 'in' but got " + std::string(describe(value)));
    return findText(context, container.getText(), value.getText()) != std::string_view::npos;
  }
  if (container.is(Kind::Dict) || container.is(Kind::Keys))
    return find(context, container.getEntries(), value) != nullptr;
  if (container.is(Kind::Range) && value.isInteger()) {
    const Range &range = container.get<Range>();
    const int64_t last = range.start + (range.count - 1) * range.step, number = value.getInteger();
    return range.count > 0 && number >= std::min(range.start, last) && number <= std::max(range.start, last) &&
           (number - range.start) % range.step == 0;
  }
  Iterator &elements = iterate(context, container);
  for (Value element; elements.next(context, element);)
    if (isSameOrEqual(context, element, value))
      return true;
  return false;
}

bool applyCompare(Context &context, std::string_view name, const Value &left, const Value &right) {
  if (name == "==")
    return isEqual(context, left, right);
  if (name == "!=")
    return !isEqual(context, left, right);
  if (name == "<")
    return isLess(context, left, right);
  if (name == "<=")
    return isLessOrEqual(context, left, right);
  if (name == ">")
    return isLess(context, right, left);
  if (name == ">=")
    return isLessOrEqual(context, right, left);
  return contains(context, right, left) == (name == "in");
}

} // namespace nstf::runtime::jinja
