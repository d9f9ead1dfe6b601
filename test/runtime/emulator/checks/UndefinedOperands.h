// An instruction with undefined bits among its operands, under the check: what the check holds undefined of the
// results, compared with what other values of those bits make of them.
#pragma once

#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/memory/Memory.h"

#include <memory>
#include <random>
#include <vector>

namespace nstf::emulator::test {

/// Undefined bits of a lane of a row, or of an SGPR.
struct UndefinedOperand {
  bool vector;
  unsigned index;
  unsigned lane; ///< also the one that a bit of a mask is of
  uint32_t bits;
};

/// What is wrong with what the check says of an instruction's results.
struct Verdict {
  bool changed = false; ///< the values made a difference
  bool missed = false;  ///< which the check doesn't know of
  bool tainted = false; ///< or it holds something undefined that they don't reach
};

/// A wave whose registers hold one thing and another.
class UndefinedOperands {
public:
  UndefinedOperands(const Target &target, const DecodedProgram &program);
  const InstructionFacts &factsOf(const MicroOp *op) const { return context.facts->of(op); }
  uint64_t exec() const { return wave->exec(); }

  /// Runs the instruction that begins with `op` with its operands undefined so, and with `count` other values of them;
  /// 1: with the bits set. It is wrong to hold bits defined that they change, and undefined what they don't: bits of a
  /// scalar result; of a vector result or a mask lanes that are not the operands' own either. Nothing is wrong with
  /// an instruction that faults.
  Verdict judge(const MicroOp *op, const std::vector<UndefinedOperand> &operands, std::mt19937 &random, unsigned count);

private:
  /// Rows and SGPRs that an instruction writes, in the order of its facts.
  struct Results {
    std::vector<std::array<uint32_t, Wave::width>> rows;
    std::vector<uint32_t> scalars;
  };
  template <typename Row, typename Scalar>
  static void take(const InstructionFacts &facts, Results &results, Row row, Scalar scalar);
  /// With the operands' bits changed to those of `values`; `undefined` gets what the check says of the results if they
  /// are undefined. False: it faults.
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
  // Of the last run under the check: whether something was reported, and the lanes of EXEC that were.
  bool reported = false;
  uint64_t reportedExec = 0;
};

} // namespace nstf::emulator::test
