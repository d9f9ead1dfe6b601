//===- HostPeak.h - what the host could do ------------------------------------------------------------------------===//
#ifndef NSTF_TEST_RUNTIME_EMULATOR_EXECUTE_HOSTPEAK_H
#define NSTF_TEST_RUNTIME_EMULATOR_EXECUTE_HOSTPEAK_H

namespace nstf::emulator::test {

/// FLOP/s of f32 fused multiply-adds on one thread with registers hot, measured (for about 50 ms), with the vectors
/// that the emulator uses (NSTF_EMU_VECTORS limits both).
double hostPeakFlops();

} // namespace nstf::emulator::test

#endif
