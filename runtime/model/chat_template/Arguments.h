// The arguments of a call, and their assignment to a function's parameters.
#pragma once

#include "runtime/model/chat_template/Context.h"

#include <initializer_list>
#include <optional>

namespace nstf::runtime::jinja {

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> keywords;
  bool empty() const { return positional.empty() && keywords.empty(); }
};

/// Arguments by parameter. Throws when an argument is missing, superfluous or of an unknown name.
class Bound {
public:
  /// `what` is the function's name for messages; the first `required` parameters have no default.
  Bound(Context &context, std::string_view what, const Arguments &arguments,
        std::initializer_list<std::string_view> parameters, size_t required = 0, bool byName = true);

  /// Whether the argument was given, even as none.
  bool has(size_t index) const { return values[index].has_value(); }
  /// Whether the argument was given and is not none.
  bool hasValue(size_t index) const { return has(index) && !values[index]->is(Kind::None); }
  Value get(size_t index, Value fallback = Value::none()) const { return values[index].value_or(fallback); }
  int64_t integer(size_t index, int64_t fallback = 0) const;
  std::string_view text(size_t index, std::string_view fallback = {}) const;
  /// Python's truth value of the argument.
  bool flag(size_t index, bool fallback = false) const;

private:
  [[noreturn]] void failExpected(size_t index, std::string_view expected) const;

  Context &context;
  std::string_view what;
  std::vector<std::string_view> names;
  std::vector<std::optional<Value>> values;
};

} // namespace nstf::runtime::jinja
