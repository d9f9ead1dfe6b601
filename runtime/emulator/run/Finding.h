// A finding of a fault or a check.
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
  std::string rule;  ///< of the check, where it has several: a hazard's row, what a race lacks; else empty
  std::string what;  ///< the mistake, without its place
  std::string kernel;
  uint64_t pc = 0, offset = 0; ///< of the instruction: its address, and its offset from the kernel's entry
  std::string instruction;     ///< its assembly text
  std::string source;          ///< file and line with inlined functions, if debug information has them; else empty
  std::array<uint32_t, 3> workgroup = {};
  unsigned wave = 0;  ///< in the workgroup
  uint64_t lanes = 0; ///< lanes concerned, one bit each; 0: the whole wave
  bool hasAddress = false;
  uint64_t address = 0;    ///< of the first lane concerned
  std::string allocation;  ///< description of its place (Memory::describe)
  bool outsideLds = false; ///< an access beyond the workgroup's LDS
  uint64_t count = 1;      ///< number of occurrences at this place
  bool isFirst = true;     ///< of its check and rule at its place
  uint64_t others = 0;     ///< of a first one: occurrences of others of its check and rule there
  bool isAdvice = false;   ///< shipped kernels do this, and run right

  /// "kernel 'k', pc 0x7f0010 (entry + 0x10), instruction 's_nop 0'".
  std::string place() const;
  /// The whole finding on one line.
  std::string text() const;
};

/// A finding about the instruction of `op`, the wave's current one.
Finding findingAt(const Wave &wave, const MicroOp *op, std::string check, std::string what);

/// The offset of an instruction from its kernel's entry: "entry + 0x1c", "entry - 0x40".
std::string describeOffset(uint64_t offset);

/// The lanes of a mask: "lane 3", "lanes 0-15, 32".
std::string describeLanes(uint64_t lanes);

/// The error that ended a launch: an access outside all allocations, an unknown instruction, a trap …
class Fault : public std::runtime_error {
public:
  explicit Fault(Finding finding, bool illegalAddress = false)
      : std::runtime_error(finding.text()), finding(std::move(finding)), illegalAddress(illegalAddress) {}
  Finding finding;
  /// An access to global memory that does not exist (HIP has a separate error code for it).
  bool illegalAddress;
};

} // namespace nstf::emulator
