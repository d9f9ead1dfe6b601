#include "compiler/driver/OptionRegex.h"
#include "support/Escape.h"

#include <stdexcept>

llvm::Regex nstf::parseRegex(const std::string &option, const std::string &expression) {
  constexpr size_t maxLength = 1000;
  if (expression.size() > maxLength)
    throw std::runtime_error(option + ": expected a regular expression of at most " + std::to_string(maxLength) +
                             " characters but got " + std::to_string(expression.size()));
  std::string message;
  llvm::Regex regex(expression);
  if (!regex.isValid(message))
    throw std::runtime_error(option + ": expected a regular expression but got '" + support::escape(expression) +
                             "': " + message);
  return regex;
}
