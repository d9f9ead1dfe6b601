#include "runtime/emulator/timing/TagArray.h"

#include <bit>
#include <cstring>

namespace nstf::emulator::timing {

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group), wordsPerSet((this->ways * 12 + sizeof(Order) + 63) / 64 * 16),
      words(size_t(sets) * wordsPerSet) {
  for (uint32_t set = 0; set < sets; ++set) {
    for (uint32_t way = 0; way < ways; ++way)
      links(set)[way] = {uint8_t(way - 1), uint8_t(way + 1)};
    order(set) = {0, uint8_t(ways - 1)};
  }
}

uint32_t TagArray::find(uint32_t set, uint64_t line) const {
  constexpr uint64_t ones = 0x0101010101010101, tops = ones << 7;
  const uint32_t tag = uint32_t(line) + 1;
  const uint64_t wanted = signatureOf(tag) * ones;
  for (uint32_t first = 0; first < ways; first += group) {
    uint64_t differ;
    std::memcpy(&differ, signatures(set) + first, sizeof differ);
    differ ^= wanted;
    // The top bit of each byte that is 0, and maybe of others.
    for (uint64_t like = (differ - ones) & ~differ & tops; like != 0; like &= like - 1)
      if (uint32_t way = first + std::countr_zero(like) / 8; tags(set)[way] == tag)
        return way;
  }
  return none;
}

void TagArray::unlink(uint32_t set, uint8_t way) {
  Order &ends = order(set);
  Neighbours *link = links(set), between = link[way];
  if (ends.first == way)
    ends.first = between.older;
  else
    link[between.newer].older = between.older;
  if (ends.last == way)
    ends.last = between.newer;
  else
    link[between.older].newer = between.newer;
}

void TagArray::use(uint32_t set, uint32_t way) {
  Order &ends = order(set);
  if (ends.first == way)
    return;
  unlink(set, uint8_t(way));
  links(set)[way].older = ends.first;
  links(set)[ends.first].newer = uint8_t(way);
  ends.first = uint8_t(way);
}

void TagArray::drop(uint32_t set, uint32_t way) {
  tags(set)[way] = 0;
  sectors(set, way) = 0;
  Order &ends = order(set);
  if (ends.last == way)
    return;
  unlink(set, uint8_t(way));
  links(set)[way].newer = ends.last;
  links(set)[ends.last].older = uint8_t(way);
  ends.last = uint8_t(way);
}

void TagArray::dropSets(uint32_t first, uint32_t count) {
  for (uint32_t set = first; set < first + count; ++set) {
    std::fill_n(tags(set), ways, 0);
    std::fill_n(bytes(set), ways, uint8_t(0));
  }
}

} // namespace nstf::emulator::timing
