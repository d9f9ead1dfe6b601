// Accesses of several waves that nothing orders.
//
// Two accesses of different waves to the same byte of LDS or device memory, one of them a write, race unless one
// happens before the other. Happens-before is kept by vector clocks, so what is found doesn't depend on the order in
// which the emulator runs waves:
//   - a wave's own instructions, in order; lanes of a wave never race (they run in lockstep);
//   - a barrier orders all waves of the workgroup, those that have ended included;
//   - an atomic operation, a load and a store with cache bits (glc, sc0, sc1: that is how atomic loads and stores are
//     compiled) release what the wave has done and acquire what was released at their address. Stores count as done
//     when an s_waitcnt vmcnt(0) or a barrier has waited for them: a flag that is set without waiting for the data
//     before releases nothing of them (LDS: lgkmcnt(0)). What is acquired counts from the next s_waitcnt or barrier on;
//   - gfx90a compiles atomic stores without a mark: there a store of one lane that follows such a wait counts as one;
//     on both chips a plain store to a location that the wave itself has changed atomically last (unlocking).
// Not a race: the plain load that compilers put before a loop around an atomic compare and swap of the same location.
// Order alone shows no other workgroup what was stored. A plain store to device memory is in the L2 of its XCD until
// the wave, or one that a barrier ordered behind it, has written it back (buffer_wbl2, behind or before the s_waitcnt
// for it), where there are several, and released at the device's scope (sc1); a plain load may find an older line until
// the wave, or one of its workgroup and a barrier, has dropped them (buffer_inv, buffer_wbinvl1) after it acquired. Not
// found: races hidden by an atomic operation that happens to order them in this run. Not reported: two waves that store
// the same value to the same place (compilers let waves write replicated data redundantly), unless a third party reads
// it.
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
  /// A plain load that races with an atomic operation: fine if it is the first guess of a loop around a compare and
  /// swap of the same location, as compilers make them; else to be reported.
  struct Deferred {
    const MicroOp *op;
    Epoch other;
    unsigned lane, bytes;
  };
  /// Stores that nothing has waited for yet, and what the wave knew when the first of them began.
  struct Pending {
    bool any = false;
    Knowledge before;
  };
  /// A wave's stores that may be in the L2 of its XCD alone: after the first of these steps, up to the last.
  struct HeldBack {
    bool any = false;
    uint32_t first = 0, last = 0;
  };
  struct WaveState {
    Knowledge now;
    Pending memory, lds; ///< stores
    HeldBack held;
    bool writesBack = false;                    ///< until the next s_waitcnt vmcnt(0)
    std::shared_ptr<const ForeignClocks> shown; ///< of other workgroups: what was written back before it was released
    std::shared_ptr<const ForeignClocks> fresh; ///< of that, what no line of a cache is older than
    /// What a release hands on: without the stores that nothing has waited for.
    const Knowledge &released(unsigned wave) const {
      const Knowledge *oldest = &now;
      for (const Pending *pending : {&memory, &lds})
        if (pending->any && pending->before.group[wave] < oldest->group[wave])
          oldest = &pending->before;
      return *oldest;
    }
    std::vector<const SyncLocation *> acquired;      ///< not yet waited for
    const MicroOp *arrivedAt = nullptr;              ///< ds_gws_barrier, until the next s_waitcnt
    std::unordered_map<uint64_t, Deferred> deferred; ///< by address (LDS: offset, with the top bit)
  };
  struct Group {
    uint32_t number = 0; ///< of all workgroups of the launch, in the order they begin
    std::vector<WaveState> waves;
    RaceCells lds;
    std::unordered_map<uint64_t, SyncLocation> ldsLocations;
  };
  struct Party; // the access being looked at

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
  /// What other workgroups are sure to see of the own one's stores when the wave releases.
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
  SyncLocation globalBarrier;                                    ///< all resources of global wave sync
  std::vector<std::array<uint32_t, 3>> groupIds;                 ///< by Group::number
  std::unordered_map<uint32_t, const MicroOp *> opOfInstruction; ///< of accesses, for messages
};

} // namespace nstf::emulator::checks
