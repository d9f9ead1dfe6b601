#include "support/Progress.h"
#include "support/ByteSize.h"
#include "support/Escape.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace nstf::support {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> interval(0.2);

/// State of the terminal's last line: which Progress owns it, and whether it must be wiped.
struct Terminal {
  std::atomic<bool> isAsked = false;
  std::atomic<const Progress *> owner = nullptr;
  std::chrono::duration<double> patience{2};
  std::mutex lock;
  bool isWritten = false;

  void write(std::string text) {
    std::lock_guard guard(lock);
    winsize size = {};
    // A line that wraps can't be wiped, so it is cut at the terminal's width.
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && text.size() >= size.ws_col)
      text.resize(size.ws_col - 1);
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    isWritten = true;
  }

  void wipe() {
    std::lock_guard guard(lock);
    if (!std::exchange(isWritten, false))
      return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
};

Terminal &getTerminal() {
  static Terminal terminal;
  return terminal;
}

std::string describeSeconds(double seconds) {
  char text[32];
  if (seconds < 100)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else
    std::snprintf(text, sizeof text, seconds < 6000 ? "%.0f min" : "%.0f h", seconds / (seconds < 6000 ? 60 : 3600));
  return text;
}

} // namespace

void showProgress() {
  auto setting = [](const char *name) {
    const char *text = std::getenv(name);
    return std::string(text ? text : "");
  };
  Terminal &terminal = getTerminal();
  if (std::string after = setting("NSTF_PROGRESS_AFTER"); !after.empty())
    terminal.patience = std::chrono::duration<double>(std::clamp(std::atof(after.c_str()), 0.0, 1e6));
  terminal.isAsked = isatty(STDERR_FILENO) && setting("TERM") != "dumb";
}

void wipeProgress() { getTerminal().wipe(); }

Progress::Progress(std::string what, std::string unit, uint64_t all, std::function<std::string(double seconds)> detail)
    : what(std::move(what)), unit(std::move(unit)), all(all), detail(std::move(detail)) {
  const Progress *nobody = nullptr;
  isOnTerminal = getTerminal().isAsked && getTerminal().owner.compare_exchange_strong(nobody, this);
  if (!isOnTerminal)
    return;
  if (getTerminal().patience.count() == 0) // show it at once, even if the work ends soon
    getTerminal().write(describe(0));
  ticker = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!isOnTerminal)
    return;
  {
    std::lock_guard guard(lock);
    hasEnded = true;
  }
  end.notify_one();
  ticker.join();
  getTerminal().wipe();
  getTerminal().owner = nullptr;
}

void Progress::run() {
  Clock::time_point start = Clock::now();
  std::unique_lock guard(lock);
  for (auto pause = getTerminal().patience; !end.wait_for(guard, pause, [this] { return hasEnded; }); pause = interval)
    getTerminal().write(describe(std::chrono::duration<double>(Clock::now() - start).count()));
}

std::string Progress::describe(double seconds) const {
  uint64_t total = all, now = done;
  bool isBytes = unit == "bytes";
  ByteUnit scale = isBytes ? getByteUnit(total) : ByteUnit{unit.c_str(), 1};
  std::string text = escape(what);
  if (!total)
    return text;
  text += ": " + formatBytes(now, scale) + " of " + formatBytes(total, scale) + " " + scale.name;
  if (std::string more = detail ? detail(seconds) : ""; !more.empty())
    text += ", " + more;
  if (now && now <= total)
    text += ", " + describeSeconds(seconds / double(now) * double(total - now)) + " left";
  return text;
}

} // namespace nstf::support
