// Compiles a candidate and has it timed.
#pragma once

#include "compiler/driver/KernelCommand.h"
#include "tools/nstf-tune/Journal.h"

#include <atomic>
#include <memory>

namespace nstf::tune {

/// How candidates are timed: predicted, or where a GPU answers measured.
class Timer {
public:
  virtual ~Timer() = default;
  virtual std::string getName() const = 0; ///< "predicted" or "measured"
  virtual std::string getChip() const = 0;
  virtual int64_t getComputeUnits() const = 0;
  virtual int64_t getClock() const = 0; ///< MHz
  /// What decides of two chips of a name: constants, or a driver's version.
  virtual std::string describe() const = 0;
  /// Microseconds of the launch that the file describes. Throws std::runtime_error. From any thread.
  virtual double time(const std::filesystem::path &launchFile, const std::atomic<bool> &stop) const = 0;
  /// The longest that it may take by what is uncertain of the chip.
  virtual double timeAtWorst(const std::filesystem::path &launchFile, const std::atomic<bool> &stop) const = 0;
};

/// By the timing model of a chip's name or file. Throws std::runtime_error.
std::unique_ptr<Timer> makePredictor(const std::string &chip);

/// Compiles the kernel and times it, or has its worst time. What is wrong with a candidate is part of the trial.
Trial tryKernel(const KernelDescription &description, KernelRequest request, const Timer &timer, bool isWorst,
                const std::atomic<bool> &stop);

} // namespace nstf::tune
