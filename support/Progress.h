// Progress of long work: one line on the terminal, which is overwritten repeatedly and wiped at the end. Libraries
// report progress; it is shown only if a tool has called showProgress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nstf::support {

/// Enables progress if standard error is a terminal: work that takes longer than 2 s (or NSTF_PROGRESS_AFTER seconds)
/// then shows its progress there.
void showProgress();
/// Wipes the line, so that the caller can write to standard error. The next update shows the line again, below that
/// output.
void wipeProgress();

class Progress {
public:
  /// `what` is a description, such as "packing weights". `unit` is "bytes" (shown in KiB, MiB, …) or the name of
  /// anything else that can be counted. `detail` returns additional text; it is called from another thread.
  Progress(std::string what, std::string unit, uint64_t all = 0,
           std::function<std::string(double seconds)> detail = {});
  ~Progress();
  Progress(const Progress &) = delete;

  /// May be called from any thread.
  void add(uint64_t count = 1) { done += count; }
  void update(uint64_t nowDone, uint64_t nowAll) {
    done = nowDone;
    all = nowAll;
  }
  /// False if nothing is shown; then the caller can skip counting.
  bool isShown() const { return isOnTerminal; }

  /// "packing weights: 1.5 of 15.0 GiB, 34 s left": the line after `seconds` seconds.
  std::string describe(double seconds) const;

private:
  void run();

  std::string what, unit;
  std::atomic<uint64_t> done = 0, all;
  std::function<std::string(double seconds)> detail;
  bool isOnTerminal = false; ///< true for the first of several at a time
  bool hasEnded = false;
  std::mutex lock; ///< guards hasEnded
  std::condition_variable end;
  std::thread ticker;
};

} // namespace nstf::support
