// Internal errors: those that a user can neither have caused nor correct. Each leaves a file that replays it.
//
// The file is an MLIR reproducer: the module before the first pass, and at its end the pipeline that fails.
// `nstf-opt --run-reproducer FILE` needs neither the model nor its weights. A kernel's file holds that kernel alone and
// replays all stages from its template to the stage that fails, code generation included.
//
// Internal errors are: a crash; a pass that leaves an invalid module; a pass that fails without a message; and any
// failure of an upstream pass, of a conversion that could not finish, or of code generation. An error that NSTF's own
// passes report about the user's model ("expected at most 65536 bytes of LDS") is not internal.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace nstf {

/// A module that runs through pipelines, with what is needed to replay them.
class Reproducer {
public:
  Reproducer() = default;
  /// Stores the module's current text. `what` names the module in messages ("kernel 'linear_0_t1' (model.layers.0)").
  /// The file will be `folder`/nstf-reproducer-`name`.mlir.
  Reproducer(mlir::ModuleOp module, std::string what, const std::string &name, const std::filesystem::path &folder);
  /// Stores the variant, its kernel, and the enclosing module with the target's facts.
  Reproducer(VariantOp variant, const std::filesystem::path &folder);
  /// Stores a target's module with all its kernels, for the link step.
  Reproducer(mlir::ModuleOp target, const std::filesystem::path &folder);

  /// Runs the pipeline on the module. A crash writes the file and ends the process. After an internal error `hasFailed`
  /// is true and its diagnostics are held back; other errors are emitted as usual.
  mlir::LogicalResult run(mlir::PassManager &passes, mlir::ModuleOp module);

  bool hasFailed() const { return !error.empty(); }
  /// Writes the file, and prints the error and the command that replays it, on two lines.
  void report() const;

private:
  friend class VariantReproducers;
  friend class VariantWatch;
  void append(llvm::StringRef passes);
  std::string getFileText() const;
  std::string getCommand() const;

  std::string what, text;
  std::filesystem::path file;
  std::string anchor = "builtin.module("; ///< what the pipeline runs on, from the file's module inwards
  std::string pipeline;                   ///< up to and including the current stage, inside the anchor
  std::string error;
};

/// The variants of a target's module during compilation. Each has its own reproducer, though one pass manager runs them
/// in parallel.
class VariantReproducers {
public:
  /// Stores the current text of every variant.
  VariantReproducers(mlir::ModuleOp target, const std::filesystem::path &folder);

  /// Runs a stage on the target's module. Calls `onVariant` after each variant, from several threads. A user's error is
  /// emitted as usual. Internal errors are held back, and only the first variant's is reported.
  mlir::LogicalResult run(mlir::PassManager &passes, llvm::function_ref<void()> onVariant);

private:
  friend class VariantWatch;
  mlir::ModuleOp target;
  std::filesystem::path folder;
  std::vector<std::unique_ptr<Reproducer>> reproducers; ///< in the order of the variants
  llvm::DenseMap<mlir::Operation *, Reproducer *> reproducerOf;
};

} // namespace nstf
