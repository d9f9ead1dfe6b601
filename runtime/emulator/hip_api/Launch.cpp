// Argument blocks. Explicit arguments lie where the metadata says; hidden ones (AMDGPUUsage, "Code Object V5 Kernel
// Argument Metadata") are computed from the launch. Pointers to services that a GPU driver would offer (printf,
// hostcall, device heap, device queues) stay null: there are none.
#include "runtime/emulator/execute/Dispatch.h"
#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/hip_api/Stream.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
// Scalar loads may fetch up to 16 dwords, of which the kernel uses those it declared.
constexpr size_t kArgumentPadding = 64;

std::string dimensions(const dim3 &d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

[[noreturn]] void badConfiguration(const Kernel &kernel, const std::string &what) {
  throw HipError(hipErrorInvalidConfiguration, "kernel " + kernel.name + ": " + what, true);
}

void checkConfiguration(const Kernel &kernel, const dim3 &grid, const dim3 &block, size_t dynamicLds) {
  const DeviceModel &model = Device::get().model;
  const uint64_t items = uint64_t(block.x) * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z || !items)
    badConfiguration(kernel, "a grid of " + dimensions(grid) + " workgroups of " + dimensions(block) + " is empty");
  const uint32_t most = std::min(model.maxWorkgroupSize, kernel.maxFlatWorkgroupSize);
  if (block.x > most || block.y > most || block.z > most || items > most)
    badConfiguration(kernel, "expected at most " + std::to_string(most) + " work-items in a workgroup but got " +
                                 dimensions(block));
  if (uint64_t(grid.x) * block.x > UINT32_MAX || uint64_t(grid.y) * block.y > UINT32_MAX ||
      uint64_t(grid.z) * block.z > UINT32_MAX)
    badConfiguration(kernel, "a grid of " + dimensions(grid) + " workgroups has more than 2^32 - 1 work-items");
  const std::array<uint32_t, 3> &required = kernel.requiredWorkgroupSize;
  if (required[0] && (block.x != required[0] || block.y != required[1] || block.z != required[2]))
    badConfiguration(kernel, "it was compiled for workgroups of " +
                                 dimensions(dim3(required[0], required[1], required[2])) + " but got " +
                                 dimensions(block));
  if (kernel.ldsSize + dynamicLds > model.ldsBytes)
    badConfiguration(kernel, "it needs " + std::to_string(kernel.ldsSize) + " + " + std::to_string(dynamicLds) +
                                 " bytes of LDS, a workgroup has " + std::to_string(model.ldsBytes));
}

/// End of the explicit arguments.
size_t explicitBytes(const Kernel &kernel) {
  size_t end = 0;
  for (const KernelArgument &argument : kernel.arguments)
    if (!argument.hidden())
      end = std::max<size_t>(end, argument.offset + argument.size);
  return end;
}

void packExtra(const Kernel &kernel, void **extra, std::vector<std::byte> &block) {
  const void *buffer = nullptr;
  size_t size = 0;
  for (int i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[i + 1];
    else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<const size_t *>(extra[i + 1]);
    else
      throw HipError(hipErrorInvalidValue, "expected HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE or _END in extra");
  }
  require(buffer || !size, "HIP_LAUNCH_PARAM_BUFFER_POINTER is null");
  const size_t needed = kernel.hasMetadata ? explicitBytes(kernel) : kernel.kernargSize;
  if (size < needed)
    throw HipError(hipErrorInvalidValue,
                   "kernel " + kernel.name + " takes " + std::to_string(needed) + " bytes of arguments but got " +
                       std::to_string(size),
                   true);
  if (size)
    std::memcpy(block.data(), buffer, std::min(size, kernel.kernargSize));
}

