// How a launch is run.
#pragma once

#include "runtime/emulator/instructions/HandlerTable.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace nstf::emulator {

class Monitor;
struct DeviceModel;
struct ExecutionStatistics;

struct LaunchOptions {
  const DeviceModel *model = nullptr;        ///< the chip; null: the default one of the target
  ExecutionStatistics *statistics = nullptr; ///< what the launch does is added to it
  Monitor *monitor = nullptr;                ///< watches it, which then runs on one thread
  MatrixMode matrix = MatrixMode::Fast;
  unsigned threads = 0; ///< 0: one a core; never more than cores
  std::optional<uint64_t> shuffle =
      {};                 ///< workgroups begin in a random order of this seed; none: in that of their numbers
  uint64_t stepLimit = 0; ///< wave instructions the launch may execute; 0: any number
  std::chrono::duration<double> timeout = std::chrono::duration<double>::zero(); ///< zero: any time
  const std::atomic<bool> *interrupt = nullptr;                                  ///< becomes true to end the launch
  /// Nobody else writes memory while it runs: waves that wait for what can never come are then a Fault.
  bool alone = false;
  /// Called after each workgroup, from any thread, one at a time.
  std::function<void(uint64_t done, uint64_t all)> progress;
  /// With statistics: the wave instructions so far are added to it after each workgroup, before progress is called.
  std::atomic<uint64_t> *executed = nullptr;

  /// NSTF_EMU_THREADS, NSTF_EMU_SHUFFLE, NSTF_EMU_TIMEOUT (seconds) and NSTF_EMU_MATRIX (fast, exact). Throws
  /// std::runtime_error for what isn't a value of theirs.
  static LaunchOptions fromEnvironment();
};

/// "fast" or "exact"; throws std::runtime_error that begins with `where`.
MatrixMode parseMatrixMode(const std::string &text, const std::string &where);

} // namespace nstf::emulator
