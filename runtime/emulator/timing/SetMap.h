// Which channel and set of a cache each line of a block belongs to.
#pragma once

#include "runtime/emulator/timing/Interleave.h"

namespace nstf::emulator::timing {

struct ChipTiming;

/// Neighbouring lines that all levels deal out alike: they differ in the lowest digits of channels and sets alone, so
/// what has to be known of each address is worked out once for all of them, and their sets are bundles of TagArray.
class LineBlock {
public:
  /// `lines` and their size are powers of two.
  LineBlock(uint32_t lines, uint32_t lineBytes)
      : lineShift(uint8_t(std::countr_zero(lineBytes))), shift(uint8_t(lineShift + std::countr_zero(lines))),
        last(lines - 1) {}
  /// Of the L2 and what is behind it; a line alone where they don't agree.
  static LineBlock of(const ChipTiming &chip);

  uint32_t lines() const { return last + 1; }
  uint32_t lineBytes() const { return 1u << lineShift; }
  uint32_t bytes() const { return 1u << shift; }
  uint64_t begin(uint64_t address) const { return address >> shift << shift; }
  uint64_t number(uint64_t address) const { return address >> shift; }
  /// Of a line in its block.
  uint32_t index(uint64_t address) const { return uint32_t(address >> lineShift) & last; }

private:
  uint8_t lineShift, shift; ///< logarithms of the sizes
  uint32_t last;            ///< index of the last line
};

/// Of a cache of so many bytes.
uint32_t setsOfChannel(uint64_t bytes, uint32_t channels, uint32_t ways, const LineBlock &block);

/// Channels of sets, addresses dealt out over them.
class SetMap {
public:
  /// Of a block's first line; others follow from their index in the block.
  struct Place {
    uint32_t channel;
    uint32_t bundle; ///< through all channels: the same set of each stands together
    uint32_t member; ///< of the bundle
  };

  SetMap(uint32_t channels, uint32_t setsOfChannel, uint32_t granule, const LineBlock &block)
      : interleave(channels, granule, block.lineBytes()), setInChannel(setsOfChannel), channels(channels),
        sets(setsOfChannel) {
    const uint32_t ofGranule = std::clamp(granule / block.lineBytes(), 1u, block.lines());
    setBits = uint8_t(std::countr_zero(ofGranule));
    channelBits = uint8_t(std::countr_zero(block.lines() / ofGranule));
  }
  /// Whether blocks of so many lines differ in the lowest digits alone.
  static bool suits(uint32_t channels, uint32_t setsOfChannel, uint32_t granule, const LineBlock &block) {
    const uint32_t ofGranule = std::min(block.lines(), granule / block.lineBytes());
    return std::has_single_bit(channels) && std::has_single_bit(setsOfChannel) && ofGranule &&
           setsOfChannel >= ofGranule && channels >= block.lines() / ofGranule;
  }

  Place operator()(uint64_t blockBegin) const {
    const Interleave::Home home = interleave(blockBegin);
    return placeOf(home.channel, setInChannel(home.line));
  }
  Place placeOf(uint32_t channel, uint32_t set) const {
    return {channel, (set >> setBits) * (channels >> channelBits) + (channel >> channelBits),
            (channel & ((1u << channelBits) - 1)) << setBits | (set & ((1u << setBits) - 1))};
  }
  uint32_t channelOf(const Place &place, uint32_t index) const { return place.channel ^ index >> setBits; }
  static uint32_t memberOf(const Place &place, uint32_t index) { return place.member ^ index; }
  static uint32_t indexOf(const Place &place, uint32_t member) { return place.member ^ member; }
  uint32_t setsOfBundle() const { return 1u << setBits; }
  struct InBundle {
    uint32_t channel, set; ///< from the bundle's first set on
  };
  /// Of a member of the `bundle`th of those that follow each other with the same sets.
  InBundle inBundle(uint32_t bundle, uint32_t member) const {
    return {bundle << channelBits | member >> setBits, member & ((1u << setBits) - 1)};
  }
  uint32_t bundles() const { return (sets >> setBits) * (channels >> channelBits); }

private:
  Interleave interleave;
  Spread setInChannel;
  uint32_t channels, sets;
  uint8_t setBits, channelBits; ///< of the index in a block: the lower ones change the set
};

} // namespace nstf::emulator::timing
