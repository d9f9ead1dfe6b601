// Cooperative launches: all workgroups are resident, so the grid can synchronise as a whole.
//
// The grid barrier of cooperative groups uses words that the launch provides (hidden_multigrid_sync_arg). Their layout
// is that of ROCm's device library (ockl, cooperative groups), read from code that AMD's compiler made: the barrier's
// two words at byte 32, the number of workgroups at byte 40. Workgroups count up in the lower half of the first word.
// The last one adds the difference to 2^16, which releases the others and resets the lower half to zero.
#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/hip_api/Stream.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <cstring>

namespace nstf::emulator {
namespace {

struct GridBarrier {
  uint64_t otherDevices = 0; // their barrier: null, as there is one device
  uint32_t device = 0, devices = 1;
  uint64_t itemsBefore = 0, items = 0;
  uint32_t words[2] = {};
  uint32_t workgroups = 0, unused = 0;
};
static_assert(offsetof(GridBarrier, words) == 32 && offsetof(GridBarrier, workgroups) == 40);

std::shared_ptr<void> makeBarrier(uint32_t workgroups, uint64_t items) {
  Device &device = Device::get();
  GridBarrier barrier;
  barrier.workgroups = workgroups;
  barrier.items = items;
  void *memory = device.memory.allocate(sizeof barrier);
  if (!memory)
    throw HipError(hipErrorOutOfMemory, "no memory for the grid's barrier");
  std::memcpy(memory, &barrier, sizeof barrier);
  device.memory.hostWrites(memory, sizeof barrier);
  return {memory, [](void *pointer) {
            Device &device = Device::get();
            std::unique_lock lock(device.running);
            device.memory.free(pointer);
          }};
}

KernelOperation makeCooperative(const Function &function, dim3 grid, dim3 block, uint32_t lds, void **parameters) {
  KernelOperation launch = makeLaunch(function, grid, block, lds, {parameters, nullptr});
  const Kernel &kernel = *function.kernel;
  const uint64_t workgroups = uint64_t(grid.x) * grid.y * grid.z, items = uint64_t(block.x) * block.y * block.z;
  const uint64_t maxWorkgroups =
      uint64_t(residentWorkgroups(kernel, uint32_t(items), lds)) * Device::get().model.computeUnits;
  // The barrier counts in 16 bits.
  if (workgroups > std::min<uint64_t>(maxWorkgroups, 0xffff))
    throw HipError(hipErrorCooperativeLaunchTooLarge,
                   "kernel " + kernel.name + ": expected at most " + std::to_string(maxWorkgroups) +
                       " workgroups, which the chip holds at a time, but got " + std::to_string(workgroups),
                   true);
  for (const KernelArgument &argument : kernel.arguments)
    if (argument.valueKind == "hidden_multigrid_sync_arg") {
      launch.keep = makeBarrier(uint32_t(workgroups), workgroups * items);
      const uint64_t address = reinterpret_cast<uint64_t>(launch.keep.get());
      std::memcpy(launch.arguments.data() + argument.offset, &address, std::min<size_t>(argument.size, 8));
    }
  return launch;
}

} // namespace
} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **parameters,
                                                   unsigned lds, hipStream_t stream) {
  return guarded("hipLaunchCooperativeKernel", [&] {
    submit(stream, makeCooperative(functions().get(functionOfHostStub(stub)), grid, block, lds, parameters));
  });
}
NSTF_HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY,
                                                         unsigned gridZ, unsigned blockX, unsigned blockY,
                                                         unsigned blockZ, unsigned lds, hipStream_t stream,
                                                         void **parameters) {
  return guarded("hipModuleLaunchCooperativeKernel", [&] {
    submit(stream, makeCooperative(functions().get(function), dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ),
                                   lds, parameters));
  });
}
