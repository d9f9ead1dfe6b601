// What a fault or a check has to say.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nstf::emulator {

struct MicroOp;
struct Wave;

/// A mistake of a kernel, with its place.
struct Finding {
  std::string check; ///< "fault", "memory", "uninit", "race", "hazard", "wait" or "progress"
  std::string what;  ///< the mistake, without its place
  std::string kernel;
  uint64_t pc = 0, offset = 0; ///< of the instruction: its address, and how far behind the kernel's entry
  std::string instruction;     ///< its assembly text
  std::string source;          ///< file and line, inlined functions, as far as debug information tells; or empty
  std::array<uint32_t, 3> workgroup = {};
  unsigned wave = 0;  ///< in the workgroup
  uint64_t lanes = 0; ///< a bit for each lane concerned; 0: the whole wave
  bool hasAddress = false;
  uint64_t address = 0;    ///< of the first lane concerned
  std::string allocation;  ///< where that is (Memory::describe)
  bool outsideLds = false; ///< an access past the workgroup's LDS
  uint64_t count = 1;      ///< how often it was seen at this place

  /// All of it on one line.
  std::string text() const;
};

/// A finding about the instruction of `op`, at which the wave stands.
Finding findingAt(const Wave &wave, const MicroOp *op, std::string check, std::string what);

/// Where an instruction is, seen from its kernel: "entry + 0x1c", "entry - 0x40".
std::string describeOffset(uint64_t offset);

/// The lanes of a mask: "lane 3", "lanes 0-15, 32".
std::string describeLanes(uint64_t lanes);

/// What ended a launch: an access outside every allocation, an unknown instruction, a trap …
class Fault : public std::runtime_error {
public:
  explicit Fault(Finding finding, bool illegalAddress = false)
      : std::runtime_error(finding.text()), finding(std::move(finding)), illegalAddress(illegalAddress) {}
  Finding finding;
  /// An access to global memory that isn't there (HIP has an error code of its own for it).
  bool illegalAddress;
};

} // namespace nstf::emulator
