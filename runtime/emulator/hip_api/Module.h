// Modules and their kernels, which programs name by hipFunction_t or by the address of a host stub (fat binaries).
#pragma once

#include "runtime/emulator/hip_api/Operation.h"

#include <map>
#include <memory>
#include <string>

namespace nstf::emulator {

/// A loaded module. It owns the functions that it has returned.
struct Module {
  std::shared_ptr<const Program> program;
  std::mutex mutex;
  std::map<std::string, hipFunction_t> functions;
  ~Module();

  /// Throws HipError(hipErrorNotFound) when the module has no such kernel.
  hipFunction_t function(const std::string &name);
};

Handles<Module> &modules();
Handles<Function> &functions();

/// Loads an ELF or offload bundle of `size` bytes (SIZE_MAX: the size follows from its headers).
std::unique_ptr<Module> loadModule(const void *image, size_t size, const std::string &name);

/// The kernel behind a host stub's address (registered by __hipRegisterFunction); loads its module at the first use.
/// Throws HipError(hipErrorInvalidDeviceFunction).
hipFunction_t functionOfHostStub(const void *stub);
/// Device address and size of a registered variable. Throws HipError(hipErrorInvalidSymbol).
Program::Variable variableOfHostShadow(const void *shadow);

/// The arguments of a launch: an array of pointers to them, or one packed block.
struct ArgumentSource {
  void **parameters = nullptr;
  void **extra = nullptr; // HIP_LAUNCH_PARAM_BUFFER_POINTER, …
};

/// Checks the sizes and packs the argument block, hidden arguments included. Throws HipError.
KernelOperation makeLaunch(const Function &function, dim3 grid, dim3 block, size_t dynamicLds,
                           const ArgumentSource &arguments, std::array<uint32_t, 3> remainder = {});

/// Workgroups of `blockSize` work-items that one compute unit holds at a time.
uint32_t residentWorkgroups(const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

} // namespace nstf::emulator
