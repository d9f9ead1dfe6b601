// Runs a session's launches under the timing model.
//
// Each launch runs twice from the same contents of memory: at the chip's peak clock, and at the clock that the chip
// would sustain if the launch ran repeatedly (timing/ClockModel.h). If the user gives a clock, it runs once, at that
// clock. The contents of memory after the last run are the launch's results. The caches keep their contents between
// launches, separately for each clock.
#pragma once

#include "runtime/emulator/launch/LaunchSession.h"
#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"

namespace nstf::emulator {

class DecodedProgram;

struct ClockPrediction {
  std::string_view clock;              ///< "peak", "sustained" or "given"
  timing::LaunchPrediction prediction; ///< of the last repetition
  double firstNs = 0;                  ///< of the first repetition
};

struct PredictedLaunch {
  LaunchResult result;                      ///< of the last run; without findings
  std::vector<ClockPrediction> predictions; ///< a run that ended with a fault has none
  /// Bytes that kernels may write, if they are too many to save for a second run at the sustained clock; else 0.
  uint64_t notKept = 0;
};

/// An instruction that waves executed, and the stalls before it.
struct InstructionTiming {
  uint64_t offset;    ///< bytes from the kernel's entry
  std::string text;   ///< assembly
  std::string source; ///< "at matmul.mlir:51:12 in matmul"; empty without debug information
  timing::InstructionStalls stalls;
};

class LaunchPredictor {
public:
  /// `options.clockMhz` 0: peak and sustained clock. Throws std::runtime_error if the chip does not belong to the
  /// session's target, if the session has checks, or if a kernel's workgroup does not fit a compute unit.
  LaunchPredictor(LaunchSession &session, timing::ChipTiming chip, const timing::TimingOptions &options);

  const timing::ChipTiming &chip() const { return constants; }
  /// Whether every workgroup is executed. A launch's statistics then equal those of an untimed run.
  bool executesAll() const { return !timing.sampledOnly; }
  /// A fault is part of the result.
  PredictedLaunch predict(const PreparedLaunch &launch, const LaunchOptions &options);
  /// The executed instructions, by ascending address.
  std::vector<InstructionTiming> getInstructions(const PreparedLaunch &launch,
                                                 const timing::LaunchPrediction &prediction) const;

private:
  ClockPrediction predictAt(std::string_view clock, double clockMhz, timing::MemorySystem &caches,
                            const PreparedLaunch &launch, LaunchOptions options, LaunchResult &result);
  const DecodedProgram &getProgram(const PreparedLaunch &launch) const;
  double getSustainedClock(const PreparedLaunch &launch, const timing::LaunchPrediction &atPeak) const;

  LaunchSession &session;
  timing::ChipTiming constants;
  timing::TimingOptions timing;
  timing::MemorySystem atPeak, sustained; ///< caches at each clock; a given clock uses atPeak
};

} // namespace nstf::emulator
