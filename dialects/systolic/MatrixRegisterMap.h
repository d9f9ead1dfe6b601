// The register maps of the matrix instructions: which lane holds which element of an operand, and in which register.
//
// For a cell of m x n x k (#systolic.array), e = m * k / lanes elements of A and B in a lane:
//
//   cell     A (m x k)                        B (k x n)                        accumulator (m x n)
//   16x16xk  reg[1:e*1] lane[0:16*1, 1:4*e]   reg[0:e*1] lane[1:16*1, 0:4*e]   reg[0:4*1] lane[1:16*1, 0:4*4]
//   32x32xk  reg[1:e*1] lane[0:32*1, 1:2*e]   reg[0:e*1] lane[1:32*1, 0:2*e]   reg[0:4*1, 0:4*8] lane[1:32*1, 0:2*4]
//
// For e = 4 the accumulator has B's lane map, so a product's result is the next product's B operand as it stands. With
// exchanged operands (`transposed` of the array) the accumulator is turned: its registers run along the columns.
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

/// Nothing where there is no such cell: its operands must fill the wave, and its accumulator come in groups of 4 rows.
inline std::optional<MatrixRegisterMap> getMatrixRegisterMap(MmaOperand operand, int64_t m, int64_t n, int64_t k,
                                                             int64_t lanes) {
  if (m <= 0 || lanes % m || lanes % n || k * m % lanes || m % (4 * (lanes / m)))
    return std::nullopt;
  int64_t perLane = k * m / lanes, groups = lanes / m;
  switch (operand) {
  case MmaOperand::A:
    return MatrixRegisterMap{{{1, perLane, 1}}, {{0, m, 1}, {1, groups, perLane}}};
  case MmaOperand::B:
    return MatrixRegisterMap{{{0, perLane, 1}}, {{1, n, 1}, {0, groups, perLane}}};
  case MmaOperand::Acc:
    return MatrixRegisterMap{{{0, 4, 1}, {0, m / (4 * groups), 4 * groups}}, {{1, n, 1}, {0, groups, 4}}};
  }
  return std::nullopt;
}

} // namespace nstf::systolic
