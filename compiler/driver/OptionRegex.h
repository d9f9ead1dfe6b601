// Regular expressions on the command line: --explain, --remarks.
#pragma once

#include "llvm/Support/Regex.h"

#include <string>

namespace nstf {

/// Throws std::runtime_error "<option>: expected a regular expression …". Long ones are refused: LLVM's compiler of
/// expressions recurses, and its stack ends.
llvm::Regex parseRegex(const std::string &option, const std::string &expression);

} // namespace nstf
