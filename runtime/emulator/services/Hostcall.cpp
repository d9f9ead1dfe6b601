#include "runtime/emulator/services/Hostcall.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

namespace nstf::emulator::services {
namespace {

constexpr size_t lanes = 64;

/// What hidden_hostcall_buffer points to.
struct Root {
  uint64_t headers, payloads; ///< addresses
  uint64_t doorbell;          ///< address of the signal
  uint64_t freeStack, readyStack;
  uint64_t indexMask; ///< of a packet's number in a stack's entry
};

/// amd_signal_t. A wave adds to the value, stores the event's number to the mailbox, and interrupts the host.
struct Signal {
  int64_t kind, value;
  uint64_t mailbox;
  uint32_t event, reserved[9];
};
static_assert(sizeof(Signal) == 64);
constexpr int64_t userSignal = 1;

constexpr size_t signalAt = 64, mailboxAt = 128, headersAt = 192;
constexpr uint32_t ready = 1;

std::atomic_ref<uint64_t> atomically(uint64_t &word) { return std::atomic_ref<uint64_t>(word); }

} // namespace

struct HostcallBuffer::Header {
  uint64_t next, activeLanes;
  uint32_t service, control;
};

HostcallBuffer::HostcallBuffer(Memory &memory, uint32_t waves)
    : memory(memory), packets(std::bit_ceil(std::max(2u, waves))) {
  const size_t bytes = headersAt + packets * (sizeof(Header) + sizeof(uint64_t) * slotWords * lanes);
  void *pointer = memory.allocate(bytes, RegionKind::Host);
  if (!pointer)
    throw std::runtime_error("no room for " + std::to_string(bytes) + " bytes of a buffer for host calls");
  begin = reinterpret_cast<uint64_t>(pointer);
  reset();
}

HostcallBuffer::~HostcallBuffer() { memory.free(reinterpret_cast<void *>(begin)); }

HostcallBuffer::Header &HostcallBuffer::header(uint64_t packet) const {
  return reinterpret_cast<Header *>(begin + headersAt)[packet];
}

uint64_t *HostcallBuffer::payload(uint64_t packet) const {
  return reinterpret_cast<uint64_t *>(begin + headersAt + packets * sizeof(Header)) + packet * slotWords * lanes;
}

void HostcallBuffer::reset() {
  auto *signal = reinterpret_cast<Signal *>(begin + signalAt);
  *signal = {.kind = userSignal, .value = 0, .mailbox = begin + mailboxAt, .event = 1, .reserved = {}};
  // Number 0 needs a tag: an entry of 0 is the stack's end.
  for (uint64_t i = 0; i < packets; ++i)
    header(i) = {.next = i == 0 ? 0 : i == 1 ? packets : i - 1, .activeLanes = 0, .service = 0, .control = 0};
  auto *root = reinterpret_cast<Root *>(begin);
  *root = {.headers = reinterpret_cast<uint64_t>(&header(0)),
           .payloads = reinterpret_cast<uint64_t>(payload(0)),
           .doorbell = begin + signalAt,
           .freeStack = packets - 1,
           .readyStack = 0,
           .indexMask = packets - 1};
}

void HostcallBuffer::serve(const std::function<void(Service, Slot)> &answer) {
  std::lock_guard lock(mutex);
  uint64_t top = atomically(reinterpret_cast<Root *>(begin)->readyStack).exchange(0, std::memory_order_acquire);
  std::vector<uint64_t> waiting;
  for (; top; top = header(waiting.back()).next) {
    if (waiting.size() == packets)
      throw ServiceError("hostcall: the stack of ready packets has no end");
    waiting.push_back(top & (packets - 1));
  }
  for (auto packet = waiting.rbegin(); packet != waiting.rend(); ++packet) {
    Header &request = header(*packet);
    std::atomic_ref<uint32_t> control(request.control);
    if (!(control.load(std::memory_order_relaxed) & ready))
      throw ServiceError("hostcall: packet " + std::to_string(*packet) + " is on the stack but not ready");
    for (uint64_t left = request.activeLanes; left; left &= left - 1)
      answer(Service(request.service), Slot(payload(*packet) + std::countr_zero(left) * slotWords, slotWords));
    control.fetch_and(~ready, std::memory_order_release);
  }
}

} // namespace nstf::emulator::services
