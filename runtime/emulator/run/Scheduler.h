// Distributes workgroups over host threads.
//
// A host thread takes one workgroup after the other, by number or in random order, and runs each to its end. If all
// waves of a workgroup only wait (they yield: s_sleep, or a loop with many rounds), the thread takes more workgroups,
// twice as many each time, up to what the chip holds at once, and runs them in turns. Kernels whose workgroups wait for
// each other thus make progress, and all other kernels run with the registers and LDS of one workgroup. A run with one
// thread is deterministic.
//
// Waits that can never end are detected (Stall.h). When no wave makes progress on any thread, all threads stop, and one
// continues alone until a whole round changes neither a register nor a byte of memory. If the host may write memory
// meanwhile, only waves that wait for each other are examined.
#pragma once

#include "runtime/emulator/run/Finding.h"
#include "runtime/emulator/run/Interpreter.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/LaunchOptions.h"
#include "runtime/emulator/run/ResidentGroup.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nstf::emulator {

/// The number of threads that a launch may use if `wanted` are requested (0: as many as there are cores).
unsigned usableThreads(unsigned wanted);

class Scheduler {
public:
  /// Called for each workgroup that has ended, with the number of wave instructions it executed; one call at a time.
  using Ended = std::function<void(uint64_t group, uint64_t instructions)>;

  Scheduler(LaunchDriver &driver, unsigned threads);
  /// Runs only some of the launch's workgroups, at least one.
  Scheduler(LaunchDriver &driver, unsigned threads, std::span<const uint64_t> some, Ended ended);
  /// Runs the workgroups and returns the sum of the threads' times in nanoseconds. Throws Fault.
  uint64_t run();

private:
  class Worker;
  /// The next workgroup with a place for it; null if no workgroup or no room is left.
  std::unique_ptr<ResidentGroup> admit(ExecutionCounters *counters);
  void retire(std::unique_ptr<ResidentGroup> group);
  /// Does not lock if there is only one thread.
  std::unique_lock<std::mutex> lockShared() {
    return threads > 1 ? std::unique_lock(mutex) : std::unique_lock(mutex, std::defer_lock);
  }
  void fail(uint64_t index, std::exception_ptr exception);
  bool failedBelow(uint64_t index) const { return faultyGroup.load() < index; }
  /// Called by a worker whose workgroups all wait and are unchanged since the previous round. When every worker has
  /// called it, the last one examines the stall while the others wait here; if the host may write memory, they wait
  /// only for a moment.
  void suspect();
  void lookIntoStall();

  LaunchDriver &driver;
  const LaunchOptions &options;
  std::vector<uint64_t> shuffled;       ///< if the order is random
  const std::span<const uint64_t> some; ///< empty: all, in the order of their numbers
  const Ended ended;                    ///< may be null
  const uint64_t groups;
  const unsigned threads;

  std::atomic<uint64_t> time{0}, faultyGroup{UINT64_MAX};
  std::mutex mutex; ///< protects all fields of this group
  uint64_t next = 0, done = 0;
  std::exception_ptr fault;

  std::mutex stallMutex; ///< protects all fields of this group
  std::condition_variable stallEnds;
  std::vector<Worker *> working;
  size_t suspecting = 0;
  uint64_t stallsSeen = 0;
};

} // namespace nstf::emulator
