// A queue of work on a device (nstf/Runtime.h, class Stream).
#include "runtime/core/Device.h"

namespace nstf {
namespace {
constexpr unsigned nonBlockingFlag = 1; // hipStreamNonBlocking: the null stream and this one do not wait for each other
} // namespace

Stream::Stream(const Backend &backend) : device_(backend.device()) {
  device_->activate();
  device_->hip().check(device_->hip().hipStreamCreateWithFlags(&stream_, nonBlockingFlag), "cannot make a stream");
}

Stream::~Stream() { release(); }

Stream::Stream(Stream &&other) noexcept
    : device_(std::move(other.device_)), stream_(std::exchange(other.stream_, nullptr)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this != &other) {
    release();
    device_ = std::move(other.device_);
    stream_ = std::exchange(other.stream_, nullptr);
  }
  return *this;
}

void Stream::release() noexcept {
  if (stream_)
    (void)device_->hip().hipStreamDestroy(stream_);
  stream_ = nullptr;
}

void Stream::synchronize() {
  device_->activate();
  device_->hip().check(device_->hip().hipStreamSynchronize(stream_), "a kernel or copy failed");
}

} // namespace nstf
