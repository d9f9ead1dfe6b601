// Writes tuning rows in the format that TuningTable.h reads.
#pragma once

#include "compiler/catalog/TuningTable.h"

#include <string>
#include <string_view>

namespace nstf {

/// The row as a file has it: lines that begin with "  - ".
std::string formatRow(const TuningRow &row);

/// A file with the row in it, in the place of one with the same ranges or behind the others. `text`: the file as it
/// was, empty: a new one begins with `header` and says `provenance`, "{date: …, tool: …, kind: …}". The rest of the
/// text stays as it is. Throws support::InputError where text or result is no tuning file, such as one in which the row
/// overlaps another.
std::string putRow(std::string_view text, const std::string &file, const TuningRow &row, const std::string &header,
                   const std::string &provenance);

} // namespace nstf
