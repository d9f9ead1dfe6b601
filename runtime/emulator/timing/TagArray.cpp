#include "runtime/emulator/timing/TagArray.h"

#include <new>
#include <sys/mman.h>

namespace nstf::emulator::timing {

static constexpr size_t hugePage = size_t(2) << 20;

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : ways((ways + group - 1) / group * group), count(ways),
      blocksPerSet((Set::bytesFor(this->ways) + sizeof(Block) - 1) / sizeof(Block)),
      memory(std::calloc(sets * blocksPerSet * sizeof(Block) + hugePage, 1), std::free),
      filled((sets + neighbours - 1) / neighbours) {
  if (!memory)
    throw std::bad_alloc();
  // Sets are asked for at random: with small pages the host's own translations would be missing.
  const size_t offset = -reinterpret_cast<uintptr_t>(memory.get()) % hugePage;
  blocks = reinterpret_cast<Block *>(static_cast<uint8_t *>(memory.get()) + offset);
#ifdef MADV_HUGEPAGE
  madvise(blocks, sets * blocksPerSet * sizeof(Block) / hugePage * hugePage, MADV_HUGEPAGE);
#endif
}

void TagArray::Set::drop(uint32_t way) {
  tags()[way] = 0;
  sectors(way) = 0;
  uint32_t place = 0;
  while ((order()[place] ^ place) != way)
    ++place;
  for (; place + 1 < count; ++place)
    order()[place] = uint8_t(order()[place + 1] ^ (place + 1) ^ place);
  order()[place] = uint8_t(way ^ place);
}

void TagArray::Set::clear() {
  std::fill_n(tags(), ways, 0);
  std::fill_n(&sectors(0), ways, uint8_t(0));
}

void TagArray::clear(uint32_t firstSet, uint32_t count) {
  const uint32_t end = firstSet + count;
  for (uint32_t set = firstSet; set < end;) {
    const uint32_t next = std::min(end, (set / neighbours + 1) * neighbours);
    if (filled[set / neighbours]) {
      // Of a part, the rest may be filled.
      if (next - set == neighbours)
        filled[set / neighbours] = 0;
      for (; set < next; ++set)
        (*this)[set].clear();
    }
    set = next;
  }
}

} // namespace nstf::emulator::timing
