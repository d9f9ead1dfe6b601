// Programs with embedded kernels: clang's start-up code registers its fat binary, the kernels' host stubs and the
// device variables' host shadows. Nothing is loaded before the first use: a program that never launches needs no code
// for this device.
#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/hip_api/Stream.h"

#include <algorithm>
#include <unordered_map>

namespace nstf::emulator {
namespace {
/// The argument of __hipRegisterFatBinary (clang's CGCUDANV): magic "HIPF", version 1, the bundle.
struct Wrapper {
  uint32_t magic, version;
  const void *bundle;
  const void *unused;
};
constexpr uint32_t fileMagic = 0x48495046;

struct FatBinary {
  const void *bundle = nullptr;
  std::unique_ptr<Module> module; // after the first use
};
struct Registered {
  FatBinary *binary;
  std::string name;
  size_t size = 0; // of a variable
};

std::mutex mutex;
std::unordered_map<const void *, Registered> &stubs() {
  static auto *map = new std::unordered_map<const void *, Registered>;
  return *map;
}
std::unordered_map<const void *, Registered> &variables() {
  static auto *map = new std::unordered_map<const void *, Registered>;
  return *map;
}

Module &moduleOf(FatBinary &binary) {
  if (!binary.module)
    binary.module = loadModule(binary.bundle, SIZE_MAX, "the program's fat binary");
  return *binary.module;
}
} // namespace

hipFunction_t functionOfHostStub(const void *stub) {
  std::lock_guard lock(mutex);
  auto it = stubs().find(stub);
  if (it == stubs().end())
    throw HipError(hipErrorInvalidDeviceFunction, "the address is no registered kernel's");
  return moduleOf(*it->second.binary).function(it->second.name);
}

Program::Variable variableOfHostShadow(const void *shadow) {
  std::lock_guard lock(mutex);
  auto it = variables().find(shadow);
  if (it == variables().end())
    throw HipError(hipErrorInvalidSymbol, "the address is no registered device variable's");
  const Program::Variable *variable = moduleOf(*it->second.binary).program->variable(it->second.name);
  if (!variable)
    throw HipError(hipErrorInvalidSymbol, "the fat binary has no device variable " + it->second.name);
  return *variable;
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API void **__hipRegisterFatBinary(const void *data) {
  const auto *wrapper = static_cast<const Wrapper *>(data);
  auto *binary = new FatBinary;
  if (wrapper && wrapper->magic == fileMagic && wrapper->version == 1)
    binary->bundle = wrapper->bundle;
  else
    (void)fail(hipErrorInvalidImage, "__hipRegisterFatBinary", "the wrapper has not the magic HIPF and version 1",
               true);
  return reinterpret_cast<void **>(binary);
}

NSTF_HIP_API void __hipRegisterFunction(void **binary, const void *stub, char *, const char *name, unsigned, void *,
                                        void *, void *, void *, int *) {
  std::lock_guard lock(mutex);
  stubs()[stub] = {reinterpret_cast<FatBinary *>(binary), name};
}

NSTF_HIP_API void __hipRegisterVar(void **binary, void *shadow, char *, const char *name, int, size_t size, int, int) {
  std::lock_guard lock(mutex);
  variables()[shadow] = {reinterpret_cast<FatBinary *>(binary), name, size};
}

NSTF_HIP_API void __hipUnregisterFatBinary(void **handle) {
  std::lock_guard lock(mutex);
  auto *binary = reinterpret_cast<FatBinary *>(handle);
  auto ours = [binary](const auto &entry) { return entry.second.binary == binary; };
  std::erase_if(stubs(), ours);
  std::erase_if(variables(), ours);
  delete binary;
}

NSTF_HIP_API hipError_t hipGetSymbolAddress(void **pointer, const void *symbol) {
  return guarded("hipGetSymbolAddress", [&] {
    require(pointer != nullptr, "pointer is null");
    *pointer = reinterpret_cast<void *>(variableOfHostShadow(symbol).address);
  });
}
NSTF_HIP_API hipError_t hipGetSymbolSize(size_t *size, const void *symbol) {
  return guarded("hipGetSymbolSize", [&] {
    require(size != nullptr, "size is null");
    *size = variableOfHostShadow(symbol).size;
  });
}

namespace {
void *insideSymbol(const void *symbol, size_t bytes, size_t offset) {
  Program::Variable variable = variableOfHostShadow(symbol);
  require(offset <= variable.size && bytes <= variable.size - offset, "the copy reaches past the end of the variable");
  return reinterpret_cast<void *>(variable.address + offset);
}
} // namespace

NSTF_HIP_API hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes, size_t offset,
                                               hipMemcpyKind kind, hipStream_t stream) {
  return guarded("hipMemcpyToSymbolAsync", [&] {
    submit(stream, CopyOperation{insideSymbol(symbol, bytes, offset), source, bytes, 1, 0, 0, kind});
  });
}
NSTF_HIP_API hipError_t hipMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                                          hipMemcpyKind kind) {
  return guarded("hipMemcpyToSymbol", [&] {
    refuseDuringCapture();
    submit(nullptr, CopyOperation{insideSymbol(symbol, bytes, offset), source, bytes, 1, 0, 0, kind});
  });
}
NSTF_HIP_API hipError_t hipMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t bytes, size_t offset,
                                                 hipMemcpyKind kind, hipStream_t stream) {
  return guarded("hipMemcpyFromSymbolAsync", [&] {
    submit(stream, CopyOperation{destination, insideSymbol(symbol, bytes, offset), bytes, 1, 0, 0, kind});
  });
}
NSTF_HIP_API hipError_t hipMemcpyFromSymbol(void *destination, const void *symbol, size_t bytes, size_t offset,
                                            hipMemcpyKind kind) {
  return guarded("hipMemcpyFromSymbol", [&] {
    refuseDuringCapture();
    submit(nullptr, CopyOperation{destination, insideSymbol(symbol, bytes, offset), bytes, 1, 0, 0, kind});
  });
}
// HIP 6.2.
NSTF_HIP_API hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *stub) {
  return guarded("hipGetFuncBySymbol", [&] {
    require(function != nullptr, "function is null");
    *function = functionOfHostStub(stub);
  });
}
