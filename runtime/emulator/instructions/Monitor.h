// Watches a launch.
//
// Checks and traces see a launch through this. A monitored launch runs on one thread, in a run loop of its own; a
// launch without one pays a branch per memory instruction and nothing else.
//
// The order of calls: launchBegins, then for each workgroup groupBegins, waveBegins of its waves; for each instruction
// of a wave instruction, access (for each memory access it makes), retired; barrier when a workgroup's waves have met;
// groupEnds; launchEnds. Resident workgroups alternate. After a fault groupStops follows for all but those of lower
// numbers, which go on, and launchEnds.
#pragma once

#include "runtime/emulator/instructions/MemorySpace.h"

#include <cstdint>

namespace nstf::emulator {

struct Launch;
struct MicroOp;
struct Wave;
struct Workgroup;

enum class AccessKind : uint8_t { Load, Store, Atomic }; ///< an atomic reads and writes

/// What an instruction is about to access, or a piece of it; not yet checked against the allocations.
struct MemoryAccess {
  MemorySpace space;
  AccessKind kind;
  uint64_t lanes;            ///< lanes that access (EXEC, a buffer's range check done); scalar memory: 1
  const uint64_t *addresses; ///< by lane: device address; LDS: offset in the workgroup's LDS
  unsigned bytes;            ///< of a lane, contiguous
  unsigned at = 0;           ///< where in a lane's data the piece stands, in bytes (the registers, front to back)
};

class Monitor {
public:
  virtual ~Monitor() = default;
  virtual void launchBegins(const Launch &) {}
  /// Every launch that began ends so, also one that a fault ended.
  virtual void launchEnds(const Launch &) {}
  virtual void groupBegins(Workgroup &) {}
  virtual void groupEnds(Workgroup &) {}
  /// Instead of groupEnds, where a fault ends the launch: the workgroup is gone afterwards.
  virtual void groupStops(Workgroup &) {}
  /// The registers stand as the hardware initialises them.
  virtual void waveBegins(Wave &) {}
  /// `first`, the first micro-op of an instruction, is about to run. May throw WaveFault to end the launch.
  virtual void instruction(Wave &, const MicroOp *first) { (void)first; }
  /// `op` is about to run: each micro-op of the instruction, for who follows values through it.
  virtual void step(Wave &, const MicroOp *op) { (void)op; }
  /// Between `instruction` and `retired`, once for each piece.
  virtual void access(Wave &, const MicroOp *, const MemoryAccess &) {}
  /// The instruction is done: the registers hold its results.
  virtual void retired(Wave &, const MicroOp *first) { (void)first; }
  /// All waves of the workgroup have arrived and go on.
  virtual void barrier(Workgroup &) {}
};

} // namespace nstf::emulator
