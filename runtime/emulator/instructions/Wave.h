// The state of waves and workgroups.
//
// The registers of a wave, and the state shared with its workgroup and launch. Handlers access nothing else.
#pragma once

#include "runtime/emulator/decode/MicroOp.h"
#include "runtime/emulator/instructions/PlaceAndTime.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace nstf::emulator {

class DecodedProgram;
class GlobalWaveSync;
class HostInterrupts;
class Memory;
class RegionTable;
struct Kernel;
struct LaunchArguments;
struct Region;
struct Target;

/// State common to all workgroups of a launch.
struct Launch {
  const Target *target;
  const Kernel *kernel;
  const LaunchArguments *arguments;
  const DecodedProgram *program;
  const Memory *memory;
  const RegionTable *regions;
  uint32_t ldsBytes;     ///< static and dynamic
  uint32_t scratchBytes; ///< of a lane
  uint32_t wavesPerGroup;
  uint64_t kernarg;        ///< address of the argument block
  uint64_t dispatchPacket; ///< address of the AQL packet
  uint64_t queue;          ///< address of the queue descriptor
  const MicroOp *entry;
  GlobalWaveSync *waveSync;   ///< may be null
  HostInterrupts *interrupts; ///< null: nobody listens
  ClockSource *clock = &readCounter();
};

struct Wave;
class ExecutionCounters;
class Monitor;
class StepBudget;

/// The number of backward branches that a wave may take before it yields: enough for a loop that does work, few for one
/// that only waits.
constexpr uint32_t fuelOfTurn = 1 << 16;

struct Workgroup {
  const Launch *launch = nullptr;
  uint32_t id[3] = {};
  uint64_t index = 0;    ///< in the grid, x fastest
  uint32_t size[3] = {}; ///< in work-items; at the grid's end it may be smaller than the launch's
  uint8_t *lds = nullptr;
  std::vector<Wave *> waves;
  uint32_t fuel = fuelOfTurn;            ///< of each wave in each turn
  ExecutionCounters *counters = nullptr; ///< null: no counts
  Monitor *monitor = nullptr;            ///< null: no monitor
  StepBudget *steps = nullptr;           ///< null: no limit
};

enum class WaveStatus : uint8_t {
  Running,
  AtBarrier,
  Yielded,
  Ended,
  Stopped, ///< before `next`, at the request of the run loop's observer
};

struct alignas(64) Wave {
  static constexpr unsigned width = waveWidth; ///< handlers take it as a template parameter
  uint32_t rows[registerRows][width];
  alignas(8) uint32_t scalars[sgpr::count];
  /// Bases of operands' byte offsets: [0] the registers, [1] the program's constants.
  const char *vectorBase[2];
  const char *scalarBase[2];
  uint64_t savedExec;  ///< EXEC, during an instruction that runs under a narrower one (DPP)
  const MicroOp *next; ///< next micro-op
  const Region *hint;  ///< the region found last (RegionTable::find)
  Workgroup *group;
  uint32_t mode;    ///< MODE
  uint32_t number;  ///< in the workgroup
  uint64_t scratch; ///< address of the wave's scratch memory, dwords interleaved over the lanes
  uint64_t clock;   ///< last value of readCounter()
  ChipPlace place;  ///< on the chip
  uint32_t fuel;    ///< backward branches left before the wave yields to the others of its workgroup
  WaveStatus status;

  uint64_t scalar64(unsigned index) const {
    uint64_t value;
    std::memcpy(&value, scalars + index, 8);
    return value;
  }
  void setScalar64(unsigned index, uint64_t value) { std::memcpy(scalars + index, &value, 8); }
  uint64_t exec() const { return scalar64(sgpr::exec); }
  void setExec(uint64_t value) { setScalar64(sgpr::exec, value); }
  bool scc() const { return scalars[sgpr::scc] != 0; }
  void setScc(bool value) { scalars[sgpr::scc] = value; }

  /// Value of a scalar source.
  template <typename T> T scalarSource(SourceRef ref) const {
    T value;
    std::memcpy(&value, scalarBase[ref >> 31] + (ref & ~constantSource), sizeof(T));
    return value;
  }
  /// First row of a vector source; the upper halves of a 64-bit source are in the next row.
  const uint32_t *row(SourceRef ref) const {
    const char *pointer = vectorBase[ref >> 31] + (ref & ~constantSource);
    return static_cast<const uint32_t *>(__builtin_assume_aligned(pointer, 64));
  }
  uint32_t *destination(const MicroOp *op) { return rows[op->destination]; }
};

/// MODE fields (machine ISA, "MODE register").
namespace mode {
constexpr uint32_t round32 = 0, round16_64 = 2, denormal32 = 4, denormal16_64 = 6, dx10Clamp = 8, ieee = 9;
/// Rounding to nearest even and subnormals kept: the host's default.
constexpr uint32_t floatMask = 0xff, floatDefault = 0xf0;
/// Vector instructions are skipped (s_setvskip).
constexpr uint32_t vectorSkip = 1u << 28;
} // namespace mode

/// Thrown by handlers and monitors; dispatch turns it into a Fault with kernel, workgroup and instruction.
struct WaveFault {
  const MicroOp *op;
  std::string what;
  int lane = -1; ///< -1: the whole wave
  bool hasAddress = false;
  uint64_t address = 0;
  std::string check = "fault"; ///< Finding::check
  uint64_t lanes = 0;          ///< all lanes concerned, if there are more than `lane`
};

} // namespace nstf::emulator
