// The loss of each matrix alone in each of several formats: from runs of the model that begin at the matrix, or from
// the errors of its outputs.
#pragma once

#include "compiler/calibrate/TextRunner.h"
#include "compiler/compress/MatrixRounder.h"
#include "compiler/compress/SearchRecord.h"

namespace nstf::compress {

/// The cost of a matrix in a format.
struct MatrixCost {
  MatrixFormat format;
  uint64_t bytes; ///< of its planes or numbers in a checkpoint
  double kl;      ///< of the model with only this matrix in the format
};

/// Forward: one run for each matrix and format. Output: one run for each layer, which gives the ratio of KL to the
/// relative squared error of the layer's outputs; KL grows with the square of the error.
enum class SensitivityMethod { Forward, Output };

class Sensitivity {
public:
  /// `formats` are those of each site. All arguments must outlive it. Measurements in `record` are not repeated.
  Sensitivity(const RoundingContext &context, const std::vector<std::vector<MatrixFormat>> &formats,
              SensitivityMethod method, SearchRecord &record);

  /// The runs that are still to be measured, and how many runs of the whole model take as long.
  struct Work {
    size_t runs = 0, all = 0; ///< `all` includes those in the record
    double models = 0;
  };
  Work getWork() const;

  /// The costs of each site's formats. `logits` are the model's own for these texts.
  std::vector<std::vector<MatrixCost>> measure(calibrate::TextRunner &runner, const calibrate::Texts &texts,
                                               const std::vector<reference::Tensor> &logits);

private:
  std::string getKey(size_t site, const MatrixFormat &format) const;
  std::string getKey(const std::string &layer) const;
  /// The site's format with the largest loss, which is used to measure the layer's ratio.
  const MatrixFormat &getSmallest(size_t site) const;
  void measureRuns(calibrate::TextRunner &runner, const calibrate::Texts &texts,
                   const std::vector<reference::Tensor> &logits);
  void measureLayers(calibrate::TextRunner &runner, const calibrate::Texts &texts,
                     const std::vector<reference::Tensor> &logits);
  std::vector<size_t> getSites(const std::string &layer) const;

  const RoundingContext &context;
  const std::vector<std::vector<MatrixFormat>> &formats;
  SensitivityMethod method;
  SearchRecord &record;
};

} // namespace nstf::compress
