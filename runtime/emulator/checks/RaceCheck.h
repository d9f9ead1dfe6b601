// Finds unordered accesses of several waves.
//
// Two accesses of different waves to the same byte of LDS or device memory, one of them a write, race unless one
// happens before the other. Vector clocks track happens-before, so the findings do not depend on the order in which the
// emulator runs waves:
//   - the instructions of a wave are ordered; lanes of a wave never race (they run in lockstep);
//   - a barrier orders all waves of the workgroup, including those that have ended;
//   - a store is atomic if it has cache bits (glc, sc0, sc1: some atomic stores are compiled to these), or if a
//   coherent
//     load reads it: a vector or scalar load with cache bits, or an atomic operation that returns the old value. Atomic
//     stores have up to 8 bytes, those without cache bits 4 or 8, at a multiple of their size. A store of several lanes
//     is one for each;
//   - an atomic store or operation releases at its address the wave's earlier accesses, but of the stores only those
//     that it has waited for (memory: s_waitcnt vmcnt, also for the stores of other waves that a barrier ordered before
//     the wait; scalar stores: lgkmcnt(0); LDS: lgkmcnt(0) or a barrier). A coherent load, or an atomic operation that
//     returns the old value, acquires what was released there, from the s_waitcnt on that waits for it.
// A plain load races with an atomic store or operation, but for the load that compilers put before a loop around an
// atomic compare and swap of the same location.
//
// Order alone does not make a store visible to other workgroups. A plain store to device memory stays in the L2 of its
// XCD, if there are several XCDs, until two things have happened: the wave, or one ordered after it by a barrier, has
// written it back (buffer_wbl2, before or after the s_waitcnt for it), and released it at device scope (sc1). A plain
// load may find an older line until the wave, or one that shares its workgroup and a barrier with it, has invalidated
// its lines (buffer_inv, buffer_wbinvl1) after acquiring.
//
// Not found: races hidden by an atomic operation that happens to order them in this run. Not reported: two waves that
// store the same value to the same place (compilers let waves write replicated data redundantly), unless another wave
// reads it.
#pragma once

#include "runtime/emulator/checks/PlaceReport.h"
#include "runtime/emulator/checks/RaceShadow.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator::checks {

class RaceCheck final : public Check {
public:
  explicit RaceCheck(CheckContext &context) : Check(context), reports(context) {}

  void launchBegins(const Launch &launch) override;
  void launchEnds(const Launch &launch) override;
  void groupBegins(Workgroup &group) override;
  void groupEnds(Workgroup &group) override;
  void groupStops(Workgroup &group) override;
  void instruction(Wave &wave, const MicroOp *first) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void barrier(Workgroup &group) override;

private:
  /// A plain load that races with an atomic operation. It does not count as a race if it is the initial load of a loop
  /// around a compare and swap of the same location, as compilers generate them; otherwise it is reported.
  struct Deferred {
    const MicroOp *op;
    Epoch other;
    unsigned lane, bytes;
  };
  /// Whether an access is atomic. Word: a plain store that is atomic if a coherent load reads it.
  enum class Form : uint8_t { Plain, Word, Atomic };
  /// Stores that nothing has waited for yet.
  struct Pending {
    bool any = false;
    uint32_t before = 0; ///< the wave's step before the first of them
    uint32_t last = 0;   ///< number of the last one (WaveState::vmIssued)
  };
  /// A coherent load, or an atomic operation, that was not waited for.
  struct Poll {
    enum Counter : uint8_t { Vm, Lds, Lgkm };
    const SyncLocation *location;
    Counter counter; ///< Lgkm: of operations that finish out of order
    uint32_t number; ///< of the operation (vmIssued, ldsIssued)
  };
  /// A wave's stores that may be only in the L2 of its XCD: those after step `first`, up to step `last`.
  struct HeldBack {
    bool any = false;
    uint32_t first = 0, last = 0;
  };
  struct WaveState {
    Knowledge now;
    GroupClock done = {};                 ///< of `now`, except the own entry: what a release passes on
    Pending memory, scalar, lds;          ///< stores
    uint32_t vmIssued = 0, ldsIssued = 0; ///< vector memory and LDS operations, to see which ones a wait is for
    const MicroOp *lastIssued = nullptr;  ///< the last one that was counted
    HeldBack held;
    bool writesBack = false;                    ///< until the next s_waitcnt vmcnt(0)
    std::shared_ptr<const ForeignClocks> shown; ///< of other workgroups: stores written back before their release
    /// Of `shown`: stores that no line of the vector cache, or scalar cache, is older than.
    std::shared_ptr<const ForeignClocks> fresh, freshScalar;
    bool learned = true; ///< `done`, `now.others` or `shown` changed after the last entry of the log
    /// The last own step that a release includes.
    uint32_t getReleasedStep(unsigned wave) const {
      uint32_t step = now.group[wave];
      for (const Pending *pending : {&memory, &scalar, &lds})
        if (pending->any)
          step = std::min(step, pending->before);
      return step;
    }
    GroupClock getReleased(unsigned wave) const {
      GroupClock released = done;
      released[wave] = getReleasedStep(wave);
      return released;
    }
    std::vector<Poll> polls;
    const MicroOp *arrivedAt = nullptr;              ///< ds_gws_barrier, until the next s_waitcnt
    std::unordered_map<uint64_t, Deferred> deferred; ///< by address (LDS: offset, with the top bit set)
  };
  struct Group {
    uint32_t number = 0; ///< numbers the launch's workgroups in the order in which they begin
    std::vector<WaveState> waves;
    RaceCells lds;
    std::unordered_map<uint64_t, SyncLocation> ldsLocations; ///< by offset of a dword
  };
  struct Party; // the access being checked

