// Regular expressions on the command line: --explain, --remarks.
#pragma once

#include "llvm/Support/Regex.h"

#include <string>

namespace nstf {

/// Throws std::runtime_error "<option>: expected a regular expression …". Long expressions are refused because LLVM's
/// regular expression compiler is recursive and would overflow the stack.
llvm::Regex parseRegex(const std::string &option, const std::string &expression);

} // namespace nstf
