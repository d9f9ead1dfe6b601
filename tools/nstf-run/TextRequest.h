// A prompt and how it is continued: from the command line, or from a line of a file of prompts.
#pragma once

#include "nstf/Sampler.h"
#include "nstf/Tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The sampling options that were given. An option that was not given has the model's value with --sampling=model, else
/// SamplerOptions' default.
struct SamplingRequest {
  std::optional<float> temperature, topP;
  std::optional<int64_t> topK;
  std::optional<double> minP, repetitionPenalty;
  double frequencyPenalty = 0.0, presencePenalty = 0.0;
  uint64_t seed = 0;
  std::map<int32_t, double> logitBias;
};

struct TextRequest {
  static constexpr int64_t defaultTokens = 128;

  std::optional<std::string> prompt;
  std::vector<int32_t> ids; // if there is no prompt
  std::optional<int64_t> tokens;
  bool ignoreEos = false;
  std::vector<std::string> stop;
  std::optional<std::size_t> logprobs;
  SamplingRequest sampling;
  nstf::manifest::Sampling model; // of --sampling=model

  int64_t getTokens() const { return tokens.value_or(model.tokens.value_or(defaultTokens)); }
  /// A filter of unlikely tokens implies sampling: if no temperature is given, it is then 1.
  nstf::runtime::SamplerOptions getSamplerOptions() const;
};

/// A prompt's text, without a newline at its end. "-" is standard input.
std::string readPrompt(const std::filesystem::path &file);

/// The prompts of a file; `pattern` gives the defaults. A file that begins with "{" is JSON Lines, with an object on
/// each line; in any other file each non-empty line is a prompt. Throws std::runtime_error with file and line.
std::vector<TextRequest> readPrompts(const std::filesystem::path &file, const TextRequest &pattern);
