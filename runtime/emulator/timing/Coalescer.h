// Which cache lines a memory instruction touches.
//
// The lines of all lanes, merged, in the order in which lanes touch them. An instruction's lanes mostly stand to each
// other as they did the time before, a few bytes or rows further on: such patterns are remembered and only moved.
#pragma once

#include "runtime/emulator/instructions/LaneAddresses.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace nstf::emulator {
class RegionTable;
struct Region;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// What of a chip decides how long an access takes its address unit (ChipTiming).
struct AddressUnit {
  uint32_t lineBytes = 128;    ///< of the vector L1; up to 128
  uint32_t lanesPerClock = 16; ///< that it takes at most
  uint32_t bytesPerClock = 64; ///< of lanes' data that it takes at most
};

class Coalescer {
public:
  /// Addresses in no region touch no line: the access itself will fault.
  Coalescer(const RegionTable &regions, const AddressUnit &unit) : regions(regions), unit(unit) {}

  /// Appends what the lanes of `access`, `bytes` each, touch, and returns the clocks of address unit and tag lookup
  /// (MemoryRequest::addressClocks). Sets inactive lanes' addresses.
  uint32_t vector(uint32_t instruction, LaneAddresses &access, uint32_t bytes, std::vector<LineAccess> &lines);
  /// The lines of a scalar access.
  void scalar(uint64_t address, uint32_t bytes, std::vector<LineAccess> &lines);

private:
  /// How the lanes of an access stand to the first of them.
  struct Pattern {
    uint64_t lanes = 0, stride = 0;
    uint32_t bytes = 0, phase = 0; ///< of the first lane's address in its line
    uint32_t clocks = 0;
    uint64_t lowest = 0, span = 0; ///< of all bytes touched, from the first lane's address on
    std::array<uint64_t, Wave::width> distances;
    std::vector<LineAccess> lines; ///< addresses from the first lane's line on
  };
  struct Patterns {
    static constexpr unsigned ways = 4;
    std::array<Pattern, ways> known;
    unsigned next = 0;
    const Region *hint = nullptr;
  };
  bool matches(const Pattern &pattern, const LaneAddresses &access, uint64_t first) const;
  uint32_t trace(const LaneAddresses &access, uint32_t bytes, const Region *&hint, std::vector<LineAccess> &lines);
  void remember(Patterns &patterns, const LaneAddresses &access, uint32_t bytes, uint64_t first, uint32_t clocks,
                std::vector<LineAccess>::const_iterator begin, std::vector<LineAccess>::const_iterator end) const;

  const RegionTable &regions;
  const AddressUnit unit;
  const Region *scalarHint = nullptr;
  std::vector<std::unique_ptr<Patterns>> byInstruction;
};

} // namespace nstf::emulator::timing