void packParameters(const Kernel &kernel, void **parameters, std::vector<std::byte> &block) {
  if (!kernel.hasMetadata && kernel.kernargSize)
    throw HipError(hipErrorInvalidValue,
                   "kernel " + kernel.name + " has no metadata about its arguments: launch it with `extra`", true);
  size_t i = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    if (argument.hidden())
      continue;
    require(parameters && parameters[i], "a kernel parameter is null");
    std::memcpy(block.data() + argument.offset, parameters[i++], argument.size);
  }
}

void fillHidden(const Kernel &kernel, const dim3 &grid, const dim3 &block, size_t dynamicLds,
                std::vector<std::byte> &arguments) {
  const uint64_t dims = grid.z * block.z > 1 ? 3 : grid.y * block.y > 1 ? 2 : 1;
  const struct {
    const char *name;
    uint64_t value;
  } values[] = {
      {"hidden_block_count_x", grid.x},
      {"hidden_block_count_y", grid.y},
      {"hidden_block_count_z", grid.z},
      {"hidden_group_size_x", block.x},
      {"hidden_group_size_y", block.y},
      {"hidden_group_size_z", block.z},
      {"hidden_grid_dims", dims},
      {"hidden_dynamic_lds_size", dynamicLds},
      {"hidden_private_base", privateApertureHigh},
      {"hidden_shared_base", sharedApertureHigh},
      // Zero: hidden_remainder_* (grids are whole workgroups), hidden_global_offset_* (HIP has none), services.
  };
  for (const KernelArgument &argument : kernel.arguments)
    for (const auto &entry : values)
      if (argument.valueKind == entry.name)
        std::memcpy(arguments.data() + argument.offset, &entry.value, std::min<size_t>(argument.size, 8));
}
} // namespace

KernelOperation makeLaunch(const Function &function, dim3 grid, dim3 block, size_t dynamicLds,
                           const ArgumentSource &source) {
  const Kernel &kernel = *function.kernel;
  checkConfiguration(kernel, grid, block, dynamicLds);
  KernelOperation operation{function.program, function.kernel, grid, block, uint32_t(dynamicLds), {}};
  operation.arguments.resize(kernel.kernargSize + kArgumentPadding);
  if (source.extra)
    packExtra(kernel, source.extra, operation.arguments);
  else
    packParameters(kernel, source.parameters, operation.arguments);
  fillHidden(kernel, grid, block, dynamicLds, operation.arguments);
  return operation;
}

uint32_t residentWorkgroups(const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  const DeviceModel &model = Device::get().model;
  const uint32_t granule = model.vgprGranule;
  const uint32_t registers = std::max(granule, (kernel.vgprCount + granule - 1) / granule * granule);
  const uint32_t wavesPerSimd = std::min(model.maxWavesPerSimd, model.vgprsPerLane / registers);
  const uint32_t wavesPerGroup = (blockSize + model.waveSize - 1) / model.waveSize;
  // A workgroup's waves spread over the SIMDs, each of which needs room for its share.
  const uint32_t share = (wavesPerGroup + model.simds - 1) / model.simds;
  uint32_t groups = wavesPerGroup <= model.simds ? wavesPerSimd * model.simds / wavesPerGroup : wavesPerSimd / share;
  const size_t lds = (kernel.ldsSize + dynamicLds + model.ldsGranule - 1) / model.ldsGranule * model.ldsGranule;
  if (lds)
    groups = std::min<uint32_t>(groups, model.ldsBytes / lds);
  return groups;
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                              unsigned blockX, unsigned blockY, unsigned blockZ, unsigned lds,
                                              hipStream_t stream, void **parameters, void **extra) {
  return guarded("hipModuleLaunchKernel", [&] {
    submit(stream, makeLaunch(functions().get(function), dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), lds,
                              {parameters, extra}));
  });
}

