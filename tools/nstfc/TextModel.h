// What nstfc calibrate and nstfc compress begin with: a model, imported, and texts for it.
#pragma once

#include "compiler/calibrate/TextRunner.h"
#include "compiler/description/Rope.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <CLI/CLI.hpp>
#include <optional>

namespace nstf {

struct ModelOptions {
  std::string model, weights = "files";
  std::vector<std::string> architectures;
  description::RopeFactors ropeFactors = description::RopeFactors::Auto;
  bool quiet = false;

  void add(CLI::App &app);
  /// Nothing for weights of files. Throws std::runtime_error.
  std::optional<uint64_t> getSeed() const;
};

/// A context that knows every dialect, and prints what goes wrong.
class Models {
public:
  explicit Models(const ModelOptions &options);
  /// Null where a diagnostic said why not.
  mlir::OwningOpRef<mlir::ModuleOp> load(const std::string &path, bool needWeights);

private:
  const ModelOptions &options;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
};

/// Token ids of a file, some of its rows perhaps.
struct TextOptions {
  std::string ids, rows;

  void add(CLI::App &app, const std::string &prefix, const std::string &about);
  calibrate::Texts read(const std::string &flag) const;
};

/// A text, or one a line, in pieces that fit the context, each with what begins a text.
calibrate::Texts readText(mlir::ModuleOp module, const std::string &file, bool byLine);
/// Throws std::runtime_error for texts that the model can't read.
void checkTexts(mlir::ModuleOp module, const calibrate::Texts &texts, const std::string &file);

} // namespace nstf
