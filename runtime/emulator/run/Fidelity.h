// How near an instruction's results are to the chip's.
//
// Most instructions give the chip's bits. The others are approximate, by a bound that is stated here: the chip's tables
// aren't published (exp, rcp …), or the emulator was asked for speed (matrix instructions in fast mode), or what the
// chip does is known only in part (sparse matrix instructions, stochastic rounding, division helpers). Sources: AMD's
// "CDNA2" and "CDNA3 Instruction Set Architecture"; for matrix instructions the published bit-accurate model (Xie et
// al., arXiv 2511.10909), validated on silicon by its authors. Nothing here was measured by this project.
//
// Fast mode (MatrixMode::Fast): each element of D is a chain of f32 fused multiply-adds, k ascending, starting from C.
// Subnormal elements and results are kept on both chips; gfx90a takes subnormal f16 and bf16 elements and subnormal C
// for zero. f32, f64 and i8 forms are to the bit in both modes, since that chain is what the chip does.
//
// A report of a run: run with LaunchOptions::statistics, then fidelityOf(statistics, mode, target), one row for each
// instruction that was executed.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/HandlerTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator {

struct ExecutionStatistics;
struct Target;

struct Fidelity {
  bool exact = true;
  std::string bound; ///< how far off at most ("1 ulp"); empty where exact
  std::string why;   ///< why not exact; empty where exact
};
Fidelity fidelityOf(Opcode opcode, MatrixMode matrix, const Target &target);

struct FidelityRow {
  Opcode opcode;
  std::string instruction; ///< in lower case, as in assembly but without suffixes: "v_exp_f32"
  uint64_t count;          ///< wave instructions
  Fidelity fidelity;
};
/// What was executed: the approximate instructions first, each kind by count.
std::vector<FidelityRow> fidelityOf(const ExecutionStatistics &statistics, MatrixMode matrix, const Target &target);

} // namespace nstf::emulator
