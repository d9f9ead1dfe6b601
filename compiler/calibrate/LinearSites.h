// The places in a graph where it multiplies by weights: what can be calibrated and compressed.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "support/ElementType.h"

#include <string>
#include <vector>

namespace nstf::calibrate {

/// A linear whose matrix is a weight stored as numbers, not codes.
struct LinearSite {
  std::string name; ///< the checkpoint's module: "model.layers.0.mlp.up_proj"
  LinearOp op;
  WeightOp weight;
  size_t input; ///< index of the SiteInput

  int64_t getRows() const;
  int64_t getColumns() const;
};

/// A value that one or several sites read.
struct SiteInput {
  std::string name;  ///< the first site's name
  std::string layer; ///< "model.layers.0"; outside of layers, the site's name
  mlir::Value value;
  int64_t columns;
  std::vector<size_t> sites;
};

struct LinearSites {
  std::vector<LinearSite> sites;
  std::vector<SiteInput> inputs;
  std::vector<std::string> layers; ///< layers of the inputs, in the graph's order
};

/// Throws std::runtime_error if the graph has no such linear.
LinearSites findLinearSites(mlir::ModuleOp module);

/// The part of a name up to its first number: "model.layers.0" of "model.layers.0.mlp.up_proj". Empty if there is no
/// number.
std::string getLayer(llvm::StringRef name);

/// The type of a weight in its file; f32 if it has no file.
support::ElementType getStoredType(WeightOp weight);

} // namespace nstf::calibrate
