// The model and the texts of nstfc calibrate and nstfc compress.
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
  /// The seed of random weights; nothing for weights from files. Throws std::runtime_error.
  std::optional<uint64_t> getSeed() const;
};

/// A context with all dialects, which prints diagnostics.
class Models {
public:
  explicit Models(const ModelOptions &options);
  /// Imports a model. Returns null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> load(const std::string &path, bool needWeights);

private:
  const ModelOptions &options;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
};

/// Token ids from a file, or some of its rows.
struct TextOptions {
  std::string ids, rows;

  void add(CLI::App &app, const std::string &prefix, const std::string &about);
  calibrate::Texts read(const std::string &flag) const;
};

/// Reads a text, or one text per line, and splits it into pieces that fit the context. Each piece begins with the
/// tokens that begin a text.
calibrate::Texts readText(mlir::ModuleOp module, const std::string &file, bool byLine);
/// Throws std::runtime_error for texts that are invalid for the model.
void checkTexts(mlir::ModuleOp module, const calibrate::Texts &texts, const std::string &file);

} // namespace nstf
