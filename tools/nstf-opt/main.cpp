// nstf-opt: runs any passes of NSTF on a .mlir file, with mlir-opt's options. Input on which MLIR's parser would end
// the process is refused first.
#include "compiler/driver/Registration.h"
#include "support/Completion.h"
#include "support/TextLimits.h"
#include "support/Tool.h"
#include "support/WriteFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "support/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <stdexcept>

using namespace nstf;

/// The options that --help lists.
static support::CompletionCommand describeOptions() {
  support::CompletionCommand command{"nstf-opt", "", {}, {{}, /*isFile=*/true}, {}};
  for (const auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      command.options.push_back({{(name.size() == 1 ? "-" : "--") + name.str()},
                                 option->HelpStr.str(),
                                 option->getValueExpectedFlag() == llvm::cl::ValueRequired,
                                 {{}, /*isFile=*/name == "o"}});
  }
  llvm::sort(command.options, [](const auto &a, const auto &b) { return a.names < b.names; });
  return command;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "nstf-opt " NSTF_VERSION ", LLVM " LLVM_VERSION_STRING "\n"; });
  llvm::cl::opt<std::string> shell("completion", llvm::cl::value_desc("bash|zsh"),
                                   llvm::cl::desc("Print the completion script of a shell and leave"));
  return support::runTool([&] {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    registerPasses();
    auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "NSTF pass driver\n", registry);
    if (!shell.empty()) {
      if (shell != "bash" && shell != "zsh")
        throw std::runtime_error("--completion: expected bash or zsh but got '" + support::escape(shell) + "'");
      std::cout << support::makeCompletion(shell, describeOptions());
      return EXIT_SUCCESS;
    }
    mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
    if (config.shouldShowDialects() || config.shouldListPasses())
      return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));

    std::string error;
    std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &error);
    if (!text)
      throw std::runtime_error(error);
    if (std::optional<std::string> excess = support::findMlirExcess(text->getBuffer()))
      throw std::runtime_error("'" + input + "': " + *excess);
    std::string result;
    llvm::raw_string_ostream os(result);
    bool isGood = succeeded(mlir::MlirOptMain(os, std::move(text), registry, config));
    if (output == "-")
      std::cout << result;
    else if (isGood)
      support::writeFile(output, result);
    return isGood ? EXIT_SUCCESS : EXIT_FAILURE;
  });
}
