#include "runtime/emulator/timing/TagArray.h"

namespace nstf::emulator::timing {

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group),
      blocksPerSet((Set::bytesFor(this->ways) + sizeof(Block) - 1) / sizeof(Block)), blocks(sets * blocksPerSet) {
  for (uint32_t set = 0; set < sets; ++set) {
    Set one = (*this)[set];
    for (uint32_t way = 0; way < ways; ++way)
      one.links()[way] = {uint8_t(way - 1), uint8_t(way + 1)};
    one.order() = {0, uint8_t(ways - 1)};
  }
}

void TagArray::Set::drop(uint32_t way) {
  tags()[way] = 0;
  sectors(way) = 0;
  Order &ends = order();
  if (ends.last == way)
    return;
  unlink(way);
  links()[way].newer = ends.last;
  links()[ends.last].older = uint8_t(way);
  ends.last = uint8_t(way);
}

void TagArray::Set::clear() {
  std::fill_n(tags(), ways, 0);
  std::fill_n(&sectors(0), ways, uint8_t(0));
}

void TagArray::clear(uint32_t firstSet, uint32_t count) {
  for (uint32_t set = firstSet; set < firstSet + count; ++set)
    (*this)[set].clear();
}

} // namespace nstf::emulator::timing
