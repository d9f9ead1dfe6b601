// Device memory (nstf/Runtime.h, class Buffer): allocation, and copies that are checked against the buffer's size.
#include "runtime/core/Device.h"

namespace nstf {
namespace {
void *at(uint64_t address) { return reinterpret_cast<void *>(address); }
} // namespace

Buffer::Buffer(const Backend &backend, size_t bytes) : device_(backend.device()), size_(bytes) {
  if (!bytes)
    return;
  device_->activate();
  const detail::HIPLibrary &hip = device_->hip();
  void *pointer = nullptr;
  if (int code = hip.hipMalloc(&pointer, bytes)) {
    size_t free = 0, total = 0;
    std::string state;
    if (!hip.hipMemGetInfo(&free, &total))
      state = ", " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
    throw Error("cannot allocate " + std::to_string(bytes) + " bytes of device memory: " + hip.describe(code) + state);
  }
  address_ = reinterpret_cast<uint64_t>(pointer);
}

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer &&other) noexcept
    : device_(std::move(other.device_)), address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this != &other) {
    release();
    device_ = std::move(other.device_);
    address_ = std::exchange(other.address_, 0);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Buffer::release() noexcept {
  if (address_)
    (void)device_->hip().hipFree(at(address_)); // a failure here cannot be handled
  address_ = 0;
}

void Buffer::check(size_t bytes, size_t offset, const char *what) const {
  if (offset > size_ || bytes > size_ - offset)
    throw Error(std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                " is outside a buffer of " + std::to_string(size_) + " bytes");
  if (bytes)
    device_->activate();
}

void Buffer::upload(const void *source, size_t bytes, size_t offset) {
  check(bytes, offset, "an upload");
  if (bytes)
    device_->hip().check(device_->hip().hipMemcpy(at(address_ + offset), source, bytes, detail::CopyKind::HostToDevice),
                         "upload failed");
}

void Buffer::download(void *destination, size_t bytes, size_t offset) const {
  check(bytes, offset, "a download");
  if (bytes)
    device_->hip().check(
        device_->hip().hipMemcpy(destination, at(address_ + offset), bytes, detail::CopyKind::DeviceToHost),
        "download failed");
}

void Buffer::fill(uint8_t value) { fill(value, size_, 0); }

void Buffer::fill(uint8_t value, size_t bytes, size_t offset) {
  check(bytes, offset, "a fill");
  if (!bytes)
    return;
  device_->hip().check(device_->hip().hipMemset(at(address_ + offset), value, bytes), "fill failed");
  // hipMemset of device memory may return before it is complete.
  device_->hip().check(device_->hip().hipStreamSynchronize(nullptr), "fill failed");
}

void Buffer::upload(Stream &stream, const void *source, size_t bytes, size_t offset) {
  check(bytes, offset, "an upload");
  if (bytes)
    device_->hip().check(device_->hip().hipMemcpyAsync(at(address_ + offset), source, bytes,
                                                       detail::CopyKind::HostToDevice, stream.handle()),
                         "upload failed");
}

void Buffer::download(Stream &stream, void *destination, size_t bytes, size_t offset) const {
  check(bytes, offset, "a download");
  if (bytes)
    device_->hip().check(device_->hip().hipMemcpyAsync(destination, at(address_ + offset), bytes,
                                                       detail::CopyKind::DeviceToHost, stream.handle()),
                         "download failed");
}

void Buffer::fill(Stream &stream, uint8_t value, size_t bytes, size_t offset) {
  check(bytes, offset, "a fill");
  if (bytes)
    device_->hip().check(device_->hip().hipMemsetAsync(at(address_ + offset), value, bytes, stream.handle()),
                         "fill failed");
}

void Buffer::copyFrom(Stream &stream, const Buffer &source, size_t bytes, size_t sourceOffset, size_t offset) {
  source.check(bytes, sourceOffset, "a copy's source");
  check(bytes, offset, "a copy's destination");
  if (bytes)
    device_->hip().check(device_->hip().hipMemcpyAsync(at(address_ + offset), at(source.address_ + sourceOffset), bytes,
                                                       detail::CopyKind::DeviceToDevice, stream.handle()),
                         "copy failed");
}

} // namespace nstf
