// nstfc: compiles models and kernels to AMD GPU code objects, and compresses checkpoints.
#include "compiler/driver/CrashHandler.h"
#include "support/Tool.h"
#include "tools/nstfc/Commands.h"
#include "llvm/ADT/StringRef.h"

using namespace nstf;

int main(int argc, char **argv) {
  std::string command;
  for (int i = 0; i < argc; ++i)
    command += (i ? " " : "") + std::string(argv[i]);
  installCrashHandler(command);
  llvm::StringRef name = argc > 1 ? argv[1] : "";
  auto run = name == "kernel"      ? runKernelCommand
             : name == "calibrate" ? runCalibrateCommand
             : name == "compress"  ? runCompressCommand
             : name == "pack"      ? runPackCommand
             : name == "memory"    ? runMemoryCommand
                                   : nullptr;
  return support::runTool([&] { return run ? run(argc - 1, argv + 1) : runModelCommand(argc, argv); });
}
