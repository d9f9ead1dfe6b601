// Formatted texts: Python's "%s" % value and "{}".format(value), and HTML's escapes.
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

/// format % values.
Value formatPercent(Context &context, const Value &format, const Value &values);
/// format.format(…).
Value formatBraces(Context &context, std::string_view format, const Arguments &arguments);

/// The format of a value in its field: [[fill]align][sign][#][0][width][,][.precision][type].
struct FormatSpec {
  std::string_view fill = " ";
  char align = '\0'; ///< < > ^ =; 0: the default of the value's kind
  char sign = '-';   ///< - + or a space
  bool alternate = false;
  int64_t width = 0;
  char grouping = '\0'; ///< , or _
  int64_t precision = -1;
  char type = '\0';
};
/// The number without padding, sign included; `type` is one of b c d o x X n e E f F g G % or 0.
std::string formatNumber(Context &context, const Value &number, const FormatSpec &spec);
/// Pads the text to its field; for align '=' the fill follows the sign and prefix.
void appendAligned(TextBuilder &out, std::string_view text, const FormatSpec &spec, char defaultAlign);

/// HTML escaping: & < > ' " as entities.
void appendEscaped(TextBuilder &out, std::string_view text);

} // namespace nstf::runtime::jinja
