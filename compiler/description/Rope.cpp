// Computes the canonical form of rotary embeddings.

#include "compiler/description/Rope.h"

#include "support/InputError.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace nstf;
using namespace nstf::description;

std::vector<double> nstf::description::ropeFrequencies(int64_t rotary, double theta) {
  if (rotary < 2 || rotary > 65536 || rotary % 2 != 0)
    throw support::InputError("expected an even rotary dimension of 2 to 65536 but got " + std::to_string(rotary));
  if (!std::isfinite(theta) || theta <= 0)
    throw support::InputError("expected the rope theta to be a finite number greater than 0 but got " +
                              std::to_string(theta));
  std::vector<double> frequencies;
  for (int64_t i = 0; i < rotary; i += 2)
    frequencies.push_back(std::pow(theta, -static_cast<double>(i) / static_cast<double>(rotary)));
  return frequencies;
}

static double factorOf(const RopeScaling &scaling, double positions) {
  return scaling.factor.value_or(positions / scaling.original.value_or(positions));
}

/// Divides frequencies whose wavelength exceeds original / low, keeps those below original / high, and blends in
/// between.
static void scaleLlama3(std::vector<double> &frequencies, const RopeScaling &scaling, double positions) {
  double original = scaling.original.value_or(positions), factor = *scaling.factor;
  double low = scaling.lowFrequencyFactor, high = scaling.highFrequencyFactor;
  for (double &frequency : frequencies) {
    double turns = original * frequency / (2 * std::numbers::pi); // turns of the pair over the trained positions
    double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
}

static void scaleYarn(std::vector<double> &frequencies, double theta, const RopeScaling &scaling, double positions) {
  double original = scaling.original.value_or(positions), factor = factorOf(scaling, positions);
  double rotary = 2.0 * static_cast<double>(frequencies.size());
  // The (fractional) pair that makes this number of turns over the trained positions.
  auto pairOf = [&](double turns) {
    return rotary * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta));
  };
  double low = pairOf(scaling.betaFast), high = pairOf(scaling.betaSlow);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, rotary - 1);
  if (low == high)
    high += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double stretched = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = stretched * frequencies[i] / factor + (1 - stretched) * frequencies[i];
  }
}

static void scaleLongRope(std::vector<double> &frequencies, const RopeScaling &scaling, double positions,
                          double context) {
  bool isLong = scaling.isLong(positions, context);
  const std::vector<double> &factors = isLong ? scaling.longFactors : scaling.shortFactors;
  if (factors.size() != frequencies.size())
    throw support::InputError("expected " + std::string(isLong ? "long_factor" : "short_factor") +
                              " of rope to have a number for each of " + std::to_string(frequencies.size()) +
                              " pairs but got " + std::to_string(factors.size()));
  for (size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] /= factors[i];
}

std::vector<double> nstf::description::ropeFrequencies(int64_t rotary, double theta, const RopeScaling &scaling,
                                                       double positions, double context) {
  if (scaling.kind == RopeScaling::dynamic) {
    if (rotary <= 2)
      throw support::InputError("expected a rotary dimension of at least 4 for dynamic rope but got " +
                                std::to_string(rotary));
    double factor = *scaling.factor, dimensions = static_cast<double>(rotary);
    double growth = factor * std::max(context, positions) / positions - (factor - 1);
    return ropeFrequencies(rotary, theta * std::pow(growth, dimensions / (dimensions - 2)));
  }
  std::vector<double> frequencies = ropeFrequencies(rotary, theta);
  if (scaling.kind == RopeScaling::linear)
    for (double &frequency : frequencies)
      frequency /= *scaling.factor;
  else if (scaling.kind == RopeScaling::llama3)
    scaleLlama3(frequencies, scaling, positions);
  else if (scaling.kind == RopeScaling::yarn)
    scaleYarn(frequencies, theta, scaling, positions);
  else if (scaling.kind == RopeScaling::longrope)
    scaleLongRope(frequencies, scaling, positions, context);
  return frequencies;
}

int64_t nstf::description::ropePositions(const RopeScaling &scaling, int64_t positions) {
  if (scaling.kind != RopeScaling::dynamic || *scaling.factor <= 1)
    return positions;
  double longest = std::floor(static_cast<double>(positions) * *scaling.factor);
  return longest < 0x1p53 ? static_cast<int64_t>(longest) : positions;
}

double nstf::description::ropeScale(const RopeScaling &scaling, double positions) {
  if (scaling.kind != RopeScaling::yarn && scaling.kind != RopeScaling::longrope)
    return 1;
  if (scaling.attentionFactor)
    return *scaling.attentionFactor;
  double factor = factorOf(scaling, positions);
  if (scaling.kind == RopeScaling::longrope)
    return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(scaling.original.value_or(positions)));
  auto scaleOf = [&](double weight) { return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0; };
  double mscale = scaling.mscale.value_or(0), all = scaling.mscaleAllDims.value_or(0);
  return mscale != 0 && all != 0 ? scaleOf(mscale) / scaleOf(all) : scaleOf(1);
}
