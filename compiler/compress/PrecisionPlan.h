// plan.yaml: what each matrix of a model becomes, and why. Written with a checkpoint, edited by people, given back.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/compress/MatrixFormat.h"

#include <filesystem>
#include <optional>

namespace nstf::compress {

struct MatrixPlan {
  MatrixFormat format;
  std::optional<support::ElementType> products = {}; ///< operands' type, bf16 or f32, where it isn't the others'
  std::optional<double> kl;                          ///< of this matrix alone
  std::string because;
};

struct PrecisionPlan {
  struct Measured {
    double kl, perplexity, comparedPerplexity;
    size_t positions;
  };
  std::string weightsHash, calibrationHash; ///< the latter empty: without a calibration
  int64_t tokens = 0, heldOut = 0;          ///< of the calibration, and of these what nothing was fitted to
  std::optional<Measured> onFitted;         ///< of the whole, on the tokens that it was fitted to
  std::optional<Measured> onHeldOut;        ///< on the others
  std::string cost;                         ///< what was saved, "bytes" or "time on mi300x"; empty: nothing was chosen
  std::string sensitivity;                  ///< how matrices' KL was found, "forward" or "output"; empty: by nobody
  std::vector<MatrixPlan> matrices;         ///< of the sites, in their order

  /// All matrices of a model in a format.
  static PrecisionPlan makeUniform(const calibrate::LinearSites &found, const MatrixFormat &format,
                                   const std::string &weightsHash, const std::string &calibrationHash);
  std::vector<MatrixFormat> getFormats() const;
  /// Throws support::InputError, with the line: of what is no plan, is one of other weights or another calibration, or
  /// has other linears than the model.
  static PrecisionPlan read(const std::filesystem::path &path, const calibrate::LinearSites &found,
                            const std::string &weightsHash, const std::string &calibrationHash);
  std::string str(const calibrate::LinearSites &found) const;
};

} // namespace nstf::compress
