#include "runtime/emulator/timing/timeline/KnownLaunches.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nstf::emulator::timing {
namespace {

/// Caches count as equal if they differ by less than this share of the bytes that the launch touches.
constexpr double tolerance = 0.05;

uint64_t wordAt(const std::byte *bytes, size_t left) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, std::min<size_t>(left, 8));
  return word;
}

/// Appends the words of `size` bytes.
void append(std::vector<uint64_t> &words, const std::byte *bytes, size_t size) {
  for (size_t i = 0; i < size; i += 8)
    words.push_back(wordAt(bytes + i, size - i));
}

uint64_t pageOf(uint64_t address) { return address / PageSet::pageBytes * PageSet::pageBytes; }

/// Splits a range at the pages of pointers and at the ends of their allocations.
std::vector<PhysicalRange> cut(const PhysicalRange &range, const std::vector<PhysicalRange> &pointers) {
  std::vector<uint64_t> borders = {range.begin, range.end};
  for (const PhysicalRange &pointer : pointers)
    for (uint64_t border : {pageOf(pointer.begin), pageOf(pointer.end + PageSet::pageBytes - 1)})
      if (range.begin < border && border < range.end)
        borders.push_back(border);
  std::ranges::sort(borders);
  std::vector<PhysicalRange> pieces;
  for (size_t i = 1; i < borders.size(); ++i)
    if (borders[i - 1] < borders[i])
      pieces.push_back({borders[i - 1], borders[i]});
  return pieces;
}

void accumulate(MemorySystem::Held &sum, const MemorySystem::Held &held) {
  sum.mall += held.mall;
  sum.l2 += held.l2;
}

} // namespace

LaunchIdentity LaunchIdentity::of(const LaunchArguments &launch, const Memory &memory) {
  const std::shared_ptr<const RegionTable> regions = memory.regions();
  LaunchIdentity identity;
  std::vector<uint64_t> &words = identity.words;
  const Region *code = regions->find(launch.kernel->entry);
  words = {code ? code->physical : 0, launch.kernel->entry - (code ? code->begin : 0), launch.dynamicLds};
  for (const uint32_t *shape : {launch.grid, launch.block, launch.remainder})
    words.insert(words.end(), shape, shape + 3);
  const auto *block = static_cast<const std::byte *>(launch.kernarg);
  for (size_t offset = 0; offset < launch.kernel->kernargSize; offset += 8) {
    const uint64_t word = wordAt(block + offset, launch.kernel->kernargSize - offset);
    const Region *region = regions->find(word);
    if (!region) {
      words.push_back(word);
      continue;
    }
    const PhysicalRange pointer = {region->physical + (word - region->begin), region->physical + region->size()};
    const auto same = std::ranges::find(identity.pointers, pointer.begin, &PhysicalRange::begin);
    words.push_back(uint64_t(same - identity.pointers.begin()));
    words.push_back(pointer.begin % PageSet::pageBytes);
    if (region->size() <= KnownLaunches::smallBytes)
      append(words, region->data<const std::byte>(), region->size());
    identity.pointers.push_back(pointer);
  }
  return identity;
}

PhysicalRange KnownLaunches::at(const Touched &touched, const LaunchIdentity &identity) {
  const PhysicalRange &pointer = identity.pointers[touched.pointer];
  const uint64_t page = pageOf(pointer.begin);
  return {std::min(page + touched.offset.begin, pointer.end), std::min(page + touched.offset.end, pointer.end)};
}

bool KnownLaunches::findsTheSame(const Variant &variant, const LaunchIdentity &identity, const MemorySystem &memory) {
  std::vector<MemorySystem::Held> held(identity.pointers.size());
  double bytes = 0, difference = 0;
  for (const Touched &touched : variant.touched) {
    const PhysicalRange range = at(touched, identity);
    bytes += double(range.size());
    accumulate(held[touched.pointer], memory.held(range, touched.holders));
  }
  for (size_t i = 0; i < held.size(); ++i)
    difference += std::abs(held[i].mall - variant.held[i].mall) + std::abs(held[i].l2 - variant.held[i].l2);
  return difference <= tolerance * bytes;
}

const LaunchPrediction *KnownLaunches::find(const LaunchIdentity &identity, MemorySystem &memory) {
  auto known = variants.find(identity.words);
  if (known == variants.end())
    return nullptr;
  for (const Variant &variant : known->second) {
    if (!findsTheSame(variant, identity, memory))
      continue;
    for (const Touched &touched : variant.touched)
      memory.touch(at(touched, identity), touched.holders);
    return &variant.prediction;
  }
  return nullptr;
}

void KnownLaunches::add(const LaunchIdentity &identity, const LaunchPrediction &prediction,
                        const MemorySystem &memory) {
  Variant variant{{}, std::vector<MemorySystem::Held>(identity.pointers.size()), prediction};
  memory.touched().forEachRange([&](const PhysicalRange &range) {
    for (const PhysicalRange &piece : cut(range, identity.pointers)) {
      // The pages behind a pointer end at the next pointer into the same allocation.
      const PhysicalRange *nearest = nullptr;
      for (const PhysicalRange &pointer : identity.pointers)
        if (pageOf(pointer.begin) <= piece.begin && piece.begin < pointer.end &&
            (!nearest || pointer.begin > nearest->begin))
          nearest = &pointer;
      if (!nearest)
        continue;
      const size_t number = size_t(nearest - identity.pointers.data());
      const uint64_t page = pageOf(nearest->begin);
      variant.touched.push_back({number, {piece.begin - page, piece.end - page}, memory.holders(piece)});
      accumulate(variant.held[number], memory.heldBefore(piece, variant.touched.back().holders));
    }
  });
  variants[identity.words].push_back(std::move(variant));
}

} // namespace nstf::emulator::timing