  Group &getGroup(const Wave &w) {
    if (w.group != lastWorkgroup) {
      lastWorkgroup = w.group;
      lastGroup = groups[w.group].get();
    }
    return *lastGroup;
  }
  Form getForm(const InstructionFacts &facts, const MemoryAccess &access) const;
  void acquire(Group &group, WaveState &state, const WaitCounts &counts);
  void arriveGlobally(Wave &w, const MicroOp *first);
  static Release getRelease(const Group &group, unsigned wave, bool deviceWide);
  void logRelease(Group &group, unsigned wave, bool deviceWide);
  void release(Epoch store, uint64_t at);
  void promote(RaceCell &cell, uint64_t at);
  void poll(WaveState &state, const SyncLocation &location, Poll::Counter counter);
  /// The own workgroup's stores that other workgroups are sure to see after a release of the wave.
  static GroupClock getShown(const Group &group, unsigned wave);
  static void writeBack(Group &group, const GroupClock &steps);
  bool isDeviceWide(const MicroOp *op, const MemoryAccess &access) const;
  void check(Party &party, RaceCell &cell, uint64_t at, unsigned bytes);
  void checkUnordered(const Party &party, const RaceCell &cell, uint64_t at, unsigned bytes);
  bool sameValue(const Party &party, uint64_t at, unsigned bytes) const;
  void defer(const Party &party, Epoch other, uint64_t at, unsigned bytes);
  void reportDeferred(const Workgroup &workgroup, Group &group);
  void checkFreshness(const Party &party, Epoch store, uint64_t at, unsigned bytes);
  void report(const Party &party, Epoch other, bool otherWrites, uint64_t at, unsigned bytes,
              const char *rule = "order", const std::string &why = "");
  std::string getName(const Party &party, Epoch other, bool otherWrites) const;

  PlaceReport reports;
  std::unordered_map<const Workgroup *, std::unique_ptr<Group>> groups;
  const Workgroup *lastWorkgroup = nullptr;
  Group *lastGroup = nullptr;
  RaceCells memory;
  std::unordered_map<uint64_t, SyncLocation> locations;          ///< by address of a dword
  std::vector<std::vector<ReleaseLog>> logs;                     ///< by Epoch::group and wave
  SyncLocation globalBarrier;                                    ///< shared by all resources of global wave sync
  std::vector<std::array<uint32_t, 3>> groupIds;                 ///< by Group::number
  std::unordered_map<uint32_t, const MicroOp *> opOfInstruction; ///< of the accesses, for messages
};

} // namespace nstf::emulator::checks
