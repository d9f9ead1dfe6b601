// Workgroups over host threads.
//
// A host thread takes one workgroup after the other, in the order of their numbers or in a random one, and runs each to
// its end. Where all that a workgroup's waves do is wait (they yield: s_sleep, or a loop that goes round and round),
// the thread takes more beside it, twice as many each time, up to what the chip holds at once, and gives all of them
// turns: so a kernel whose workgroups wait for each other gets on, and any other runs out of one workgroup's registers
// and LDS. One thread is fully deterministic.
//
// Waiting that can never end is found (Stall.h): when no wave moves on any thread, the threads stop and one goes on
// alone until a whole round changes neither a register nor a byte of memory. Where the host may write memory meanwhile,
// only waves that wait for each other alone are looked into.
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

/// How many threads a launch may use where `wanted` are asked for (0: as many as there are cores).
unsigned usableThreads(unsigned wanted);

class Scheduler {
public:
  /// Told of each workgroup that has ended how many wave instructions it executed; one call at a time.
  using Ended = std::function<void(uint64_t group, uint64_t instructions)>;

  Scheduler(LaunchDriver &driver, unsigned threads);
  /// Of some of the launch's workgroups only, at least one.
  Scheduler(LaunchDriver &driver, unsigned threads, std::span<const uint64_t> some, Ended ended);
  /// Runs the workgroups and returns the threads' time together, in nanoseconds. Throws Fault.
  uint64_t run();

private:
  class Worker;
  /// The next workgroup and a place for it; null where there is none, or no room.
  std::unique_ptr<ResidentGroup> admit(ExecutionCounters *counters);
  void retire(std::unique_ptr<ResidentGroup> group);
  /// One thread needs no lock.
  std::unique_lock<std::mutex> lockShared() {
    return threads > 1 ? std::unique_lock(mutex) : std::unique_lock(mutex, std::defer_lock);
  }
  void fail(uint64_t index, std::exception_ptr exception);
  bool failedBelow(uint64_t index) const { return faultyGroup.load() < index; }
  /// Called by a worker whose workgroups all wait and stand as they did a round ago. When that is so for every worker,
  /// the last looks into it while the others wait here; where the host may write memory they wait for a moment only.
  void suspect();
  void lookIntoStall();

  LaunchDriver &driver;
  const LaunchOptions &options;
  std::vector<uint64_t> shuffled;       ///< where the order is random
  const std::span<const uint64_t> some; ///< empty: all, in the order of their numbers
  const Ended ended;                    ///< may be null
  const uint64_t groups;
  const unsigned threads;

  std::atomic<uint64_t> time{0}, faultyGroup{UINT64_MAX};
  std::mutex mutex; ///< of all in this paragraph
  uint64_t next = 0, done = 0;
  std::exception_ptr fault;

  std::mutex stallMutex; ///< of all in this paragraph
  std::condition_variable stallEnds;
  std::vector<Worker *> working;
  size_t suspecting = 0;
  uint64_t stallsSeen = 0;
};

} // namespace nstf::emulator
