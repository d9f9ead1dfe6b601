// The error of an action.
#pragma once

#include <stdexcept>
#include <string>

namespace nstf::test {

/// The text of the std::runtime_error that `action` throws; "no failure" where it throws nothing.
template <typename Action> std::string failure(const Action &action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no failure";
}

} // namespace nstf::test
