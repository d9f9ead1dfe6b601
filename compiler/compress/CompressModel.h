// A model's linears in fewer bits, as a checkpoint: layer after layer, with no more of it in memory.
#pragma once

#include "compiler/compress/ChannelScales.h"
#include "compiler/compress/MatrixReport.h"
#include "compiler/compress/PrecisionPlan.h"

namespace nstf::compress {

struct CompressOptions {
  std::string model; ///< the folder
  std::optional<uint64_t> randomSeed;
  bool writePlan = false;  ///< plan.yaml, beside the weights
  std::string activations; ///< type of codes that linears are to read, as parseCodeType has it; empty: none
  std::string kvCache;     ///< of those that caches are to hold, likewise
};

/// Writes the folder. The context is of the module, the plan of its sites. Throws std::runtime_error.
std::vector<MatrixReport> compressModel(mlir::ModuleOp module, const RoundingContext &context,
                                        const PrecisionPlan &plan, const std::filesystem::path &folder,
                                        const CompressOptions &options);

} // namespace nstf::compress
