// plan.yaml: the format of each matrix of a model, with reasons. It is written with a checkpoint, edited by people, and
// read again.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/compress/MatrixFormat.h"

#include <filesystem>
#include <optional>

namespace nstf::compress {

struct MatrixPlan {
  MatrixFormat format;
  std::optional<support::ElementType> products = {}; ///< operand type, bf16 or f32, if it differs from the model's
  std::optional<double> kl;                          ///< with only this matrix in its format
  std::string because;
};

struct PrecisionPlan {
  struct Measured {
    double kl, perplexity, comparedPerplexity;
    size_t positions;
  };
  std::string weightsHash, calibrationHash; ///< the latter is empty without a calibration
  int64_t tokens = 0, heldOut = 0;          ///< tokens of the calibration, and how many are held out
  std::optional<Measured> onFitted;         ///< the whole model, on the fitted tokens
  std::optional<Measured> onHeldOut;        ///< the whole model, on the held-out tokens
  std::string cost;                         ///< what was reduced, "bytes" or "time on mi300x"; empty: none
  std::string sensitivity;                  ///< how matrices' KL was measured, "forward" or "output"; empty: not
  std::vector<MatrixPlan> matrices;         ///< by site

  /// A plan with one format for all matrices of a model.
  static PrecisionPlan makeUniform(const calibrate::LinearSites &found, const MatrixFormat &format,
                                   const std::string &weightsHash, const std::string &calibrationHash);
  std::vector<MatrixFormat> getFormats() const;
  /// Throws support::InputError, with the line, if the file is not a plan, is for other weights or another calibration,
  /// or has other linears than the model.
  static PrecisionPlan read(const std::filesystem::path &path, const calibrate::LinearSites &found,
                            const std::string &weightsHash, const std::string &calibrationHash);
  std::string str(const calibrate::LinearSites &found) const;
};

} // namespace nstf::compress
