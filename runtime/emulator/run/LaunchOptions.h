// Options of a launch.
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
namespace services {
class HostServices;
}

struct LaunchOptions {
  const DeviceModel *model = nullptr;         ///< the chip; null: the target's default chip
  ExecutionStatistics *statistics = nullptr;  ///< the launch's counts are added to it
  Monitor *monitor = nullptr;                 ///< observes the launch, which then runs on one thread
  services::HostServices *services = nullptr; ///< printf and malloc of kernels; null: they get null pointers
  MatrixMode matrix = MatrixMode::Fast;
  unsigned threads = 0; ///< 0: one a core; never more than cores
  std::optional<uint64_t> shuffle =
      {}; ///< workgroups begin in a random order of this seed; none: in that of their numbers
  uint32_t dynamicStack = 16 * 1024; ///< bytes of a lane's stack whose size the compiler does not know
  uint64_t stepLimit = 0;            ///< maximum number of wave instructions executed; 0: no limit
  std::chrono::duration<double> timeout = std::chrono::duration<double>::zero(); ///< zero: no limit
  const std::atomic<bool> *interrupt = nullptr;                                  ///< set to true to end the launch
  /// Nothing else writes memory while the launch runs; waves that can never stop waiting are then a Fault.
  bool alone = false;
  /// Called after each workgroup, from any thread; one call at a time.
  std::function<void(uint64_t done, uint64_t all)> progress;
  /// With statistics: set to the number of wave instructions so far after each workgroup, before progress is called.
  std::atomic<uint64_t> *executed = nullptr;

  /// NSTF_EMU_THREADS, NSTF_EMU_SHUFFLE, NSTF_EMU_TIMEOUT (seconds) and NSTF_EMU_MATRIX (fast, exact). Throws
  /// std::runtime_error if a variable has an invalid value.
  static LaunchOptions fromEnvironment();
};

/// "fast" or "exact"; throws std::runtime_error that begins with `where`.
MatrixMode parseMatrixMode(const std::string &text, const std::string &where);

} // namespace nstf::emulator
