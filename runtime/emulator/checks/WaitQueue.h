// Memory operations of a wave that may still be outstanding.
//
// The hardware counts operations, it does not name them: s_waitcnt vmcnt(N) lets the wave continue when at most N are
// left. What this proves about one operation depends on the order in which operations of its kind finish. Kinds that
// finish in order (vector memory, loads and stores alike; LDS) are done except for the N youngest of the kind. For the
// other kinds (scalar memory; FLAT, which uses two units) only a wait for zero proves anything. If an operation X has k
// younger ones of its own ordered kind, the counter stays at k + 1 or more while X is outstanding; every N <= k
// therefore proves X done. Source: CDNA3 ISA 4.4, LLVM 22 AMDGPUUsage "Memory Model gfx90a/gfx942" and
// SIInsertWaitcnts.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>
#include <deque>
#include <utility>

namespace nstf::emulator::checks {

/// LDS bytes that an instruction touched: sorted, disjoint ranges.
class ByteRanges {
public:
  void add(uint32_t begin, uint32_t bytes);
  bool overlaps(uint32_t begin, uint32_t bytes) const;
  bool empty() const { return ranges.empty(); }
  void clear() { ranges.clear(); }

private:
  std::vector<std::pair<uint32_t, uint32_t>> ranges; // begin, end
};

/// An operation that was issued and that no wait has proved done.
struct PendingOperation {
  const MicroOp *op = nullptr;
  const InstructionFacts *facts = nullptr;
  uint64_t lanes = 0;            ///< EXEC when it was issued
  bool vm = false, lgkm = false; ///< counters that must still be waited for; neither: the operation is done
  bool vmOrdered = false, lgkmOrdered = false; ///< it finishes in order with the others of its kind
  bool writesLds = false;
  ByteRanges lds;
  bool open() const { return vm || lgkm; }
};

class WaitQueue {
public:
  /// Adds an operation; `touchedLds` and `touchedMemory` say which memory a FLAT instruction's lanes accessed.
  void add(PendingOperation operation, bool touchedLds, bool touchedMemory);
  void wait(const WaitCounts &counts);
  void clear();

  /// Whether any register of the range awaits a result.
  bool awaits(const RegisterRange &range) const {
    if (results == 0)
      return false;
    for (unsigned r = slot(range), end = r + range.count; r < end && r < pending.size(); ++r)
      if (pending[r])
        return true;
    return false;
  }
  /// The oldest operation whose result goes to a register of `range`; nullptr if there is none.
  PendingOperation *find(const RegisterRange &range);
  /// Drops its results (they were reported).
  void release(PendingOperation &operation);

  /// "s_waitcnt vmcnt(2)": the weakest wait that proves the operation done.
  std::string neededWait(const PendingOperation &operation) const;
  /// "vmcnt 3, lgkmcnt 1": operations not known to be done, for the counters that this operation uses.
  std::string outstanding(const PendingOperation &operation) const;

  std::deque<PendingOperation> operations; ///< oldest first

private:
  static unsigned slot(const RegisterRange &range) { return range.vector ? range.first : registerRows + range.first; }
  void countResults(const PendingOperation &operation, int by);
  void shrink();
  /// Number of younger operations of the same ordered kind.
  unsigned youngerInOrder(const PendingOperation &operation, bool vmCounter) const;

  std::array<uint16_t, registerRows + sgpr::count> pending = {};
  unsigned results = 0; // sum of pending
};

} // namespace nstf::emulator::checks
