// generation_config.json of a Hugging Face folder: which tokens end a text, and the default sampling.
#pragma once

#include "nstf/Manifest.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nstf::import {

struct GenerationConfig {
  std::string name;         // of the file, for messages
  std::vector<int64_t> eos; // each of these ids ends a text
  manifest::Sampling sampling;
  /// Keys that change the choice of tokens in transformers and that NSTF ignores.
  std::vector<std::string> ignored;

  /// Reads the file in a folder; nothing if there is none. Ids must be below `vocabulary`. Throws support::InputError
  /// with file and key.
  static std::optional<GenerationConfig> read(const std::filesystem::path &folder, int64_t vocabulary);
};

} // namespace nstf::import
