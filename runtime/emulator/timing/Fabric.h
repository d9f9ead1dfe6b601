// From the L2s to memory: the MALL, where the chip has one, and HBM behind it.
#pragma once

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/Dram.h"
#include "runtime/emulator/timing/PageSet.h"
#include "runtime/emulator/timing/Sectors.h"
#include "runtime/emulator/timing/TagArray.h"

namespace nstf::emulator::timing {

/// The MALL stands in front of the memory and holds what is read and what is written. An L2 fetches its lines whole, so
/// parts of one that would be lines of the MALL come and go together: these are taken to be as long as the L2's at
/// least.
///
/// Lines of a block are looked up together, which changes what the MALL holds; then each of them takes its time. Times
/// are those of the L2: `arrival` is when the L2 would have served a load that hits.
class Fabric {
public:
  Fabric(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// Lines of a block that are read, or written, together.
  struct Visit {
    uint64_t block; ///< its first byte
    bool isRead;    ///< whole lines are wanted
    SetMap::Place place;
    uint32_t flip;    ///< a line's member, xor the one that the caller knows it by
    uint32_t members; ///< of its bundle
    uint64_t sectors; ///< what the MALL has afterwards, by member

    // What a read, write or atomic of a line has to know
    TagArray::Found found;
    uint32_t hits;   ///< members of which the MALL has all, for a write any
    uint64_t leaves; ///< by member: sectors of another line that are written to memory for it
    Dram::Home home; ///< of the block
    struct Leaver {
      Dram::Home home; ///< of the block that leaves
      uint32_t flip;   ///< a line's index there, xor its member
    };
    std::array<Leaver, TagArray::maxMembers> leavers; ///< by member
    bool leaveTogether;                               ///< leavers are one block's lines, all of it changed
  };
  /// Which of a visit's lines the caller means by its line 0, 1, 2 ...: those of members `first` xor 0, 1, 2 ...
  struct Order {
    Visit *visit;
    uint32_t first;
  };
  /// Has the host fetch what a visit to a line will look up.
  void prefetch(uint64_t address) const {
    if (!chip.mallBytes)
      return;
    const SetMap::Place place = map(block.begin(address));
    tags.prefetch(place.bundle, SetMap::memberOf(place, block.index(address)));
  }
  /// Lines of the block at `address` are wanted, or written: bytes of `sectors` that aren't 0, what the MALL has of
  /// them afterwards. The first line's would be the byte of `member`.
  void begin(Visit &visit, uint64_t address, bool isRead, uint32_t member, uint64_t sectors) const {
    visit.block = block.begin(address);
    visit.isRead = isRead;
    visit.place = map(visit.block);
    visit.flip = visit.place.member ^ member;
    visit.sectors = TagArray::exchange(sectors, visit.flip);
    visit.members = TagArray::membersOf(visit.sectors);
    if (chip.mallBytes)
      tags.prefetch(visit.place.bundle, uint32_t(std::countr_zero(visit.members)));
  }
  void lookUp(Visit &visit);

  /// When a line that an L2 asks for is there. It is a hit from then on.
  double read(double arrival, Visit &visit, uint32_t member);
  /// How long what an L2 writes waits until it is taken.
  double write(double arrival, Visit &visit, uint32_t member, uint8_t sectors);
  /// When memory has executed an atomic that keeps the slice busy for `service` clocks.
  double atomic(double arrival, Visit &visit, uint32_t member, double service);

  // The same of all lines of a block
  /// Whether they can be read, or written, at once: all of them meet the same, and no two kinds of what they book take
  /// turns at a channel otherwise than each line by itself would have it.
  bool isUniform(const Order &order) const;
  /// Whether nothing that one of them books is booked by the other.
  bool areApart(const Order &a, const Order &b) const;
  BlockTimes read(const BlockTimes &arrival, const Order &order);
  BlockTimes write(const BlockTimes &arrival, const Order &order);

  /// Puts lines into the MALL, at no time.
  void touch(const PhysicalRange &range);
  /// Whether the MALL has anything of a line.
  bool holds(uint64_t address);
  /// What it has of lines of which sectors of the L2's were written, a byte each.
  uint64_t written(uint64_t address, uint64_t sectors) const {
    if (block.lineBytes() > chip.l2LineBytes)
      sectors = sectorsOf.touched(address & ~uint64_t(chip.l2LineBytes - 1), ~0u);
    return sectors | sectors << 4;
  }
  /// The same of a line of which an atomic changes a dword.
  uint8_t changedByAtomic(uint64_t address) const { return whole() | Sectors::written(sectorsOf.touched(address, 1)); }
  uint8_t whole() const { return sectorsOf.all(); }

  /// From memory's taking a write until the L2 knows.
  double writeLatency() const { return latency; }

private:
  /// What of other lines has to be written to memory for those that aren't held.
  void leave(Visit &visit);
  double giveUp(double arrival, const Visit &visit, uint32_t member);
  Quad giveUp(const Quad &arrival, const Order &order);
  /// A write behind a read costs more than either by itself.
  using Reads = uint32_t; ///< that no write stood behind yet, of the last few
  uint32_t sliceOf(const Visit &visit, uint32_t member) const {
    return map.channelOf(visit.place, SetMap::indexOf(visit.place, member));
  }
  /// What a write takes of its slice.
  double writeService(uint32_t slice, double service) {
    if (!reads[slice])
      return service;
    --reads[slice];
    return service + turnaround;
  }
  Dram::Home homeOf(const Visit &visit, uint32_t member) const {
    return dram.homeOf(visit.home, SetMap::indexOf(visit.place, member));
  }
  /// Books a write; how long it waits for the slice.
  double bookWrite(uint32_t slice, double arrival, double service);
  static uint32_t memberOf(const Order &order, uint32_t line) { return order.first ^ order.visit->flip ^ line; }
  /// Of line 0, those of others are its own xor 1, 2, 3 for each granule.
  Dram::Home homeOf(const Order &order) const { return homeOf(*order.visit, memberOf(order, 0)); }
  Dram::Home leaverOf(const Order &order) const {
    const uint32_t member = memberOf(order, 0);
    const Visit::Leaver &leaver = order.visit->leavers[member];
    return dram.homeOf(leaver.home, member ^ leaver.flip);
  }
  /// All lines of a block are as long as the L2's.
  uint32_t wholeLine() const { return block.lineBytes(); }

  const ChipTiming &chip;
  MemoryCounters &counters;
  LineBlock block;
  Dram dram;
  Sectors sectorsOf, sectorsOfL2; ///< of the MALL's lines, of an L2's
  SetMap map;
  Channels slices;
  std::vector<Reads> reads; ///< by slice
  TagArray tags;
  double latency = 0, readService = 0, writePerByte = 0, turnaround = 0; // core clocks
};

} // namespace nstf::emulator::timing
