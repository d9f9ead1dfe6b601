#include "tools/nstf-emu/Options.h"
#include "runtime/emulator/checks/Checks.h"
#include "runtime/emulator/timing/prediction/ClockModel.h"
#include "support/Escape.h"
#include "support/Number.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <limits>

namespace nstf::emulator::tool {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

/// Checks the range of a number; unlike CLI::Range, it refuses NaN.
auto between(double low, double high, const std::string &expected) {
  return [=](const std::string &text) {
    const auto number = support::Number::parse(text);
    return number && number->value >= low && number->value <= high
               ? ""
               : "expected " + expected + " but got '" + support::escape(text) + "'";
  };
}

void onInterrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

} // namespace

void SessionArguments::add(CLI::App &command) {
  command.add_option("file", file, "the launch file")->required()->type_name("LAUNCH.yaml");
  command.add_option("--target", target, "chip, such as gfx90a or gfx942:xnack+, instead of the file's")
      ->type_name("ID");
  command.add_option("--matrix", matrix, "how matrix instructions compute, instead of what the file says")
      ->check(CLI::IsMember({"fast", "exact"}))
      ->type_name("fast|exact");
}

void SessionArguments::addCheck(CLI::App &command) {
  checkOption = command.add_option("--check", check, "what to look for, instead of what the file says")
                    ->type_name("LIST:{" + checks::checkNames(",", ",") + "}");
  command.footer(command.get_footer() + "\n\nChecks, for --check:\n" + checks::describeChecks());
}

SessionOptions SessionArguments::options() const {
  SessionOptions options;
  options.target = target;
  options.matrix = matrix.empty() ? MatrixChoice::Unset : matrix == "exact" ? MatrixChoice::Exact : MatrixChoice::Fast;
  if (checkOption && checkOption->count())
    options.check = check;
  return options;
}

void LaunchLimits::add(CLI::App &command, bool withThreads) {
  if (withThreads)
    command.add_option("--threads", threads, "host threads; 1 is fully deterministic (default: one a core)")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
  command.add_option("--shuffle", shuffle, "workgroups begin in a random order (default: in that of their numbers)")
      ->check(CLI::Range(int64_t(0), std::numeric_limits<int64_t>::max()))
      ->type_name("SEED");
  command.add_option("--max-steps", maxSteps, "wave instructions that a launch may execute (default: any number)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command.add_option("--timeout", timeout, "seconds that a launch may take (default: any time)")
      ->check(CLI::Range(1e-3, 1e6))
      ->type_name("SECONDS");
}

void TimingArguments::add(CLI::App &command) {
  std::string names;
  for (const std::string &name : timing::ChipTiming::names())
    names += name + ", ";
  CLI::Option *timed = command
                           .add_option("--timing", chip,
                                       "predict how long the launches take on this chip: " + names +
                                           "or a file like those of templates/targets/timing")
                           ->type_name("CHIP|FILE.yaml");
  command
      .add_option("--clock", options.clockMhz,
                  "core clock to assume (default: the chip's peak, and what its power limit lets it hold)")
      ->check(between(timing::slowestAssumedClock, timing::fastestAssumedClock, "100 to 2500 MHz"))
      ->needs(timed)
      ->type_name("MHz");
  command.add_option("--budget", options.budget, "wave instructions that are simulated in full; more are sampled")
      ->check(between(1, 1e18, "1 or more wave instructions"))
      ->needs(timed)
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--run-ahead", runAhead, "0: every instruction executes at its own time, slowly; to compare with")
      ->check(CLI::Range(0, 1))
      ->needs(timed)
      ->capture_default_str()
      ->type_name("0|1");
  command
      .add_flag("--sampled-only", options.sampledOnly,
                "don't execute workgroups that a sample leaves out; results are then neither written nor compared")
      ->needs(timed);
}

std::optional<timing::ChipTiming> TimingArguments::chosenChip() const {
  if (chip.empty())
    return std::nullopt;
  try {
    return timing::ChipTiming::choose(chip);
  } catch (const InputError &) {
    throw; // a file's error, with the file's name
  } catch (const std::runtime_error &error) {
    throw InputError(std::string("--timing: ") + error.what());
  }
}

std::unique_ptr<LaunchPredictor> TimingArguments::predictor(LaunchSession &session,
                                                            const timing::ChipTiming &chosen) const {
  timing::TimingOptions how = options;
  how.runAhead = runAhead;
  return std::make_unique<LaunchPredictor>(session, chosen, how);
}

LaunchProgress::LaunchProgress(const std::string &what)
    : line(what, "workgroups", 0,
           [this](double seconds) { return shortRate(double(executed.load()) / seconds) + " instructions/s"; }) {}

LaunchOptions LaunchLimits::launchOptions(LaunchProgress *progress) const {
  LaunchOptions options = LaunchOptions::fromEnvironment();
  if (threads)
    options.threads = threads;
  if (shuffle)
    options.shuffle = shuffle;
  if (maxSteps)
    options.stepLimit = maxSteps;
  if (timeout > 0)
    options.timeout = std::chrono::duration<double>(timeout);
  options.alone = true; // no other process writes to the launch's memory
  options.interrupt = InterruptGuard::flag();
  if (progress && progress->line.isShown()) {
    options.progress = [progress](uint64_t done, uint64_t all) { progress->line.update(done, all); };
    options.executed = &progress->executed;
  }
  return options;
}

InterruptGuard::InterruptGuard() { std::signal(SIGINT, onInterrupt); }
InterruptGuard::~InterruptGuard() { std::signal(SIGINT, SIG_DFL); }
const std::atomic<bool> *InterruptGuard::flag() { return &interrupted; }

std::string describe(const LaunchSession &session, const Finding &finding) {
  std::string place = finding.hasAddress ? session.describeAddress(finding.address) : "";
  return finding.text() + (place.empty() ? "" : "; " + place);
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string shortRate(double number) {
  char text[32];
  bool isMillions = number >= 1e5;
  std::snprintf(text, sizeof text, isMillions ? "%.3g M" : "%.3g", isMillions ? number / 1e6 : number);
  return text;
}

std::string shortSeconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1 ? "%.3g ms" : "%.3g s", seconds < 1 ? seconds * 1e3 : seconds);
  return text;
}

} // namespace nstf::emulator::tool
