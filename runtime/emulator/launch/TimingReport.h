// The timing model's prediction for a launch, as text and as JSON (tools/nstf-emu/report.schema.json, "prediction").
#pragma once

#include "runtime/emulator/launch/LaunchPredictor.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace nstf::emulator {

nlohmann::ordered_json toJson(const LaunchPredictor &predictor, const PreparedLaunch &launch,
                              const ClockPrediction &predicted);

/// Prints each prediction's time, then the details of the first.
void print(const LaunchPredictor &predictor, const PreparedLaunch &launch, const PredictedLaunch &predicted,
           std::ostream &out);

} // namespace nstf::emulator
