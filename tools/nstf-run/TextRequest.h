// A prompt, and how it is to be continued: from the command line, or a line of a file of prompts.
#pragma once

#include "nstf/Sampler.h"
#include "nstf/Tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// What was said of the sampling; what wasn't is the model's, where that is asked for, or SamplerOptions' default.
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
  std::vector<int32_t> ids; // where there is no prompt
  std::optional<int64_t> tokens;
  bool ignoreEos = false;
  std::vector<std::string> stop;
  std::optional<std::size_t> logprobs;
  SamplingRequest sampling;
  nstf::manifest::Sampling model; // of --sampling=model

  int64_t getTokens() const { return tokens.value_or(model.tokens.value_or(defaultTokens)); }
  /// Asked to leave out unlikely tokens, one means to sample: the temperature is 1 then, where none is given.
  nstf::runtime::SamplerOptions getSamplerOptions() const;
};

/// A prompt's text, without the newline at its end, where there is one. "-" is standard input.
std::string readPrompt(const std::filesystem::path &file);

/// The prompts of a file, each with what `pattern` says where the file doesn't. A file that begins with "{" is JSON
/// Lines, an object a line; of any other each line is a prompt, and empty lines are none. Throws std::runtime_error
/// that names file and line.
std::vector<TextRequest> readPrompts(const std::filesystem::path &file, const TextRequest &pattern);
