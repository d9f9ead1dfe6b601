// The memory of the emulated device: the addresses that a kernel may access.
//
// A device address is a host address: an allocation is host memory, so a load needs no translation, only a check. The
// check is a lookup in a sorted table of live regions. Allocations are far apart (guardBytes of unused address space
// between them), so an overrun hits no other allocation and is detected. Freed address space is not reused before a
// large quarantine is full, so use after free is detected too.
//
// An executor takes `regions()` once per launch, after everything that the launch needs is allocated, and looks
// addresses up in that table. The table is immutable and needs no lock. `RegionTable::find` takes a hint for each wave
// (the region found last), with which almost every lookup needs only two comparisons. The HIP layer frees nothing while
// a launch runs.
#pragma once

#include "runtime/emulator/memory/Shadow.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nstf::emulator {

/// The purpose of a region of device-visible memory; it matters only for messages and for HIP's pointer queries.
enum class RegionKind : uint8_t {
  Device,    ///< hipMalloc
  Host,      ///< hipHostMalloc, hipHostRegister
  Managed,   ///< hipMallocManaged
  Code,      ///< a loaded segment of a code object
  Arguments, ///< a kernel's argument block, dispatch packets
  Scratch,   ///< private memory of waves
  Heap,      ///< of malloc in kernels
};

/// One live range of device-visible memory: the bytes [begin, end).
struct Region {
  uint64_t begin = 0, end = 0;
  bool writable = true; ///< by a kernel; the host may always write
  RegionKind kind = RegionKind::Device;
  uint64_t id = 0;       ///< serial number of the allocation, for messages
  uint64_t physical = 0; ///< address of its first byte in the synthetic physical memory (Memory::takePhysical)

  uint64_t size() const { return end - begin; }
  /// Whether [address, address + bytes) lies inside. `bytes` may be 0.
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
  template <typename T = void> T *data() const { return reinterpret_cast<T *>(begin); }
};

/// An immutable snapshot of the live regions, sorted by address. Any number of threads may read it.
class RegionTable {
public:
  explicit RegionTable(std::vector<Region> sorted) : sorted(std::move(sorted)) {}

  /// The region that holds the byte at `address`, or nullptr.
  const Region *find(uint64_t address) const {
    size_t low = 0, high = sorted.size();
    while (low < high) { // the first region that begins after the address
      size_t middle = (low + high) / 2;
      if (sorted[middle].begin <= address)
        low = middle + 1;
      else
        high = middle;
    }
    return low && address < sorted[low - 1].end ? &sorted[low - 1] : nullptr;
  }
  /// The region that holds all of [address, address + bytes), or nullptr. `hint` (may be null) is tried first and is
  /// set to the region found.
  const Region *find(uint64_t address, uint64_t bytes, const Region *&hint) const {
    if (hint && hint->contains(address, bytes))
      return hint;
    const Region *region = find(address);
    if (!region || !region->contains(address, bytes))
      return nullptr;
    return hint = region;
  }
  const std::vector<Region> &all() const { return sorted; }

private:
  std::vector<Region> sorted;
};

/// The registry of all memory of one emulated device. Every member is thread-safe.
class Memory {
public:
  using Region = emulator::Region;
  /// Address space left free after every allocation.
  static constexpr uint64_t guardBytes = 256 * 1024;
  /// Every allocation begins on this boundary (hipMalloc promises 256).
  static constexpr uint64_t pageBytes = 4096;
  /// Page size of large allocations in the synthetic physical memory.
  static constexpr uint64_t largePageBytes = 2 * 1024 * 1024;

  /// `limit`: the maximum number of bytes allocated at a time.
  explicit Memory(uint64_t limit = UINT64_MAX);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Zeroed memory of `bytes` (at least 1 is reserved; the region is exactly `bytes` long), or nullptr when the limit
  /// is reached.
  void *allocate(size_t bytes) { return allocate(bytes, RegionKind::Device); }
  void *allocate(size_t bytes, RegionKind kind, bool writable = true);
  /// The same, but what the owner uses of it counts only when it is charged.
  void *reserve(size_t bytes, RegionKind kind);
  /// Counts `bytes` of reserved memory as allocated. Returns false if the limit is reached.
  bool charge(uint64_t bytes);
  void uncharge(uint64_t bytes);
  /// Frees memory that allocate returned. Returns false if `pointer` is not the begin of a live allocation.
  bool free(void *pointer);

  /// Makes memory of another owner visible to kernels (hipHostRegister; the segments of an image inside one allocation
  /// are made with `split` instead). Returns false if it overlaps a live region.
  bool adopt(void *pointer, size_t bytes, RegionKind kind, bool writable = true);
  /// Ends `adopt`. Returns false if `pointer` is not the begin of an adopted region.
  bool release(void *pointer);
  /// Replaces the region of a live allocation by parts of it (a loaded image: its segments, with gaps). Freeing the
  /// allocation removes the parts. Precondition: the parts lie inside the allocation and are sorted.
  bool split(void *pointer, const std::vector<Region> &parts);

  /// The current snapshot (cached until the next change).
  std::shared_ptr<const RegionTable> regions() const;
  /// The live region that holds `address`; false if there is none. For host code, not for inner loops.
  bool find(uint64_t address, Region &region) const;
  /// Whether [address, address + bytes) lies in one live region.
  bool covers(uint64_t address, uint64_t bytes) const;
  /// A sentence for messages: which allocation holds the address, was freed there, or is nearest and how far away ("256
  /// bytes past the end of allocation 3 [0x…, 0x…), 4096 bytes").
  std::string describe(uint64_t address) const;

  /// Starts tracking which device memory was written: future device allocations are undefined until the host or a
  /// kernel writes them.
  void trackDefinedness();
  /// Null unless definedness is tracked.
  Shadow *definedness() const { return definednessShadow.get(); }
  /// Records that the host writes this range, which is then defined.
  void hostWrites(const void *to, uint64_t bytes);
  /// Records that the contents of this range count as never written.
  void forgets(uint64_t begin, uint64_t bytes);
  /// Records a copy: device memory becomes as defined as the source.
  void hostCopies(const void *to, const void *from, uint64_t bytes);

  uint64_t limit() const { return limitBytes; }
  uint64_t allocatedBytes() const;

private:
  struct Allocation {
    uint64_t base = 0, span = 0; // address space used, guard included; span 0: adopted
    uint64_t bytes = 0, charged = 0;
    uint64_t physical = 0;
    std::vector<Region> regions;
  };
  struct FreedRange {
    Region region;
    uint64_t base, span;
  };
  void *place(size_t bytes, RegionKind kind, bool writable);
  uint64_t takeAddressSpace(uint64_t span);
  /// Allocates synthetic physical pages, in the order of allocation and without reuse. Effects of addresses (caches,
  /// channels) are thus the same in every run, wherever the host places the memory. Large allocations begin on large
  /// pages, as with the driver.
  uint64_t takePhysical(uint64_t bytes);

  mutable std::mutex mutex;
  mutable std::shared_ptr<const RegionTable> snapshot; // null after a change
  std::map<uint64_t, Allocation> allocations;          // by begin
  std::deque<FreedRange> freed;                        // oldest first
  std::vector<std::pair<uint64_t, uint64_t>> chunks;   // reserved address space: base, size
  uint64_t chunkNext = 0, chunkEnd = 0, reserved = 0;
  uint64_t limitBytes, allocated = 0, nextId = 1, nextPhysical = 0;
  std::unique_ptr<Shadow> definednessShadow;
};

} // namespace nstf::emulator
