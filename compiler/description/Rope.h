// The canonical form of rotary embeddings.
//
// Whatever the format (theta, base, scaling kinds, tables), an importer writes one frequency for every pair: the angle
// of pair i at position p is p · inv_freq[i] (nstf.rope). Every importer uses these functions.
//
// The kinds of scaling are those of Hugging Face's transformers (modeling_rope_utils.py), computed in float64:
//   linear   every frequency divided by `factor` (kaiokendev)
//   dynamic  the base grows with the context beyond `original` positions (bloc97, emozilla: NTK-aware scaling)
//   llama3   low frequencies divided by `factor`, middle ones in part (Llama 3.1)
//   yarn     a ramp between divided and kept frequencies, cosines and sines scaled (Peng et al. 2023, arXiv:2309.00071)
//   longrope a divisor for each pair, from a list for long texts or one for short texts (Ding et al. 2024,
//            arXiv:2402.13753); cosines and sines scaled
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nstf::description {

/// Which of longrope's two lists is used: that for the context's length, or always one of them.
enum class RopeFactors { Auto, Short, Long };

/// The scaling of a model's rotary embedding, as in its configuration. Values that a kind does not use are not read.
struct RopeScaling {
  enum Kind { none, linear, dynamic, llama3, yarn, longrope } kind = none;
  /// Absent only for yarn and longrope: then it is the model's positions / `original`.
  std::optional<double> factor;
  /// Positions in training (llama3, yarn, longrope); absent: all of the model's positions.
  std::optional<double> original;
  double lowFrequencyFactor = 1, highFrequencyFactor = 4; // llama3
  double betaFast = 32, betaSlow = 1;                     // yarn
  std::optional<double> attentionFactor;                  // yarn, longrope
  std::optional<double> mscale, mscaleAllDims;            // yarn
  bool truncate = true;                                   // yarn: the ramp begins and ends at whole pairs

  std::vector<double> shortFactors, longFactors; // longrope
  RopeFactors factors = RopeFactors::Auto;       // longrope
  /// Whether a context uses the long factors.
  bool isLong(double positions, double context) const {
    return factors == RopeFactors::Auto ? context > original.value_or(positions) : factors == RopeFactors::Long;
  }

  bool operator==(const RopeScaling &) const = default;

  /// The kinds' names in configurations, in the order of Kind.
  static constexpr std::array<std::string_view, 6> kindNames = {"default", "linear", "dynamic",
                                                                "llama3",  "yarn",   "longrope"};
};

/// inv_freq[i] = theta^(-2i / rotary) for i < rotary / 2, in float64. Throws support::InputError unless rotary is even,
/// at least 2 and at most 65536, and theta is finite and greater than 0.
std::vector<double> ropeFrequencies(int64_t rotary, double theta);

/// The same, scaled. `positions` is the model's maximum (max_position_embeddings), `context` the compiled one. Dynamic
/// scaling and longrope depend on the length of the text; the compiled context is used as that length, so that all keys
/// in the cache are rotated by the same frequencies.
std::vector<double> ropeFrequencies(int64_t rotary, double theta, const RopeScaling &scaling, double positions,
                                    double context);

/// The longest text: the model's positions, or with dynamic scaling `factor` times as many.
int64_t ropePositions(const RopeScaling &scaling, int64_t positions);

/// The factor on cosines and sines: 1 except for yarn and longrope.
double ropeScale(const RopeScaling &scaling, double positions);

} // namespace nstf::description
