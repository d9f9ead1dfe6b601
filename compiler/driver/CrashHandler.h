// Handles crashes of the compiler: a signal, an abort, LLVM's "Cannot select".
//
// The handler runs on the failing thread. It writes a file that was prepared beforehand, prints one line of error and
// the command that replays it, and ends the process with status 1. It allocates nothing and takes no lock, since the
// heap or a lock may be what broke.
#pragma once

#include <string>

namespace nstf {

/// From now on handles SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and LLVM's fatal errors. Only programs may call this,
/// not libraries. `fallback` is the command that is printed to replay a crash outside any scope: the program's command
/// line.
void installCrashHandler(const std::string &fallback);

/// While it lives, a crash of this thread writes `text` to `file`, reports that `what` failed and prints `replay`.
/// Scopes nest; a crash uses the innermost one.
class CrashScope {
public:
  CrashScope(const std::string &what, const std::string &text, const std::string &file, const std::string &replay);
  ~CrashScope();
  CrashScope(const CrashScope &) = delete;
  CrashScope &operator=(const CrashScope &) = delete;

private:
  friend struct CrashReport;
  const std::string what, text, file, replay;
  const CrashScope *outer;
};

} // namespace nstf
