#include "test/runtime/emulator/checks/mutation/Watched.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/run/Dispatch.h"

namespace nstf::emulator::test {

void WatchedModule::launch(const LaunchArguments &launch) {
  LaunchOptions options;
  options.monitor = monitor;
  options.stepLimit = stepLimit;
  options.alone = true;
  dispatch(target, memory, launch, options);
}

void Coverage::launchBegins(const Launch &launch) {
  base = launch.kernel->program->base();
  program = launch.program;
  seen.clear();
}
void Coverage::instruction(Wave &, const MicroOp *first) {
  ++steps;
  if (first->instruction >= seen.size())
    seen.resize(program->instructionCount());
  if (seen[first->instruction])
    return;
  seen[first->instruction] = true;
  executed.insert(program->getAddress(first) - base);
}

} // namespace nstf::emulator::test
