// The handler calls only functions that a signal handler may call: write, open, close, _exit (signal-safety(7)).
#include "compiler/driver/CrashHandler.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace nstf {

static thread_local const CrashScope *innermost = nullptr;
/// Never destroyed, since a crash may come after main.
static const std::string *fallbackCommand = nullptr;

static void put(int descriptor, const char *text, size_t size) {
  while (size) {
    ssize_t written = write(descriptor, text, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    text += written;
    size -= size_t(written);
  }
}
static void print(const char *text) { put(STDERR_FILENO, text, std::strlen(text)); }
/// Prints the first line of a message; the replay shows all.
static void printLine(const char *text) { put(STDERR_FILENO, text, std::strcspn(text, "\n")); }
static void print(const std::string &text) { put(STDERR_FILENO, text.data(), text.size()); }

struct CrashReport {
  [[noreturn]] static void make(const char *reason) {
    // Only the first crash is reported; it may have caused crashes of other threads.
    static std::atomic_flag reported;
    if (reported.test_and_set())
      for (;;)
        pause();
    print("error: internal error");
    if (const CrashScope *scope = innermost) {
      print(" in ");
      print(scope->what);
      print(": ");
      printLine(reason);
      int file = open(scope->file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (file >= 0) {
        put(file, scope->text.data(), scope->text.size());
        close(file);
        print("\nnote: replay it with: ");
        print(scope->replay);
      } else {
        print("\nnote: its reproducer cannot be written to ");
        print(scope->file);
      }
    } else {
      print(": ");
      printLine(reason);
      if (fallbackCommand) {
        print("\nnote: replay it with: ");
        print(*fallbackCommand);
      }
    }
    print("\n");
    _exit(1);
  }
};

static void onSignal(int signal) {
  const char *reason = signal == SIGSEGV   ? "segmentation fault"
                       : signal == SIGBUS  ? "bus error"
                       : signal == SIGILL  ? "illegal instruction"
                       : signal == SIGFPE  ? "arithmetic error"
                       : signal == SIGABRT ? "abort"
                                           : "signal";
  CrashReport::make(reason);
}

static void onFatalError(void *, const char *reason, bool) { CrashReport::make(reason); }

/// A stack that overflowed has no room for the handler: every thread that opens a scope gets a second stack for
/// signals.
static void ensureSignalStack() {
  constexpr size_t bytes = 64 * 1024;
  static thread_local std::unique_ptr<char[]> memory;
  if (memory)
    return;
  memory = std::make_unique<char[]>(bytes);
  stack_t stack = {};
  stack.ss_sp = memory.get();
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

void installCrashHandler(const std::string &fallback) {
  fallbackCommand = new std::string(fallback);
  ensureSignalStack();
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
  llvm::install_fatal_error_handler(onFatalError);
}

CrashScope::CrashScope(const std::string &what, const std::string &text, const std::string &file,
                       const std::string &replay)
    : what(what), text(text), file(file), replay(replay), outer(innermost) {
  ensureSignalStack();
  innermost = this;
}

CrashScope::~CrashScope() { innermost = outer; }

} // namespace nstf
