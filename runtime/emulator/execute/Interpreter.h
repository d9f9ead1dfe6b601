//===- Interpreter.h - runs waves and workgroups -----------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_EXECUTE_INTERPRETER_H
#define NSTF_RUNTIME_EMULATOR_EXECUTE_INTERPRETER_H

#include "runtime/emulator/execute/Wave.h"

namespace nstf::emulator {

/// Runs a wave until it waits at a barrier, yields or ends (Wave::status). Throws WaveFault.
void runWave(Wave &wave);

/// Runs the waves of a workgroup, one after the other until each stops, until all have ended.
/// A fault leaves the faulting wave in `faulting`.
void runWorkgroup(Workgroup &group, Wave *&faulting);

} // namespace nstf::emulator

#endif
