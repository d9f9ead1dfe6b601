// Options that several subcommands of nstf-emu share.
#pragma once

#include "runtime/emulator/launch/LaunchPredictor.h"
#include "support/Progress.h"

#include <CLI/App.hpp>
#include <atomic>
#include <string>

namespace nstf::emulator::tool {

/// The progress line of a launch.
struct LaunchProgress {
  explicit LaunchProgress(const std::string &what);
  std::atomic<uint64_t> executed = 0; ///< wave instructions; the launch's runner adds to it
  support::Progress line;
};

/// The launch file, and the options that override its values.
struct SessionArguments {
  std::string file;

  void add(CLI::App &command);
  void addCheck(CLI::App &command);
  SessionOptions options() const;

private:
  std::string target, matrix, check;
  CLI::Option *checkOption = nullptr;
};

/// Limits of a launch.
struct LaunchLimits {
  void add(CLI::App &command, bool withThreads = true);
  LaunchOptions launchOptions(LaunchProgress *progress) const;

private:
  unsigned threads = 0;
  std::optional<uint64_t> shuffle;
  uint64_t maxSteps = 0;
  double timeout = 0;
};

/// Whether and how launches are timed.
struct TimingArguments {
  void add(CLI::App &command);
  /// The chip of --timing; nothing without the option.
  std::optional<timing::ChipTiming> chosenChip() const;
  std::unique_ptr<LaunchPredictor> predictor(LaunchSession &session, const timing::ChipTiming &chosen) const;
  /// Whether every workgroup is executed, so that the results are complete.
  bool isComplete() const { return !options.sampledOnly; }

private:
  std::string chip;
  timing::TimingOptions options;
  unsigned runAhead = 1;
};

/// While it lives, the first Ctrl-C ends the running launch with a fault that gives the waves' program counters; the
/// second one ends the process.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  static const std::atomic<bool> *flag();
};

/// A finding's text, with the buffer in or near which its address lies.
std::string describe(const LaunchSession &session, const Finding &finding);

/// "12,345,678"
std::string grouped(uint64_t number);
/// "1.23 M"
std::string shortRate(double number);
/// "1.23 s", "4.56 ms"
std::string shortSeconds(double seconds);

} // namespace nstf::emulator::tool
