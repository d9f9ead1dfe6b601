#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Text.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// Element `index` of a value with random access; walkText iterates over texts.
Value elementAt(Context &context, const Value &value, size_t index) {
  switch (value.kind()) {
  case Kind::List:
  case Kind::Tuple:
    return value.getItems()[index];
  case Kind::Range: {
    const Range &range = value.get<Range>();
    return Value::integer(range.start + static_cast<int64_t>(index) * range.step);
  }
  case Kind::Values:
    return value.getEntries()[index].value;
  case Kind::Items:
    return context.tuple({value.getEntries()[index].key, value.getEntries()[index].value});
  default:
    return value.getEntries()[index].key;
  }
}

size_t countOf(const Value &value) {
  switch (value.kind()) {
  case Kind::List:
  case Kind::Tuple:
    return value.getItems().size();
  case Kind::Range:
    return static_cast<size_t>(value.get<Range>().count);
  case Kind::Dict:
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
    return value.getEntries().size();
  default:
    return 0;
  }
}

Value walk(Context &context, const Value &value, bool backwards) {
  const size_t count = countOf(value);
  return makeIterator(context, [value, count, backwards, index = size_t(0)](Context &context, Value &element) mutable {
    if (index == count)
      return false;
    element = elementAt(context, value, backwards ? count - 1 - index : index);
    ++index;
    return true;
  });
}

[[noreturn]] void failElements(Context &context, const Value &value) {
  context.fail("expected a value with elements but got " + std::string(describe(value)));
}

Value walkText(Context &context, const Value &text) {
  return makeIterator(context, [rest = text.getText()](Context &, Value &element) mutable {
    if (rest.empty())
      return false;
    element = Value::text(takeCharacter(rest));
    return true;
  });
}

} // namespace

bool isIterable(const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
  case Kind::Text:
  case Kind::List:
  case Kind::Tuple:
  case Kind::Dict:
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
  case Kind::Range:
  case Kind::Iterator:
  case Kind::Loop:
    return true;
  default:
    return false;
  }
}

Iterator &iterate(Context &context, const Value &value) {
  if (value.is(Kind::Iterator))
    return value.get<Iterator>();
  if (!isIterable(value) || value.is(Kind::Loop))
    failElements(context, value);
  return (value.isText() ? walkText(context, value) : walk(context, value, false)).get<Iterator>();
}

std::vector<Value> collect(Context &context, const Value &value) {
  Iterator &elements = iterate(context, value);
  std::vector<Value> result;
  for (Value element; elements.next(context, element);) {
    context.addMemory(sizeof(Value));
    result.push_back(element);
  }
  return result;
}

Value reversed(Context &context, const Value &value) {
  if (value.isText()) {
    std::string result(value.getText().size(), '\0');
    size_t end = result.size();
    for (std::string_view rest = value.getText(); !rest.empty();) {
      const std::string_view character = takeCharacter(rest);
      end -= character.size();
      std::copy(character.begin(), character.end(), result.begin() + static_cast<ptrdiff_t>(end));
    }
    return context.text(result, value.isMarkup());
  }
  if (!isIterable(value) || value.is(Kind::Loop))
    failElements(context, value);
  if (!value.is(Kind::Iterator))
    return walk(context, value, true);
  std::vector<Value> elements = collect(context, value);
  std::reverse(elements.begin(), elements.end());
  return context.list(elements);
}

} // namespace nstf::runtime::jinja
