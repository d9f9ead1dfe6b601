// Filters that apply a filter, a test or a member to each element, and default values.
#include "runtime/model/chat_template/Access.h"
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Tests.h"
#include "support/Escape.h"

namespace nstf::runtime::jinja {

namespace {

Value fallback(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "default", arguments, {"default_value", "boolean"});
  return value.isUndefined() || (bound.flag(1) && !isTrue(context, value)) ? bound.get(0, Value::text("")) : value;
}

Value attribute(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "attr", arguments, {"name"}, 1);
  if (value.isUndefined())
    context.fail(describeUndefined(value));
  if (std::optional<Value> found = findAttribute(context, value, bound.text(0)))
    return *found;
  return context.undefinedMember(value, bound.get(0));
}

/// Takes the name of the filter or test to apply from the arguments.
std::string_view takeName(Context &context, Arguments &arguments, std::string_view what) {
  if (arguments.positional.empty() || !arguments.positional[0].isText())
    context.fail("expected the name of a " + std::string(what));
  const std::string_view name = arguments.positional[0].getText();
  arguments.positional.erase(arguments.positional.begin());
  return name;
}

/// An iterator over elements by `produce`; a false value has none. As in Python, the value is only evaluated when
/// elements are requested.
template <typename Produce> Value lazily(Context &context, const Value &value, Produce produce) {
  return makeIterator(
      context, [value, produce, elements = static_cast<Iterator *>(nullptr)](Context &context, Value &element) mutable {
        if (!elements && !isTrue(context, value))
          return false;
        if (!elements)
          elements = &iterate(context, value);
        return produce(context, *elements, element);
      });
}

Value map(Context &context, const Value &value, const Arguments &arguments) {
  const bool byMember = arguments.positional.empty() && !arguments.keywords.empty();
  if (byMember) {
    const Bound bound(context, "map", arguments, {"attribute", "default"}, 1);
    return lazily(context, value,
                  [path = bound.get(0), other = bound.get(1)](Context &context, Iterator &elements, Value &element) {
                    if (!elements.next(context, element))
                      return false;
                    element = getPath(context, element, path, other);
                    return true;
                  });
  }
  Arguments rest = arguments;
  const std::string_view name = takeName(context, rest, "filter");
  const Filter *filter = findFilter(name);
  if (!filter)
    context.fail("unknown filter '" + support::escape(name, 60) + "'");
  return lazily(context, value, [filter, rest](Context &context, Iterator &elements, Value &element) {
    if (!elements.next(context, element))
      return false;
    element = filter->apply(context, element, rest);
    return true;
  });
}

/// The elements for which a test, or without one their truth value, is `wanted`; with `byMember`, it is that of a
/// member.
template <bool wanted, bool byMember> Value select(Context &context, const Value &value, const Arguments &arguments) {
  Arguments rest = arguments;
  Value path = Value::none();
  if (byMember) {
    if (rest.positional.empty())
      context.fail("expected the name of a member");
    path = rest.positional[0];
    rest.positional.erase(rest.positional.begin());
  }
  const Test *test = nullptr;
  if (!rest.positional.empty()) {
    const std::string_view name = takeName(context, rest, "test");
    test = findTest(name);
    if (!test)
      context.fail("unknown test '" + support::escape(name, 60) + "'");
  }
  return lazily(context, value, [path, test, rest](Context &context, Iterator &elements, Value &element) {
    while (elements.next(context, element)) {
      const Value tested = getPath(context, element, path);
      if ((test ? test->apply(context, tested, rest) : isTrue(context, tested)) == wanted)
        return true;
    }
    return false;
  });
}

const Filter filters[] = {
    {"default", fallback},
    {"d", fallback},
    {"attr", attribute},
    {"map", map},
    {"select", select<true, false>},
    {"reject", select<false, false>},
    {"selectattr", select<true, true>},
    {"rejectattr", select<false, true>},
};

} // namespace

const std::span<const Filter> selectionFilters = filters;

} // namespace nstf::runtime::jinja
