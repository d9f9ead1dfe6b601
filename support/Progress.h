// How far work is that may take its time: one line on the terminal, written over and over, and wiped at its end.
// Whoever works says so; it is shown where a tool asked for it, and never by a library alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nstf::support {

/// From now on: where standard error is a terminal, what takes longer than 2 s (or NSTF_PROGRESS_AFTER, seconds) shows
/// its progress there.
void showProgress();
/// Wipes the line, for who writes to standard error while there may be one. It comes back below.
void wipeProgress();

class Progress {
public:
  /// "packing weights", in "bytes" (shown in KiB, MiB, …) or anything else that can be counted. `detail` may say more;
  /// it is called from another thread.
  Progress(std::string what, std::string unit, uint64_t all = 0,
           std::function<std::string(double seconds)> detail = {});
  ~Progress();
  Progress(const Progress &) = delete;

  /// From any thread.
  void add(uint64_t count = 1) { done += count; }
  void update(uint64_t nowDone, uint64_t nowAll) {
    done = nowDone;
    all = nowAll;
  }
  /// False where nobody looks: then who would have to count need not.
  bool isShown() const { return isOnTerminal; }

  /// "packing weights: 1.5 of 15.0 GiB, 34 s left", after that many seconds.
  std::string describe(double seconds) const;

private:
  void run();

  std::string what, unit;
  std::atomic<uint64_t> done = 0, all;
  std::function<std::string(double seconds)> detail;
  bool isOnTerminal = false; ///< of several at a time the first
  bool hasEnded = false;
  std::mutex lock; ///< of hasEnded
  std::condition_variable end;
  std::thread ticker;
};

} // namespace nstf::support
