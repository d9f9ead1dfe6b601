// The settings and inputs for rounding the matrices of a model.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/reference/WeightReader.h"

#include <map>

namespace nstf::compress {

class Rotation;

enum class Rounding { Nearest, Gptq };
/// Auto: AWQ's scales, for inputs whose products gain by them.
enum class ChannelScaling { Off, Auto, Awq, Smooth };

/// Scales that were found already, by the input's name and the formats of its sites; an empty column means none.
/// Searches over many formats share them, since finding scales takes many times as long as rounding.
using KnownScales = std::map<std::string, Eigen::VectorXd>;

/// All members must outlive the objects that use the context.
struct RoundingContext {
  const calibrate::LinearSites &found;
  const calibrate::Calibration *calibration; ///< null if neither rounding nor scaling needs one
  reference::WeightReader &reader;
  Rounding rounding;
  ChannelScaling scaling;
  KnownScales &known;                 ///< for this model, calibration, rounding, scaling and rotation
  const Rotation *rotation = nullptr; ///< null: the model is not rotated

  /// The numbers of a site's matrix, rotated. Throws std::runtime_error if one is not finite.
  std::shared_ptr<const reference::Tensor> readMatrix(size_t site) const;
};

} // namespace nstf::compress
