// Device selection and contexts. There is one device, so there is one context, with constant properties.
#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/hip_api/Stream.h"

#include <dlfcn.h>
#include <string>

using namespace nstf::emulator;

namespace {
const hipCtx_t primaryContext = reinterpret_cast<hipCtx_t>(0x1);

void checkContext(hipCtx_t context) {
  if (context && context != primaryContext)
    throw HipError(hipErrorInvalidContext, "the handle is of no context");
}
} // namespace

NSTF_HIP_API hipError_t hipSetDevice(int ordinal) {
  return guarded("hipSetDevice", [&] { Device::get(ordinal); });
}
NSTF_HIP_API hipError_t hipGetDevice(int *ordinal) {
  return guarded("hipGetDevice", [&] {
    require(ordinal != nullptr, "device is null");
    Device::get();
    *ordinal = 0;
  });
}
// The only device is the best match for any properties, in either layout.
NSTF_HIP_API hipError_t hipChooseDevice(int *ordinal, const hipDeviceProp_t *) { return hipGetDevice(ordinal); }
NSTF_HIP_API hipError_t hipChooseDeviceR0000(int *ordinal, const void *) { return hipGetDevice(ordinal); }
NSTF_HIP_API hipError_t hipChooseDeviceR0600(int *ordinal, const void *) { return hipGetDevice(ordinal); }
NSTF_HIP_API hipError_t hipSetDeviceFlags(unsigned) {
  return guarded("hipSetDeviceFlags", [&] { Device::get(); });
}
NSTF_HIP_API hipError_t hipGetDeviceFlags(unsigned *flags) {
  return guarded("hipGetDeviceFlags", [&] {
    require(flags != nullptr, "flags is null");
    *flags = hipDeviceScheduleAuto;
  });
}
// Other libraries of the process may still use the memory that a reset would free. The reset therefore only clears a
// fault and waits like a synchronisation.
NSTF_HIP_API hipError_t hipDeviceReset(void) {
  if (hipError_t code = guarded("hipDeviceReset", [] { Device::get().fault.clear(); }); code != hipSuccess)
    return code;
  return hipDeviceSynchronize();
}
NSTF_HIP_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
NSTF_HIP_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }
NSTF_HIP_API hipError_t hipDeviceCanAccessPeer(int *can, int ordinal, int peer) {
  return guarded("hipDeviceCanAccessPeer", [&] {
    require(can != nullptr, "the result is null");
    Device::get(ordinal);
    Device::get(peer);
    *can = 0; // a device is not its own peer
  });
}
NSTF_HIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return guarded("hipDeviceEnablePeerAccess", [&] { Device::get(peer); });
}
NSTF_HIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
  return guarded("hipDeviceDisablePeerAccess", [&] { Device::get(peer); });
}

NSTF_HIP_API hipError_t hipCtxCreate(hipCtx_t *context, unsigned, hipDevice_t ordinal) {
  return guarded("hipCtxCreate", [&] {
    require(context != nullptr, "context is null");
    Device::get(ordinal);
    *context = primaryContext;
  });
}
NSTF_HIP_API hipError_t hipCtxDestroy(hipCtx_t context) {
  return guarded("hipCtxDestroy", [&] { checkContext(context); });
}
NSTF_HIP_API hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return guarded("hipCtxPushCurrent", [&] { checkContext(context); });
}
NSTF_HIP_API hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return guarded("hipCtxSetCurrent", [&] { checkContext(context); });
}
NSTF_HIP_API hipError_t hipCtxGetCurrent(hipCtx_t *context) {
  return guarded("hipCtxGetCurrent", [&] {
    require(context != nullptr, "context is null");
    Device::get();
    *context = primaryContext;
  });
}
NSTF_HIP_API hipError_t hipCtxPopCurrent(hipCtx_t *context) { return context ? hipCtxGetCurrent(context) : hipSuccess; }
NSTF_HIP_API hipError_t hipCtxGetDevice(hipDevice_t *ordinal) { return hipGetDevice(ordinal); }
NSTF_HIP_API hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }
NSTF_HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t ordinal) {
  return hipCtxCreate(context, 0, ordinal);
}
NSTF_HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t ordinal) { return hipSetDevice(ordinal); }
NSTF_HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t ordinal, unsigned *flags, int *active) {
  return guarded("hipDevicePrimaryCtxGetState", [&] {
    Device::get(ordinal);
    if (flags)
      *flags = 0;
    if (active)
      *active = 1;
  });
}

// HIP 6.1: names are those of the requested version, which matters only for hipGetDeviceProperties.
NSTF_HIP_API hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t, int *found) {
  return guarded("hipGetProcAddress", [&] {
    require(name && function, "name or function is null");
    std::string symbol = name;
    if (version >= 600 && (symbol == "hipGetDeviceProperties" || symbol == "hipChooseDevice"))
      symbol += "R0600";
    Dl_info info{};
    dladdr(reinterpret_cast<void *>(&checkContext), &info);
    void *self = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    *function = self ? dlsym(self, symbol.c_str()) : nullptr;
    if (self)
      dlclose(self);
    if (found)
      *found = *function ? 0 : 1;
    if (!*function)
      throw HipError(hipErrorNotFound, symbol + " is not there");
  });
}
