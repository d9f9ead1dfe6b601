#include "runtime/emulator/hip_api/Errors.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"

#include <atomic>
#include <cstdio>
#include <new>

namespace nstf::emulator {
namespace {
thread_local hipError_t lastError = hipSuccess;
thread_local std::string lastMessage;
std::atomic<bool> printing = true;

struct Named {
  hipError_t code;
  const char *name, *text;
};
constexpr Named namedErrors[] = {
#define X(name, text) {name, #name, text},
#include "runtime/emulator/hip_api/Errors.def"
#undef X
};
} // namespace

hipError_t fail(hipError_t code, const char *function, const std::string &message, bool print) noexcept {
  lastError = code;
  try {
    lastMessage = message.empty() ? "" : std::string(function) + ": " + message;
  } catch (...) {
  }
  if (print && printing)
    std::fprintf(stderr, "nstf-emulator: %s: %s\n", function, message.c_str());
  return code;
}

hipError_t failWithCurrentException(const char *function) noexcept {
  try {
    throw;
  } catch (const HipError &error) {
    return fail(error.code, function, error.what(), error.print);
  } catch (const LoadError &error) {
    switch (error.reason) {
    case LoadError::Reason::Malformed:
      return fail(hipErrorInvalidImage, function, error.what(), true);
    case LoadError::Reason::WrongTarget:
      return fail(hipErrorNoBinaryForGpu, function, error.what(), true);
    case LoadError::Reason::OutOfMemory:
      return fail(hipErrorOutOfMemory, function, error.what(), true);
    case LoadError::Reason::NotFound:
      return fail(hipErrorSharedObjectSymbolNotFound, function, error.what(), true);
    case LoadError::Reason::NoFile:
      return fail(hipErrorFileNotFound, function, error.what(), true);
    }
    return fail(hipErrorUnknown, function, error.what(), true);
  } catch (const std::bad_alloc &) {
    return fail(hipErrorOutOfMemory, function, "the host is out of memory", true);
  } catch (const std::exception &error) {
    return fail(hipErrorUnknown, function, error.what(), true);
  } catch (...) {
    return fail(hipErrorUnknown, function, "an exception of unknown type", true);
  }
}

int unsupported(const char *function, bool print) noexcept {
  return fail(hipErrorNotSupported, function, "the emulator does not support this function", print);
}

const char *errorName(hipError_t code) {
  for (const Named &error : namedErrors)
    if (error.code == code)
      return error.name;
  return "hipErrorUnknown";
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipGetLastError(void) {
  hipError_t code = lastError;
  lastError = hipSuccess;
  return code;
}
// HIP 6.0: the same under the extension's name.
NSTF_HIP_API hipError_t hipExtGetLastError(void) { return hipGetLastError(); }
NSTF_HIP_API hipError_t hipPeekAtLastError(void) { return lastError; }

NSTF_HIP_API const char *hipGetErrorName(hipError_t code) { return errorName(code); }
NSTF_HIP_API const char *hipGetErrorString(hipError_t code) {
  for (const Named &error : namedErrors)
    if (error.code == code)
      return error.text;
  return "unknown error";
}
NSTF_HIP_API hipError_t hipDrvGetErrorName(hipError_t code, const char **name) {
  return guarded("hipDrvGetErrorName", [&] {
    require(name != nullptr, "name is null");
    *name = hipGetErrorName(code);
  });
}
NSTF_HIP_API hipError_t hipDrvGetErrorString(hipError_t code, const char **text) {
  return guarded("hipDrvGetErrorString", [&] {
    require(text != nullptr, "string is null");
    *text = hipGetErrorString(code);
  });
}

/// Extension: details of the last failed call on this thread that hipError_t cannot express (a kernel's fault with
/// instruction and address, why a code object was refused); "" if there are none. Valid until the next failure.
NSTF_HIP_API const char *nstfEmulatorLastFault(void) { return lastMessage.c_str(); }
/// Extension: whether faults are also written to stderr (the default; 0 disables it).
NSTF_HIP_API void nstfEmulatorPrintFaults(int enable) { printing = enable != 0; }
