// How close an instruction's results are to the chip's.
//
// Most instructions give the same bits as the chip. The others are approximate, within a bound that is stated here. The
// reasons: the chip's tables are not published (exp, rcp …), the user chose speed (matrix instructions in fast mode),
// or the chip's behaviour is known only in part (sparse matrix instructions, stochastic rounding, division helpers).
// Sources: AMD's "CDNA2" and "CDNA3 Instruction Set Architecture"; for matrix instructions the published bit-accurate
// model (Xie et al., arXiv 2511.10909), validated on silicon by its authors. This project measured none of it.
//
// Fast mode (MatrixMode::Fast): each element of D is a chain of f32 fused multiply-adds with ascending k, starting from
// C. Fast mode keeps subnormal elements and results on both chips, whereas gfx90a treats subnormal f16 and bf16
// elements and subnormal C as zero. f32, f64 and i8 forms are exact in both modes, since the chip computes the same
// chain.
//
// For a report of a run, run with LaunchOptions::statistics, then call getFidelity(statistics, mode, target). It
// returns one row for each instruction that was executed.
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
  std::string bound; ///< the largest error ("1 ulp"); empty where exact
  std::string why;   ///< why it is not exact; empty where exact
};
Fidelity getFidelity(Opcode opcode, MatrixMode matrix, const Target &target);

struct FidelityRow {
  Opcode opcode;
  std::string instruction; ///< in lower case, as in assembly but without suffixes: "v_exp_f32"
  uint64_t count;          ///< wave instructions
  Fidelity fidelity;
};
/// The executed instructions: approximate ones first, both kinds sorted by count.
std::vector<FidelityRow> getFidelity(const ExecutionStatistics &statistics, MatrixMode matrix, const Target &target);

} // namespace nstf::emulator
