// A run as JSON.
//
// The file of --report; tools/nstf-emu/report.schema.json describes its fields.
#pragma once

#include "runtime/emulator/launch/LaunchPredictor.h"

#include <nlohmann/json_fwd.hpp>

namespace nstf::emulator {

/// Total number of wave instructions.
uint64_t countInstructions(const ExecutionStatistics &statistics);

nlohmann::ordered_json toJson(const LaunchSession &session, const Finding &finding);

class Report {
public:
  explicit Report(const LaunchSession &session);
  ~Report();
  void add(const PreparedLaunch &launch, const LaunchResult &result);
  /// The same for a launch under the timing model.
  void add(const PreparedLaunch &launch, const PredictedLaunch &predicted, const LaunchPredictor &predictor);
  void add(const Comparison &comparison);
  /// The whole report. `status`: the tool's exit status; `error`: the error that ended the run early.
  std::string text(int status, const std::string &error) const;

private:
  const LaunchSession &session;
  std::unique_ptr<nlohmann::ordered_json> launches, expectations;
};

} // namespace nstf::emulator