// Sizes in work-items. A last workgroup that is only partly filled has no equal in the executor.
NSTF_HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t sizeX, uint32_t sizeY, uint32_t sizeZ,
                                                 uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t lds,
                                                 hipStream_t stream, void **parameters, void **extra, hipEvent_t start,
                                                 hipEvent_t stop, uint32_t) {
  return guarded("hipExtModuleLaunchKernel", [&] {
    require(blockX && blockY && blockZ, "a workgroup is empty");
    if (sizeX % blockX || sizeY % blockY || sizeZ % blockZ)
      throw HipError(hipErrorNotSupported, "grids that end in a partly filled workgroup are not supported", true);
    KernelOperation launch = makeLaunch(functions().get(function), dim3(sizeX / blockX, sizeY / blockY, sizeZ / blockZ),
                                        dim3(blockX, blockY, blockZ), lds, {parameters, extra});
    if (start && hipEventRecord(start, stream) != hipSuccess)
      throw HipError(hipErrorInvalidHandle, "the start event is no live event");
    submit(stream, std::move(launch));
    if (stop && hipEventRecord(stop, stream) != hipSuccess)
      throw HipError(hipErrorInvalidHandle, "the stop event is no live event");
  });
}

// hip_ext.h of HIP 5 declares it as a C++ function.
NSTF_HIP_API hipError_t nstfExtModuleLaunchKernel(
    hipFunction_t function, uint32_t sizeX, uint32_t sizeY, uint32_t sizeZ, uint32_t blockX, uint32_t blockY,
    uint32_t blockZ, size_t lds, hipStream_t stream, void **parameters, void **extra, hipEvent_t start, hipEvent_t stop,
    uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_"
                            "tS6_j");
hipError_t nstfExtModuleLaunchKernel(hipFunction_t function, uint32_t sizeX, uint32_t sizeY, uint32_t sizeZ,
                                     uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t lds, hipStream_t stream,
                                     void **parameters, void **extra, hipEvent_t start, hipEvent_t stop,
                                     uint32_t flags) {
  return hipExtModuleLaunchKernel(function, sizeX, sizeY, sizeZ, blockX, blockY, blockZ, lds, stream, parameters, extra,
                                  start, stop, flags);
}

NSTF_HIP_API hipError_t hipLaunchKernel(const void *stub, dim3 grid, dim3 block, void **parameters, size_t lds,
                                        hipStream_t stream) {
  return guarded("hipLaunchKernel", [&] {
    submit(stream, makeLaunch(functions().get(functionOfHostStub(stub)), grid, block, lds, {parameters, nullptr}));
  });
}
NSTF_HIP_API hipError_t hipExtLaunchKernel(const void *stub, dim3 grid, dim3 block, void **parameters, size_t lds,
                                           hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
  return guarded("hipExtLaunchKernel", [&] {
    KernelOperation launch =
        makeLaunch(functions().get(functionOfHostStub(stub)), grid, block, lds, {parameters, nullptr});
    if (start && hipEventRecord(start, stream) != hipSuccess)
      throw HipError(hipErrorInvalidHandle, "the start event is no live event");
    submit(stream, std::move(launch));
    if (stop && hipEventRecord(stop, stream) != hipSuccess)
      throw HipError(hipErrorInvalidHandle, "the stop event is no live event");
  });
}

namespace {
struct CallConfiguration {
  dim3 grid, block;
  size_t lds = 0;
  hipStream_t stream = nullptr;
};
thread_local std::vector<CallConfiguration> callConfigurations;
} // namespace

// kernel<<<grid, block, lds, stream>>>(…): clang pushes, the stub pops and calls hipLaunchKernel.
NSTF_HIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  return guarded("__hipPushCallConfiguration", [&] { callConfigurations.push_back({grid, block, lds, stream}); });
}
NSTF_HIP_API hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, hipStream_t *stream) {
  return guarded("__hipPopCallConfiguration", [&] {
    if (callConfigurations.empty())
      throw HipError(hipErrorMissingConfiguration, "a kernel stub was called without a launch configuration");
    *grid = callConfigurations.back().grid;
    *block = callConfigurations.back().block;
    *lds = callConfigurations.back().lds;
    *stream = callConfigurations.back().stream;
    callConfigurations.pop_back();
  });
}
