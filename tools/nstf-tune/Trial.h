// Compiles a candidate and times it.
#pragma once

#include "compiler/driver/KernelCommand.h"
#include "tools/nstf-tune/Journal.h"

#include <atomic>
#include <memory>

namespace nstf::tune {

/// Times candidates: predicts their time, or measures it on a GPU.
class Timer {
public:
  virtual ~Timer() = default;
  virtual std::string getName() const = 0; ///< "predicted" or "measured"
  virtual std::string getChip() const = 0;
  virtual int64_t getComputeUnits() const = 0;
  virtual int64_t getClock() const = 0; ///< MHz
  /// What distinguishes chips of the same name: the constants, or a driver's version.
  virtual std::string describe() const = 0;
  /// Microseconds of the launch in the file. Throws std::runtime_error. May be called from any thread.
  virtual double time(const std::filesystem::path &launchFile, const std::atomic<bool> &stop) const = 0;
  /// The longest time within the chip's uncertainty.
  virtual double timeAtWorst(const std::filesystem::path &launchFile, const std::atomic<bool> &stop) const = 0;
};

/// A timer by the timing model of a chip, given by name or file. Throws std::runtime_error.
std::unique_ptr<Timer> makePredictor(const std::string &chip);

/// Compiles the kernel and takes its time, or with `isWorst` its worst-case time. A candidate's fault is part of the
/// trial.
Trial tryKernel(const KernelDescription &description, KernelRequest request, const Timer &timer, bool isWorst,
                const std::atomic<bool> &stop);

} // namespace nstf::tune
