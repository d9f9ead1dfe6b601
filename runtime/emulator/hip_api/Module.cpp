#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <algorithm>
#include <atomic>

namespace nstf::emulator {

Handles<Module> &modules() {
  static auto *handles = new Handles<Module>;
  return *handles;
}
Handles<Function> &functions() {
  static auto *handles = new Handles<Function>;
  return *handles;
}

Module::~Module() {
  for (const auto &entry : functions)
    emulator::functions().remove(entry.second);
  // The image's memory is freed only when nothing runs; a graph with one of its kernels keeps it.
  std::unique_lock lock(Device::get().running);
  program = nullptr;
}

hipFunction_t Module::function(const std::string &name) {
  std::lock_guard lock(mutex);
  if (auto it = functions.find(name); it != functions.end())
    return it->second;
  const Kernel *kernel = program->kernel(name);
  if (!kernel) {
    std::string names;
    for (const auto &other : program->kernels())
      names += (names.empty() ? "" : ", ") + other->name;
    throw HipError(hipErrorNotFound,
                   program->name() + " has no kernel " + name + " (it has " + (names.empty() ? "none" : names) + ")");
  }
  auto object = std::make_unique<Function>(Function{program, kernel});
  return functions[name] = emulator::functions().add<hipFunction_t>(std::move(object));
}

std::unique_ptr<Module> loadModule(const void *image, size_t size, const std::string &name) {
  Device &device = Device::get();
  auto module = std::make_unique<Module>();
  const ContainedCodeObject object = selectCodeObject(device.id, image, size, name);
  module->program = Program::load(device.memory, device.id, object.code.bytes, name);
  return module;
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return guarded("hipModuleLoadData", [&] {
    require(module && image, "module or image is null");
    static std::atomic<int> count = 0;
    *module = modules().add<hipModule_t>(loadModule(image, SIZE_MAX, "module " + std::to_string(++count)));
  });
}
NSTF_HIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned, hipJitOption *, void **) {
  return hipModuleLoadData(module, image);
}
/// Extension: hipModuleLoadData for bytes that may be damaged: reads nothing outside [image, image + size). `name` is
/// used in messages.
NSTF_HIP_API hipError_t nstfEmulatorModuleLoad(hipModule_t *module, const void *image, size_t size, const char *name) {
  return guarded("hipModuleLoadData", [&] {
    require(module && image, "module or image is null");
    *module = modules().add<hipModule_t>(loadModule(image, size, name ? name : "module"));
  });
}
NSTF_HIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  return guarded("hipModuleLoad", [&] {
    require(module && path, "module or file name is null");
    const SharedBytes file = mapFile(path);
    *module = modules().add<hipModule_t>(loadModule(file.bytes.data(), file.bytes.size(), path));
  });
}
NSTF_HIP_API hipError_t hipModuleUnload(hipModule_t module) {
  return guarded("hipModuleUnload", [&] { modules().remove(module); });
}
NSTF_HIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  return guarded("hipModuleGetFunction", [&] {
    require(function && name, "function or name is null");
    *function = modules().get(module).function(name);
  });
}
NSTF_HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module,
                                           const char *name) {
  return guarded("hipModuleGetGlobal", [&] {
    require(name != nullptr, "name is null");
    const Program::Variable *variable = modules().get(module).program->variable(name);
    if (!variable)
      throw HipError(hipErrorNotFound, modules().get(module).program->name() + " has no variable " + name);
    if (pointer)
      *pointer = reinterpret_cast<hipDeviceptr_t>(variable->address);
    if (bytes)
      *bytes = variable->size;
  });
}

