// The way from the L2s to memory: the MALL, if the chip has one, and HBM behind it.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/Dram.h"
#include "runtime/emulator/timing/memory/PageSet.h"
#include "runtime/emulator/timing/memory/Sectors.h"
#include "runtime/emulator/timing/memory/TagArray.h"

namespace nstf::emulator::timing {

/// The MALL is a cache in front of the memory for reads and writes. An L2 fetches whole lines, so MALL lines that are
/// parts of one L2 line would come and go together. The MALL's lines are therefore modelled with at least the size of
/// the L2's.
///
/// The lines of a block are looked up together, which changes the contents of the MALL; then each of them is timed.
/// Times are in the L2's terms: `arrival` is when the L2 would have served a load that hits.
class Fabric {
public:
  Fabric(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// Lines of a block that are read, or written, together.
  struct Visit {
    uint64_t block; ///< its first byte
    bool isRead;    ///< whole lines are read
    SetMap::Place place;
    uint32_t flip;    ///< a line's member, xor the member by which the caller knows it
    uint32_t members; ///< of its bundle, one bit each
    uint64_t sectors; ///< sectors in the MALL afterwards, by member

    // For the read, write or atomic of a line
    TagArray::Found found;
    uint32_t hits;   ///< members that the MALL holds completely; for a write, at all
    uint64_t leaves; ///< by member: sectors of the evicted line that are written to memory
    Dram::Home home; ///< place of the block
    struct Leaver {
      Dram::Home home; ///< place of the evicted block
      uint32_t flip;   ///< a line's index in that block, xor its member
    };
    std::array<Leaver, TagArray::maxMembers> leavers; ///< by member
    bool leaveTogether; ///< the evicted lines are all lines of one block, entirely changed
  };
  /// Maps a caller's lines 0, 1, 2 ... to a visit's members `first` xor 0, 1, 2 ...
  struct Order {
    Visit *visit;
    uint32_t first;
  };
  /// Prefetches on the host the data that a visit to a line looks up.
  void prefetch(uint64_t address) const {
    if (!chip.mallBytes)
      return;
    const SetMap::Place place = map(block.begin(address));
    tags.prefetch(place.bundle, SetMap::getMember(place, block.index(address)));
  }
  /// Prepares a visit that reads or writes lines of the block at `address`. Byte i of `sectors` is not 0 for lines of
  /// the visit and gives the line's sectors that the MALL holds afterwards. The block's first line has the byte of
  /// `member`.
  void begin(Visit &visit, uint64_t address, bool isRead, uint32_t member, uint64_t sectors) const {
    visit.block = block.begin(address);
    visit.isRead = isRead;
    visit.place = map(visit.block);
    visit.flip = visit.place.member ^ member;
    visit.sectors = TagArray::exchange(sectors, visit.flip);
    visit.members = TagArray::getMembers(visit.sectors);
    if (chip.mallBytes)
      tags.prefetch(visit.place.bundle, uint32_t(std::countr_zero(visit.members)));
  }
  void lookUp(Visit &visit);

  /// When a line that an L2 reads is available. From then on the line hits.
  double read(double arrival, Visit &visit, uint32_t member);
  /// How long an L2's write waits until it is accepted.
  double write(double arrival, Visit &visit, uint32_t member, uint8_t sectors);
  /// When memory has executed an atomic that occupies the slice for `service` clocks.
  double atomic(double arrival, Visit &visit, uint32_t member, double service);

  // The same for all lines of a block
  /// Whether all lines can be timed at once: they all hit or all miss, and booking them kind by kind gives each channel
  /// the same order as booking line by line.
  bool isUniform(const Order &order) const;
  /// Whether two visits book no channel in common.
  bool areApart(const Order &a, const Order &b) const;
  BlockTimes read(const BlockTimes &arrival, const Order &order);
  BlockTimes write(const BlockTimes &arrival, const Order &order);

  /// Puts lines into the MALL without taking time.
  void touch(const PhysicalRange &range);
  /// Whether the MALL holds any sector of a line.
  bool holds(uint64_t address);
  /// The MALL's sectors after a write of these sectors of L2 lines, one byte a line.
  uint64_t written(uint64_t address, uint64_t sectors) const {
    if (block.lineBytes() > chip.l2LineBytes)
      sectors = sectorsOf.touched(address & ~uint64_t(chip.l2LineBytes - 1), ~0u);
    return sectors | sectors << 4;
  }
  /// The same for a line in which an atomic changes a dword.
  uint8_t changedByAtomic(uint64_t address) const { return whole() | Sectors::written(sectorsOf.touched(address, 1)); }
  uint8_t whole() const { return sectorsOf.all(); }

  /// From the time that memory accepts a write to the time that the L2 is informed.
  double writeLatency() const { return latency; }

private:
  /// Finds the memory places of lines that are evicted for lines that are not held.
  void leave(Visit &visit);
  double giveUp(double arrival, const Visit &visit, uint32_t member);
  Quad giveUp(const Quad &arrival, const Order &order);
  /// A write after a read costs more than either by itself.
  using Reads = uint32_t; ///< the last few reads after which no write came yet
  uint32_t getSlice(const Visit &visit, uint32_t member) const {
    return map.getChannel(visit.place, SetMap::getIndex(visit.place, member));
  }
  /// Clocks of its slice that a write takes.
  double writeService(uint32_t slice, double service) {
    if (!reads[slice])
      return service;
    --reads[slice];
    return service + turnaround;
  }
  Dram::Home getHome(const Visit &visit, uint32_t member) const {
    return dram.getHome(visit.home, SetMap::getIndex(visit.place, member));
  }
  /// Books a write; returns how long it waits for the slice.
  double bookWrite(uint32_t slice, double arrival, double service);
  static uint32_t getMember(const Order &order, uint32_t line) { return order.first ^ order.visit->flip ^ line; }
  /// The place of line 0; those of other lines have its channel xor 1, 2, 3 by granule.
  Dram::Home getHome(const Order &order) const { return getHome(*order.visit, getMember(order, 0)); }
  Dram::Home getLeaver(const Order &order) const {
    const uint32_t member = getMember(order, 0);
    const Visit::Leaver &leaver = order.visit->leavers[member];
    return dram.getHome(leaver.home, member ^ leaver.flip);
  }
  /// Bytes of a line of a block; all lines are as long as the L2's.
  uint32_t wholeLine() const { return block.lineBytes(); }

  const ChipTiming &chip;
  MemoryCounters &counters;
  LineBlock block;
  Dram dram;
  Sectors sectorsOf, sectorsOfL2; ///< of the MALL's lines; of an L2's
  SetMap map;
  Channels slices;
  std::vector<Reads> reads; ///< by slice
  TagArray tags;
  double latency = 0, readService = 0, writePerByte = 0, turnaround = 0; // core clocks
};

} // namespace nstf::emulator::timing
