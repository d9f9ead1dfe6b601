// Where a graph multiplies by weights: what can be calibrated and compressed.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "support/ElementType.h"

#include <string>
#include <vector>

namespace nstf::calibrate {

/// A linear whose matrix is a weight of numbers.
struct LinearSite {
  std::string name; ///< of the checkpoint's module: "model.layers.0.mlp.up_proj"
  LinearOp op;
  WeightOp weight;
  size_t input; ///< index of the SiteInput

  int64_t getRows() const;
  int64_t getColumns() const;
};

/// A value that sites read, several perhaps.
struct SiteInput {
  std::string name;  ///< the first site's
  std::string layer; ///< "model.layers.0"; of what is in no layer, the site's name
  mlir::Value value;
  int64_t columns;
  std::vector<size_t> sites;
};

struct LinearSites {
  std::vector<LinearSite> sites;
  std::vector<SiteInput> inputs;
  std::vector<std::string> layers; ///< of the inputs, in the graph's order
};

/// Throws std::runtime_error where the graph has none.
LinearSites findLinearSites(mlir::ModuleOp module);

/// What of a name goes to its first number: "model.layers.0" of "model.layers.0.mlp.up_proj"; empty where it has none.
std::string getLayer(llvm::StringRef name);

/// Of a weight in its file; f32 where it has none.
support::ElementType getStoredType(WeightOp weight);

} // namespace nstf::calibrate
