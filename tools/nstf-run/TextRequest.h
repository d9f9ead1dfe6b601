// A prompt, and how it is to be continued: from the command line, or a line of a file of prompts.
#pragma once

#include "nstf/Sampler.h"
#include "nstf/Tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

struct TextRequest {
  std::optional<std::string> prompt;
  std::vector<int32_t> ids; // where there is no prompt
  int64_t tokens = 128;
  bool ignoreEos = false;
  std::vector<std::string> stop;
  std::optional<std::size_t> logprobs;
  nstf::runtime::SamplerOptions sampling; // but for the temperature:
  std::optional<float> temperature;

  /// Asked to leave out unlikely tokens, one means to sample: the temperature is 1 then, where none is given.
  nstf::runtime::SamplerOptions samplerOptions() const;
};

/// A prompt's text, without the newline at its end, where there is one. "-" is standard input.
std::string readPrompt(const std::filesystem::path &file);

/// The prompts of a file, each with what `pattern` says where the file doesn't. A file that begins with "{" is JSON
/// Lines, an object a line; of any other each line is a prompt, and empty lines are none. Throws std::runtime_error
/// that names file and line.
std::vector<TextRequest> readPrompts(const std::filesystem::path &file, const TextRequest &pattern);
