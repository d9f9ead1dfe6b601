#include "runtime/model/chat_template/Arguments.h"
#include "runtime/model/chat_template/Operators.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime::jinja {

Bound::Bound(Context &context, std::string_view what, const Arguments &arguments,
             std::initializer_list<std::string_view> parameters, size_t required, bool byName)
    : context(context), what(what), names(parameters), values(parameters.size()) {
  const std::string function = "'" + std::string(what) + "'";
  if (arguments.positional.size() > names.size())
    context.fail("expected at most " + std::to_string(names.size()) + " arguments of " + function + " but got " +
                 std::to_string(arguments.positional.size()));
  std::copy(arguments.positional.begin(), arguments.positional.end(), values.begin());
  for (const auto &[name, value] : arguments.keywords) {
    const auto found = byName ? std::find(names.begin(), names.end(), name) : names.end();
    if (found == names.end())
      context.fail("expected no argument '" + support::escape(name, 60) + "' of " + function);
    std::optional<Value> &place = values[static_cast<size_t>(found - names.begin())];
    if (place)
      context.fail("expected the argument '" + std::string(name) + "' of " + function + " once but got it twice");
    place = value;
  }
  for (size_t i = 0; i < required; ++i)
    if (!values[i])
      context.fail("expected the argument '" + std::string(names[i]) + "' of " + function);
}

int64_t Bound::integer(size_t index, int64_t fallback) const {
  if (!has(index))
    return fallback;
  if (!values[index]->isInteger())
    failExpected(index, "an integer");
  return values[index]->getInteger();
}

std::string_view Bound::text(size_t index, std::string_view fallback) const {
  if (!has(index))
    return fallback;
  if (!values[index]->isText())
    failExpected(index, "a text");
  return values[index]->getText();
}

bool Bound::flag(size_t index, bool fallback) const { return has(index) ? isTrue(context, *values[index]) : fallback; }

void Bound::failExpected(size_t index, std::string_view expected) const {
  const Value &value = *values[index];
  context.fail("expected " + std::string(expected) + " as '" + std::string(names[index]) + "' of '" +
               std::string(what) + "' but got " +
               (value.isUndefined() ? describeUndefined(value) : std::string(describe(value))));
}

} // namespace nstf::runtime::jinja
