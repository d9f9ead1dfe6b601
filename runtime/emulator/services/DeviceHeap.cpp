#include "runtime/emulator/services/DeviceHeap.h"

#include <stdexcept>

namespace nstf::emulator::services {
namespace {

/// The allocator's state has about 106 KiB; a language runtime gives it as much.
constexpr size_t stateBytes = 128 * 1024;

uint64_t roundUp(uint64_t value, uint64_t granule) { return (value + granule - 1) / granule * granule; }

} // namespace

DeviceHeap::~DeviceHeap() {
  memory.uncharge(used);
  for (uint64_t begin : {heapBegin, stateBegin})
    if (begin)
      memory.free(reinterpret_cast<void *>(begin));
}

void DeviceHeap::prepare() {
  std::lock_guard lock(mutex);
  if (stateBegin)
    return;
  void *state = memory.allocate(stateBytes), *whole = memory.reserve(memory.limit(), RegionKind::Heap);
  if (!state || !whole)
    throw std::runtime_error("no room for the heap of kernels");
  memory.hostWrites(state, stateBytes);
  heapBegin = unusedBegin = reinterpret_cast<uint64_t>(whole);
  unusedEnd = (unusedBegin + memory.limit()) / slabBytes * slabBytes;
  stateBegin = reinterpret_cast<uint64_t>(state);
}

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > limit)
    return 0;
  bytes = roundUp(std::max<uint64_t>(bytes, 1), Memory::pageBytes);
  if (bytes > limit - std::min(limit, used) || !memory.charge(bytes))
    return 0;
  const uint64_t begin = bytes == slabBytes ? takeSlab() : takePages(bytes);
  if (!begin) {
    memory.uncharge(bytes);
    return 0;
  }
  used += bytes;
  blocks.emplace(begin, bytes);
  memory.forgets(begin, bytes);
  return begin;
}

bool DeviceHeap::free(uint64_t address) {
  std::lock_guard lock(mutex);
  const auto block = blocks.find(address);
  if (block == blocks.end())
    return false;
  const uint64_t bytes = block->second;
  blocks.erase(block);
  used -= bytes;
  memory.uncharge(bytes);
  if (bytes == slabBytes)
    freedSlabs.push_back(address);
  else
    giveBackPages(address, bytes);
  return true;
}

uint64_t DeviceHeap::getLimit() {
  std::lock_guard lock(mutex);
  return limit;
}

bool DeviceHeap::setLimit(uint64_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > memory.limit())
    return false;
  limit = std::min(roundUp(bytes, slabBytes), memory.limit());
  return true;
}

uint64_t DeviceHeap::takeSlab() {
  if (!freedSlabs.empty()) {
    const uint64_t slab = freedSlabs.back();
    freedSlabs.pop_back();
    return slab;
  }
  if (unusedEnd < unusedBegin || unusedEnd - unusedBegin < slabBytes)
    return 0;
  return unusedEnd -= slabBytes;
}

uint64_t DeviceHeap::takePages(uint64_t bytes) {
  if (const auto smallest = bySize.lower_bound({bytes, 0}); smallest != bySize.end()) {
    const auto [size, begin] = *smallest;
    bySize.erase(smallest);
    freed.erase(begin);
    if (size > bytes) {
      freed.emplace(begin + bytes, size - bytes);
      bySize.emplace(size - bytes, begin + bytes);
    }
    return begin;
  }
  if (unusedEnd < unusedBegin || unusedEnd - unusedBegin < bytes)
    return 0;
  const uint64_t begin = unusedBegin;
  unusedBegin += bytes;
  return begin;
}

void DeviceHeap::giveBackPages(uint64_t begin, uint64_t bytes) {
  auto next = freed.lower_bound(begin);
  if (next != freed.end() && next->first == begin + bytes) {
    bytes += next->second;
    bySize.erase({next->second, next->first});
    next = freed.erase(next);
  }
  if (next != freed.begin())
    if (const auto before = std::prev(next); before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      bySize.erase({before->second, before->first});
      freed.erase(before);
    }
  freed.emplace(begin, bytes);
  bySize.emplace(bytes, begin);
}

} // namespace nstf::emulator::services
