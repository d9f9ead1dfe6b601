#include "runtime/model/chat_template/Access.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Loop.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Text.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// value[index] as in Python; nothing if that raises a TypeError or LookupError.
std::optional<Value> subscript(Context &context, const Value &value, const Value &index) {
  if (value.is(Kind::Dict)) {
    if (index.is(Kind::List) || index.is(Kind::Dict))
      return std::nullopt;
    const Value *found = find(context, value.getEntries(), index);
    return found ? std::optional(*found) : std::nullopt;
  }
  const bool indexed = value.isText() || value.isSequence() || value.is(Kind::Range);
  if (!indexed || !index.isInteger())
    return std::nullopt;
  const int64_t count = getLength(context, value);
  const int64_t at = index.getInteger() + (index.getInteger() < 0 ? count : 0);
  if (at < 0 || at >= count)
    return std::nullopt;
  if (value.isSequence())
    return value.getItems()[static_cast<size_t>(at)];
  if (value.is(Kind::Range))
    return Value::integer(value.get<Range>().start + at * value.get<Range>().step);
  const std::string_view rest = value.getText().substr(getOffset(value.getText(), static_cast<size_t>(at)));
  return Value::text(rest.substr(0, characterLength(rest)), value.isMarkup());
}

/// A bound of a slice, clipped to the length as in Python.
int64_t clip(Context &context, const Value &value, int64_t count, int64_t fallback, bool backwards) {
  if (value.is(Kind::None))
    return fallback;
  if (!value.isInteger())
    context.fail(value.isUndefined() ? describeUndefined(value)
                                     : "expected integers in a slice but got " + std::string(describe(value)));
  int64_t at = value.getInteger();
  if (at < 0)
    at = at < -count ? -1 : at + count;
  if (backwards)
    return std::clamp<int64_t>(at, -1, count - 1);
  return std::clamp<int64_t>(at, 0, count);
}

Value sliceText(Context &context, const Value &value, int64_t start, int64_t stop, int64_t step) {
  const std::string_view text = value.getText();
  if (step == 1) {
    const size_t begin = getOffset(text, static_cast<size_t>(start));
    const std::string_view rest = text.substr(begin);
    return Value::text(stop > start ? rest.substr(0, getOffset(rest, static_cast<size_t>(stop - start))) : "",
                       value.isMarkup());
  }
  std::vector<std::string_view> characters;
  context.addMemory(text.size() * sizeof(std::string_view));
  for (std::string_view rest = text; !rest.empty();)
    characters.push_back(takeCharacter(rest));
  TextBuilder out(context);
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
    out += characters[static_cast<size_t>(i)];
  return out.finish(value.isMarkup());
}

} // namespace

Value getAttribute(Context &context, const Value &value, std::string_view name) {
  if (value.isUndefined())
    context.fail(describeUndefined(value));
  if (std::optional<Value> attribute = findAttribute(context, value, name))
    return *attribute;
  if (std::optional<Value> item = subscript(context, value, Value::text(name)))
    return *item;
  return context.undefinedMember(value, Value::text(name));
}

Value getItem(Context &context, const Value &value, const Value &index) {
  if (value.isUndefined())
    context.fail(describeUndefined(value));
  if (std::optional<Value> item = subscript(context, value, index))
    return *item;
  if (index.isText())
    if (std::optional<Value> attribute = findAttribute(context, value, index.getText()))
      return *attribute;
  return context.undefinedMember(value, index);
}

Value getSlice(Context &context, const Value &value, const Value &start, const Value &stop, const Value &step) {
  if (value.isUndefined())
    context.fail(describeUndefined(value));
  if (!value.isText() && !value.isSequence() && !value.is(Kind::Range))
    context.fail("expected a text or a list to take a slice of but got " + std::string(describe(value)));
  const int64_t count = getLength(context, value);
  int64_t by = 1;
  if (!step.is(Kind::None)) {
    if (!step.isInteger() || step.getInteger() == 0)
      context.fail("expected an integer other than 0 as a slice's step");
    by = std::clamp<int64_t>(step.getInteger(), -(int64_t(1) << 40), int64_t(1) << 40);
  }
  const bool backwards = by < 0;
  const int64_t begin = clip(context, start, count, backwards ? count - 1 : 0, backwards);
  const int64_t end = clip(context, stop, count, backwards ? -1 : count, backwards);
  if (value.isText()) {
    context.stepBytes(value.getText().size());
    return sliceText(context, value, begin, end, by);
  }
  if (value.is(Kind::Range)) {
    const Range &range = value.get<Range>();
    const int64_t length =
        by > 0 ? (end > begin ? (end - begin - 1) / by + 1 : 0) : (begin > end ? (begin - end - 1) / -by + 1 : 0);
    return Value::object(Kind::Range, &context.make<Range>(range.start + begin * range.step,
                                                           range.start + end * range.step, range.step * by, length));
  }
  std::vector<Value> items;
  for (int64_t i = begin; backwards ? i > end : i < end; i += by)
    items.push_back(value.getItems()[static_cast<size_t>(i)]);
  return context.sequence(value.kind(), items);
}

Value getPath(Context &context, Value value, const Value &path, const Value &fallback) {
  auto get = [&](const Value &part) {
    value = getItem(context, value, part);
    if (value.isUndefined() && !fallback.is(Kind::None))
      value = fallback;
  };
  if (path.isText()) {
    for (std::string_view part : splitAt(context, path.getText(), ".", -1, false)) {
      const bool isIndex =
          !part.empty() && part.size() < 19 && part.find_first_not_of("0123456789") == std::string_view::npos;
      get(isIndex ? Value::integer(std::stoll(std::string(part))) : Value::text(part));
    }
  } else if (!path.is(Kind::None)) {
    get(path);
  }
  return value;
}

} // namespace nstf::runtime::jinja
