// The contents of the L2s, one L2 for each XCD.
#pragma once

#include "runtime/emulator/timing/memory/Fabric.h"
#include "runtime/emulator/timing/memory/PageSet.h"
#include "runtime/emulator/timing/memory/SnoopFilter.h"

#include <span>

namespace nstf::emulator::timing {

/// The effect of an access on lines of an L2.
enum class L2Access : uint8_t {
  Read,
  Write,
  Atomic,
  WriteThrough,   ///< memory accepts it before it is acknowledged
  AtomicInMemory, ///< executed where other XCDs see it
  Touch,          ///< a read that takes no time
};

/// Lines of a block that an access touches.
struct L2Visit {
  uint64_t block; ///< its first byte
  SetMap::Place place;
  uint32_t firstIndex;     ///< index of the line that was added first
  uint32_t members, again; ///< members of its bundle that are accessed; accessed more than once
  uint64_t sectors;        ///< sectors that the access changes, by member

  // For the read, write or atomic of a line
  TagArray::Found found;
  uint32_t hits;         ///< members that the L2 holds completely; for a write, at all
  uint64_t leaves;       ///< by member: sectors of the evicted line that are written to memory
  Fabric::Visit *memory; ///< visit of the lines that go to memory
  std::array<Fabric::Visit *, TagArray::maxMembers> leaving; ///< visits of evicted lines, by member
  bool leaveTogether; ///< the evicted lines are all lines of one block, entirely changed
};

struct L2Line {
  L2Visit *visit;
  uint32_t member;
};

/// All lines of an access are looked up before any of them is timed: adjacent lines are looked up together, and the
/// host prefetches for all of them.
class L2Tags {
public:
  L2Tags(const ChipTiming &chip, Fabric &fabric);

  const LineBlock &lineBlock() const { return block; }
  /// Prefetches on the host the data that an access to a line looks up.
  void prefetch(uint32_t ofXcd, uint64_t address) const {
    const SetMap::Place place = map(block.begin(address));
    tags.prefetch(ofXcd * map.bundles() + place.bundle, SetMap::getMember(place, block.index(address)));
    fabric.prefetch(address);
  }
  /// Begins an access to at most `lines` lines.
  void begin(uint32_t xcd, L2Access access, bool streaming, size_t lines);
  /// Adds a line of the access: bit i of `dwords` is dword i from the address.
  L2Line add(uint64_t address, uint32_t dwords) {
    if (current->block != block.begin(address))
      beginVisit(address);
    L2Visit &visit = *current;
    const uint32_t member = SetMap::getMember(visit.place, block.index(address));
    visit.again |= visit.members & 1u << member;
    visit.members |= 1u << member;
    if (changes)
      visit.sectors |= uint64_t(sectorsOf.touched(address, dwords)) << 8 * member;
    return {&visit, member};
  }
  /// Adds all lines of a block, with all of their bytes.
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
  /// Looks up all lines that were added. This changes the contents of L2s and MALL.
  void lookUp();
  /// Channel number, counted over all XCDs.
  uint32_t getChannel(const L2Line &line) const {
    return xcd * chip.l2Channels + map.getChannel(line.visit->place, SetMap::getIndex(line.visit->place, line.member));
  }
  /// Channel of a block's first line.
  uint32_t getFirstChannel(const L2Visit &visit) const { return xcd * chip.l2Channels + visit.place.channel; }

  /// A changed line to be written to memory.
  struct Changed {
    uint8_t sectors = 0; ///< 0: the line is not changed
    uint32_t member = 0;
    Fabric::Visit *memory = nullptr;
  };
  uint32_t changedLines(uint32_t ofXcd) const { return changedCounts[ofXcd]; }
  /// The lines of set `set`, a multiple of setsTogether(), and of the sets up to the next multiple: by set, channel and
  /// way. The lines count as unchanged afterwards.
  std::span<Changed> takeChanged(uint32_t xcd, uint32_t set);
  uint32_t setsTogether() const { return map.setsOfBundle(); }
  void drop(uint32_t xcd);
  /// Drops, from all L2s, data that lives only as long as a launch.
  void dropOfLaunch();
  /// Drops lines of a range that the host or a copy has written.
  void dropOverwritten(const PhysicalRange &range);

  void beginLaunch() {
    pages.clear();
    ofLaunch.clear();
  }
  const PageSet &touched() const { return pages; }
  /// Whether the MALL and which L2s hold a line.
  PageSet::Held held(uint64_t address);

private:
  void beginVisit(uint64_t address);
  void lookUp(L2Visit &visit);
  void passToMemory(L2Visit &visit);
  void dropElsewhere(const SetMap::Place &place, uint64_t number, uint32_t members, uint32_t exceptXcd);
  void noteFetched(const L2Visit &visit);
  SnoopFilter::Mask getHolders(uint64_t number) const { return chip.xcds == 1 ? 1 : fetched.holders(number); }
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
  std::vector<uint32_t> changedCounts; ///< number of changed lines, by XCD
  PageSet pages;
  SnoopFilter fetched; ///< blocks below PageSet::end, if there are several L2s
  struct Fetched {
    uint32_t xcd;
    uint64_t block;
  };
  std::vector<Fetched> ofLaunch; ///< blocks from PageSet::end on

  // State of the current access
  uint32_t xcd = 0;
  L2Access access = L2Access::Read;
  bool streaming = false, changes = false;
  std::vector<L2Visit> visits; ///< the first is a sentinel; with spare capacity
  L2Visit *current = nullptr;
  std::vector<Fabric::Visit> memoryVisits; ///< evictions before the fetch that causes them; with spare capacity
  size_t memoryVisitCount = 0;
  std::vector<Changed> changed;
};

} // namespace nstf::emulator::timing
