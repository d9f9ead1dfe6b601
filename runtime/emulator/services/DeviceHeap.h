// The heap of malloc and free in kernels.
//
// The device library's allocator (`__ockl_dm_alloc`) works in the kernel. It keeps its state in a block that
// hidden_heap_v1 points to (in code objects of version 4, in a variable of its own), and asks the host for slabs of 2
// MiB, from which it cuts small blocks, and for each large block. The whole heap is one region of memory, since a
// launch that runs sees no new ones.
#pragma once

#include "runtime/emulator/memory/Memory.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace nstf::emulator::services {

class DeviceHeap {
public:
  static constexpr uint64_t slabBytes = 2 * 1024 * 1024;

  explicit DeviceHeap(Memory &memory) : memory(memory), limit(memory.limit()) {}
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap &) = delete;
  DeviceHeap &operator=(const DeviceHeap &) = delete;

  /// Makes the heap at the first call, before a launch that may use it. Throws std::runtime_error if there is no room.
  void prepare();
  /// The address of the heap's state, which the hidden argument hidden_heap_v1 passes; the state is all zero at the
  /// beginning. Precondition: prepare().
  uint64_t state() const { return stateBegin; }

  /// A block of its own, on a page's boundary, slabs on theirs; 0 if the heap or the device's memory is used up.
  uint64_t allocate(uint64_t bytes);
  /// False if the address is not the begin of a block.
  bool free(uint64_t address);

  /// The most bytes in blocks; by default the device's memory.
  uint64_t getLimit();
  /// Whole slabs: rounds up. False if the device has less memory.
  bool setLimit(uint64_t bytes);

private:
  uint64_t takeSlab();
  uint64_t takePages(uint64_t bytes);
  void giveBackPages(uint64_t begin, uint64_t bytes);

  Memory &memory;
  std::mutex mutex; ///< protects all below
  uint64_t limit, used = 0;
  uint64_t stateBegin = 0, heapBegin = 0;
  uint64_t unusedBegin = 0, unusedEnd = 0;        ///< blocks grow from the begin, slabs from the end
  std::map<uint64_t, uint64_t> blocks;            ///< in use, slabs too: begin, bytes
  std::map<uint64_t, uint64_t> freed;             ///< begin, bytes; neighbours are joined
  std::set<std::pair<uint64_t, uint64_t>> bySize; ///< the same: bytes, begin
  std::vector<uint64_t> freedSlabs;
};

} // namespace nstf::emulator::services
