// A model's linears in fewer bits, as a checkpoint: layer after layer, with no more of it in memory.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/calibrate/MatrixReport.h"
#include "passes/nstf/WeightFormat.h"

namespace nstf::calibrate {

enum class Rounding { Nearest, Gptq };
/// Auto: AWQ's scales, of an input whose products gain by them.
enum class ChannelScaling { Off, Auto, Awq, Smooth };

struct CompressOptions {
  std::string model; ///< the folder
  std::string formatName;
  WeightFormat format;
  Rounding rounding = Rounding::Nearest;
  ChannelScaling scaling = ChannelScaling::Off;
  std::optional<uint64_t> randomSeed;
};

/// Writes the folder. `calibration` may be null where neither rounding nor scaling needs one. Throws
/// std::runtime_error.
std::vector<MatrixReport> compressModel(mlir::ModuleOp module, const Calibration *calibration,
                                        const std::filesystem::path &folder, const CompressOptions &options);

} // namespace nstf::calibrate
