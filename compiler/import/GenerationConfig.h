// generation_config.json of a Hugging Face folder: where a text ends, and how its makers sample.
#pragma once

#include "nstf/Manifest.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nstf::import {

struct GenerationConfig {
  std::string name;         // of the file, as messages have it
  std::vector<int64_t> eos; // each of these ids ends a text
  manifest::Sampling sampling;
  /// Keys by which transformers would choose other tokens, and NSTF doesn't.
  std::vector<std::string> ignored;

  /// The file in a folder; nothing where there is none. Ids are below `vocabulary`. Throws support::InputError that
  /// names file and key.
  static std::optional<GenerationConfig> read(const std::filesystem::path &folder, int64_t vocabulary);
};

} // namespace nstf::import
