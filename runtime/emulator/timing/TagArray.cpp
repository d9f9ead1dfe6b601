#include "runtime/emulator/timing/TagArray.h"

#include <algorithm>
#include <hwy/contrib/algo/find-inl.h>

namespace nstf::emulator::timing {

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group), wordsPerSet((this->ways * 11 + sizeof(Order) + 63) / 64 * 16),
      words(size_t(sets) * wordsPerSet) {
  for (uint32_t set = 0; set < sets; ++set) {
    for (uint32_t way = 0; way < ways; ++way)
      links(set)[way] = {uint8_t(way - 1), uint8_t(way + 1)};
    order(set) = {0, uint8_t(ways - 1)};
  }
}

uint32_t TagArray::find(uint32_t set, uint64_t line) const {
  size_t way =
      hwy::HWY_NAMESPACE::Find(hwy::HWY_NAMESPACE::ScalableTag<uint32_t>(), uint32_t(line) + 1, tags(set), ways);
  return way == ways ? none : uint32_t(way);
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
