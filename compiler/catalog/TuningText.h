// Writes tuning rows in the format that TuningTable.h reads.
#pragma once

#include "compiler/catalog/TuningTable.h"

#include <string>
#include <string_view>

namespace nstf {

/// The row's text in a file: lines that begin with "  - ".
std::string formatRow(const TuningRow &row);

/// Puts the row into a tuning file: it replaces a row with the same ranges and precedence, or is appended. `text` is
/// the file's text; if it is empty, a new one begins with `header` and has `provenance`, "{date: …, tool: …, kind: …}".
/// All other text stays unchanged. Throws support::InputError if the text or the result is not a valid tuning file, for
/// example if the row overlaps another.
std::string putRow(std::string_view text, const std::string &file, const TuningRow &row, const std::string &header,
                   const std::string &provenance);

} // namespace nstf
