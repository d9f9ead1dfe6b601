// A model's linears in fewer bits, as a checkpoint: layer after layer, with no more of it in memory.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "passes/nstf/WeightFormat.h"

#include <nlohmann/json.hpp>

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

/// What became of a matrix. Errors are relative: of the weights, and of the outputs on the calibration's tokens.
struct MatrixReport {
  std::string name;
  int64_t rows, columns;
  double weightError;
  std::optional<double> outputError, largestOutputError, outputCosine;
  uint64_t bytesBefore, bytes;
  std::vector<double> rowScales, columnScales; ///< what was multiplied into it and is folded elsewhere; empty: nothing
  std::optional<double> kl;                    ///< of this matrix alone
};

/// Writes the folder. `calibration` may be null where neither rounding nor scaling needs one. Throws
/// std::runtime_error.
std::vector<MatrixReport> compressModel(mlir::ModuleOp module, const Calibration *calibration,
                                        const std::filesystem::path &folder, const CompressOptions &options);

} // namespace nstf::calibrate
