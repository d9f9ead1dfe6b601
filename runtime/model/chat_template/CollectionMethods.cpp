// Methods of dicts, lists, loops and cyclers.
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Loop.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Operators.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

Value getOr(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "get", arguments, {"key", "default"}, 1, false);
  const Value *found = find(context, self.getEntries(), bound.get(0));
  return found ? *found : bound.get(1);
}

template <Kind kind> Value view(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, kind == Kind::Keys ? "keys" : kind == Kind::Values ? "values" : "items", arguments, {});
  return self.as(kind);
}

/// Values are immutable, so a value is its own copy.
Value copy(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "copy", arguments, {});
  return self;
}

bool isFound(Context &context, const Value &element, const Value &value) {
  return element.isSame(value) || isEqual(context, element, value);
}

Value count(Context &context, const Value &self, const Arguments &arguments) {
  const Value value = Bound(context, "count", arguments, {"value"}, 1, false).get(0);
  int64_t result = 0;
  for (const Value &element : self.getItems())
    result += isFound(context, element, value);
  return Value::integer(result);
}

Value index(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "index", arguments, {"value", "start", "stop"}, 1, false);
  const auto size = static_cast<int64_t>(self.getItems().size());
  auto clip = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
  const int64_t stop = clip(bound.integer(2, size));
  for (int64_t i = clip(bound.integer(1)); i < stop; ++i)
    if (isFound(context, self.getItems()[static_cast<size_t>(i)], bound.get(0)))
      return Value::integer(i);
  context.fail("the value isn't in " + std::string(describe(self)));
}

Value cycle(Context &context, const Value &self, const Arguments &arguments) {
  if (!arguments.keywords.empty())
    context.fail("expected values for 'cycle'");
  return self.get<Loop>().cycle(context, arguments.positional);
}

Value changed(Context &context, const Value &self, const Arguments &arguments) {
  if (!arguments.keywords.empty())
    context.fail("expected values for 'changed'");
  return Value::boolean(self.get<Loop>().changed(context, arguments.positional));
}

Value nextOfCycler(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "next", arguments, {});
  Cycler &cycler = self.get<Cycler>();
  const Value value = cycler.items[cycler.next];
  cycler.next = (cycler.next + 1) % cycler.items.size();
  return value;
}

Value resetCycler(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "reset", arguments, {});
  self.get<Cycler>().next = 0;
  return Value::none();
}

const Method ofDicts[] = {{"get", getOr},
                          {"items", view<Kind::Items>},
                          {"keys", view<Kind::Keys>},
                          {"values", view<Kind::Values>},
                          {"copy", copy}};
const Method ofSequences[] = {{"count", count}, {"index", index}, {"copy", copy}};
const Method ofLoops[] = {{"cycle", cycle}, {"changed", changed}};
const Method ofCyclers[] = {{"next", nextOfCycler}, {"reset", resetCycler}};

} // namespace

const std::span<const Method> dictMethods = ofDicts, sequenceMethods = ofSequences, loopMethods = ofLoops,
                              cyclerMethods = ofCyclers;

} // namespace nstf::runtime::jinja
