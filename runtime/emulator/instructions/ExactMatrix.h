// Bit-exact matrix instructions.
#pragma once

#include "runtime/emulator/instructions/HandlerTable.h"

namespace nstf::emulator {

/// Replaces the handlers of matrix instructions whose sums the target computes differently from fast mode: f16, bf16,
/// xf32, fp8 and bf8, dense and sparse.
void enterExactMatrix(HandlerTable &table, const Target &target);

// One for each family; called by enterExactMatrix.
void enterPairwiseMatrix(HandlerTable &table);
void enterCutMatrix(HandlerTable &table);
void enterCutSparseMatrix(HandlerTable &table);

} // namespace nstf::emulator
