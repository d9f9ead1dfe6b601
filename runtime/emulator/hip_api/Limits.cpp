// Limits of a device: the heap of kernels, the buffer of printf, the stack.
#include "runtime/emulator/hip_api/Device.h"

using namespace nstf::emulator;

namespace {

/// Not in the header of HIP 5.
constexpr auto limitStackSize = hipLimit_t(0);

constexpr size_t maxPrintfBytes = size_t(1) << 30, maxStackBytes = 128 * 1024;

[[noreturn]] void refuseLimit(hipLimit_t limit) {
  throw HipError(hipErrorUnsupportedLimit,
                 "expected hipLimitStackSize, hipLimitPrintfFifoSize or hipLimitMallocHeapSize but got " +
                     std::to_string(int(limit)),
                 true);
}

[[noreturn]] void refuseValue(const char *what, size_t most, size_t value) {
  throw HipError(hipErrorInvalidValue,
                 std::string("expected ") + what + " of at most " + std::to_string(most) + " bytes but got " +
                     std::to_string(value),
                 true);
}

} // namespace

NSTF_HIP_API hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit) {
  return guarded("hipDeviceGetLimit", [&] {
    require(value != nullptr, "the value is null");
    Device &device = Device::get();
    if (limit == hipLimitMallocHeapSize)
      *value = device.services.heap.getLimit();
    else if (limit == hipLimitPrintfFifoSize)
      *value = device.services.printfBytes;
    else if (limit == limitStackSize)
      *value = device.dynamicStack;
    else
      refuseLimit(limit);
  });
}

NSTF_HIP_API hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  return guarded("hipDeviceSetLimit", [&] {
    Device &device = Device::get();
    if (limit == hipLimitMallocHeapSize) {
      if (!device.services.heap.setLimit(value))
        refuseValue("a heap", device.memory.limit(), value);
    } else if (limit == hipLimitPrintfFifoSize) {
      if (value > maxPrintfBytes)
        refuseValue("a buffer of printf", maxPrintfBytes, value);
      device.services.printfBytes = uint32_t(value);
    } else if (limit == limitStackSize) {
      if (value > maxStackBytes)
        refuseValue("a stack", maxStackBytes, value);
      device.dynamicStack = uint32_t(value);
    } else {
      refuseLimit(limit);
    }
  });
}
