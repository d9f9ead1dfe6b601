// Turns internal failures into hipError_t: functions throw; `guarded` catches, records and reports.
#pragma once

#include "runtime/emulator/hip_api/Hip.h"

#include <stdexcept>
#include <string>

namespace nstf::emulator {

/// A call that fails with `code`. `print` is set for messages that a HIP program could not infer from the code alone.
struct HipError : std::runtime_error {
  hipError_t code;
  bool print;
  explicit HipError(hipError_t code, const std::string &message = "", bool print = false)
      : std::runtime_error(message), code(code), print(print) {}
};

/// Records that the API function `function` failed on this thread. hipGetLastError and nstfEmulatorLastFault return the
/// error; with `print`, the message is written to stderr. Returns `code`.
hipError_t fail(hipError_t code, const char *function, const std::string &message, bool print) noexcept;
/// Turns the exception in flight into a hipError_t, according to its type.
hipError_t failWithCurrentException(const char *function) noexcept;

/// Runs `body` (which returns nothing or a hipError_t) as the API function `function`.
template <typename Body> hipError_t guarded(const char *function, Body &&body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return hipSuccess;
    } else {
      hipError_t code = body();
      return code == hipSuccess ? hipSuccess : fail(code, function, "", false);
    }
  } catch (...) {
    return failWithCurrentException(function);
  }
}

/// Throws hipErrorInvalidValue unless `condition`.
inline void require(bool condition, const char *message) {
  if (!condition)
    throw HipError(hipErrorInvalidValue, message);
}

/// "hipErrorInvalidValue"; "hipErrorUnknown" for an unknown number.
const char *errorName(hipError_t code);

} // namespace nstf::emulator
