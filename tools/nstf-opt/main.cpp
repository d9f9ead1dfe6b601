// nstf-opt: runs any pass of NSTF alone on a .mlir file, with mlir-opt's options. What MLIR's parser would end the
// process at is refused before.
#include "compiler/driver/Registration.h"
#include "support/TextLimits.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace nstf;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "NSTF pass driver\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));

  auto fail = [](const std::string &message) {
    llvm::errs() << "error: " << message << "\n";
    return EXIT_FAILURE;
  };
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &error);
  if (!text)
    return fail(error);
  if (std::optional<std::string> excess = support::findMlirExcess(text->getBuffer()))
    return fail("'" + input + "': " + *excess);
  std::unique_ptr<llvm::ToolOutputFile> result = mlir::openOutputFile(output, &error);
  if (!result)
    return fail(error);
  if (failed(mlir::MlirOptMain(result->os(), std::move(text), registry, config)))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}
