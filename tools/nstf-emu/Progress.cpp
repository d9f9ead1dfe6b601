#include "tools/nstf-emu/Progress.h"
#include "tools/nstf-emu/Options.h"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace nstf::emulator::tool {

Progress::Progress(std::string what, bool quiet)
    : what(std::move(what)), shown(!quiet && isatty(STDERR_FILENO)), start(Clock::now()), last(start) {}

void Progress::update(uint64_t done, uint64_t all) {
  Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(200))
    return;
  last = now;
  double seconds = std::chrono::duration<double>(now - start).count(), rate = double(done) / seconds;
  std::fprintf(stderr, "\r\033[K%s: %llu of %llu workgroups, %s instructions/s, %.0f s left", what.c_str(),
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(all),
               shortRate(double(executed.load()) / seconds).c_str(), rate > 0 ? double(all - done) / rate : 0.0);
  std::fflush(stderr);
  written = true;
}

void Progress::clear() {
  if (written)
    std::fputs("\r\033[K", stderr);
  written = false;
}

} // namespace nstf::emulator::tool
