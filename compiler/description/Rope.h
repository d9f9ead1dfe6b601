// The canonical form of rotary embeddings.
//
// However a format says it (theta, base, scaling kinds, tables), an importer spells out one frequency for every pair:
// angle of pair i at position p = p · inv_freq[i] (nstf.rope). Every importer takes them from here.
//
// The kinds of scaling are those of Hugging Face's transformers (modeling_rope_utils.py), computed in float64:
//   linear   every frequency divided by `factor` (kaiokendev)
//   dynamic  the base grows with the context beyond `original` positions (bloc97, emozilla: NTK-aware scaling)
//   llama3   low frequencies divided by `factor`, middle ones in part (Llama 3.1)
//   yarn     a ramp between divided and kept frequencies, cosines and sines scaled (Peng et al. 2023, arXiv:2309.00071)
//   longrope a divisor for each pair, of two lists the one for long or for short texts (Ding et al. 2024,
//            arXiv:2402.13753); cosines and sines scaled
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nstf::description {

/// Which of longrope's two lists holds: that for the length of the context, or one whatever the length.
enum class RopeFactors { Auto, Short, Long };

/// How a model stretches its rotary embedding, as its configuration says it. What a kind has no use for is not read.
struct RopeScaling {
  enum Kind { none, linear, dynamic, llama3, yarn, longrope } kind = none;
  /// Absent only in yarn and longrope: it is then the model's positions / `original`.
  std::optional<double> factor;
  /// Positions the model was trained with (llama3, yarn, longrope); absent: all that it has.
  std::optional<double> original;
  double lowFrequencyFactor = 1, highFrequencyFactor = 4; // llama3
  double betaFast = 32, betaSlow = 1;                     // yarn
  std::optional<double> attentionFactor;                  // yarn, longrope
  std::optional<double> mscale, mscaleAllDims;            // yarn
  bool truncate = true;                                   // yarn: the ramp's ends are whole pairs

  std::vector<double> shortFactors, longFactors; // longrope
  RopeFactors factors = RopeFactors::Auto;       // longrope
  /// Whether a context takes the long factors.
  bool isLong(double positions, double context) const {
    return factors == RopeFactors::Auto ? context > original.value_or(positions) : factors == RopeFactors::Long;
  }

  bool operator==(const RopeScaling &) const = default;

  /// The names in configurations, in the order of Kind.
  static constexpr std::array<std::string_view, 6> kindNames = {"default", "linear", "dynamic",
                                                                "llama3",  "yarn",   "longrope"};
};

/// inv_freq[i] = theta^(-2i / rotary) for i < rotary / 2, in float64. Throws support::InputError unless rotary is even,
/// at least 2 and at most 65536, and theta is finite and greater than 0.
std::vector<double> ropeFrequencies(int64_t rotary, double theta);

/// The same, scaled. `positions` is what the model says it can (max_position_embeddings), `context` what is compiled:
/// of dynamic scaling and longrope, which depend on the length of the text, the compiled context is taken as that
/// length, so the keys in the cache all turn by one set of frequencies.
std::vector<double> ropeFrequencies(int64_t rotary, double theta, const RopeScaling &scaling, double positions,
                                    double context);

/// Positions a text can have: those of the model, and with dynamic scaling `factor` times as many.
int64_t ropePositions(const RopeScaling &scaling, int64_t positions);

/// What cosines and sines are multiplied by: 1 but for yarn and longrope.
double ropeScale(const RopeScaling &scaling, double positions);

} // namespace nstf::description
