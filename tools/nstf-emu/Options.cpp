#include "tools/nstf-emu/Options.h"
#include "runtime/emulator/checks/Checks.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

namespace nstf::emulator::tool {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

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
  command.add_option("--max-steps", maxSteps, "wave instructions that a launch may execute (default: any number)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command.add_option("--timeout", timeout, "seconds that a launch may take (default: any time)")
      ->check(CLI::Range(1e-3, 1e6))
      ->type_name("SECONDS");
}

LaunchProgress::LaunchProgress(const std::string &what)
    : line(what, "workgroups", 0,
           [this](double seconds) { return shortRate(double(executed.load()) / seconds) + " instructions/s"; }) {}

LaunchOptions LaunchLimits::launchOptions(LaunchProgress *progress) const {
  LaunchOptions options = LaunchOptions::fromEnvironment();
  if (threads)
    options.threads = threads;
  if (maxSteps)
    options.stepLimit = maxSteps;
  if (timeout > 0)
    options.timeout = std::chrono::duration<double>(timeout);
  options.alone = true; // nobody else writes to the launch's memory
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
