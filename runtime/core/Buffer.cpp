// Device memory (nstf/Runtime.h, class Buffer): allocation, and copies that are checked against the buffer's size.
#include "runtime/core/Device.h"

namespace nstf {
namespace {
void *at(uint64_t address) { return reinterpret_cast<void *>(address); }
} // namespace

Buffer::Buffer(const Backend &backend, size_t bytes) : device(backend.device()), capacity(bytes) {
  if (!bytes)
    return;
  device->activate();
  const detail::HIPLibrary &hip = device->hip();
  void *pointer = nullptr;
  if (int code = hip.hipMalloc(&pointer, bytes)) {
    size_t free = 0, total = 0;
    std::string state;
    if (!hip.hipMemGetInfo(&free, &total))
      state = ", " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
    throw Error("cannot allocate " + std::to_string(bytes) + " bytes of device memory: " + hip.describe(code) + state);
  }
  begin = reinterpret_cast<uint64_t>(pointer);
}

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer &&other) noexcept
    : device(std::move(other.device)), begin(std::exchange(other.begin, 0)),
      capacity(std::exchange(other.capacity, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this != &other) {
    release();
    device = std::move(other.device);
    begin = std::exchange(other.begin, 0);
    capacity = std::exchange(other.capacity, 0);
  }
  return *this;
}

void Buffer::release() noexcept {
  if (begin)
    (void)device->hip().hipFree(at(begin)); // a failure here cannot be handled
  begin = 0;
}

void Buffer::check(size_t bytes, size_t offset, const char *what) const {
  if (offset > capacity || bytes > capacity - offset)
    throw Error(std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                " is outside a buffer of " + std::to_string(capacity) + " bytes");
  if (bytes)
    device->activate();
}

void Buffer::upload(const void *source, size_t bytes, size_t offset) {
  check(bytes, offset, "an upload");
  if (bytes)
    device->hip().check(device->hip().hipMemcpy(at(begin + offset), source, bytes, detail::CopyKind::HostToDevice),
                        "upload failed");
}

void Buffer::download(void *destination, size_t bytes, size_t offset) const {
  check(bytes, offset, "a download");
  if (bytes)
    device->hip().check(device->hip().hipMemcpy(destination, at(begin + offset), bytes, detail::CopyKind::DeviceToHost),
                        "download failed");
}

void Buffer::fill(uint8_t value) { fill(value, capacity, 0); }

void Buffer::fill(uint8_t value, size_t bytes, size_t offset) {
  check(bytes, offset, "a fill");
  if (!bytes)
    return;
  device->hip().check(device->hip().hipMemset(at(begin + offset), value, bytes), "fill failed");
  // hipMemset of device memory may return before it is complete.
  device->hip().check(device->hip().hipStreamSynchronize(nullptr), "fill failed");
}

void Buffer::upload(Stream &stream, const void *source, size_t bytes, size_t offset) {
  check(bytes, offset, "an upload");
  if (bytes)
    device->hip().check(device->hip().hipMemcpyAsync(at(begin + offset), source, bytes, detail::CopyKind::HostToDevice,
                                                     stream.handle()),
                        "upload failed");
}

void Buffer::download(Stream &stream, void *destination, size_t bytes, size_t offset) const {
  check(bytes, offset, "a download");
  if (bytes)
    device->hip().check(device->hip().hipMemcpyAsync(destination, at(begin + offset), bytes,
                                                     detail::CopyKind::DeviceToHost, stream.handle()),
                        "download failed");
}

void Buffer::fill(Stream &stream, uint8_t value, size_t bytes, size_t offset) {
  check(bytes, offset, "a fill");
  if (bytes)
    device->hip().check(device->hip().hipMemsetAsync(at(begin + offset), value, bytes, stream.handle()), "fill failed");
}

void Buffer::copyFrom(Stream &stream, const Buffer &source, size_t bytes, size_t sourceOffset, size_t offset) {
  source.check(bytes, sourceOffset, "a copy's source");
  check(bytes, offset, "a copy's destination");
  if (bytes)
    device->hip().check(device->hip().hipMemcpyAsync(at(begin + offset), at(source.begin + sourceOffset), bytes,
                                                     detail::CopyKind::DeviceToDevice, stream.handle()),
                        "copy failed");
}

} // namespace nstf
