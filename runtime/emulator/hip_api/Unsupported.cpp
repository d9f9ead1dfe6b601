// What libamdhip64 exports and the emulator doesn't do: each name is there, so that programs load, and says so when it
// is called. HIP's header is not included: these take whatever they are given.
#include <atomic>

namespace nstf::emulator {
/// Errors.cpp: notes hipErrorNotSupported for `function`, and prints it where `print`.
int unsupported(const char *function, bool print) noexcept;
} // namespace nstf::emulator

#define X(name)                                                                                                        \
  extern "C" __attribute__((visibility("default"))) int name() {                                                       \
    static std::atomic_flag said = ATOMIC_FLAG_INIT;                                                                   \
    return nstf::emulator::unsupported(#name, !said.test_and_set());                                                   \
  }
#include "runtime/emulator/hip_api/Unsupported.def"
#undef X
