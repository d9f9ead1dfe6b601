// A queue of work on a device (nstf/Runtime.h, class Stream).
#include "runtime/core/Device.h"

namespace nstf {
namespace {
constexpr unsigned nonBlockingFlag = 1; // hipStreamNonBlocking: the null stream and this one do not wait for each other
} // namespace

Stream::Stream(const Backend &backend) : device(backend.device()) {
  device->activate();
  device->hip().check(device->hip().hipStreamCreateWithFlags(&hipStream, nonBlockingFlag), "cannot make a stream");
}

Stream::~Stream() { release(); }

Stream::Stream(Stream &&other) noexcept
    : device(std::move(other.device)), hipStream(std::exchange(other.hipStream, nullptr)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this != &other) {
    release();
    device = std::move(other.device);
    hipStream = std::exchange(other.hipStream, nullptr);
  }
  return *this;
}

void Stream::release() noexcept {
  if (hipStream)
    (void)device->hip().hipStreamDestroy(hipStream);
  hipStream = nullptr;
}

void Stream::synchronize() {
  device->activate();
  device->hip().check(device->hip().hipStreamSynchronize(hipStream), "a kernel or copy failed");
}

} // namespace nstf
