// Finds unordered accesses of several waves.
//
// Two accesses of different waves to the same byte of LDS or device memory, one of them a write, race unless one
// happens before the other. Vector clocks track happens-before, so the findings do not depend on the order in which the
// emulator runs waves:
//   - the instructions of a wave are ordered; lanes of a wave never race (they run in lockstep);
//   - a barrier orders all waves of the workgroup, including those that have ended;
//   - a store with cache bits (glc, sc0, sc1: atomic loads and stores are compiled to these) releases the wave's
//     earlier accesses at its address, a load with cache bits acquires what was released there, and an atomic operation
//     does both. A store is released only once an s_waitcnt vmcnt(0) (LDS: lgkmcnt(0)) or a barrier has waited for it:
//     a flag that is set without waiting for the data releases none of the data. An acquire takes effect at the next
//     s_waitcnt or barrier;
//   - gfx90a compiles atomic stores without cache bits. On it, a store of one lane that follows such a wait counts as
//     atomic. On both chips, so does a plain store to a location whose last atomic change is the wave's own
//     (unlocking).
// Not a race: the plain load that compilers put before a loop around an atomic compare and swap of the same location.
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

#include "runtime/emulator/checks/MemoryReport.h"
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
  /// A plain load that races with an atomic operation. It is no race if it is the initial load of a loop around a
  /// compare and swap of the same location, as compilers generate them; otherwise it is reported.
  struct Deferred {
    const MicroOp *op;
    Epoch other;
    unsigned lane, bytes;
  };
  /// Stores that nothing has waited for yet, and the wave's knowledge when the first of them was issued.
  struct Pending {
    bool any = false;
    Knowledge before;
  };
  /// A wave's stores that may be only in the L2 of its XCD: those after step `first`, up to step `last`.
  struct HeldBack {
    bool any = false;
    uint32_t first = 0, last = 0;
  };
  struct WaveState {
    Knowledge now;
    Pending memory, lds; ///< stores
    HeldBack held;
    bool writesBack = false;                    ///< until the next s_waitcnt vmcnt(0)
    std::shared_ptr<const ForeignClocks> shown; ///< of other workgroups: stores written back before their release
    std::shared_ptr<const ForeignClocks> fresh; ///< of `shown`: stores that no cache line is older than
    /// The knowledge that a release passes on: without stores that nothing has waited for.
    const Knowledge &released(unsigned wave) const {
      const Knowledge *oldest = &now;
      for (const Pending *pending : {&memory, &lds})
        if (pending->any && pending->before.group[wave] < oldest->group[wave])
          oldest = &pending->before;
      return *oldest;
    }
    std::vector<const SyncLocation *> acquired;      ///< not yet waited for
    const MicroOp *arrivedAt = nullptr;              ///< ds_gws_barrier, until the next s_waitcnt
    std::unordered_map<uint64_t, Deferred> deferred; ///< by address (LDS: offset, with the top bit set)
  };
  struct Group {
    uint32_t number = 0; ///< numbers the launch's workgroups in the order in which they begin
    std::vector<WaveState> waves;
    RaceCells lds;
    std::unordered_map<uint64_t, SyncLocation> ldsLocations;
  };
  struct Party; // the access being checked

  Group &groupOf(const Wave &w) {
    if (w.group != lastWorkgroup) {
      lastWorkgroup = w.group;
      lastGroup = groups[w.group].get();
    }
    return *lastGroup;
  }
  bool isSynchronising(const Wave &w, const MicroOp *op, const MemoryAccess &access);
  void acquire(Group &group, WaveState &state);
  void arriveGlobally(Wave &w, const MicroOp *first);
  void synchronise(Group &group, unsigned wave, SyncLocation &location, AccessKind kind, bool deviceWide);
  /// The own workgroup's stores that other workgroups are sure to see after a release of the wave.
  static GroupClock getShown(const Group &group, unsigned wave);
  static void writeBack(Group &group, const GroupClock &steps);
  bool isDeviceWide(const Wave &w, const MicroOp *op, const MemoryAccess &access);
  void check(Party &party, RaceCell &cell, uint64_t at, unsigned bytes);
  bool sameValue(const Party &party, uint64_t at, unsigned bytes) const;
  void defer(const Party &party, Epoch other, uint64_t at, unsigned bytes);
  void reportDeferred(const Workgroup &workgroup, Group &group);
  void checkFreshness(const Party &party, Epoch store, uint64_t at, unsigned bytes);
  void report(const Party &party, Epoch other, bool otherWrites, uint64_t at, unsigned bytes,
              const std::string &why = "");
  std::string nameOf(const Party &party, Epoch other, bool otherWrites) const;

  MemoryReport reports;
  std::unordered_map<const Workgroup *, std::unique_ptr<Group>> groups;
  const Workgroup *lastWorkgroup = nullptr;
  Group *lastGroup = nullptr;
  RaceCells memory;
  std::unordered_map<uint64_t, SyncLocation> locations;          ///< by address
  SyncLocation globalBarrier;                                    ///< shared by all resources of global wave sync
  std::vector<std::array<uint32_t, 3>> groupIds;                 ///< by Group::number
  std::unordered_map<uint32_t, const MicroOp *> opOfInstruction; ///< of the accesses, for messages
};

} // namespace nstf::emulator::checks
