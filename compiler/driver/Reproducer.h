// Internal errors: what a user cannot have caused and cannot help. They leave a file that replays them.
//
// The file is MLIR's own kind of reproducer: the module as it was before the first pass, and at its end the pipeline
// that fails. `nstf-opt --run-reproducer FILE` needs neither the model nor its weights. A kernel's file holds that
// kernel alone, from its template to the stage that fails, code generation included.
//
// What counts as internal: a crash; a module that a pass left invalid; a pass that fails without a word; a pass of
// upstream's, a conversion that could not finish, or code generation, whatever it says. What our own passes say of the
// user's model
// ("expected at most 65536 bytes of LDS") is an error like any other.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace nstf {

/// A module on its way through pipelines, with what it takes to go that way again.
class Reproducer {
public:
  Reproducer() = default;
  /// Keeps the module's text as it is now. `what` names it in messages ("kernel 'linear_0_t1' (model.layers.0)"); the
  /// file will be `folder`/nstf-reproducer-`name`.mlir.
  Reproducer(mlir::ModuleOp module, std::string what, const std::string &name, const std::filesystem::path &folder);
  /// Keeps the variant, its kernel, and the module around it with the target's facts.
  Reproducer(VariantOp variant, const std::filesystem::path &folder);
  /// Keeps a target's module and its kernels: for the link, which takes all of them.
  Reproducer(mlir::ModuleOp target, const std::filesystem::path &folder);

  /// Runs the pipeline on the module; a crash on the way writes the file and ends the process. On an internal error
  /// the diagnostics are kept back and `hasFailed` is true; on another they come as ever.
  mlir::LogicalResult run(mlir::PassManager &passes, mlir::ModuleOp module);

  bool hasFailed() const { return !error.empty(); }
  /// Writes the file and prints the error and the command that replays it, two lines.
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
  std::string pipeline;                   ///< up to and including what runs now, inside the anchor
  std::string error;
};

/// The variants of a target's module on their way: each has a reproducer of its own, though they run side by side in
/// one pass manager.
class VariantReproducers {
public:
  /// Keeps the text of every variant as it is now.
  VariantReproducers(mlir::ModuleOp target, const std::filesystem::path &folder);

  /// Runs a stage on the target's module; `onVariant` is called when one is through, from several threads. What is the
  /// user's error comes as ever; an internal one is held back, and of several the first variant's is reported.
  mlir::LogicalResult run(mlir::PassManager &passes, llvm::function_ref<void()> onVariant);

private:
  friend class VariantWatch;
  mlir::ModuleOp target;
  std::filesystem::path folder;
  std::vector<std::unique_ptr<Reproducer>> reproducers; ///< in the order of the variants
  llvm::DenseMap<mlir::Operation *, Reproducer *> reproducerOf;
};

} // namespace nstf
