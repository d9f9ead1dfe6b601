#include "runtime/emulator/timing/memory/L2Tags.h"

#include <bit>

namespace nstf::emulator::timing {
namespace {

/// Calls function(member) for each bit.
template <typename Function> void forEach(uint32_t members, Function function) {
  for (; members; members &= members - 1)
    function(uint32_t(std::countr_zero(members)));
}

} // namespace

L2Tags::L2Tags(const ChipTiming &chip, Fabric &fabric)
    : chip(chip), fabric(fabric), block(LineBlock::of(chip)), sectorsOf(chip.l2LineBytes),
      sets(timing::setsOfChannel(chip.l2Bytes, chip.l2Channels, chip.l2Ways, block)),
      map(chip.l2Channels, sets, chip.interleaveBytes, block),
      tags(chip.xcds * map.bundles(), chip.l2Ways, block.lines()), changedCounts(chip.xcds) {}

void L2Tags::begin(uint32_t ofXcd, L2Access what, bool areStreaming, size_t lines) {
  xcd = ofXcd;
  access = what;
  streaming = areStreaming;
  changes = what != L2Access::Read && what != L2Access::Touch;
  memoryVisitCount = 0;
  if (visits.size() <= lines) {
    visits.resize(lines + 1);
    memoryVisits.resize(2 * lines);
  }
  current = visits.data();
  current->block = ~uint64_t(0);
}

void L2Tags::beginVisit(uint64_t address) {
  L2Visit &visit = *++current;
  visit.block = block.begin(address);
  visit.place = map(visit.block);
  visit.firstIndex = block.index(address);
  visit.members = visit.again = 0;
  visit.sectors = visit.leaves = 0;
  tags.prefetch(xcd * map.bundles() + visit.place.bundle, SetMap::getMember(visit.place, visit.firstIndex));
}

/// Visits the lines whose bytes in `sectors` are not 0; `member` is that of the block's first line.
Fabric::Visit &L2Tags::visitMemory(uint64_t address, bool isRead, uint32_t member, uint64_t sectors) {
  Fabric::Visit &visit = memoryVisits[memoryVisitCount++];
  fabric.begin(visit, address, isRead, member, sectors);
  return visit;
}

void L2Tags::lookUp() {
  const bool passes = access == L2Access::WriteThrough || access == L2Access::AtomicInMemory;
  for (L2Visit *visit = visits.data(); visit != current;)
    passes ? passToMemory(*++visit) : lookUp(*++visit);
  for (size_t i = 0; i < memoryVisitCount; ++i)
    fabric.lookUp(memoryVisits[i]);
}

/// Prepares the writes of changed sectors of evicted lines to memory: calls take(member, visit) for each line.
template <typename Take> void L2Tags::leave(uint64_t changed, const TagArray::Found &found, Take take) {
  for (uint32_t left = TagArray::getMembers(changed); left;) {
    const uint32_t number = found.leaves[size_t(std::countr_zero(left))];
    uint32_t together = 0;
    for (uint32_t others = left; others; others &= others - 1)
      together |= found.leaves[size_t(std::countr_zero(others))] == number ? others & -others : 0;
    left &= ~together;
    changedCounts[xcd] -= uint32_t(std::popcount(together));
    const uint64_t begin = uint64_t(number) * block.bytes();
    const SetMap::Place place = map(begin);
    dropElsewhere(place, number, together, xcd);
    Fabric::Visit &visit =
        visitMemory(begin, false, place.member, fabric.written(begin, changed & TagArray::getBytes(together)));
    forEach(together, [&](uint32_t member) { take(member, visit); });
  }
}

void L2Tags::lookUp(L2Visit &visit) {
  if (access != L2Access::Touch)
    notePage(visit);
  const bool isWrite = access == L2Access::Write;
  const uint64_t whole = TagArray::forAll(sectorsOf.all()), number = block.number(visit.block);
  TagArray::Bundle bundle = tags[xcd * map.bundles() + visit.place.bundle];
  TagArray::Found &found = visit.found;
  bundle.use(found, visit.members, number, isWrite ? 0 : whole);
  visit.hits = found.complete;
  uint64_t held = found.sectors;
  const uint32_t missing = visit.members & ~found.held, incomplete = visit.members & ~found.complete;
  if (missing) {
    noteFetched(visit);
    bundle.fill(found, missing, number, streaming);
    held = found.sectors & TagArray::getBytes(found.held);
    visit.leaves = found.sectors >> 4 & TagArray::forAll(0xf) & TagArray::getBytes(missing); // Sectors::dirty
    const size_t before = memoryVisitCount;
    leave(visit.leaves, found, [&](uint32_t member, Fabric::Visit &to) { visit.leaving[member] = &to; });
    visit.leaveTogether = memoryVisitCount == before + 1 && visit.leaves == whole;
  }
  // As if the second part of a line followed the first one.
  if (const uint32_t again = visit.again & incomplete & (streaming ? ~0u : found.held)) [[unlikely]]
    bundle.useAgain(again, found);
  if (changes)
    changedCounts[xcd] += uint32_t(
        std::popcount(visit.members & ~TagArray::getMembers(held & TagArray::forAll(TagArray::changedSectors))));
  if (changes || incomplete)
    bundle.setSectors(visit.members, found, held | (isWrite ? 0 : whole) | visit.sectors | visit.sectors << 4);
  if (isWrite || !incomplete)
    return;
  visit.memory = &visitMemory(visit.block, true, visit.place.member,
                              TagArray::getBytes(incomplete) & TagArray::forAll(fabric.whole()));
}

/// Accesses that go directly to memory, where other XCDs see them.
void L2Tags::passToMemory(L2Visit &visit) {
  const bool isWrite = access == L2Access::WriteThrough;
  if (isWrite)
    notePage(visit);
  uint64_t sectors = isWrite ? fabric.written(visit.block, visit.sectors) : 0;
  // The writer's own line is kept.
  dropElsewhere(visit.place, block.number(visit.block), visit.members, isWrite ? xcd : chip.xcds);
  forEach(visit.members, [&](uint32_t member) {
    const uint64_t address = visit.block + SetMap::getIndex(visit.place, member) * block.lineBytes();
    sectors |= isWrite ? 0 : uint64_t(fabric.changedByAtomic(address)) << 8 * member;
  });
  visit.memory = &visitMemory(visit.block, !isWrite, visit.place.member, sectors);
}

/// Drops the lines from L2s whose memory has changed; sectors that an L2 changed itself are kept.
void L2Tags::dropElsewhere(const SetMap::Place &place, uint64_t number, uint32_t members, uint32_t exceptXcd) {
  const SnoopFilter::Mask holders = getHolders(number);
  for (uint32_t any = 0; any < chip.xcds; ++any) {
    const SnoopFilter::Mask mask = SnoopFilter::getMask(any);
    if (any == exceptXcd || !(holders & mask))
      continue;
    const uint32_t kept = tags[any * map.bundles() + place.bundle].dropUnchanged(members, number);
    if (!kept && members == wholeBlock() && 1 < chip.xcds && chip.xcds <= SnoopFilter::bits)
      fetched.remove(number, mask);
  }
}

void L2Tags::noteFetched(const L2Visit &visit) {
  if (chip.xcds == 1)
    return;
  if (visit.block < PageSet::end)
    fetched.add(block.number(visit.block), SnoopFilter::getMask(xcd));
  else
    ofLaunch.push_back({xcd, visit.block});
}

void L2Tags::dropOfLaunch() {
  for (const Fetched &what : ofLaunch)
    tags[what.xcd * map.bundles() + map(what.block).bundle].dropUnchanged(wholeBlock(), block.number(what.block));
  ofLaunch.clear();
}

void L2Tags::dropOverwritten(const PhysicalRange &range) {
  for (uint64_t begin = block.begin(range.begin); begin < range.end; begin += block.bytes())
    dropElsewhere(map(begin), block.number(begin), wholeBlock(), chip.xcds);
}

std::span<L2Tags::Changed> L2Tags::takeChanged(uint32_t ofXcd, uint32_t set) {
  const size_t count = size_t(setsTogether()) * chip.l2Channels * chip.l2Ways;
  begin(ofXcd, L2Access::Write, false, count / 2);
  changed.assign(count, {});
  const uint32_t first = xcd * map.bundles() + map.getPlace(0, set).bundle;
  for (uint32_t i = 0; i < count / chip.l2Ways / block.lines(); ++i) {
    TagArray::Bundle bundle = tags[first + i];
    for (uint32_t way = 0; way < chip.l2Ways; ++way) {
      TagArray::Found found;
      found.sectors = bundle.getSectors(way);
      const uint64_t changedHere = found.sectors & TagArray::forAll(TagArray::changedSectors);
      if (!changedHere)
        continue;
      for (uint32_t member = 0; member < block.lines(); ++member)
        found.leaves[member] = uint32_t(bundle.blockAt(member, way));
      leave(changedHere >> 4, found, [&](uint32_t member, Fabric::Visit &visit) {
        bundle.sectors(member, way) = Sectors::present(bundle.sectors(member, way));
        const SetMap::InBundle at = map.inBundle(i, member);
        changed[(size_t(at.set) * chip.l2Channels + at.channel) * chip.l2Ways + way] = {
            uint8_t(changedHere >> 8 * member >> 4), member, &visit};
      });
    }
  }
  lookUp();
  return changed;
}

void L2Tags::drop(uint32_t ofXcd) {
  changedCounts[ofXcd] = 0;
  tags.clear(ofXcd * map.bundles(), map.bundles());
}

PageSet::Held L2Tags::held(uint64_t address) {
  const uint64_t number = block.number(address);
  const SetMap::Place place = map(block.begin(address));
  const uint32_t member = SetMap::getMember(place, block.index(address));
  const SnoopFilter::Mask holders = getHolders(number);
  PageSet::Held held = {fabric.holds(address), 0};
  for (uint32_t any = 0; any < chip.xcds; ++any)
    if (const SnoopFilter::Mask mask = SnoopFilter::getMask(any); holders & mask)
      held.l2s |= tags[any * map.bundles() + place.bundle].find(member, number) != TagArray::none ? mask : 0;
  return held;
}

} // namespace nstf::emulator::timing
