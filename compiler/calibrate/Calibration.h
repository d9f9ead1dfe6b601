// What the linears of a model see when it reads a text: a folder with calibration.json, texts.json and a
// safetensors file a layer.
//
// Of each value that linears read: max, mean and mean square of |x| by channel, a histogram of exponents, and the lower
// triangle of Σ x·xᵀ, row by row, over tokens scaled to norm 1: the norm of x in units of each channel's root mean
// square, so that a few large channels don't decide which tokens count. Of each attention the range of K and V by head.
// Where tokens are held out, all but histograms and ranges is there twice: of all tokens, and of those that are fitted.
// Layers appear one by one, so that a run that was ended goes on where it was.
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

/// A hash of all weights: of their bytes, or of the seed that makes them.
std::string hashWeights(mlir::ModuleOp module, std::optional<uint64_t> randomSeed);

struct CalibrationOptions {
  bool diagonal = false;      ///< without Σ x·xᵀ
  std::vector<size_t> fitted; ///< tokens of each text, from its beginning, that are not held out; empty: all
  std::optional<uint64_t> randomSeed;
  std::filesystem::path package;        ///< what runs the texts, compiled of this model; empty: the reference does
  DeviceKind device = DeviceKind::Auto; ///< of the package
  std::function<void(uint64_t bytes)> onSize; ///< told what the folder will take, before anything is computed
};

/// Runs the texts and writes the folder, or what of it is missing. Throws std::runtime_error, also where the folder is
/// of other weights, texts or options.
void calibrate(mlir::ModuleOp module, const Texts &texts, const std::filesystem::path &folder,
               const CalibrationOptions &options);

/// A folder that `calibrate` wrote.
class Calibration {
public:
  /// Throws std::runtime_error where it isn't one, isn't complete, or is of weights of another hash.
  Calibration(const std::filesystem::path &folder, const std::string &weightsHash);

  /// Of the value with this SiteInput's name; these throw std::runtime_error where there is none of that width.
  quantize::InputStatistics getStatistics(const SiteInput &input) const;
  /// Of each channel the largest |x|, also of tokens that are held out.
  Eigen::VectorXd getLargest(const SiteInput &input) const;
  /// Σ x·xᵀ, the lower triangle; without one its diagonal, as a column.
  Eigen::MatrixXd getSums(const SiteInput &input) const;
  bool isDiagonal() const { return diagonal; }
  /// Of calibration.json.
  const std::string &getHash() const { return hash; }
  int64_t getTokens() const { return tokens; }

  /// From here on statistics and sums leave out what was held out. Throws std::runtime_error where nothing was.
  void holdOut();
  /// Tokens that statistics and sums leave out.
  int64_t countHeldOut() const;
  /// As CalibrationOptions has it.
  const std::vector<size_t> &getFitted() const { return fitted; }
  /// What it was made of. Throws std::runtime_error where that isn't there any more.
  Texts readTexts() const;

private:
  std::span<const float> find(const SiteInput &input, const std::string &what, int64_t size) const;

  std::filesystem::path folder;
  std::string hash, textsHash, part; ///< `part` is in the names of what is read
  bool diagonal = false;
  int64_t tokens = 0;
  std::vector<size_t> fitted;
  std::map<std::string, support::SafeTensorsFile> files; ///< by layer
};

} // namespace nstf::calibrate
