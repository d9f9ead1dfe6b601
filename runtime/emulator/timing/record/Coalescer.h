// The cache lines that a memory instruction touches.
//
// The lines of all lanes are merged, in the order in which lanes touch them. The lanes of an instruction mostly have
// the same distances as at its previous execution, only some bytes or rows further on. Such patterns are remembered and
// shifted.
#pragma once

#include "runtime/emulator/instructions/LaneAddresses.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace nstf::emulator {
class RegionTable;
struct Region;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// Constants of a chip that determine how long an access occupies its address unit (ChipTiming).
struct AddressUnit {
  uint32_t lineBytes = 128;    ///< of the vector L1; up to 128
  uint32_t lanesPerClock = 16; ///< maximum number of lanes a clock
  uint32_t bytesPerClock = 64; ///< maximum number of bytes of lanes' data a clock
};

class Coalescer {
public:
  /// Addresses outside all regions touch no line: the access itself will fault.
  Coalescer(const RegionTable &regions, const AddressUnit &unit) : regions(regions), unit(unit) {}

  /// Appends the lines that the lanes of `access` touch with `bytes` each, and returns the clocks of address unit and
  /// tag lookup (MemoryRequest::addressClocks). Sets inactive lanes' addresses.
  uint32_t vector(uint32_t instruction, LaneAddresses &access, uint32_t bytes, std::vector<LineAccess> &lines);
  /// The lines of a scalar access.
  void scalar(uint64_t address, uint32_t bytes, std::vector<LineAccess> &lines);

private:
  /// The distances of an access's lanes from its first active lane.
  struct Pattern {
    uint64_t lanes = 0, stride = 0;
    uint32_t bytes = 0, phase = 0; ///< offset of the first lane's address in its line
    uint32_t clocks = 0;
    uint64_t lowest = 0, span = 0; ///< of all bytes touched, relative to the first lane's address
    std::array<uint64_t, Wave::width> distances;
    std::vector<LineAccess> lines; ///< addresses relative to the first lane's line
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
