// Functions that libamdhip64 exports and the emulator does not implement. Each name exists, so that programs load, and
// reports the lack when called. HIP's header is not included: the functions accept any arguments.
#include <atomic>

namespace nstf::emulator {
/// Records hipErrorNotSupported for `function`, and prints it if `print`. Errors.cpp defines it.
int unsupported(const char *function, bool print) noexcept;
} // namespace nstf::emulator

#define X(name)                                                                                                        \
  extern "C" __attribute__((visibility("default"))) int name() {                                                       \
    static std::atomic_flag said = ATOMIC_FLAG_INIT;                                                                   \
    return nstf::emulator::unsupported(#name, !said.test_and_set());                                                   \
  }
#include "runtime/emulator/hip_api/Unsupported.def"
#undef X
