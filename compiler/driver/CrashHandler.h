// What happens when the compiler itself falls over: a signal, an abort, LLVM's "Cannot select".
//
// A handler on the failing thread writes a file that was made beforehand, prints one line of error and how to replay
// it, and ends the process with status 1: nothing is allocated and no lock is taken, since either may be what broke.
#pragma once

#include <string>

namespace nstf {

/// Handles SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and LLVM's fatal errors from now on. For programs, not libraries;
/// `fallback` is printed as the way to replay a crash for which no scope was open: the program's own command line.
void installCrashHandler(const std::string &fallback);

/// While it lives, a crash of this thread writes `text` to `file`, says that `what` failed and prints `replay`.
/// Scopes nest; the innermost counts.
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
