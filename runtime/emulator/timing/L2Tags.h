// What the L2s hold, one an XCD.
#pragma once

#include "runtime/emulator/timing/Fabric.h"
#include "runtime/emulator/timing/PageSet.h"
#include "runtime/emulator/timing/SnoopFilter.h"

#include <span>

namespace nstf::emulator::timing {

/// What an access does to lines of an L2.
enum class L2Access : uint8_t {
  Read,
  Write,
  Atomic,
  WriteThrough,   ///< memory has it before it is acknowledged
  AtomicInMemory, ///< where other XCDs see it
  Touch,          ///< a read at no time
};

/// Lines of a block that an access asks for.
struct L2Visit {
  uint64_t block; ///< its first byte
  SetMap::Place place;
  uint32_t firstIndex;     ///< of the line that came first
  uint32_t members, again; ///< of its bundle, that are asked for; more than once
  uint64_t sectors;        ///< touched, by member; of what changes memory

  // What a read, write or atomic of a line has to know
  TagArray::Found found;
  uint32_t hits;         ///< members of which the L2 has all, for a write any
  uint64_t leaves;       ///< by member: sectors of another line that are written to memory for it
  Fabric::Visit *memory; ///< of those that go there
  std::array<Fabric::Visit *, TagArray::maxMembers> leaving; ///< of what leaves, by member
  bool leaveTogether;                                        ///< that are one block's lines, all of it changed
};

struct L2Line {
  L2Visit *visit;
  uint32_t member;
};

/// All lines of an access are looked up before any of them takes its time: neighbours together, and so that the host
/// fetches together what that needs.
class L2Tags {
public:
  L2Tags(const ChipTiming &chip, Fabric &fabric);

  const LineBlock &lineBlock() const { return block; }
  /// Has the host fetch what an access to a line will look up.
  void prefetch(uint32_t ofXcd, uint64_t address) const {
    const SetMap::Place place = map(block.begin(address));
    tags.prefetch(ofXcd * map.bundles() + place.bundle, SetMap::memberOf(place, block.index(address)));
    fabric.prefetch(address);
  }
  /// The access to so many lines at most begins.
  void begin(uint32_t xcd, L2Access access, bool streaming, size_t lines);
  /// Each of its lines: bit i of `dwords` is dword i behind the address.
  L2Line add(uint64_t address, uint32_t dwords) {
    if (current->block != block.begin(address))
      beginVisit(address);
    L2Visit &visit = *current;
    const uint32_t member = SetMap::memberOf(visit.place, block.index(address));
    visit.again |= visit.members & 1u << member;
    visit.members |= 1u << member;
    if (changes)
      visit.sectors |= uint64_t(sectorsOf.touched(address, dwords)) << 8 * member;
    return {&visit, member};
  }
  /// All lines of a block, and all of their bytes.
  L2Visit &addBlock(uint64_t begin) {
    if (current->block != begin)
      beginVisit(begin);
    L2Visit &visit = *current;
    visit.again |= visit.members;
    visit.members = wholeBlock();
    if (changes)
      visit.sectors = TagArray::forAll(sectorsOf.all());
    return visit;
  }
  /// Looks up all that were added; this changes what L2s and MALL hold.
  void lookUp();
  /// Through all XCDs.
  uint32_t channelOf(const L2Line &line) const {
    return xcd * chip.l2Channels + map.channelOf(line.visit->place, SetMap::indexOf(line.visit->place, line.member));
  }
  /// Of a block's first line.
  uint32_t firstChannelOf(const L2Visit &visit) const { return xcd * chip.l2Channels + visit.place.channel; }

  /// A changed line on its way to memory.
  struct Changed {
    uint8_t sectors = 0; ///< 0: it isn't
    uint32_t member = 0;
    Fabric::Visit *memory = nullptr;
  };
  uint32_t changedLines(uint32_t ofXcd) const { return changedCounts[ofXcd]; }
  /// The lines of set `set`, a multiple of setsTogether(), and of those up to the next: sets behind one another, of
  /// each all channels, of each all ways. They aren't changed any more.
  std::span<Changed> takeChanged(uint32_t xcd, uint32_t set);
  uint32_t setsTogether() const { return map.setsOfBundle(); }
  void drop(uint32_t xcd);
  /// What lives as long as a launch only leaves all L2s.
  void dropOfLaunch();
  /// Somebody else has written the range.
  void dropOverwritten(const PhysicalRange &range);

  void beginLaunch() {
    pages.clear();
    ofLaunch.clear();
  }
  const PageSet &touched() const { return pages; }
  /// A line, in the MALL and in L2s.
  PageSet::Held held(uint64_t address);

private:
  void beginVisit(uint64_t address);
  void lookUp(L2Visit &visit);
  void passToMemory(L2Visit &visit);
  void dropElsewhere(const SetMap::Place &place, uint64_t number, uint32_t members, uint32_t exceptXcd);
  void noteFetched(const L2Visit &visit);
  SnoopFilter::Mask holdersOf(uint64_t number) const { return chip.xcds == 1 ? 1 : fetched.holders(number); }
  uint32_t wholeBlock() const { return (1u << block.lines()) - 1; }
  Fabric::Visit &visitMemory(uint64_t address, bool isRead, uint32_t member, uint64_t sectors);
  template <typename Take> void leave(uint64_t changed, const TagArray::Found &found, Take take);
  void notePage(const L2Visit &visit) {
    if (!pages.has(visit.block)) [[unlikely]]
      pages.add(visit.block, held(visit.block / PageSet::pageBytes * PageSet::pageBytes));
  }

  const ChipTiming &chip;
  Fabric &fabric;
  const LineBlock block;
  const Sectors sectorsOf;
  const uint32_t sets; ///< of a channel
  const SetMap map;
  TagArray tags;
  std::vector<uint32_t> changedCounts; ///< lines, by XCD
  PageSet pages;
  SnoopFilter fetched; ///< blocks below PageSet::end, where there are several L2s
  struct Fetched {
    uint32_t xcd;
    uint64_t block;
  };
  std::vector<Fetched> ofLaunch; ///< those from there on

  // Of the access at hand
  uint32_t xcd = 0;
  L2Access access = L2Access::Read;
  bool streaming = false, changes = false;
  std::vector<L2Visit> visits; ///< behind one of no block, and room for more
  L2Visit *current = nullptr;
  std::vector<Fabric::Visit> memoryVisits; ///< what leaves before what is fetched, and room for more
  size_t memoryVisitCount = 0;
  std::vector<Changed> changed;
};

} // namespace nstf::emulator::timing
