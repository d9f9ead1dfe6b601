// Copies and fills: functions without a stream wait; those with a stream submit to it.
#include "runtime/emulator/hip_api/Stream.h"

using namespace nstf::emulator;

namespace {
hipError_t copy(const char *function, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                size_t height, hipMemcpyKind kind, hipStream_t stream, bool wait) {
  return guarded(function, [&] {
    if (wait)
      refuseDuringCapture();
    submit(stream, CopyOperation{to, from, width, height, toPitch, fromPitch, kind});
    if (wait)
      synchronize(getStream(stream));
  });
}

hipError_t fill(const char *function, void *to, size_t pitch, uint32_t value, uint32_t elementSize, size_t count,
                size_t height, hipStream_t stream, bool wait) {
  return guarded(function, [&] {
    if (wait)
      refuseDuringCapture();
    submit(stream, FillOperation{to, value, elementSize, count, height, pitch});
  });
}
} // namespace

NSTF_HIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return copy("hipMemcpy", to, 0, from, 0, bytes, 1, kind, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                            hipStream_t stream) {
  return copy("hipMemcpyWithStream", to, 0, from, 0, bytes, 1, kind, stream, true);
}
NSTF_HIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                       hipStream_t stream) {
  return copy("hipMemcpyAsync", to, 0, from, 0, bytes, 1, kind, stream, false);
}
NSTF_HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t bytes) {
  return copy("hipMemcpyHtoD", to, 0, from, 0, bytes, 1, hipMemcpyHostToDevice, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return copy("hipMemcpyDtoH", to, 0, from, 0, bytes, 1, hipMemcpyDeviceToHost, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy("hipMemcpyDtoD", to, 0, from, 0, bytes, 1, hipMemcpyDeviceToDevice, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes, hipStream_t stream) {
  return copy("hipMemcpyHtoDAsync", to, 0, from, 0, bytes, 1, hipMemcpyHostToDevice, stream, false);
}
NSTF_HIP_API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy("hipMemcpyDtoHAsync", to, 0, from, 0, bytes, 1, hipMemcpyDeviceToHost, stream, false);
}
NSTF_HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy("hipMemcpyDtoDAsync", to, 0, from, 0, bytes, 1, hipMemcpyDeviceToDevice, stream, false);
}
NSTF_HIP_API hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  return guarded("hipMemcpyPeer", [&] {
    Device::get(toDevice);
    Device::get(fromDevice);
    refuseDuringCapture();
    submit(nullptr, CopyOperation{to, from, bytes, 1, 0, 0, hipMemcpyDeviceToDevice});
    synchronize(getStream(nullptr));
  });
}
NSTF_HIP_API hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                    size_t height, hipMemcpyKind kind) {
  return copy("hipMemcpy2D", to, toPitch, from, fromPitch, width, height, kind, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                         size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy("hipMemcpy2DAsync", to, toPitch, from, fromPitch, width, height, kind, stream, false);
}

NSTF_HIP_API hipError_t hipMemset(void *to, int value, size_t bytes) {
  return fill("hipMemset", to, 0, uint8_t(value), 1, bytes, 1, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return fill("hipMemsetAsync", to, 0, uint8_t(value), 1, bytes, 1, stream, false);
}
NSTF_HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return fill("hipMemsetD8", to, 0, value, 1, count, 1, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
  return fill("hipMemsetD8Async", to, 0, value, 1, count, 1, stream, false);
}
NSTF_HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return fill("hipMemsetD16", to, 0, value, 2, count, 1, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
  return fill("hipMemsetD16Async", to, 0, value, 2, count, 1, stream, false);
}
NSTF_HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return fill("hipMemsetD32", to, 0, uint32_t(value), 4, count, 1, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill("hipMemsetD32Async", to, 0, uint32_t(value), 4, count, 1, stream, false);
}
NSTF_HIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fill("hipMemset2D", to, pitch, uint8_t(value), 1, width, height, nullptr, true);
}
NSTF_HIP_API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                         hipStream_t stream) {
  return fill("hipMemset2DAsync", to, pitch, uint8_t(value), 1, width, height, stream, false);
}
