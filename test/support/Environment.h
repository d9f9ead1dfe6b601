// Environment variables of a test.
#pragma once

#include <cstdlib>

namespace nstf::test {

/// Sets an environment variable for a scope.
struct Environment {
  Environment(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name); }
  const char *name;
};

} // namespace nstf::test
