#include "runtime/emulator/timing/TagArray.h"

#include <array>
#include <new>
#include <sys/mman.h>

namespace nstf::emulator::timing {

static constexpr size_t hugePage = size_t(2) << 20;

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group), count(ways),
      blocksPerSet((Set::bytesFor(this->ways) + sizeof(Block) - 1) / sizeof(Block)),
      memory(std::calloc(sets * blocksPerSet * sizeof(Block) + hugePage, 1), std::free), orders(sets) {
  if (!memory)
    throw std::bad_alloc();
  // Sets are asked for at random: with small pages the host's own translations would be missing.
  const size_t offset = -reinterpret_cast<uintptr_t>(memory.get()) % hugePage;
  blocks = reinterpret_cast<Block *>(static_cast<uint8_t *>(memory.get()) + offset);
#ifdef MADV_HUGEPAGE
  madvise(blocks, sets * blocksPerSet * sizeof(Block) / hugePage * hugePage, MADV_HUGEPAGE);
#endif
}

/// The order of a set that nothing was put into yet: of way numbers.
void TagArray::Set::begin() {
  static constexpr auto inTurn = [] {
    std::array<Neighbours, maxWays> links = {};
    for (uint32_t way = 0; way < maxWays; ++way)
      links[way] = {uint8_t(way - 1), uint8_t(way + 1)};
    return links;
  }();
  std::copy_n(inTurn.begin(), count, links());
  *order = {0, uint8_t(count - 1)};
}

void TagArray::Set::drop(uint32_t way) {
  tags()[way] = 0;
  sectors(way) = 0;
  Order &ends = *order;
  if (ends.last == way)
    return;
  unlink(way);
  links()[way].newer = ends.last;
  links()[ends.last].older = uint8_t(way);
  ends.last = uint8_t(way);
}

void TagArray::Set::clear() {
  if (isUntouched())
    return;
  std::fill_n(tags(), ways, 0);
  std::fill_n(&sectors(0), ways, uint8_t(0));
}

void TagArray::clear(uint32_t firstSet, uint32_t count) {
  for (uint32_t set = firstSet; set < firstSet + count; ++set)
    (*this)[set].clear();
}

} // namespace nstf::emulator::timing
