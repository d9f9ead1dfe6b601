// What each matrix of a model loses alone in each of several formats: by runs of the model from that matrix on, or from
// the errors of its outputs.
#pragma once

#include "compiler/calibrate/TextRunner.h"
#include "compiler/compress/MatrixRounder.h"
#include "compiler/compress/SearchRecord.h"

namespace nstf::compress {

/// A matrix in a format.
struct MatrixCost {
  MatrixFormat format;
  uint64_t bytes; ///< of its planes or numbers in a checkpoint
  double kl;      ///< of the model with this matrix alone in the format
};

/// Forward: a run for each matrix and format. Output: a run for each layer, which scales the errors that rounding makes
/// in its products' outputs, each beside the outputs' size: KL grows with their squares.
enum class SensitivityMethod { Forward, Output };

class Sensitivity {
public:
  /// Formats of each site. Everything outlives this; what `record` knows is not measured again.
  Sensitivity(const RoundingContext &context, const std::vector<std::vector<MatrixFormat>> &formats,
              SensitivityMethod method, SearchRecord &record);

  /// What is to be measured yet: runs, and how many of the whole model take as long.
  struct Work {
    size_t runs = 0, all = 0; ///< `all`: with those that the record knows
    double models = 0;
  };
  Work getWork() const;

  /// Of each site the costs of its formats. `logits` are the model's own of these texts.
  std::vector<std::vector<MatrixCost>> measure(calibrate::TextRunner &runner, const calibrate::Texts &texts,
                                               const std::vector<reference::Tensor> &logits);

private:
  std::string getKey(size_t site, const MatrixFormat &format) const;
  std::string getKey(const std::string &layer) const;
  /// The format that loses most, which says how much of an error comes out of the model.
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
