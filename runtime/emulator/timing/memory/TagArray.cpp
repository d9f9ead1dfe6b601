#include "runtime/emulator/timing/memory/TagArray.h"

#include <new>
#include <sys/mman.h>

namespace nstf::emulator::timing {

static constexpr size_t hugePage = size_t(2) << 20;

TagArray::TagArray(uint32_t bundles, uint32_t ways, uint32_t members)
    : room((ways + TagSet::group - 1) / TagSet::group * TagSet::group), ways(ways),
      memberShift(uint32_t(std::countr_zero(members))), allMembers((1u << members) - 1),
      allBytes(members < 8 ? (uint64_t(1) << 8 * members) - 1 : ~uint64_t(0)), tagsAt(2 * room * members),
      sectorsAt(tagsAt + 4 * room * members), timesAt(sectorsAt + room * members),
      blocksPerBundle((timesAt + 4 * room * members + sizeof(Block) - 1) / sizeof(Block)),
      memory(std::calloc(bundles * blocksPerBundle * sizeof(Block) + hugePage, 1), std::free), states(bundles) {
  if (!memory)
    throw std::bad_alloc();
  // Bundles are accessed at random: with small pages, the host's TLB would miss.
  const size_t offset = -reinterpret_cast<uintptr_t>(memory.get()) % hugePage;
  blocks = reinterpret_cast<Block *>(static_cast<uint8_t *>(memory.get()) + offset);
#ifdef MADV_HUGEPAGE
  madvise(blocks, bundles * blocksPerBundle * sizeof(Block) / hugePage * hugePage, MADV_HUGEPAGE);
#endif
}

/// From now on each set has its own tags and order.
void TagArray::Bundle::part() {
  if (state == separate || array.allMembers == 1)
    return;
  state = separate;
  for (uint32_t member = 1; member >> array.memberShift == 0; ++member) {
    std::memcpy(base + member * 2 * array.room, base, 2 * array.room);
    std::memcpy(base + array.tagsAt + member * 4 * array.room, base + array.tagsAt, 4 * array.room);
  }
}

void TagArray::Bundle::useAgain(uint32_t members, const Found &found) {
  if (march(members))
    return own(0).use(found.ways[0]);
  part();
  for (uint32_t left = members; left; left &= left - 1) {
    const uint32_t member = uint32_t(std::countr_zero(left));
    own(member).use(found.ways[member]);
  }
}

void TagArray::Bundle::drop(uint32_t member, uint32_t way) {
  part();
  sectors(member, way) = 0;
  own(member).drop(way);
}

uint32_t TagArray::Bundle::dropUnchanged(uint32_t members, uint64_t block) {
  if (march(members)) {
    const uint32_t way = own(0).find(block);
    if (way == none)
      return 0;
    if (!(getSectors(way) & forAll(changedSectors))) {
      for (uint32_t member = 0; member >> array.memberShift == 0; ++member)
        sectors(member, way) = 0;
      own(0).drop(way);
      return 0;
    }
  }
  uint32_t kept = 0;
  for (uint32_t left = members; left; left &= left - 1) {
    const uint32_t member = uint32_t(std::countr_zero(left)), way = find(member, block);
    if (way == none)
      continue;
    uint8_t &state = sectors(member, way);
    if (const uint8_t changed = state & changedSectors) {
      state = uint8_t(changed | changed >> 4);
      kept |= 1u << member;
    } else {
      drop(member, way);
    }
  }
  return kept;
}

void TagArray::Bundle::clear() {
  std::memset(base + array.tagsAt, 0, (state == separate ? array.sectorsAt - array.tagsAt : 4 * array.room));
  std::memset(base + array.sectorsAt, 0, array.timesAt - array.sectorsAt);
  state = empty;
}

void TagArray::clear(uint32_t firstBundle, uint32_t count) {
  for (uint32_t bundle = firstBundle; bundle < firstBundle + count; ++bundle)
    if (states[bundle] != empty)
      (*this)[bundle].clear();
}

} // namespace nstf::emulator::timing
