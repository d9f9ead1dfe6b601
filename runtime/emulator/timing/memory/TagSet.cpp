#include "runtime/emulator/timing/memory/TagSet.h"

namespace nstf::emulator::timing {

void TagSet::drop(uint32_t way) {
  tags[way] = 0;
  uint8_t *const places = order();
  uint32_t place = 0;
  while ((places[place] ^ place) != way)
    ++place;
  for (; place + 1 < ways; ++place)
    places[place] = uint8_t(places[place + 1] ^ (place + 1) ^ place);
  places[place] = uint8_t(way ^ place);
}

} // namespace nstf::emulator::timing
