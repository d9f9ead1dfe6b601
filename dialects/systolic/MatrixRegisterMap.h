// The register maps of the matrix instructions: the lane and register that hold each element of an operand.
//
// For a cell of m x n x k (#systolic.array), with e = m * k / lanes elements of A and B in a lane:
//
//   cell     A (m x k)                        B (k x n)                        accumulator (m x n)
//   16x16xk  reg[1:e*1] lane[0:16*1, 1:4*e]   reg[0:e*1] lane[1:16*1, 0:4*e]   reg[0:4*1] lane[1:16*1, 0:4*4]
//   32x32xk  reg[1:e*1] lane[0:32*1, 1:2*e]   reg[0:e*1] lane[1:32*1, 0:2*e]   reg[0:4*1, 0:4*8] lane[1:32*1, 0:2*4]
//
// For e = 4 the accumulator has B's lane map, so a product's result is the next product's B operand without a
// conversion. With exchanged operands (`transposed` of the array) the accumulator is transposed: its registers run
// along the columns.
//
// For larger e, the rows of A can be permuted to give the accumulator that map (`chained`), if 32 rows hold the lanes'
// parts of whole cells along the next product's K. For e = 8:
//
//   32x32x16 reg[1:8*1] lane[0:4*1, 0:2*8, 0:2*4, 0:2*16, 1:2*8]  as ever  reg[0:8*1, 0:2*16] lane[1:32*1, 0:2*8]
// (AMD matrix instruction calculator; CDNA3 ISA manual, section on MFMA.)
#pragma once

#include "dialects/systolic/Digit.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nstf::systolic {

enum class MmaOperand { A, B, Acc };

/// Digits of the register index and of the lane, fastest first, as in #systolic.fragment.
struct MatrixRegisterMap {
  llvm::SmallVector<Digit, 4> reg, lane;
};

/// nullopt if there is no such cell: its operands must fill the wave, and its accumulator must come in groups of 4
/// rows.
inline std::optional<MatrixRegisterMap> getMatrixRegisterMap(MmaOperand operand, int64_t m, int64_t n, int64_t k,
                                                             int64_t lanes, bool chained = false) {
  if (m <= 0 || lanes % m || lanes % n || k * m % lanes || m % (4 * (lanes / m)))
    return std::nullopt;
  int64_t perLane = k * m / lanes, groups = lanes / m;
  int64_t run = chained ? perLane : 4, runs = m / (run * groups); // run: adjacent rows of a lane

  switch (operand) {
  case MmaOperand::A:
    // The instruction's rows: 4 of each group, then the next 4.
    return MatrixRegisterMap{
        {{1, perLane, 1}},
        {{0, 4, 1}, {0, groups, run}, {0, run / 4, 4}, {0, runs, run * groups}, {1, groups, perLane}}};
  case MmaOperand::B:
    return MatrixRegisterMap{{{0, perLane, 1}}, {{1, n, 1}, {0, groups, perLane}}};
  case MmaOperand::Acc:
    return MatrixRegisterMap{{{0, run, 1}, {0, runs, run * groups}}, {{1, n, 1}, {0, groups, run}}};
  }
  return std::nullopt;
}

} // namespace nstf::systolic
