// Texts with values put into them: Python's "%s" % value and "{}".format(value), and HTML's escapes.
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

/// format % values.
Value formatPercent(Context &context, const Value &format, const Value &values);
/// format.format(…).
Value formatBraces(Context &context, std::string_view format, const Arguments &arguments);

/// How a value stands in its field: [[fill]align][sign][#][0][width][,][.precision][type].
struct FormatSpec {
  std::string_view fill = " ";
  char align = '\0'; ///< < > ^ =; 0: as the kind of value has it
  char sign = '-';   ///< - + or a space
  bool alternate = false;
  int64_t width = 0;
  char grouping = '\0'; ///< , or _
  int64_t precision = -1;
  char type = '\0';
};
/// The number without its field, sign included; `type` is one of b c d o x X n e E f F g G % or 0.
std::string formatNumber(Context &context, const Value &number, const FormatSpec &spec);
/// Puts the text into its field; for align '=' the fill follows its sign and prefix.
void appendAligned(TextBuilder &out, std::string_view text, const FormatSpec &spec, char defaultAlign);

/// Text as HTML has it: & < > ' " as entities.
void appendEscaped(TextBuilder &out, std::string_view text);

} // namespace nstf::runtime::jinja
