#include "nstf/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

constexpr double infinity = std::numeric_limits<double>::infinity();

static void expect(bool fine, const char *what, double got) {
  if (fine)
    return;
  std::ostringstream text;
  text << "expected " << what << " but got " << got;
  throw std::runtime_error(text.str());
}

SamplerOptions makeSamplerOptions(const manifest::Sampling &sampling) {
  SamplerOptions options;
  options.repetitionPenalty = sampling.repetitionPenalty.value_or(1.0);
  if (!sampling.sample.value_or(false))
    return options;
  options.temperature = float(sampling.temperature.value_or(1.0));
  options.topK = sampling.topK.value_or(50);
  options.topP = float(sampling.topP.value_or(1.0));
  options.minP = sampling.minP.value_or(0.0);
  return options;
}

Sampler::Sampler(const SamplerOptions &options) : options(options), state(options.seed) {
  expect(options.temperature >= 0.0f && std::isfinite(options.temperature), "a temperature of 0 or more",
         options.temperature);
  expect(options.topP > 0.0f && options.topP <= 1.0f, "top-p in (0, 1]", options.topP);
  expect(options.topK >= 0, "top-k of 0 or more", double(options.topK));
  expect(options.minP >= 0.0 && options.minP <= 1.0, "min-p in [0, 1]", options.minP);
  expect(options.repetitionPenalty > 0.0 && std::isfinite(options.repetitionPenalty),
         "a repetition penalty of more than 0", options.repetitionPenalty);
  expect(std::isfinite(options.frequencyPenalty), "a finite frequency penalty", options.frequencyPenalty);
  expect(std::isfinite(options.presencePenalty), "a finite presence penalty", options.presencePenalty);
  for (const auto &[id, bias] : options.logitBias) {
    expect(id >= 0, "token ids of 0 and more in the logit bias", id);
    expect(bias < infinity, "a logit bias that is finite or -inf", bias);
  }
  changesLogits = options.repetitionPenalty != 1.0 || options.frequencyPenalty != 0.0 ||
                  options.presencePenalty != 0.0 || !options.logitBias.empty();
}

double Sampler::random() {
  uint64_t x = state += 0x9e3779b97f4a7c15u; // splitmix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

void Sampler::begin(std::span<const int32_t> prompt) {
  seen.clear();
  for (int32_t id : prompt)
    seen[id].inPrompt = true;
}

void Sampler::adjust(std::span<const float> logits) {
  checkLogits(logits);
  scores.assign(logits.begin(), logits.end());
  if (!changesLogits)
    return;
  auto size = static_cast<int32_t>(scores.size());
  for (const auto &[id, bias] : options.logitBias) {
    if (id >= size)
      throw std::runtime_error("expected a logit bias of tokens from 0 to " + std::to_string(size - 1) + " but got " +
                               std::to_string(id));
    scores[id] += bias;
  }
  for (const auto &[id, times] : seen) {
    if (id < 0 || id >= size)
      continue; // the prompt is of another model
    double &score = scores[id];
    score = score > 0 ? score / options.repetitionPenalty : score * options.repetitionPenalty;
    score -= options.frequencyPenalty * double(times.count) + (times.count ? options.presencePenalty : 0.0);
  }
  bool anyFinite = false;
  for (double score : scores) {
    if (!(score < infinity))
      throw std::runtime_error("expected logit bias and penalties to keep logits finite but they overflow");
    anyFinite |= score > -infinity;
  }
  if (!anyFinite)
    throw std::runtime_error("expected a token that can be chosen but the logit bias masks every one");
}

double Sampler::choose() {
  // By descending score; equal ones by index, so that the order is unique.
  auto isBefore = [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  candidates.clear();
  auto best = static_cast<int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  if (greedy()) {
    candidates.emplace_back(1.0, best);
    return 1.0;
  }
  for (std::size_t i = 0; i < scores.size(); ++i)
    candidates.emplace_back(scores[i], static_cast<int32_t>(i));
  bool isCut = options.topK > 0 && static_cast<std::size_t>(options.topK) < candidates.size();
  if (isCut) {
    std::partial_sort(candidates.begin(), candidates.begin() + options.topK, candidates.end(), isBefore);
    candidates.resize(options.topK);
  }
  // Softmax without the division: the exponents are at most 0, so nothing overflows, and the largest term is 1.
  double sum = 0.0, max = scores[best];
  for (auto &[score, id] : candidates) {
    score = std::exp((score - max) / options.temperature);
    sum += score;
  }
  if (options.topP < 1.0f) {
    std::sort(candidates.begin(), candidates.end(), isBefore);
    double kept = 0.0, enough = sum * double(options.topP);
    std::size_t count = 0;
    while (count < candidates.size() && (count == 0 || kept < enough))
      kept += candidates[count++].first;
    candidates.resize(count);
    sum = kept;
  }
  if (options.minP > 0.0) {
    std::erase_if(candidates,
                  [&](const auto &candidate) { return candidate.first < options.minP; }); // the largest is 1
    sum = 0.0;
    for (const auto &[weight, id] : candidates)
      sum += weight;
  }
  return sum;
}

std::vector<TokenProbability> Sampler::distribution(std::span<const float> logits) {
  adjust(logits);
  double sum = choose();
  std::vector<TokenProbability> result;
  for (const auto &[weight, id] : candidates)
    result.push_back({id, weight / sum});
  return result;
}

int32_t Sampler::sample(std::span<const float> logits) {
  if (takesLargest())
    return argmax(logits);
  adjust(logits);
  double sum = choose();
  // Rounding can leave a remainder; it goes to the last token that can be drawn.
  int32_t token = std::find_if(candidates.rbegin(), candidates.rend(), [](const auto &candidate) {
                    return candidate.first > 0.0;
                  })->second;
  double point = greedy() ? 0.0 : random() * sum;
  for (const auto &[weight, id] : candidates) {
    if (point < weight) {
      token = id;
      break;
    }
    point -= weight;
  }
  if (changesLogits)
    ++seen[token].count;
  return token;
}

} // namespace nstf::runtime
