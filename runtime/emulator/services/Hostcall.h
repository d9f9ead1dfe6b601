// The buffer through which waves call the host: the protocol of ROCm's device library (`__ockl_hostcall_internal`), as
// its bitcode and AMDGPUUsage ("hidden_hostcall_buffer") have it.
//
// A wave takes a packet off the free stack, writes a service's number and eight words a lane, and pushes the packet on
// the ready stack. It then rings the doorbell, an HSA signal, which interrupts the host, and waits until the host
// clears the packet's ready bit. Two words a lane are the answer. Stacks hold packet numbers with a tag in the upper
// bits.
#pragma once

#include "runtime/emulator/memory/Memory.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>

namespace nstf::emulator::services {

/// A request that makes no sense, for which the launch ends; the message is one line.
struct ServiceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The services' numbers.
enum class Service : uint32_t { FunctionCall = 1, Printf = 2, DeviceMemory = 3, Sanitizer = 4 };

constexpr size_t slotWords = 8; ///< of a lane

/// What a lane asks for; the answer stands in its first two words.
using Slot = std::span<uint64_t, slotWords>;

class HostcallBuffer {
public:
  /// Has as many packets as waves may wait at a time, rounded up to a power of two. Throws std::runtime_error if device
  /// memory is used up.
  HostcallBuffer(Memory &memory, uint32_t waves);
  ~HostcallBuffer();
  HostcallBuffer(const HostcallBuffer &) = delete;
  HostcallBuffer &operator=(const HostcallBuffer &) = delete;

  /// The address of the buffer, which the hidden argument hidden_hostcall_buffer passes.
  uint64_t address() const { return begin; }
  /// Makes all packets free.
  void reset();
  /// Answers all packets that are ready, the oldest first, by one call for each lane. Throws ServiceError, also one of
  /// `answer`. Any thread may call it.
  void serve(const std::function<void(Service, Slot)> &answer);

private:
  struct Header;
  Header &header(uint64_t packet) const;
  uint64_t *payload(uint64_t packet) const;

  Memory &memory;
  const uint32_t packets;
  uint64_t begin;
  std::mutex mutex; ///< one host thread serves at a time
};

} // namespace nstf::emulator::services
