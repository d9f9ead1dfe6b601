// Allocations. Device, host and managed memory are all host memory here; the kinds differ only in the results of
// queries.
#include "runtime/emulator/hip_api/Stream.h"

#include <cstring>

namespace nstf::emulator {
namespace {
void *allocate(size_t bytes, RegionKind kind) {
  Memory &memory = Device::get().memory;
  void *pointer = memory.allocate(bytes, kind);
  if (!pointer)
    throw HipError(hipErrorOutOfMemory,
                   std::to_string(bytes) + " bytes asked for, " +
                       std::to_string(memory.limit() - memory.allocatedBytes()) + " of " +
                       std::to_string(memory.limit()) + " free",
                   true);
  return pointer;
}

hipError_t allocateInto(const char *function, void **pointer, size_t bytes, RegionKind kind) {
  return guarded(function, [&] {
    require(pointer != nullptr, "pointer is null");
    *pointer = nullptr;
    Device::get();
    if (bytes)
      *pointer = allocate(bytes, kind);
  });
}

hipError_t release(const char *function, void *pointer, bool host) {
  return guarded(function, [&] {
    Device &device = Device::get();
    if (!pointer)
      return;
    std::unique_lock lock(device.running);
    Region region;
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    // The program cannot free code objects and blocks inside an allocation.
    bool known = device.memory.find(address, region) && region.begin == address && region.kind != RegionKind::Code;
    if (!known || (region.kind == RegionKind::Host) != host || !device.memory.free(pointer))
      throw HipError(hipErrorInvalidValue, "the pointer was not allocated this way: " + device.memory.describe(address),
                     true);
  });
}
} // namespace
} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocateInto("hipMalloc", pointer, bytes, RegionKind::Device);
}
NSTF_HIP_API hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned) {
  return allocateInto("hipExtMallocWithFlags", pointer, bytes, RegionKind::Device);
}
NSTF_HIP_API hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned) {
  return allocateInto("hipMallocManaged", pointer, bytes, RegionKind::Managed);
}
NSTF_HIP_API hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t) {
  return allocateInto("hipMallocAsync", pointer, bytes, RegionKind::Device);
}
NSTF_HIP_API hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (pitch)
    *pitch = (width + 255) / 256 * 256;
  return allocateInto("hipMallocPitch", pitch ? pointer : nullptr, (width + 255) / 256 * 256 * height,
                      RegionKind::Device);
}
NSTF_HIP_API hipError_t hipFree(void *pointer) { return release("hipFree", pointer, false); }
NSTF_HIP_API hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
  if (hipError_t code = guarded("hipFreeAsync",
                                [&] {
                                  if (getStream(stream).capture)
                                    throw HipError(hipErrorStreamCaptureUnsupported, "the stream is capturing");
                                });
      code != hipSuccess)
    return code;
  return release("hipFreeAsync", pointer, false);
}

NSTF_HIP_API hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return allocateInto("hipHostMalloc", pointer, bytes, RegionKind::Host);
}
NSTF_HIP_API hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return hipHostMalloc(pointer, bytes, flags);
}
NSTF_HIP_API hipError_t hipMallocHost(void **pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, 0); }
NSTF_HIP_API hipError_t hipMemAllocHost(void **pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, 0); }
NSTF_HIP_API hipError_t hipHostFree(void *pointer) { return release("hipHostFree", pointer, true); }
NSTF_HIP_API hipError_t hipFreeHost(void *pointer) { return release("hipFreeHost", pointer, true); }
NSTF_HIP_API hipError_t hipHostGetDevicePointer(void **devicePointer, void *hostPointer, unsigned) {
  return guarded("hipHostGetDevicePointer", [&] {
    require(devicePointer != nullptr, "the result is null");
    Region region;
    require(Device::get().memory.find(reinterpret_cast<uint64_t>(hostPointer), region),
            "the pointer is in no memory that kernels may use");
    *devicePointer = hostPointer;
  });
}
NSTF_HIP_API hipError_t hipHostGetFlags(unsigned *flags, void *hostPointer) {
  return guarded("hipHostGetFlags", [&] {
    require(flags != nullptr, "flags is null");
    Region region;
    require(Device::get().memory.find(reinterpret_cast<uint64_t>(hostPointer), region) &&
                region.kind == RegionKind::Host,
            "the pointer is not from hipHostMalloc");
    *flags = hipHostMallocMapped;
  });
}
NSTF_HIP_API hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned) {
  return guarded("hipHostRegister", [&] {
    require(pointer && bytes, "nothing to register");
    if (!Device::get().memory.adopt(pointer, bytes, RegionKind::Host))
      throw HipError(hipErrorHostMemoryAlreadyRegistered, "part of the memory is registered already");
  });
}
NSTF_HIP_API hipError_t hipHostUnregister(void *pointer) {
  return guarded("hipHostUnregister", [&] {
    Device &device = Device::get();
    std::unique_lock lock(device.running);
    if (!device.memory.release(pointer))
      throw HipError(hipErrorHostMemoryNotRegistered, "the pointer was not registered");
  });
}

NSTF_HIP_API hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  return guarded("hipMemGetInfo", [&] {
    Memory &memory = Device::get().memory;
    if (total)
      *total = memory.limit();
    if (free)
      *free = memory.limit() - memory.allocatedBytes();
  });
}
NSTF_HIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer) {
  return guarded("hipMemGetAddressRange", [&] {
    Region region;
    if (!Device::get().memory.find(reinterpret_cast<uint64_t>(pointer), region))
      throw HipError(hipErrorNotFound, Device::get().memory.describe(reinterpret_cast<uint64_t>(pointer)));
    if (base)
      *base = region.data();
    if (bytes)
      *bytes = region.size();
  });
}
NSTF_HIP_API hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes) {
  return hipMemGetAddressRange(nullptr, bytes, pointer);
}
NSTF_HIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  return guarded("hipPointerGetAttributes", [&] {
    require(attributes != nullptr, "attributes is null");
    Region region;
    if (!Device::get().memory.find(reinterpret_cast<uint64_t>(pointer), region)) {
      // HIP 6 returns hipMemoryTypeUnregistered for any other pointer; HIP 5 refuses.
      if (hipMajorVersion() == 5)
        throw HipError(hipErrorInvalidValue, "the pointer is in no allocation");
      *attributes = {};
      return;
    }
    *attributes = {};
    const bool host = region.kind == RegionKind::Host;
    // hipMemoryTypeHost, Device and Managed: 0, 1, (1) in HIP 5; 1, 2, 3 in HIP 6.
    int type = host ? 0 : 1;
    if (hipMajorVersion() >= 6)
      type = region.kind == RegionKind::Managed ? 3 : type + 1;
    attributes->memoryType = static_cast<hipMemoryType>(type);
    attributes->devicePointer = const_cast<void *>(pointer);
    attributes->hostPointer = host || region.kind == RegionKind::Managed ? const_cast<void *>(pointer) : nullptr;
    attributes->isManaged = region.kind == RegionKind::Managed;
  });
}
// The location of managed memory has no effect here.
NSTF_HIP_API hipError_t hipMemAdvise(const void *, size_t, hipMemoryAdvise, int) { return hipSuccess; }
NSTF_HIP_API hipError_t hipMemPrefetchAsync(const void *, size_t, int, hipStream_t) { return hipSuccess; }
