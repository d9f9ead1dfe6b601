// The worst machine that keeps the rules.
//
// Shows whether a wait, a nop or a barrier matters, without asking the checks: it runs a kernel as the slowest hardware
// the manuals allow. Registers that a load, a returning atomic or a scalar load writes hold rubbish until an s_waitcnt
// that guarantees the value; data of loads to LDS likewise; an operand that the table of hazards
// says is not there yet is rubbish for the instruction that reads it; and waves run in other orders. A correct kernel
// gives the same result under it to the bit.
#pragma once

#include "runtime/emulator/instructions/Monitor.h"

#include <memory>

namespace nstf::emulator::test {

/// Which wave of a workgroup goes first.
enum class WaveOrder : uint8_t { Forward, Backward, Mixed };

struct AdversaryOptions {
  bool lateLoads = true;
  bool hazards = true;
  WaveOrder order = WaveOrder::Forward;
};
std::unique_ptr<Monitor> makeAdversary(const AdversaryOptions &options);

} // namespace nstf::emulator::test