NSTF_HIP_API hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function) {
  return guarded("hipFuncGetAttribute", [&] {
    require(value != nullptr, "value is null");
    const Kernel &kernel = *functions().get(function).kernel;
    const DeviceModel &model = Device::get().model;
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = int(std::min(kernel.maxFlatWorkgroupSize, model.maxWorkgroupSize));
      return;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = int(kernel.ldsSize);
      return;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      return;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = int(kernel.scratchSize);
      return;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      *value = int(kernel.vgprCount);
      return;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = model.major * 10 + model.minor;
      return;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = int(model.ldsBytes - kernel.ldsSize);
      return;
    default:
      throw HipError(hipErrorInvalidValue, "unknown function attribute " + std::to_string(int(attribute)));
    }
  });
}
NSTF_HIP_API hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *stub) {
  return guarded("hipFuncGetAttributes", [&] {
    require(attributes != nullptr, "attributes is null");
    const Kernel &kernel = *functions().get(functionOfHostStub(stub)).kernel;
    const DeviceModel &model = Device::get().model;
    *attributes = {};
    attributes->binaryVersion = attributes->ptxVersion = model.major * 10 + model.minor;
    attributes->localSizeBytes = kernel.scratchSize;
    attributes->sharedSizeBytes = kernel.ldsSize;
    attributes->maxDynamicSharedSizeBytes = int(model.ldsBytes - kernel.ldsSize);
    attributes->maxThreadsPerBlock = int(std::min(kernel.maxFlatWorkgroupSize, model.maxWorkgroupSize));
    attributes->numRegs = int(kernel.vgprCount);
  });
}
// Settings of caches and LDS banks do not affect results; arguments are checked and the settings ignored, as on the
// GPU.
NSTF_HIP_API hipError_t hipFuncSetAttribute(const void *stub, hipFuncAttribute, int) {
  return guarded("hipFuncSetAttribute", [&] { functionOfHostStub(stub); });
}
NSTF_HIP_API hipError_t hipFuncSetCacheConfig(const void *stub, hipFuncCache_t) {
  return guarded("hipFuncSetCacheConfig", [&] { functionOfHostStub(stub); });
}
NSTF_HIP_API hipError_t hipFuncSetSharedMemConfig(const void *stub, hipSharedMemConfig) {
  return guarded("hipFuncSetSharedMemConfig", [&] { functionOfHostStub(stub); });
}

namespace {
hipError_t occupancy(const char *function, int *result, hipFunction_t kernel, int blockSize, size_t lds) {
  return guarded(function, [&] {
    require(result && blockSize > 0, "result is null or the block size is not positive");
    *result = int(residentWorkgroups(*functions().get(kernel).kernel, uint32_t(blockSize), lds));
  });
}

hipError_t potentialBlockSize(const char *function, int *gridSize, int *blockSize, hipFunction_t handle, size_t lds,
                              int limit) {
  return guarded(function, [&] {
    require(gridSize && blockSize, "gridSize or blockSize is null");
    const Kernel &kernel = *functions().get(handle).kernel;
    const DeviceModel &model = Device::get().model;
    uint32_t maxItems = std::min(model.maxWorkgroupSize, kernel.maxFlatWorkgroupSize);
    if (limit > 0)
      maxItems = std::min(maxItems, uint32_t(limit));
    uint32_t best = 0, bestItems = 0;
    for (uint32_t size = maxItems / model.waveSize * model.waveSize; size; size -= model.waveSize) {
      const uint32_t items = residentWorkgroups(kernel, size, lds) * size;
      if (items > bestItems) {
        best = size;
        bestItems = items;
      }
    }
    if (!best)
      best = maxItems, bestItems = maxItems * residentWorkgroups(kernel, maxItems, lds);
    *blockSize = int(best);
    *gridSize = int(bestItems / best * model.computeUnits);
  });
}
} // namespace

NSTF_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                                           int blockSize, size_t lds) {
  return occupancy("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", blocks, function, blockSize, lds);
}
NSTF_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function,
                                                                                    int blockSize, size_t lds,
                                                                                    unsigned) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, lds);
}
NSTF_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int blockSize,
                                                                     size_t lds) {
  hipFunction_t function = nullptr;
  hipError_t code =
      guarded("hipOccupancyMaxActiveBlocksPerMultiprocessor", [&] { function = functionOfHostStub(stub); });
  return code == hipSuccess ? hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, lds)
                            : code;
}
NSTF_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub,
                                                                              int blockSize, size_t lds, unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, blockSize, lds);
}
NSTF_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function,
                                                                size_t lds, int limit) {
  return potentialBlockSize("hipModuleOccupancyMaxPotentialBlockSize", gridSize, blockSize, function, lds, limit);
}
NSTF_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
                                                                         hipFunction_t function, size_t lds, int limit,
                                                                         unsigned) {
  return hipModuleOccupancyMaxPotentialBlockSize(gridSize, blockSize, function, lds, limit);
}
NSTF_HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *stub, size_t lds,
                                                          int limit) {
  hipFunction_t function = nullptr;
  hipError_t code = guarded("hipOccupancyMaxPotentialBlockSize", [&] { function = functionOfHostStub(stub); });
  return code == hipSuccess ? hipModuleOccupancyMaxPotentialBlockSize(gridSize, blockSize, function, lds, limit) : code;
}
