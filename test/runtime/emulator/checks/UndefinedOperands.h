// Runs an instruction with undefined bits in its operands under the check, and compares the result bits that the check
// calls undefined with those that other values of the operands change.
#pragma once

#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/memory/Memory.h"

#include <memory>
#include <random>
#include <vector>

namespace nstf::emulator::test {

/// Undefined bits in one lane of a row, or in an SGPR.
struct UndefinedOperand {
  bool vector;
  unsigned index;
  unsigned lane; ///< for an SGPR that is a mask: the lane the bit belongs to
  uint32_t bits;
};

/// What is wrong with the check's view of an instruction's results.
struct Verdict {
  bool changed = false; ///< other operand values changed a result
  bool missed = false;  ///< the check calls a changed bit defined
  bool tainted = false; ///< the check calls a bit undefined that the operands do not reach
};

/// A wave that runs the same instruction with different values of its operands.
class UndefinedOperands {
public:
  UndefinedOperands(const Target &target, const DecodedProgram &program);
  const InstructionFacts &getFacts(const MicroOp *op) const { return context.facts->of(op); }
  uint64_t exec() const { return wave->exec(); }

  /// Runs the instruction that begins with `op` with these operands undefined, and with `count` other values of them
  /// (1: all their bits set). The check is wrong if it calls a bit defined that changes. It is also wrong if it calls a
  /// bit undefined that does not change: in a scalar result any bit, in a vector result or a mask a bit of a lane other
  /// than the operands' own. An instruction that faults counts as right.
  Verdict judge(const MicroOp *op, const std::vector<UndefinedOperand> &operands, std::mt19937 &random, unsigned count);

private:
  /// Rows and SGPRs that an instruction writes, in the order of its facts.
  struct Results {
    std::vector<std::array<uint32_t, Wave::width>> rows;
    std::vector<uint32_t> scalars;
  };
  template <typename Row, typename Scalar>
  static void take(const InstructionFacts &facts, Results &results, Row row, Scalar scalar);
  /// Runs with the operands' bits replaced by those of `values`. If `undefined` is given, the operands' bits are
  /// undefined, and it receives the undefined bits of the results. Returns false on a fault.
  bool run(const MicroOp *op, const std::vector<UndefinedOperand> &operands, const std::vector<uint32_t> &values,
           Results &results, Results *undefined);
  void begin(const std::vector<UndefinedOperand> &operands);
  void end();

  Memory memory;
  RegionTable regions{std::vector<Region>()};
  Launch launch = {};
  Workgroup group;
  std::unique_ptr<Wave> wave = std::make_unique<Wave>();
  uint32_t scalars[sgpr::count];
  checks::CheckContext context;
  checks::UninitCheck check;
  // From the last run under the check: whether it reported something, and the lanes of EXEC it reported.
  bool reported = false;
  uint64_t reportedExec = 0;
};

} // namespace nstf::emulator::test
