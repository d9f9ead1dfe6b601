// How the matrices of a model are rounded.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/reference/WeightReader.h"

#include <map>

namespace nstf::compress {

class Rotation;

enum class Rounding { Nearest, Gptq };
/// Auto: AWQ's scales, of an input whose products gain by them.
enum class ChannelScaling { Off, Auto, Awq, Smooth };

/// Scales that were searched for, by the input's name and the formats of its sites; an empty column: none. Who tries
/// many formats shares it: the search takes many times as long as rounding.
using KnownScales = std::map<std::string, Eigen::VectorXd>;

/// All of it outlives what is made of it.
struct RoundingContext {
  const calibrate::LinearSites &found;
  const calibrate::Calibration *calibration; ///< null where neither rounding nor scaling needs one
  reference::WeightReader &reader;
  Rounding rounding;
  ChannelScaling scaling;
  KnownScales &known;                 ///< of this model, calibration, rounding, scaling and rotation
  const Rotation *rotation = nullptr; ///< null: the model stays as it is

  /// The numbers of a site's matrix, rotated. Throws std::runtime_error where one is not finite.
  std::shared_ptr<const reference::Tensor> readMatrix(size_t site) const;
};

} // namespace nstf::compress
