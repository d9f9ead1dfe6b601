#include "runtime/model/chat_template/Loop.h"
#include "runtime/model/chat_template/Operators.h"

namespace nstf::runtime::jinja {

bool Loop::next(Context &context, Value &element) {
  if (!ahead.empty()) {
    element = ahead.front();
    ahead.pop_front();
  } else if (!elements.next(context, element))
    return false;
  ++index;
  previous = current;
  current = element;
  return true;
}

const Value *Loop::peek(Context &context) {
  if (Value element; ahead.empty() && elements.next(context, element))
    ahead.push_back(element);
  return ahead.empty() ? nullptr : &ahead.front();
}

int64_t Loop::getLength(Context &context) {
  if (!length) {
    context.addMemory(sizeof(Value));
    for (Value element; elements.next(context, element);) {
      context.addMemory(sizeof(Value));
      ahead.push_back(element);
    }
    length = index + 1 + static_cast<int64_t>(ahead.size());
  }
  return *length;
}

std::optional<Value> Loop::getMember(Context &context, std::string_view name) {
  if (name == "index")
    return Value::integer(index + 1);
  if (name == "index0")
    return Value::integer(index);
  if (name == "first")
    return Value::boolean(index == 0);
  if (name == "last")
    return Value::boolean(!peek(context));
  if (name == "length")
    return Value::integer(getLength(context));
  if (name == "revindex")
    return Value::integer(getLength(context) - index);
  if (name == "revindex0")
    return Value::integer(getLength(context) - index - 1);
  if (name == "depth")
    return Value::integer(depth + 1);
  if (name == "depth0")
    return Value::integer(depth);
  if (name == "previtem")
    return index > 0 ? *previous : context.undefined("there is no previous item");
  if (name == "nextitem") {
    const Value *element = peek(context);
    return element ? *element : context.undefined("there is no next item");
  }
  return std::nullopt;
}

Value Loop::cycle(Context &context, std::span<const Value> items) const {
  if (items.empty())
    context.fail("expected values to cycle through");
  return items[static_cast<size_t>(index) % items.size()];
}

bool Loop::changed(Context &context, std::span<const Value> values) {
  const Value now = context.sequence(Kind::Tuple, values);
  const bool differs = !lastChanged || !isEqual(context, *lastChanged, now);
  lastChanged = now;
  return differs;
}

} // namespace nstf::runtime::jinja
