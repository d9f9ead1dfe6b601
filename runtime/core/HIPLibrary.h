// HIP's C functions that the runtime calls, found with dlopen in libamdhip64 or in the emulator, which exports the same
// functions. They are declared here, not included from HIP's headers, so that the runtime builds without an installed
// HIP. All of these signatures have been the same since HIP 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::detail {

using HIPError = int; // hipError_t; 0 is success

/// hipMemcpyKind.
enum class CopyKind : int { HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3 };

// X(name, parameters): functions that every HIP since 4.3 has.
#define NSTF_HIP_FUNCTIONS(X)                                                                                          \
  X(hipGetDeviceCount, (int *))                                                                                        \
  X(hipSetDevice, (int))                                                                                               \
  X(hipDeviceSynchronize, ())                                                                                          \
  X(hipMalloc, (void **, size_t))                                                                                      \
  X(hipFree, (void *))                                                                                                 \
  X(hipMemcpy, (void *, const void *, size_t, CopyKind))                                                               \
  X(hipMemcpyAsync, (void *, const void *, size_t, CopyKind, void *))                                                  \
  X(hipMemset, (void *, int, size_t))                                                                                  \
  X(hipMemsetAsync, (void *, int, size_t, void *))                                                                     \
  X(hipMemGetInfo, (size_t *, size_t *))                                                                               \
  X(hipStreamCreateWithFlags, (void **, unsigned))                                                                     \
  X(hipStreamDestroy, (void *))                                                                                        \
  X(hipStreamSynchronize, (void *))                                                                                    \
  X(hipModuleLoadData, (void **, const void *))                                                                        \
  X(hipModuleUnload, (void *))                                                                                         \
  X(hipModuleGetFunction, (void **, void *, const char *))                                                             \
  X(hipFuncGetAttribute, (int *, int, void *))                                                                         \
  X(hipModuleLaunchKernel,                                                                                             \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))

// Functions that old drivers lack, or that only the emulator has (nstf…): null if missing.
#define NSTF_HIP_OPTIONAL_FUNCTIONS(X)                                                                                 \
  X(hipGetDeviceProperties, (void *, int))                                                                             \
  X(hipGetDevicePropertiesR0600, (void *, int))                                                                        \
  X(hipStreamBeginCapture, (void *, int))                                                                              \
  X(hipStreamEndCapture, (void *, void **))                                                                            \
  X(hipGraphInstantiate, (void **, void *, void **, char *, size_t))                                                   \
  X(hipGraphLaunch, (void *, void *))                                                                                  \
  X(hipGraphExecDestroy, (void *))                                                                                     \
  X(hipGraphDestroy, (void *))                                                                                         \
  X(nstfEmulatorModuleLoad, (void **, const void *, size_t, const char *))                                             \
  X(nstfEmulatorSetTarget, (const char *))                                                                             \
  X(nstfEmulatorSetTiming, (const char *))                                                                             \
  X(nstfEmulatorPredictedTime, (double *, const char **))

/// A loaded library with its functions.
class HIPLibrary {
public:
  /// Loads the first of `candidates` (names or paths) that can be loaded. If none can, returns nullptr and fills
  /// `tried` with "name: dlopen's reason" for each. Throws Error when a library loads but lacks a function.
  static std::shared_ptr<HIPLibrary> load(const std::vector<std::string> &candidates, std::vector<std::string> &tried);
  ~HIPLibrary();
  HIPLibrary(const HIPLibrary &) = delete;
  HIPLibrary &operator=(const HIPLibrary &) = delete;

  const std::string &path() const { return loadedPath; }
  bool isEmulator() const { return nstfEmulatorLastFault != nullptr; }
  /// Sets `devices` to the number of devices. If the library is an emulator that has not started yet, it first selects
  /// the chip `target` and the timing constants `timing`, where these are not empty.
  HIPError start(std::string_view target, std::string_view timing, int &devices) const;
  /// Throws Error("`what`: hipErrorX (text)…") when `code` is not success; a fault's text from the emulator is
  /// included.
  void check(HIPError code, const std::string &what, const std::string &fix = "") const;
  /// "hipErrorX (text)", with the emulator's detail if there is one.
  std::string describe(HIPError code) const;

#define NSTF_DECLARE(name, parameters) HIPError(*name) parameters = nullptr;
  NSTF_HIP_FUNCTIONS(NSTF_DECLARE)
  NSTF_HIP_OPTIONAL_FUNCTIONS(NSTF_DECLARE)
#undef NSTF_DECLARE
  const char *(*hipGetErrorName)(HIPError) = nullptr;
  const char *(*hipGetErrorString)(HIPError) = nullptr;
  const char *(*nstfEmulatorLastFault)() = nullptr;
  void (*nstfEmulatorPrintFaults)(int) = nullptr;

private:
  HIPLibrary() = default;
  void *handle = nullptr;
  std::string loadedPath;
};

} // namespace nstf::detail
