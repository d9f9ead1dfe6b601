// What each matrix of a model loses alone in each of several formats: by runs of the model from that matrix on.
#pragma once

#include "compiler/calibrate/MatrixRounder.h"
#include "compiler/calibrate/TextRunner.h"

namespace nstf::calibrate {

/// A matrix in a format.
struct MatrixCost {
  MatrixFormat format;
  uint64_t bytes; ///< of its planes or numbers in a checkpoint
  double kl;      ///< of the model with this matrix alone in the format
};

/// How matrices are rounded; all of it outlives what is made of it.
struct RoundingContext {
  const LinearSites &found;
  const Calibration *calibration;
  reference::WeightReader &reader;
  Rounding rounding;
  ChannelScaling scaling;
  KnownScales &known;
};

/// Of each site the costs of its formats. `logits` are the model's own of these texts.
std::vector<std::vector<MatrixCost>> measureSensitivity(const RoundingContext &context, TextRunner &runner,
                                                        const Texts &texts, const std::vector<Tensor> &logits,
                                                        const std::vector<std::vector<MatrixFormat>> &formats);

} // namespace nstf::calibrate
