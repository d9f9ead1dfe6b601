// Address space comes from large reserved mappings and is allocated from front to back; pages take host memory when
// first touched.
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>

namespace nstf::emulator {
namespace {
constexpr uint64_t chunkBytes = uint64_t(64) << 30;
// Freed address space is reused only once this much is reserved in total (a process has 128 TiB).
constexpr uint64_t reuseThreshold = uint64_t(4) << 40;
constexpr size_t rememberedFreed = 65536;

uint64_t roundUp(uint64_t value, uint64_t granule) { return (value + granule - 1) / granule * granule; }

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const char *kindName(RegionKind kind) {
  switch (kind) {
  case RegionKind::Device:
    return "allocation";
  case RegionKind::Host:
    return "host allocation";
  case RegionKind::Managed:
    return "managed allocation";
  case RegionKind::Code:
    return "code object";
  case RegionKind::Arguments:
    return "kernel argument block";
  case RegionKind::Scratch:
    return "scratch";
  case RegionKind::Heap:
    return "heap of kernels";
  }
  return "region";
}

std::string describeRegion(const Region &region) {
  return std::string(kindName(region.kind)) + " " + std::to_string(region.id) + " [" + hex(region.begin) + ", " +
         hex(region.end) + "), " + std::to_string(region.size()) + " bytes" + (region.writable ? "" : ", read-only");
}
} // namespace

Memory::Memory(uint64_t limit) : limitBytes(limit) {}

Memory::~Memory() {
  for (auto [base, size] : chunks)
    munmap(reinterpret_cast<void *>(base), size);
}

uint64_t Memory::takeAddressSpace(uint64_t span) {
  if (reserved >= reuseThreshold) {
    for (auto it = freed.begin(); it != freed.end(); ++it)
      if (it->span >= span) {
        uint64_t base = it->base;
        freed.erase(it);
        return base;
      }
  }
  if (chunkEnd - chunkNext < span) {
    // If a large reservation is refused (ulimit -v), one of the needed size may still succeed.
    for (uint64_t size : {std::max(chunkBytes, span), span}) {
      void *base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED)
        continue;
      chunkNext = reinterpret_cast<uint64_t>(base);
      chunkEnd = chunkNext + size;
      chunks.emplace_back(chunkNext, size);
      reserved += size;
      break;
    }
    if (chunkEnd - chunkNext < span)
      return 0;
  }
  uint64_t base = chunkNext;
  chunkNext += span;
  return base;
}

uint64_t Memory::takePhysical(uint64_t bytes) {
  const uint64_t page = bytes >= largePageBytes ? largePageBytes : pageBytes;
  const uint64_t begin = roundUp(nextPhysical, page);
  nextPhysical = begin + roundUp(std::max<uint64_t>(bytes, 1), page);
  return begin;
}

void *Memory::allocate(size_t bytes, RegionKind kind, bool writable) {
  std::lock_guard lock(mutex);
  if (bytes > limitBytes - std::min(limitBytes, allocated))
    return nullptr;
  void *pointer = place(bytes, kind, writable);
  if (pointer) {
    allocations[reinterpret_cast<uint64_t>(pointer)].charged = bytes;
    allocated += bytes;
  }
  return pointer;
}

void *Memory::reserve(size_t bytes, RegionKind kind) {
  std::lock_guard lock(mutex);
  return place(bytes, kind, true);
}

bool Memory::charge(uint64_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > limitBytes - std::min(limitBytes, allocated))
    return false;
  allocated += bytes;
  return true;
}

void Memory::uncharge(uint64_t bytes) {
  std::lock_guard lock(mutex);
  allocated -= bytes;
}

void *Memory::place(size_t bytes, RegionKind kind, bool writable) {
  if (bytes > UINT64_MAX - 2 * guardBytes)
    return nullptr;
  uint64_t pages = roundUp(std::max<uint64_t>(bytes, 1), pageBytes);
  uint64_t span = pages + guardBytes;
  uint64_t base = takeAddressSpace(span);
  if (!base)
    return nullptr;
  Region region{base, base + bytes, writable, kind, nextId++, takePhysical(bytes)};
  allocations[base] = Allocation{base, span, bytes, 0, region.physical, {region}};
  snapshot = nullptr;
  if (definednessShadow && kind == RegionKind::Device) {
    auto shadow = definednessShadow->lock();
    definednessShadow->setUndefined(base, bytes);
  }
  return reinterpret_cast<void *>(base);
}

bool Memory::free(void *pointer) {
  std::lock_guard lock(mutex);
  auto it = allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == allocations.end() || !it->second.span)
    return false;
  Allocation &allocation = it->second;
  // Returns the pages to the host; they read as zero when the address space is reused.
  madvise(pointer, roundUp(std::max<uint64_t>(allocation.bytes, 1), pageBytes), MADV_DONTNEED);
  Region region{allocation.base, allocation.base + allocation.bytes, true, RegionKind::Device, 0};
  if (!allocation.regions.empty()) {
    region.kind = allocation.regions.front().kind;
    region.id = allocation.regions.front().id;
  }
  freed.push_back({region, allocation.base, allocation.span});
  if (freed.size() > rememberedFreed && reserved < reuseThreshold)
    freed.pop_front();
  if (definednessShadow) {
    auto shadow = definednessShadow->lock();
    definednessShadow->setDefined(allocation.base, allocation.bytes);
  }
  allocated -= allocation.charged;
  allocations.erase(it);
  snapshot = nullptr;
  return true;
}

