// The channel and set of each line of a block.
#pragma once

#include "runtime/emulator/timing/memory/Interleave.h"

namespace nstf::emulator::timing {

struct ChipTiming;

/// Adjacent lines that all levels interleave alike: they differ only in the lowest digits of channels and sets.
/// Properties of an address are therefore computed once for all of them, and their sets form a bundle of TagArray.
class LineBlock {
public:
  /// Precondition: `lines` and `lineBytes` are powers of two.
  LineBlock(uint32_t lines, uint32_t lineBytes)
      : lineShift(uint8_t(std::countr_zero(lineBytes))), shift(uint8_t(lineShift + std::countr_zero(lines))),
        last(lines - 1) {}
  /// The block of the L2 and the levels behind it; a single line if they do not interleave alike.
  static LineBlock of(const ChipTiming &chip);

  uint32_t lines() const { return last + 1; }
  uint32_t lineBytes() const { return 1u << lineShift; }
  uint32_t bytes() const { return 1u << shift; }
  uint64_t begin(uint64_t address) const { return address >> shift << shift; }
  uint64_t number(uint64_t address) const { return address >> shift; }
  /// The index of a line in its block.
  uint32_t index(uint64_t address) const { return uint32_t(address >> lineShift) & last; }

private:
  uint8_t lineShift, shift; ///< log2 sizes
  uint32_t last;            ///< index of the last line
};

/// Sets of one channel of a cache with `bytes` bytes in all.
uint32_t setsOfChannel(uint64_t bytes, uint32_t channels, uint32_t ways, const LineBlock &block);

/// Maps addresses to channels and to sets in them.
class SetMap {
public:
  /// The place of a block's first line; those of the others follow from their indices in the block.
  struct Place {
    uint32_t channel;
    uint32_t bundle; ///< numbered over all channels; the same sets of all channels are adjacent
    uint32_t member; ///< in the bundle
  };

  SetMap(uint32_t channels, uint32_t setsOfChannel, uint32_t granule, const LineBlock &block)
      : interleave(channels, granule, block.lineBytes()), setInChannel(setsOfChannel), channels(channels),
        sets(setsOfChannel) {
    const uint32_t ofGranule = std::clamp(granule / block.lineBytes(), 1u, block.lines());
    setBits = uint8_t(std::countr_zero(ofGranule));
    channelBits = uint8_t(std::countr_zero(block.lines() / ofGranule));
  }
  /// Whether the lines of a block differ only in the lowest digits of channels and sets.
  static bool suits(uint32_t channels, uint32_t setsOfChannel, uint32_t granule, const LineBlock &block) {
    const uint32_t ofGranule = std::min(block.lines(), granule / block.lineBytes());
    return std::has_single_bit(channels) && std::has_single_bit(setsOfChannel) && ofGranule &&
           setsOfChannel >= ofGranule && channels >= block.lines() / ofGranule;
  }

  Place operator()(uint64_t blockBegin) const {
    const Interleave::Home home = interleave(blockBegin);
    return getPlace(home.channel, setInChannel(home.line));
  }
  Place getPlace(uint32_t channel, uint32_t set) const {
    return {channel, (set >> setBits) * (channels >> channelBits) + (channel >> channelBits),
            (channel & ((1u << channelBits) - 1)) << setBits | (set & ((1u << setBits) - 1))};
  }
  uint32_t getChannel(const Place &place, uint32_t index) const { return place.channel ^ index >> setBits; }
  static uint32_t getMember(const Place &place, uint32_t index) { return place.member ^ index; }
  static uint32_t getIndex(const Place &place, uint32_t member) { return place.member ^ member; }
  uint32_t setsOfBundle() const { return 1u << setBits; }
  struct InBundle {
    uint32_t channel, set; ///< relative to the bundle's first set
  };
  /// The place of a member of the bundle number `bundle` among those with the same sets.
  InBundle inBundle(uint32_t bundle, uint32_t member) const {
    return {bundle << channelBits | member >> setBits, member & ((1u << setBits) - 1)};
  }
  uint32_t bundles() const { return (sets >> setBits) * (channels >> channelBits); }

private:
  Interleave interleave;
  Spread setInChannel;
  uint32_t channels, sets;
  uint8_t setBits, channelBits; ///< bits of the index in a block: the lower ones select the set
};

} // namespace nstf::emulator::timing
