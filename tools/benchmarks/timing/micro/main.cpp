// bench-timing-micro: compares the timing model with the measurements that its constants come from.
//
// bench-timing-micro CHIP KERNELS.hsaco [PATTERN] prints a line for each microbenchmark whose name contains the
// pattern. The exit status is 1 if one exceeds its limit; benchmarks that no source has verified are only printed.
// tools/bench timing micro runs it.
#include "tools/benchmarks/timing/micro/Benchmarks.h"
#include "tools/benchmarks/timing/micro/Sensitivity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

using namespace nstf::emulator::timing;

namespace {

std::vector<Benchmark> benchmarksOf(const std::string &target) {
  std::vector<Benchmark> all = matrixBenchmarks(target);
  for (auto &&family :
       {vectorBenchmarks(), ldsBenchmarks(), memoryBenchmarks(), sizeBenchmarks(), dispatchBenchmarks()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

bool isUnverified(const ChipTiming &chip, const Benchmark &benchmark) {
  return !benchmark.constant.empty() && chip.file.constants.at(benchmark.constant).mark == 'U';
}

/// Prints the benchmark's line; returns whether the result is within its limit.
bool show(MicroBench &bench, const Benchmark &benchmark) {
  const ChipTiming &chip = bench.chip();
  const double source = chip.name == "mi300x"   ? benchmark.known.mi300x
                        : chip.name == "mi250x" ? benchmark.known.mi250x
                                                : std::nan("");
  const double predicted = benchmark.predict(bench);
  std::printf("%-52s %-32s %10.4g %10.4g %-6s", benchmark.name.c_str(), benchmark.constant.c_str(), source, predicted,
              benchmark.unit.c_str());
  if (std::isnan(source)) {
    std::printf("\n");
    return true;
  }
  const double error = 100 * (predicted / source - 1);
  const bool judged = !isUnverified(chip, benchmark), within = std::abs(error) <= benchmark.limit;
  std::printf(" %+7.1f %%  %s\n", error, !judged ? "[U]" : within ? "" : "beyond its limit");
  std::fflush(stdout);
  return within || !judged;
}

/// The relative change of the microbenchmark if its constant is doubled.
double changeOf(MicroBench &bench, ChipTiming chip, const TimingField &field, const Sensitivity &sensitivity) {
  if (sensitivity.on)
    sensitivity.on(chip);
  bench.use(chip);
  const double before = sensitivity.measure(bench);
  field.set(chip, 2 * field.get(chip));
  bench.use(chip);
  return sensitivity.measure(bench) / before - 1;
}

/// Whether the microbenchmark changes as far as stated when the constant is doubled; prints the change if it does not.
bool moves(MicroBench &bench, const ChipTiming &chip, const TimingField &field, const Sensitivity *sensitivity) {
  if (!sensitivity) {
    std::printf("%-34s no microbenchmark\n", field.key);
    return false;
  }
  const double change = changeOf(bench, chip, field, *sensitivity);
  if (sensitivity->min > 0 ? change >= sensitivity->min : change <= sensitivity->min)
    return true;
  std::printf("%-34s expected a change of %+.0f %% at least but got %+.1f %%\n", field.key, 100 * sensitivity->min,
              100 * change);
  return false;
}

/// Whether the microbenchmark stays the same when the constant is doubled; prints the change if it does not.
bool leaves(MicroBench &bench, const ChipTiming &chip, const TimingField &field, const Sensitivity &sensitivity) {
  const double change = changeOf(bench, chip, field, sensitivity);
  if (std::abs(change) < 1e-3)
    return true;
  std::printf("%-34s expected no change but got %+.1f %%\n", field.key, 100 * change);
  return false;
}

int judgeSensitivity(MicroBench &bench, const std::string &pattern) {
  const ChipTiming chip = smallVersion(bench.chip());
  const std::vector<Sensitivity> all = sensitivities(chip.target), mechanisms = insensitivities();
  unsigned tried = 0, still = 0, moved = 0;
  for (const TimingField &field : timingFields()) {
    if (!field.isModelled || std::string(field.key).find(pattern) == std::string::npos || doesntApply(chip, field.key))
      continue;
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Sensitivity &s) { return s.constant == std::string(field.key); });
    ++tried;
    still += !moves(bench, chip, field, found == all.end() ? nullptr : &*found);
  }
  for (const Sensitivity &mechanism : mechanisms)
    for (const TimingField &field : timingFields())
      if (mechanism.constant == std::string(field.key) && std::string(field.key).find(pattern) != std::string::npos)
        moved += !leaves(bench, chip, field, mechanism);
  std::printf("%s: %u of %u constants move nothing, %u of %zu mechanisms don't keep theirs from it\n",
              chip.name.c_str(), still, tried, moved, mechanisms.size());
  return still || moved;
}

int judgeBenchmarks(MicroBench &bench, const std::string &pattern) {
  std::printf("%s, %.0f MHz\n%-52s %-32s %10s %10s %-6s %9s\n", bench.chip().file.description.c_str(),
              bench.chip().peakClock, "benchmark", "constant", "source", "predicted", "", "error");
  unsigned shown = 0, beyond = 0;
  for (const Benchmark &benchmark : benchmarksOf(bench.chip().target)) {
    if (benchmark.name.find(pattern) == std::string::npos || doesntApply(bench.chip(), benchmark.constant))
      continue;
    ++shown;
    beyond += !show(bench, benchmark);
  }
  if (!shown)
    throw std::runtime_error("no benchmark's name holds " + pattern);
  std::printf("%u of %u beyond their limits\n", beyond, shown);
  return beyond != 0;
}

} // namespace

int main(int argc, char **argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool sensitivity = !words.empty() && words[0] == "--sensitivity";
  words.erase(words.begin(), words.begin() + sensitivity);
  if (words.size() != 2 && words.size() != 3) {
    std::fprintf(stderr, "usage: bench-timing-micro [--sensitivity] CHIP KERNELS.hsaco [PATTERN]\n");
    return 1;
  }
  MicroBench bench(ChipTiming::choose(words[0]), {words[1]});
  const std::string pattern = words.size() == 3 ? words[2] : "";
  return sensitivity ? judgeSensitivity(bench, pattern) : judgeBenchmarks(bench, pattern);
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
