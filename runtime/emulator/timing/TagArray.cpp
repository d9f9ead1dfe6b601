#include "runtime/emulator/timing/TagArray.h"

#include <new>

namespace nstf::emulator::timing {

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group), count(ways),
      blocksPerSet((Set::bytesFor(this->ways) + sizeof(Block) - 1) / sizeof(Block)),
      memory(std::calloc(sets * blocksPerSet + 1, sizeof(Block)), std::free) {
  if (!memory)
    throw std::bad_alloc();
  const size_t offset = -reinterpret_cast<uintptr_t>(memory.get()) % sizeof(Block);
  blocks = reinterpret_cast<Block *>(static_cast<uint8_t *>(memory.get()) + offset);
}

/// The order of a set that nothing was put into yet.
void TagArray::Set::begin() {
  for (uint32_t way = 0; way < count; ++way)
    links()[way] = {uint8_t(way - 1), uint8_t(way + 1)};
  order() = {0, uint8_t(count - 1)};
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
  if (order().first == order().last && count > 1)
    return; // nothing was ever put into it
  std::fill_n(tags(), ways, 0);
  std::fill_n(&sectors(0), ways, uint8_t(0));
}

void TagArray::clear(uint32_t firstSet, uint32_t count) {
  for (uint32_t set = firstSet; set < firstSet + count; ++set)
    (*this)[set].clear();
}

} // namespace nstf::emulator::timing
