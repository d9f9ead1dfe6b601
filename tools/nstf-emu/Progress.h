// A line on the terminal that is written over and over while a launch runs, and wiped at its end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace nstf::emulator::tool {

class Progress {
public:
  Progress(std::string what, bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  /// Not where standard error is no terminal.
  bool isShown() const { return shown; }
  void update(uint64_t done, uint64_t all);
  /// Wave instructions so far; who runs the launch adds to it.
  std::atomic<uint64_t> executed = 0;
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  std::string what;
  bool shown, written = false;
  Clock::time_point start, last;
};

} // namespace nstf::emulator::tool
