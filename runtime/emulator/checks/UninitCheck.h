// Finds uses of values that were never written.
//
// The check tracks undefined bits through registers, LDS, scratch and device memory, micro-op by micro-op, so that
// every modifier of an encoding is tracked like a separate operation. Loading, computing with and copying undefined
// bits is allowed. It is a finding if they determine the address of a memory access, a branch or EXEC, or if they are
// stored to device memory. (Whole undefined bytes beside defined ones in a dword, such as padding of structures, are
// stored without a finding; memory records that they are undefined.) Reported bits count as defined from then on.
//
// Initially undefined: vector registers other than v0; SGPRs beyond those with which the kernel is started, VCC, M0,
// SCC; the LDS of a workgroup; the scratch of a wave; device allocations (Memory::trackDefinedness).
#pragma once

#include "runtime/emulator/checks/DefinednessRules.h"
#include "runtime/emulator/checks/PlaceReport.h"
#include "runtime/emulator/memory/Shadow.h"

#include <memory>

namespace nstf::emulator::checks {

class UninitCheck final : public Check {
public:
  explicit UninitCheck(CheckContext &context);

  void launchEnds(const Launch &launch) override;
  void groupBegins(Workgroup &group) override;
  void groupEnds(Workgroup &group) override;
  void waveBegins(Wave &wave) override;
  void step(Wave &wave, const MicroOp *op) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;

  /// The undefined bits of a running wave's registers.
  WaveShadow &getShadow(const Wave &wave) {
    if (&wave != lastWave) {
      last = waves[&wave].get();
      lastWave = &wave;
    }
    return *last;
  }

private:
  struct Free {
    void operator()(WaveShadow *shadow) const { std::free(shadow); }
  };
  /// How undefined bits are used.
  enum Sink : unsigned { Address, Branch, ExecMask, Store, AtomicData, AtomicMemory, Index };

  // DefinednessScalar.cpp
  void scalar(Wave &w, WaveShadow &s, const MicroOp *op);
  void scalarImmediate(Wave &w, WaveShadow &s, const MicroOp *op);
  void saveExec(Wave &w, WaveShadow &s, const MicroOp *op, Bits source);
  void control(Wave &w, WaveShadow &s, const MicroOp *op);
  Bits scalarSource(const Wave &w, const WaveShadow &s, SourceRef ref, bool wide) const;
  Origin scalarOrigin(const WaveShadow &s, SourceRef ref, bool wide) const;
  void setScalarResult(Wave &w, WaveShadow &s, const MicroOp *op, unsigned index, uint64_t undefined, bool wide,
                       Origin origin);
  void moveRelative(Wave &w, WaveShadow &s, const MicroOp *op);
  void checkIndex(Wave &w, WaveShadow &s, const MicroOp *op, uint32_t used);
  void checkExec(Wave &w, WaveShadow &s, const MicroOp *op);
  void checkBranch(Wave &w, const MicroOp *op, const char *what, Origin origin);

  // DefinednessMasks.cpp
  void compare(Wave &w, WaveShadow &s, const MicroOp *op);
  void carry(Wave &w, WaveShadow &s, const MicroOp *op);
  void saturateCarry(Wave &w, WaveShadow &s, const MicroOp *op);
  void choose(Wave &w, WaveShadow &s, const MicroOp *op);
  void countBelow(Wave &w, WaveShadow &s, const MicroOp *op);
  void multiplyWide(Wave &w, WaveShadow &s, const MicroOp *op);
  void divide(Wave &w, WaveShadow &s, const MicroOp *op);
  uint64_t undefinedMask(const WaveShadow &s, SourceRef ref) const;

  // DefinednessChoices.cpp
  struct Choice {
    uint32_t join = 0;                 ///< the instruction that widens EXEC again; 0: it does not only select values
    std::vector<unsigned> rows, masks; ///< registers written until then
  };
  Choice choiceBehind(uint32_t instruction) const;
  bool beginChoice(WaveShadow &s, const MicroOp *op, uint64_t lanes, Origin origin);
  void endChoice(WaveShadow &s);

  // DefinednessVector.cpp
  void vector(Wave &w, WaveShadow &s, const MicroOp *op);
  uint64_t undefinedLanes(const WaveShadow &s, SourceRef ref, unsigned rows) const;
  Bits laneSource(const Wave &w, const WaveShadow &s, SourceRef ref, unsigned lane, OperandType type) const;
  Origin laneOrigin(const WaveShadow &s, SourceRef ref, unsigned lane, unsigned rows) const;

  // DefinednessLanes.cpp
  void crossLane(Wave &w, WaveShadow &s, const MicroOp *op);
  void helper(Wave &w, WaveShadow &s, const MicroOp *op);
  void lanePermute(Wave &w, WaveShadow &s, const MicroOp *op);
  void ldsLanes(Wave &w, WaveShadow &s, const MicroOp *op);
  void moveRow(WaveShadow &s, unsigned to, SourceRef from, const uint32_t *lanes, uint64_t valid, uint64_t exec);
  void generic(Wave &w, WaveShadow &s, const MicroOp *op);

  // DefinednessMatrix.cpp
  void matrix(Wave &w, WaveShadow &s, const MicroOp *op);

  // DefinednessMemory.cpp, DefinednessAtomics.cpp
  void memory(Wave &w, WaveShadow &s, const MicroOp *op);
  void checkAddressRow(Wave &w, WaveShadow &s, const MicroOp *op, SourceRef ref, unsigned rows, uint64_t lanes);
  void checkAddressScalar(Wave &w, WaveShadow &s, const MicroOp *op, SourceRef ref, unsigned count);
  void loadLane(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access, unsigned lane,
                const uint8_t *bits, Origin origin);
  void load(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access);
  static bool storesDefined(const WaveShadow &s, const MicroOp *op, const MemoryAccess &access);
  void store(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access);
  void atomic(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access);
  bool storedBits(const WaveShadow &s, const MicroOp *op, const MemoryAccess &access, unsigned lane, uint8_t *bits,
                  Origin &origin) const;
  void keepAtomicData(WaveShadow &s, const MicroOp *op, uint64_t lanes);
  static bool inScratch(const Wave &w, const MemoryAccess &access);
  void scalarMemory(Wave &w, WaveShadow &s, const MicroOp *op);
  void scalarAtomic(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access);
  template <typename F> void forResults(const MicroOp *op, F function) {
    for (const RegisterUse &use : context.facts->of(op).writes)
      for (unsigned r = 0; use.vector && r < use.count; ++r)
        function(use.first + r);
  }
  void scalarLoad(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &access);

  void report(Wave &w, const MicroOp *op, Sink sink, const std::string &what, Origin origin, uint64_t lanes,
              const uint64_t *address = nullptr);
  std::string describe(const Wave &w, Origin origin) const;

  PlaceReport reports;
  std::vector<std::unique_ptr<WaveShadow, Free>> pool;
  std::unordered_map<const Wave *, std::unique_ptr<WaveShadow, Free>> waves;
  std::unordered_map<const Workgroup *, std::unique_ptr<LdsShadow>> groups;
  const Wave *lastWave = nullptr;
  WaveShadow *last = nullptr;
  std::unordered_map<uint32_t, Choice> choices; ///< by instruction
  Shadow scratch;
  std::unordered_map<uint64_t, Origin> origins; ///< of undefined values, by dword of scratch and device memory
};

} // namespace nstf::emulator::checks
