// A wave's side of host calls: what ROCm's device library does with the buffer.
#pragma once

#include "runtime/emulator/services/Hostcall.h"

#include <atomic>
#include <cstdint>

namespace nstf::emulator::test {

class Packets {
public:
  explicit Packets(uint64_t buffer) : root(*reinterpret_cast<Root *>(buffer)) {}

  /// A free packet, or 0.
  uint64_t pop() {
    std::atomic_ref<uint64_t> top(root.free);
    uint64_t packet = top.load();
    while (packet && !top.compare_exchange_weak(packet, std::atomic_ref<uint64_t>(header(packet).next).load())) {
    }
    return packet;
  }
  void fill(uint64_t packet, services::Service service, uint64_t lanes) {
    header(packet).service = uint32_t(service);
    header(packet).lanes = lanes;
    header(packet).control = 1;
  }
  uint64_t *slot(uint64_t packet, unsigned lane) {
    return reinterpret_cast<uint64_t *>(root.payloads) + ((packet & root.mask) * 64 + lane) * services::slotWords;
  }
  void push(uint64_t packet) { pushOn(root.ready, packet); }
  bool isReady(uint64_t packet) { return std::atomic_ref<uint32_t>(header(packet).control).load() & 1; }
  /// With another tag, so that a wave that still reads the old entry takes nothing wrong.
  void giveBack(uint64_t packet) {
    packet += root.mask + 1;
    pushOn(root.free, packet ? packet : root.mask + 1);
  }

  void setNext(uint64_t packet, uint64_t next) { header(packet).next = next; }
  void setReadyStack(uint64_t top) { root.ready = top; }

private:
  struct Root {
    uint64_t headers, payloads, doorbell, free, ready, mask;
  };
  struct Header {
    uint64_t next, lanes;
    uint32_t service, control;
  };
  Header &header(uint64_t packet) { return reinterpret_cast<Header *>(root.headers)[packet & root.mask]; }
  void pushOn(uint64_t &stack, uint64_t packet) {
    std::atomic_ref<uint64_t> top(stack);
    uint64_t next = top.load();
    do
      std::atomic_ref<uint64_t>(header(packet).next).store(next);
    while (!top.compare_exchange_weak(next, packet));
  }

  Root &root;
};

} // namespace nstf::emulator::test
