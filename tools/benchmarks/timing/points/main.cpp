// bench-timing-points: predicts the times of published problems.
//
// bench-timing-points CHIP BUDGET KERNELS.hsaco... reads lines "kernel <tab> problem <tab> clock", and writes a line of
// JSON with facts of the chip, then one for each input line in order. The clock is peak or sustained; a budget of 0
// means the model's own. A problem that cannot be predicted has only an "error". tools/bench timing points compares the
// times with the published ones.
#include "tools/benchmarks/timing/points/Case.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace nstf::emulator::timing;

namespace {

Cases allCases() {
  Cases cases;
  for (auto add : {addStreams, addArrays, addAlgebra, addPasses, addArithmetic, addModels})
    add(cases);
  return cases;
}

/// The facts of the chip from which baselines are computed.
nlohmann::ordered_json getFacts(const ChipTiming &chip) {
  nlohmann::ordered_json json;
  json["description"] = chip.file.description;
  json["compute_units"] = chip.computeUnits;
  json["peak_clock"] = chip.peakClock;
  json["sustained_clock"] = chip.sustainedClock;
  json["memory_bandwidth"] = chip.memoryBandwidth;
  json["launch"] = chip.launchNs;
  json["gap"] = chip.kernelGapNs;
  return json;
}

nlohmann::ordered_json predictOne(Bench &bench, const std::function<void(Case &)> &describe, const std::string &text,
                                  const TimingOptions &options) {
  const Problem problem(text);
  Case one(bench, problem);
  describe(one);
  const Outcome outcome = one.run(options);
  nlohmann::ordered_json json;
  json["nanoseconds"] = outcome.nanoseconds;
  json["execution"] = outcome.execution;
  json["scale"] = one.scale;
  json["flops"] = one.flops;
  json["bytes"] = one.bytes;
  json["launches"] = outcome.launches;
  json["rounds"] = outcome.rounds;
  json["instructions"] = outcome.instructions;
  json["workgroups"] = outcome.workgroups;
  json["simulated"] = outcome.simulated;
  json["limiter"] = outcome.limiter;
  return json;
}

/// `row`: "kernel <tab> problem <tab> clock".
nlohmann::ordered_json answer(Bench &bench, const Cases &cases, const std::string &row, TimingOptions options) {
  std::istringstream words(row);
  std::string kernel, problem, clock;
  std::getline(words, kernel, '\t');
  std::getline(words, problem, '\t');
  std::getline(words, clock, '\t');
  auto found = cases.find(kernel);
  if (found == cases.end())
    return {{"error", "expected a kernel with a published problem but got " + kernel}};
  if (clock == "sustained")
    options.clockMhz = bench.chip().sustainedClock;
  try {
    return predictOne(bench, found->second, problem, options);
  } catch (const std::exception &error) {
    return {{"error", error.what()}};
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 4) {
    std::cerr << "usage: bench-timing-points CHIP BUDGET KERNELS.hsaco... < problems\n";
    return 1;
  }
  Bench bench(ChipTiming::choose(argv[1]), {argv + 3, argv + argc});
  TimingOptions options;
  options.sampledOnly = true;
  if (const uint64_t budget = std::stoull(argv[2]))
    options.budget = budget;
  const Cases cases = allCases();
  std::cout << getFacts(bench.chip()).dump() << std::endl;
  for (std::string row; std::getline(std::cin, row);)
    std::cout << answer(bench, cases, row, options).dump() << std::endl;
} catch (const std::exception &error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
