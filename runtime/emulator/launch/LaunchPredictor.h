// Runs a session's launches under the timing model.
//
// Each is run once a clock, from the same contents of memory: at the chip's peak clock, and at the clock that it would
// hold if it ran again and again (timing/ClockModel.h); or once, at a clock that the user asks for. What the last run
// leaves in memory are the launch's results. Caches keep what launches leave in them, for each clock apart.
#pragma once

#include "runtime/emulator/launch/LaunchSession.h"
#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/MemorySystem.h"
#include "runtime/emulator/timing/TimedLaunch.h"

namespace nstf::emulator {

class DecodedProgram;

struct ClockPrediction {
  std::string_view clock;              ///< "peak", "sustained" or "given"
  timing::LaunchPrediction prediction; ///< of the last repetition
  double firstNs = 0;                  ///< of the first repetition
};

struct PredictedLaunch {
  LaunchResult result;                      ///< of the last run; no findings
  std::vector<ClockPrediction> predictions; ///< without the one that ended with a fault
  uint64_t notKept = 0; ///< bytes that kernels may write; so many aren't kept for a second run, at the sustained clock
};

/// An instruction that waves executed, and how they stood before it.
struct InstructionTiming {
  uint64_t offset;    ///< bytes behind the kernel's entry
  std::string text;   ///< assembly
  std::string source; ///< "at matmul.mlir:51:12 in matmul"; empty without debug information
  timing::InstructionStalls stalls;
};

class LaunchPredictor {
public:
  /// `options.clockMhz` 0: peak and sustained. Throws std::runtime_error for a chip that isn't one of the session's
  /// target, for a session with checks, and for a kernel whose workgroup fits no compute unit.
  LaunchPredictor(LaunchSession &session, timing::ChipTiming chip, const timing::TimingOptions &options);

  const timing::ChipTiming &chip() const { return constants; }
  /// Whether every workgroup is executed: then a launch's statistics are those of one that nobody times.
  bool executesAll() const { return !timing.sampledOnly; }
  /// A fault is part of the result.
  PredictedLaunch predict(const PreparedLaunch &launch, const LaunchOptions &options);
  /// Those that were executed, in the order of their addresses.
  std::vector<InstructionTiming> instructionsOf(const PreparedLaunch &launch,
                                                const timing::LaunchPrediction &prediction) const;

private:
  ClockPrediction predictAt(std::string_view clock, double clockMhz, timing::MemorySystem &caches,
                            const PreparedLaunch &launch, LaunchOptions options, LaunchResult &result);
  const DecodedProgram &programOf(const PreparedLaunch &launch) const;
  double sustainedClockOf(const PreparedLaunch &launch, const timing::LaunchPrediction &atPeak) const;

  LaunchSession &session;
  timing::ChipTiming constants;
  timing::TimingOptions timing;
  timing::MemorySystem atPeak, sustained; ///< caches; a given clock's are atPeak
};

} // namespace nstf::emulator
