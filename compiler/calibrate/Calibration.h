// Calibration: statistics of the inputs of a model's linears over texts, in a folder with calibration.json, texts.json
// and a safetensors file for each layer.
//
// For each value that linears read there are: max, mean and mean square of |x| by channel; a histogram of exponents;
// and the lower triangle of Σ x·xᵀ, row by row, over tokens scaled to norm 1. That norm is of x in units of each
// channel's root mean square, so that a few large channels don't determine the weight of a token. For each attention
// there is the range of K and V by head. If tokens are held out, all but histograms and ranges exist twice: over all
// tokens, and over the tokens that are fitted. Layers are written one by one, so an interrupted run can continue.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/calibrate/TextRunner.h"
#include "compiler/quantize/ScaleChannels.h"
#include "nstf/Runtime.h"
#include "support/SafeTensors.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace nstf::calibrate {

/// A hash of all weights: of their bytes, or of the seed that generates them.
std::string hashWeights(mlir::ModuleOp module, std::optional<uint64_t> randomSeed);

struct CalibrationOptions {
  bool diagonal = false;      ///< only the diagonal of Σ x·xᵀ
  std::vector<size_t> fitted; ///< for each text, how many of its first tokens are not held out; empty: all
  std::optional<uint64_t> randomSeed;
  std::filesystem::path package;        ///< the compiled model that runs the texts; empty: the reference runs them
  DeviceKind device = DeviceKind::Auto; ///< that runs the package
  std::function<void(uint64_t bytes)> onSize; ///< called with the folder's size before anything is computed
};

/// Runs the texts and writes the folder, or its missing part. Throws std::runtime_error, also if the folder was made
/// with other weights, texts or options.
void calibrate(mlir::ModuleOp module, const Texts &texts, const std::filesystem::path &folder,
               const CalibrationOptions &options);

/// A folder that `calibrate` wrote.
class Calibration {
public:
  /// Throws std::runtime_error if the folder is not a calibration, is incomplete, or was made with weights of another
  /// hash.
  Calibration(const std::filesystem::path &folder, const std::string &weightsHash);

  /// Statistics of the value with this SiteInput's name. These functions throw std::runtime_error if there is none of
  /// that width.
  quantize::InputStatistics getStatistics(const SiteInput &input) const;
  /// The largest |x| of each channel, over all tokens, including held-out ones.
  Eigen::VectorXd getLargest(const SiteInput &input) const;
  /// The lower triangle of Σ x·xᵀ; if it was not recorded, the diagonal, as a column.
  Eigen::MatrixXd getSums(const SiteInput &input) const;
  bool isDiagonal() const { return diagonal; }
  /// The hash of calibration.json.
  const std::string &getHash() const { return hash; }
  int64_t getTokens() const { return tokens; }

  /// From here on statistics and sums leave out held-out tokens. Throws std::runtime_error if none were held out.
  void holdOut();
  /// The number of tokens that statistics and sums leave out.
  int64_t countHeldOut() const;
  /// For each text, how many of its first tokens are fitted, as in CalibrationOptions.
  const std::vector<size_t> &getFitted() const { return fitted; }
  /// The texts of the calibration. Throws std::runtime_error if they are missing.
  Texts readTexts() const;

private:
  std::span<const float> find(const SiteInput &input, const std::string &what, int64_t size) const;

  std::filesystem::path folder;
  std::string hash, textsHash, part; ///< `part`: suffix in the names of the tensors that are read
  bool diagonal = false;
  int64_t tokens = 0;
  std::vector<size_t> fitted;
  std::map<std::string, support::SafeTensorsFile> files; ///< by layer
};

} // namespace nstf::calibrate
