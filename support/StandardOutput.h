// Standard output that says why it failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace nstf::support {

/// Takes std::cout's place while it lives. The first write that fails throws std::runtime_error with the system's
/// reason out of the `<<` or flush that made it; by itself std::cout keeps no reason. What comes later is dropped.
/// One object, first thing in main.
class StandardOutput : std::streambuf {
public:
  StandardOutput();
  ~StandardOutput();
  StandardOutput(const StandardOutput &) = delete;

private:
  int_type overflow(int_type character) override;
  int sync() override;

  std::array<char, 1 << 16> buffer;
  bool hasFailed = false;
  std::streambuf *former;
};

/// One line of error on standard error: "error: " and the message, escaped.
void printError(std::string_view message);

} // namespace nstf::support
