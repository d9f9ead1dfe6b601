// A code object on a device and its kernels by name (nstf/Runtime.h, classes Module and Kernel).
#include "runtime/core/Device.h"
#include "support/MappedFile.h"

#include <cstring>

namespace nstf {
namespace {
// hipFunction_attribute.
constexpr int maxThreadsAttribute = 0, sharedBytesAttribute = 1, localBytesAttribute = 3, registersAttribute = 4;

constexpr size_t elfHeaderBytes = 64;
constexpr char bundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";

/// Refuses data that is not a code object: a driver gets a pointer without a size and does not check the data.
void checkImage(const std::vector<unsigned char> &bytes, const std::string &name) {
  const bool elf = bytes.size() >= elfHeaderBytes && std::memcmp(bytes.data(), "\177ELF", 4) == 0;
  const bool bundle =
      bytes.size() > sizeof bundleMagic + 32 && std::memcmp(bytes.data(), bundleMagic, sizeof bundleMagic - 1) == 0;
  if (!elf && !bundle)
    throw Error(name + " is no code object: expected an ELF or a clang offload bundle but got " +
                    std::to_string(bytes.size()) + " other bytes",
                "compile the package again");
}

support::MappedFile mapImage(const std::string &path) {
  try {
    return support::MappedFile(path);
  } catch (const std::runtime_error &error) {
    throw Error(std::string("cannot read ") + error.what());
  }
}
} // namespace

detail::ModuleState::~ModuleState() {
  if (module)
    (void)device->hip().hipModuleUnload(module);
}

Module::Module(const Backend &backend, const void *bytes, size_t size, std::string name)
    : state(std::make_shared<detail::ModuleState>()) {
  const auto *begin = static_cast<const unsigned char *>(bytes);
  state->device = backend.device();
  state->name = std::move(name);
  state->bytes.assign(begin, begin + size);
  checkImage(state->bytes, state->name);
  const detail::HIPLibrary &hip = state->device->hip();
  state->device->activate();
  const int code = hip.nstfEmulatorModuleLoad
                       ? hip.nstfEmulatorModuleLoad(&state->module, state->bytes.data(), size, state->name.c_str())
                       : hip.hipModuleLoadData(&state->module, state->bytes.data());
  hip.check(code, "cannot load " + state->name + " on a " + backend.targetId());
}

Module Module::fromFile(const Backend &backend, const std::string &path) {
  support::MappedFile file = mapImage(path);
  return Module(backend, file.data(), file.size(), path);
}

Kernel Module::kernel(const std::string &symbol) const {
  const detail::HIPLibrary &hip = state->device->hip();
  state->device->activate();
  Kernel kernel;
  kernel.module = state;
  kernel.symbol = symbol;
  hip.check(hip.hipModuleGetFunction(&kernel.hipFunction, state->module, symbol.c_str()),
            state->name + " gives no kernel " + symbol);
  auto attribute = [&](int number) -> uint32_t {
    int value = 0;
    return hip.hipFuncGetAttribute(&value, number, kernel.hipFunction) || value < 0 ? 0 : uint32_t(value);
  };
  kernel.maxThreads = attribute(maxThreadsAttribute);
  kernel.lds = attribute(sharedBytesAttribute);
  kernel.scratch = attribute(localBytesAttribute);
  kernel.registerCount = attribute(registersAttribute);
  return kernel;
}

} // namespace nstf