bool Memory::adopt(void *pointer, size_t bytes, RegionKind kind, bool writable) {
  std::lock_guard lock(mutex);
  uint64_t begin = reinterpret_cast<uint64_t>(pointer);
  if (!begin || !bytes || bytes > UINT64_MAX - begin)
    return false;
  auto next = allocations.lower_bound(begin);
  if (next != allocations.end() && next->first < begin + bytes)
    return false;
  if (next != allocations.begin()) {
    auto previous = std::prev(next);
    if (previous->first + std::max(previous->second.bytes, previous->second.span) > begin)
      return false;
  }
  const Region region{begin, begin + bytes, writable, kind, nextId++, takePhysical(bytes)};
  allocations[begin] = Allocation{begin, 0, bytes, 0, region.physical, {region}};
  snapshot = nullptr;
  return true;
}

bool Memory::release(void *pointer) {
  std::lock_guard lock(mutex);
  auto it = allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == allocations.end() || it->second.span)
    return false;
  allocations.erase(it);
  snapshot = nullptr;
  return true;
}

bool Memory::split(void *pointer, const std::vector<Region> &parts) {
  std::lock_guard lock(mutex);
  auto it = allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == allocations.end())
    return false;
  Allocation &allocation = it->second;
  uint64_t reached = allocation.base;
  for (const Region &part : parts) {
    if (part.begin < reached || part.end < part.begin || part.end > allocation.base + allocation.bytes)
      return false;
    reached = part.end;
  }
  uint64_t id = allocation.regions.empty() ? nextId++ : allocation.regions.front().id;
  allocation.regions = parts;
  for (Region &part : allocation.regions) {
    part.id = id;
    part.physical = allocation.physical + (part.begin - allocation.base);
  }
  snapshot = nullptr;
  return true;
}

std::shared_ptr<const RegionTable> Memory::regions() const {
  std::lock_guard lock(mutex);
  if (!snapshot) {
    std::vector<Region> all;
    all.reserve(allocations.size());
    for (const auto &entry : allocations)
      all.insert(all.end(), entry.second.regions.begin(), entry.second.regions.end());
    snapshot = std::make_shared<const RegionTable>(std::move(all));
  }
  return snapshot;
}

bool Memory::find(uint64_t address, Region &region) const {
  std::lock_guard lock(mutex);
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  for (const Region &candidate : std::prev(it)->second.regions)
    if (address >= candidate.begin && address < candidate.end) {
      region = candidate;
      return true;
    }
  return false;
}

bool Memory::covers(uint64_t address, uint64_t bytes) const {
  Region region;
  return find(address, region) && region.contains(address, bytes);
}

std::string Memory::describe(uint64_t address) const {
  std::shared_ptr<const RegionTable> table = regions();
  if (address < 65536)
    return hex(address) + " is a null pointer" + (address ? " plus " + std::to_string(address) + " bytes" : "");
  if (const Region *region = table->find(address))
    return hex(address) + " is " + std::to_string(address - region->begin) + " bytes into " + describeRegion(*region);
  const Region *nearest = nullptr;
  uint64_t distance = UINT64_MAX;
  for (const Region &region : table->all()) {
    uint64_t d = address < region.begin ? region.begin - address : address - region.end;
    if (d < distance) {
      distance = d;
      nearest = &region;
    }
  }
  {
    std::lock_guard lock(mutex);
    // The most recent region freed there.
    for (auto it = freed.rbegin(); it != freed.rend(); ++it)
      if (address >= it->region.begin && address < it->region.end)
        return hex(address) + " is " + std::to_string(address - it->region.begin) + " bytes into " +
               describeRegion(it->region) + ", which was freed";
  }
  if (!nearest)
    return hex(address) + " is in no allocation (there is none)";
  if (distance >> 32)
    return hex(address) + " is near no allocation";
  if (address < nearest->begin)
    return hex(address) + " is " + std::to_string(distance) + " bytes before the begin of " + describeRegion(*nearest);
  return hex(address) + " is " + std::to_string(distance) + " bytes past the end of " + describeRegion(*nearest);
}

void Memory::trackDefinedness() {
  std::lock_guard lock(mutex);
  if (!definednessShadow)
    definednessShadow = std::make_unique<Shadow>();
}

void Memory::hostWrites(const void *to, uint64_t bytes) {
  if (!definednessShadow)
    return;
  auto shadow = definednessShadow->lock();
  definednessShadow->setDefined(reinterpret_cast<uint64_t>(to), bytes);
}

void Memory::forgets(uint64_t begin, uint64_t bytes) {
  if (!definednessShadow)
    return;
  auto shadow = definednessShadow->lock();
  definednessShadow->setUndefined(begin, bytes);
}

void Memory::hostCopies(const void *to, const void *from, uint64_t bytes) {
  if (!definednessShadow || !bytes)
    return;
  // The emulator does not observe the host's writes to its own memory, so only device memory can be undefined.
  auto isDevice = [&](const void *pointer) {
    Region region;
    return find(reinterpret_cast<uint64_t>(pointer), region) &&
           (region.kind == RegionKind::Device || region.kind == RegionKind::Heap);
  };
  if (!isDevice(to))
    return;
  bool fromDevice = isDevice(from);
  auto shadow = definednessShadow->lock();
  if (fromDevice)
    definednessShadow->copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes);
  else
    definednessShadow->setDefined(reinterpret_cast<uint64_t>(to), bytes);
}

uint64_t Memory::allocatedBytes() const {
  std::lock_guard lock(mutex);
  return allocated;
}

} // namespace nstf::emulator
