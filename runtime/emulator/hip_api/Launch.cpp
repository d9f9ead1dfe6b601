// Launches: packs arguments in either of HIP's two forms into an argument block.
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/hip_api/Stream.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
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
} // namespace

KernelOperation makeLaunch(const Function &function, dim3 grid, dim3 block, size_t dynamicLds,
                           const ArgumentSource &source, std::array<uint32_t, 3> remainder) {
  const Kernel &kernel = *function.kernel;
  const LaunchShape shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamicLds, remainder};
  if (std::string problem = getProblem(Device::get().model, kernel, shape); !problem.empty())
    throw HipError(hipErrorInvalidConfiguration, "kernel " + kernel.name + ": " + problem, true);
  KernelOperation operation{function.program, function.kernel, grid, block, remainder, uint32_t(dynamicLds), {}};
  operation.arguments.resize(kernel.kernargSize + argumentPadding);
  if (source.extra)
    packExtra(kernel, source.extra, operation.arguments);
  else
    packParameters(kernel, source.parameters, operation.arguments);
  fillHidden(kernel, shape, operation.arguments);
  return operation;
}

uint32_t residentWorkgroups(const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  return uint32_t(getOccupancy(Device::get().model, kernel, blockSize, dynamicLds).workgroups);
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

// Sizes are in work-items; the last workgroup of a dimension may be partly filled.
NSTF_HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t sizeX, uint32_t sizeY, uint32_t sizeZ,
                                                 uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t lds,
                                                 hipStream_t stream, void **parameters, void **extra, hipEvent_t start,
                                                 hipEvent_t stop, uint32_t) {
  return guarded("hipExtModuleLaunchKernel", [&] {
    require(blockX && blockY && blockZ, "a workgroup is empty");
    auto groups = [](uint32_t size, uint32_t block) { return size / block + (size % block != 0); };
    const dim3 grid(groups(sizeX, blockX), groups(sizeY, blockY), groups(sizeZ, blockZ));
    KernelOperation launch = makeLaunch(functions().get(function), grid, dim3(blockX, blockY, blockZ), lds,
                                        {parameters, extra}, {sizeX % blockX, sizeY % blockY, sizeZ % blockZ});
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

// kernel<<<grid, block, lds, stream>>>(…): clang pushes the configuration; the stub pops it and calls hipLaunchKernel.
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
