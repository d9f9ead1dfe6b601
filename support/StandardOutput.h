// Standard output that reports why a write failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace nstf::support {

/// Replaces std::cout's buffer while it lives. The `<<` or flush whose write fails first throws std::runtime_error with
/// the system's reason, which std::cout alone does not keep. Later output is dropped. runTool creates the only
/// instance.
class StandardOutput : std::streambuf {
public:
  StandardOutput();
  ~StandardOutput();
  StandardOutput(const StandardOutput &) = delete;

  /// Writes the buffered output. From now on nothing throws.
  void flushQuietly();

private:
  int_type overflow(int_type character) override;
  int sync() override;

  std::array<char, 1 << 16> buffer;
  bool hasFailed = false;
  std::streambuf *former;
};

} // namespace nstf::support
