// Writes a checkpoint of the model with its linears in fewer bits, layer by layer, with only one layer in memory.
#pragma once

#include "compiler/compress/ChannelScales.h"
#include "compiler/compress/MatrixReport.h"
#include "compiler/compress/PrecisionPlan.h"

namespace nstf::compress {

struct CompressOptions {
  std::string model; ///< the folder
  std::optional<uint64_t> randomSeed;
  bool writePlan = false;  ///< plan.yaml, next to the weights
  std::string activations; ///< code type of the linears' inputs, as in parseCodeType; empty: none
  std::string kvCache;     ///< code type of the caches, likewise
};

/// Writes the folder. `context` is the module's, `plan` has the module's sites. Throws std::runtime_error.
std::vector<MatrixReport> compressModel(mlir::ModuleOp module, const RoundingContext &context,
                                        const PrecisionPlan &plan, const std::filesystem::path &folder,
                                        const CompressOptions &options);

} // namespace nstf::compress
