#include "runtime/emulator/timing/sample/Sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nstf::emulator::timing {
namespace {
/// Ratio of the instruction counts of adjacent strata.
constexpr double stratumStep = 1.02;
/// Rounds that differ by less are alike, and means with a smaller interval are known.
constexpr double tolerance = 0.02;
/// A stratum with a smaller share of the time does not delay acceptance.
constexpr double smallShare = 0.02;
constexpr double normal90 = 1.645;
/// From this number of workgroups on, a stratum is known by itself.
constexpr size_t enoughOfAStratum = 32;

/// SplitMix64's finalizer: a workgroup's choice among its stratum's durations looks random and is reproducible.
uint64_t scramble(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}
} // namespace

Sampler::Sampler(uint64_t groups, uint64_t residents, uint32_t computeUnits, uint64_t patience)
    : groups(groups), residents(residents), patience(patience), hasRetired(computeUnits), unitsLeft(computeUnits) {}

double Sampler::Stratum::mean() const {
  return std::accumulate(durations.begin(), durations.end(), 0.0) / double(durations.size());
}

double Sampler::Stratum::halfInterval() const {
  const double middle = mean();
  if (durations.size() < 2)
    return middle;
  double squares = 0;
  for (Clocks duration : durations)
    squares += (double(duration) - middle) * (double(duration) - middle);
  return normal90 * std::sqrt(squares / double(durations.size() - 1) / double(durations.size()));
}

int64_t Sampler::getStratum(uint64_t instructions) {
  return std::llround(std::log(double(std::max<uint64_t>(instructions, 1))) / std::log(stratumStep));
}

Sampler::Strata Sampler::getStrata(const Round *first, const Round *last) {
  Strata strata;
  for (; first != last; ++first)
    for (const Group &group : first->retired) {
      Stratum &stratum = strata[getStratum(group.instructions)];
      stratum.durations.push_back(group.drained - group.begun);
      stratum.instructions += group.instructions;
    }
  return strata;
}

void Sampler::retired(const Group &group, bool steady) {
  if (accepted)
    return;
  instructions += group.instructions;
  if (!hasRetired[group.computeUnit]) {
    hasRetired[group.computeUnit] = true;
    --unitsLeft;
  }
  const size_t round = group.index / residents;
  while (rounds.size() <= round)
    rounds.push_back({{}, std::min(residents, groups - rounds.size() * residents)});
  rounds[round].retired.push_back(group);
  while (complete < rounds.size() && rounds[complete].retired.size() == rounds[complete].size) {
    std::ranges::sort(rounds[complete].retired, {}, &Group::index);
    ++complete;
    look(steady);
  }
}

/// Called after each whole round. Two rounds agree if their common strata have the same durations.
void Sampler::look(bool steady) {
  if (complete < 2 || accepted)
    return;
  const Strata before = getStrata(&rounds[complete - 2], &rounds[complete - 1]);
  const Strata now = getStrata(&rounds[complete - 1], &rounds[complete]);
  double clocksBefore = 0, clocksNow = 0;
  for (const auto &[key, stratum] : now)
    if (auto same = before.find(key); same != before.end()) {
      clocksNow += stratum.mean() * double(stratum.durations.size());
      clocksBefore += same->second.mean() * double(stratum.durations.size());
    }
  lastDrift = clocksBefore > 0 ? std::abs(clocksNow / clocksBefore - 1) : 0;
  if (lastDrift > tolerance || !steady)
    steadyFrom = complete - 1;
  known = getStrata(&rounds[steadyFrom], rounds.data() + complete);
  double all = 0;
  for (const auto &[key, stratum] : known)
    all += stratum.mean() * double(stratum.durations.size());
  bool isKnown = !unitsLeft && steady && lastDrift <= tolerance;
  for (const auto &[key, stratum] : known)
    isKnown &= stratum.halfInterval() <= tolerance * stratum.mean() ||
               stratum.mean() * double(stratum.durations.size()) < smallShare * all;
  accepted = isKnown || (instructions >= patience && !unitsLeft);
  if (accepted)
    forgetFew();
}

/// Durations of the first few workgroups of a kind that is only beginning reflect their neighbours of another kind. The
/// strata of the known kinds predict that kind better.
void Sampler::forgetFew() {
  auto isFew = [](const auto &entry) { return entry.second.durations.size() < enoughOfAStratum; };
  if (!std::ranges::all_of(known, isFew))
    std::erase_if(known, isFew);
}

bool Sampler::isBeyond(uint64_t instructions) const {
  const int64_t kind = getStratum(instructions);
  return kind < known.begin()->first || kind > known.rbegin()->first;
}

Clocks Sampler::draw(uint64_t index, uint64_t instructions, double pace) const {
  if (isBeyond(instructions))
    return Clocks(std::llround(pace * double(instructions)));
  const auto above = known.lower_bound(getStratum(instructions));
  if (above->first == getStratum(instructions)) {
    const std::vector<Clocks> &durations = above->second.durations;
    return durations[scramble(index + 1) % durations.size()];
  }
  // No workgroup of this kind was simulated: interpolate between the neighbouring strata.
  const Stratum &high = above->second, &low = std::prev(above)->second;
  const double part =
      (double(instructions) - low.meanInstructions()) / (high.meanInstructions() - low.meanInstructions());
  return Clocks(std::llround(low.mean() + part * (high.mean() - low.mean())));
}

double Sampler::uncertainty() const {
  double all = 0, squares = 0;
  for (const auto &[key, stratum] : known) {
    const double count = double(stratum.durations.size()), half = stratum.halfInterval() * count;
    all += stratum.mean() * count;
    squares += half * half;
  }
  return all > 0 ? std::sqrt(squares) / all : 0;
}

} // namespace nstf::emulator::timing
