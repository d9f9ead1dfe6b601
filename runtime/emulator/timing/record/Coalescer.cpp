#include "runtime/emulator/timing/record/Coalescer.h"
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::timing {
namespace {

constexpr unsigned width = Wave::width;
constexpr uint32_t dwordBytes = 4;

/// Number of lanes whose data, `bytes` each, the address unit processes in a clock.
uint32_t lanesAtOnce(const AddressUnit &unit, uint32_t bytes) {
  const uint32_t lanes = unit.bytesPerClock / std::bit_ceil(std::max(bytes, dwordBytes));
  return std::clamp(lanes, 1u, std::min(unit.lanesPerClock, width));
}

/// The dwords of a line from byte `from` up to `to`.
uint32_t dwordsOf(uint32_t from, uint32_t to) {
  const uint32_t first = from / dwordBytes, last = (to - 1) / dwordBytes;
  return uint32_t((uint64_t(2) << last) - (uint64_t(1) << first));
}

/// Adds a part of memory to the lines from `begin` on. Returns the index of its line.
size_t touch(std::vector<LineAccess> &lines, size_t begin, uint64_t line, uint32_t dwords, bool starts) {
  size_t i = lines.size();
  while (i > begin && lines[i - 1].address != line) // adjacent lanes mostly touch the same line
    --i;
  if (i == begin) {
    lines.push_back({line, dwords, starts});
    return lines.size() - 1;
  }
  lines[i - 1].dwords |= dwords;
  lines[i - 1].lanes += starts;
  return i - 1;
}

/// Merges adjacent equal lines, from `begin` on.
void join(std::vector<LineAccess> &lines, size_t begin, uint32_t lineBytes) {
  size_t last = begin;
  for (size_t i = begin + 1; i < lines.size(); ++i) {
    LineAccess &run = lines[last];
    const LineAccess &line = lines[i];
    if (line.address == run.address + (run.following + 1) * uint64_t(lineBytes) && line.dwords == run.dwords &&
        line.lanes == run.lanes)
      ++run.following;
    else
      lines[++last] = line;
  }
  lines.resize(std::min(lines.size(), last + 1));
}

} // namespace

uint32_t Coalescer::vector(uint32_t instruction, LaneAddresses &access, uint32_t bytes,
                           std::vector<LineAccess> &lines) {
  if (!access.memory)
    return 0;
  if (instruction >= byInstruction.size())
    byInstruction.resize(instruction + 1);
  if (!byInstruction[instruction])
    byInstruction[instruction] = std::make_unique<Patterns>();
  Patterns &patterns = *byInstruction[instruction];
  const uint64_t first = access.address[std::countr_zero(access.memory)];
  for (uint64_t left = ~access.memory; left; left &= left - 1)
    access.address[std::countr_zero(left)] = first;
  const Region *region = regions.find(first, 1, patterns.hint);
  if (region) {
    const uint64_t physical = region->physical + (first - region->begin);
    const uint32_t phase = uint32_t(physical % unit.lineBytes);
    for (const Pattern &pattern : patterns.known) {
      if (pattern.phase != phase || pattern.lanes != access.memory || pattern.bytes != bytes ||
          pattern.stride != access.stride || !region->contains(first + pattern.lowest, pattern.span) ||
          !matches(pattern, access, first))
        continue;
      const uint64_t line = physical - phase;
      const size_t begin = lines.size();
      lines.resize(begin + pattern.lines.size());
      for (size_t i = 0; i < pattern.lines.size(); ++i) {
        lines[begin + i] = pattern.lines[i];
        lines[begin + i].address += line;
      }
      return pattern.clocks;
    }
  }
  const size_t begin = lines.size();
  const uint32_t clocks = trace(access, bytes, patterns.hint, lines);
  if (region && patterns.hint == region) // nearly always: all lanes are in one region
    remember(patterns, access, bytes, first, clocks, lines.begin() + ptrdiff_t(begin), lines.end());
  return clocks;
}

bool Coalescer::matches(const Pattern &pattern, const LaneAddresses &access, uint64_t first) const {
  uint64_t different = 0;
  for (unsigned lane = 0; lane < width; ++lane)
    different |= (access.address[lane] - first) ^ pattern.distances[lane];
  return !different;
}

uint32_t Coalescer::trace(const LaneAddresses &access, uint32_t bytes, const Region *&hint,
                          std::vector<LineAccess> &lines) {
  const size_t begin = lines.size();
  const uint32_t atOnce = lanesAtOnce(unit, bytes);
  // A lane's bytes are adjacent or, if scratch is interleaved, split into dwords.
  const bool together = access.stride == dwordBytes || bytes <= dwordBytes;
  const uint32_t pieces = together ? 1 : (bytes + dwordBytes - 1) / dwordBytes;
  uint32_t clocks = 0;
  for (unsigned group = 0; group < width; group += atOnce) {
    uint64_t active = access.memory >> group & (~uint64_t(0) >> (64 - atOnce));
    std::array<size_t, width * 8> touched;
    size_t count = 0;
    for (; active; active &= active - 1) {
      const unsigned lane = group + unsigned(std::countr_zero(active));
      for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint64_t address = access.address[lane] + piece * access.stride;
        const uint32_t size = together ? bytes : std::min(bytes - piece * dwordBytes, dwordBytes);
        const Region *region = regions.find(address, size, hint);
        if (!region)
          continue;
        const uint64_t physical = region->physical + (address - region->begin);
        for (uint64_t at = physical, end = physical + size; at < end;) {
          const uint64_t line = at - at % unit.lineBytes, next = std::min(end, line + unit.lineBytes);
          const size_t number =
              touch(lines, begin, line, dwordsOf(uint32_t(at - line), uint32_t(next - line)), at == physical && !piece);
          if (std::find(touched.begin(), touched.begin() + ptrdiff_t(count), number) ==
              touched.begin() + ptrdiff_t(count))
            touched[count++] = number;
          at = next;
        }
      }
    }
    clocks += std::max<uint32_t>(1, uint32_t(count));
  }
  join(lines, begin, unit.lineBytes);
  return clocks;
}

