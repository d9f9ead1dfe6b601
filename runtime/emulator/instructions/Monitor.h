// Observes a launch.
//
// Checks and traces observe a launch through this interface. A monitored launch runs on one thread, in its own run
// loop; a launch without a monitor pays only one branch for each memory instruction.
//
// The order of calls: launchBegins; for each workgroup groupBegins and waveBegins of its waves; for each instruction of
// a wave instruction, access (for each of its memory accesses), retired; barrier when all waves of a workgroup have
// arrived; groupEnds; launchEnds. Calls of resident workgroups interleave. After a fault, groupStops is called for all
// workgroups except those of lower numbers, which continue; then launchEnds.
#pragma once

#include "runtime/emulator/instructions/MemorySpace.h"

#include <cstdint>

namespace nstf::emulator {

struct Launch;
struct MicroOp;
struct Wave;
struct Workgroup;

enum class AccessKind : uint8_t { Load, Store, Atomic }; ///< an atomic reads and writes

/// An access, or a part of one, that an instruction is about to make; not yet checked against the allocations.
struct MemoryAccess {
  MemorySpace space;
  AccessKind kind;
  uint64_t lanes;            ///< lanes that access (after EXEC and a buffer's range check); scalar memory: 1
  const uint64_t *addresses; ///< by lane: device address; LDS: offset in the workgroup's LDS
  unsigned bytes;            ///< of a lane, contiguous
  unsigned at = 0;           ///< offset of the part in a lane's data, in bytes (over its registers in order)
};

class Monitor {
public:
  virtual ~Monitor() = default;
  virtual void launchBegins(const Launch &) {}
  /// Called for every launch that began, also if a fault ended it.
  virtual void launchEnds(const Launch &) {}
  virtual void groupBegins(Workgroup &) {}
  virtual void groupEnds(Workgroup &) {}
  /// Called instead of groupEnds if a fault ends the launch; the workgroup does not exist afterwards.
  virtual void groupStops(Workgroup &) {}
  /// The registers have the hardware's initial values.
  virtual void waveBegins(Wave &) {}
  /// `first`, the first micro-op of an instruction, is about to run. May throw WaveFault to end the launch.
  virtual void instruction(Wave &, const MicroOp *first) { (void)first; }
  /// `op` is about to run; called for each micro-op of the instruction, for monitors that track values through it.
  virtual void step(Wave &, const MicroOp *op) { (void)op; }
  /// Called between `instruction` and `retired`, once for each part.
  virtual void access(Wave &, const MicroOp *, const MemoryAccess &) {}
  /// The instruction has finished: the registers hold its results.
  virtual void retired(Wave &, const MicroOp *first) { (void)first; }
  /// All waves of the workgroup have arrived and continue.
  virtual void barrier(Workgroup &) {}
};

} // namespace nstf::emulator
