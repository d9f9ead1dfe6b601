#include "tools/nstf-run/Interrupt.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

// A pipe: the handler writes to it, so a signal that comes between the check of the flag and poll still ends the poll.
static volatile std::sig_atomic_t isInterrupted = 0;
static int wakeUp[2];

Interrupt::Interrupt() {
  isInterrupted = 0;
  if (pipe2(wakeUp, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  struct sigaction action = {};
  action.sa_handler = [](int) {
    isInterrupted = 1;
    [[maybe_unused]] ssize_t written = write(wakeUp[1], "", 1);
  };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  close(wakeUp[0]);
  close(wakeUp[1]);
}

bool Interrupt::isWanted() const { return isInterrupted; }

std::optional<std::string> Interrupt::readLine() {
  constexpr std::size_t maxBytes = std::size_t(4) << 20;
  for (;;) {
    if (std::size_t end = pending.find('\n'); end != std::string::npos) {
      std::string line = pending.substr(0, end);
      pending.erase(0, end + 1);
      return line;
    }
    if (pending.size() > maxBytes)
      throw std::runtime_error("standard input: expected lines of at most 4 MiB");
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {wakeUp[0], POLLIN, 0}};
    if (poll(files, 2, -1) < 0 && errno != EINTR)
      throw std::runtime_error(std::string("standard input: ") + std::strerror(errno));
    if (isWanted())
      return std::nullopt;
    char bytes[4096];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got < 0)
      throw std::runtime_error(std::string("standard input: ") + std::strerror(errno));
    if (got > 0) {
      pending.append(bytes, std::size_t(got));
      continue;
    }
    if (pending.empty())
      return std::nullopt;
    return std::exchange(pending, ""); // a last line without a newline
  }
}
