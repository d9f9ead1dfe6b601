// Compares a case's results with the expected ones, for every way of running it.
#include "test/runtime/emulator/suite/suite.h"

#include <cstdio>
#include <stdexcept>

namespace suite {

void Run::check(const std::string &error, const char *kernel) {
  if (!error.empty())
    throw std::runtime_error(std::string(kernel) + ": " + error);
}
void Run::expect(bool condition, const std::string &what) {
  if (!condition)
    throw std::runtime_error(what);
}
void Run::differ(const char *what, size_t place, double got, double expected) {
  char text[200];
  std::snprintf(text, sizeof text, "%s[%zu]: expected %.17g but got %.17g", what, place, expected, got);
  throw std::runtime_error(text);
}

} // namespace suite