void Coalescer::remember(Patterns &patterns, const LaneAddresses &access, uint32_t bytes, uint64_t first,
                         uint32_t clocks, std::vector<LineAccess>::const_iterator begin,
                         std::vector<LineAccess>::const_iterator end) const {
  uint64_t lowest = first, highest = first;
  for (uint64_t address : access.address) {
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
  }
  const uint64_t laneSpan = bytes <= dwordBytes ? bytes : (bytes - 1) / dwordBytes * access.stride + dwordBytes;
  const Region &region = *patterns.hint;
  if (!region.contains(lowest, highest - lowest + laneSpan))
    return;
  Pattern &pattern = patterns.known[patterns.next++ % Patterns::ways];
  const uint64_t physical = region.physical + (first - region.begin);
  pattern.lanes = access.memory;
  pattern.stride = access.stride;
  pattern.bytes = bytes;
  pattern.phase = uint32_t(physical % unit.lineBytes);
  pattern.clocks = clocks;
  pattern.lowest = lowest - first;
  pattern.span = highest - lowest + laneSpan;
  for (unsigned lane = 0; lane < width; ++lane)
    pattern.distances[lane] = access.address[lane] - first;
  pattern.lines.assign(begin, end);
  for (LineAccess &line : pattern.lines)
    line.address -= physical - pattern.phase;
}

void Coalescer::scalar(uint64_t address, uint32_t bytes, std::vector<LineAccess> &lines) {
  const Region *region = regions.find(address, 1, scalarHint);
  if (!region)
    return;
  const size_t begin = lines.size();
  const uint64_t physical = region->physical + (address - region->begin), end = physical + bytes;
  for (uint64_t at = physical; at < end;) {
    const uint64_t line = at - at % unit.lineBytes, next = std::min(end, line + unit.lineBytes);
    touch(lines, begin, line, dwordsOf(uint32_t(at - line), uint32_t(next - line)), at == physical);
    at = next;
  }
}

} // namespace nstf::emulator::timing
