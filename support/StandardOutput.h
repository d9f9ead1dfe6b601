// Standard output that says why it failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace nstf::support {

/// Takes std::cout's place while it lives. The first write that fails throws std::runtime_error with the system's
/// reason out of the `<<` or flush that made it; by itself std::cout keeps no reason. What comes later is dropped.
/// runTool makes the one there is.
class StandardOutput : std::streambuf {
public:
  StandardOutput();
  ~StandardOutput();
  StandardOutput(const StandardOutput &) = delete;

  /// Writes what is there yet, and from now on throws nothing.
  void flushQuietly();

private:
  int_type overflow(int_type character) override;
  int sync() override;

  std::array<char, 1 << 16> buffer;
  bool hasFailed = false;
  std::streambuf *former;
};

} // namespace nstf::support
