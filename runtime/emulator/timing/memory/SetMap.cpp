#include "runtime/emulator/timing/memory/SetMap.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/TagArray.h"

namespace nstf::emulator::timing {

LineBlock LineBlock::of(const ChipTiming &chip) {
  const LineBlock block = {TagArray::maxMembers, chip.l2LineBytes};
  auto suits = [&](uint32_t channels, uint32_t sets) {
    return SetMap::suits(channels, sets, chip.interleaveBytes, block);
  };
  const bool suitsAll =
      suits(chip.l2Channels, setsOfChannel(chip.l2Bytes, chip.l2Channels, chip.l2Ways, block)) &&
      suits(chip.hbmChannels, block.lines()) && chip.hbmRowBytes >= chip.interleaveBytes &&
      (!chip.mallBytes ||
       (chip.mallLineBytes <= block.lineBytes() &&
        suits(chip.mallSlices, setsOfChannel(chip.mallBytes, chip.mallSlices, chip.mallWays, block))));
  return suitsAll ? block : LineBlock{1, chip.l2LineBytes};
}

uint32_t setsOfChannel(uint64_t bytes, uint32_t channels, uint32_t ways, const LineBlock &block) {
  return uint32_t(std::max<uint64_t>(1, bytes / channels / ways / block.lineBytes()));
}

} // namespace nstf::emulator::timing
