// Memory operations of a wave that may still be under way.
//
// The hardware counts operations, it does not name them: s_waitcnt vmcnt(N) lets the wave go on when at most N are
// left. What that says about one of them depends on the order in which its kind finishes. Kinds that finish in order
// (vector memory, loads and stores alike; LDS) are done up to the N youngest of the kind; of the others (scalar memory;
// FLAT, which two units serve) only a wait for none says anything. An operation X that has k younger ones of its own
// ordered kind keeps the counter at k + 1 or more, so every N <= k proves it done. Source: CDNA3 ISA 4.4, LLVM 22
// AMDGPUUsage "Memory Model gfx90a/gfx942" and SIInsertWaitcnts.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>
#include <deque>
#include <utility>

namespace nstf::emulator::checks {

/// What an instruction touched of LDS: sorted, disjoint byte ranges.
class ByteRanges {
public:
  void add(uint32_t begin, uint32_t bytes);
  bool overlaps(uint32_t begin, uint32_t bytes) const;
  bool empty() const { return ranges.empty(); }
  void clear() { ranges.clear(); }

private:
  std::vector<std::pair<uint32_t, uint32_t>> ranges; // begin, end
};

/// An operation that was issued and not yet waited for.
struct PendingOperation {
  const MicroOp *op = nullptr;
  const InstructionFacts *facts = nullptr;
  uint64_t lanes = 0;                          ///< EXEC when it was issued
  bool vm = false, lgkm = false;               ///< counters that must be waited for; neither: nothing is open
  bool vmOrdered = false, lgkmOrdered = false; ///< it finishes in order with the others of its kind
  bool writesLds = false;
  ByteRanges lds;
  bool open() const { return vm || lgkm; }
};

class WaitQueue {
public:
  /// Adds an operation; `touchedLds` and `touchedMemory` say where a FLAT instruction's lanes went.
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
  /// The oldest operation whose result goes to a register of `range`; nullptr: none.
  PendingOperation *find(const RegisterRange &range);
  /// Forgets its results (they were reported).
  void release(PendingOperation &operation);

  /// "s_waitcnt vmcnt(2)": the weakest wait that proves the operation done.
  std::string neededWait(const PendingOperation &operation) const;
  /// "vmcnt 3, lgkmcnt 1": operations not known to be done, for the counters it uses.
  std::string outstanding(const PendingOperation &operation) const;

  std::deque<PendingOperation> operations; ///< oldest first

private:
  static unsigned slot(const RegisterRange &range) { return range.vector ? range.first : registerRows + range.first; }
  void countResults(const PendingOperation &operation, int by);
  void shrink();
  /// Younger operations of the same ordered kind.
  unsigned youngerInOrder(const PendingOperation &operation, bool vmCounter) const;

  std::array<uint16_t, registerRows + sgpr::count> pending = {};
  unsigned results = 0; // sum of pending
};

} // namespace nstf::emulator::checks
