// Values as text: the output of Python's str(), repr() and json.dumps().
#pragma once

#include "runtime/model/chat_template/Context.h"

#include <optional>

namespace nstf::runtime::jinja {

/// str(value), as {{ }} prints it. A view into memory of the value or of the context. Throws for values whose text
/// differs between runs: functions, iterators.
std::string_view toText(Context &context, const Value &value);
/// repr(value).
void appendRepr(TextBuilder &out, Context &context, const Value &value);
/// ascii(value): repr with escapes for all that is not ASCII.
std::string escapeNonAscii(std::string_view repr);

/// Parameters of json.dumps.
struct JsonStyle {
  bool ensureAscii = false, sortKeys = false;
  std::optional<std::string_view> indent; ///< of one level; absent: all on one line
  std::string_view itemSeparator = ", ", keySeparator = ": ";
};
std::string toJson(Context &context, const Value &value, const JsonStyle &style);

} // namespace nstf::runtime::jinja
