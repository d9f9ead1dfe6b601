// The worst hardware that still follows the manuals.
//
// The adversary shows whether a wait, a nop or a barrier matters without asking the checks: it runs a kernel on the
// slowest hardware that the manuals allow. Registers that a load, a returning atomic or a scalar load writes hold
// rubbish until an s_waitcnt that guarantees the value; so does the LDS that a load to LDS writes. An operand that is
// not ready according to the hazard table is rubbish for the instruction that reads it. Waves run in other orders. A
// correct kernel still gives bit-identical results.
#pragma once

#include "runtime/emulator/instructions/Monitor.h"

#include <memory>

namespace nstf::emulator::test {

/// The order in which the waves of a workgroup run.
enum class WaveOrder : uint8_t { Forward, Backward, Mixed };

struct AdversaryOptions {
  bool lateLoads = true;
  bool hazards = true;
  WaveOrder order = WaveOrder::Forward;
};
std::unique_ptr<Monitor> makeAdversary(const AdversaryOptions &options);

} // namespace nstf::emulator::test
