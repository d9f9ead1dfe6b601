// Internal errors: what a user cannot have caused and cannot help. They leave a file that replays them.
//
// The file is MLIR's own kind of reproducer: the module as it was before the first pass, and at its end the pipeline
// that fails. `nstf-opt --run-reproducer FILE` needs neither the model nor its weights. A kernel's file holds that
// kernel alone, from its template to the stage that fails, code generation included.
//
// What counts as internal: a crash; a module that a pass left invalid; a pass that fails without a word; a pass of
// upstream's, or a conversion that could not finish, whatever it says. What our own passes say of the user's model
// ("expected at most 65536 bytes of LDS") is an error like any other.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <string>

namespace nstf {

/// A module on its way through pipelines, with what it takes to go that way again.
class Reproducer {
public:
  Reproducer() = default;
  /// Keeps the module's text as it is now. `what` names it in messages ("kernel 'linear_0_t1' (model.layers.0)"); the
  /// file will be `folder`/nstf-reproducer-`name`.mlir.
  Reproducer(mlir::ModuleOp module, std::string what, const std::string &name, const std::filesystem::path &folder);
  /// The same of several modules, which become one around them.
  Reproducer(llvm::ArrayRef<mlir::ModuleOp> modules, std::string what, const std::string &name,
             const std::filesystem::path &folder);

  /// Runs the pipeline on the module; a crash on the way writes the file and ends the process. On an internal error
  /// the diagnostics are kept back and `hasFailed` is true; on another they come as ever.
  mlir::LogicalResult run(mlir::PassManager &passes, mlir::ModuleOp module);
  /// The same for code generation, which is the pass nstf-generate-code in the file.
  void runCodegen(llvm::function_ref<void()> generate);
  void setError(std::string message);

  bool hasFailed() const { return !error.empty(); }
  /// Writes the file and prints the error and the command that replays it, two lines.
  void report() const;

private:
  void append(llvm::StringRef passes);
  std::string getFileText() const;
  std::string getCommand() const;

  std::string what, text;
  std::filesystem::path file;
  std::string pipeline; ///< up to and including what runs now, without builtin.module(…)
  std::string error;
};

} // namespace nstf
