#include "compiler/import/GenerationConfig.h"

#include "support/JsonCursor.h"
#include "support/MappedFile.h"

using namespace nstf;
using namespace nstf::import;
using nlohmann::json;

/// Keys that change the choice of tokens in transformers' generate, each with the value, besides null, that has no
/// effect.
static const std::pair<const char *, json> unknown[] = {{"num_beams", 1},
                                                        {"num_beam_groups", 1},
                                                        {"penalty_alpha", 0},
                                                        {"typical_p", 1},
                                                        {"top_h", 1},
                                                        {"epsilon_cutoff", 0},
                                                        {"eta_cutoff", 0},
                                                        {"encoder_repetition_penalty", 1},
                                                        {"no_repeat_ngram_size", 0},
                                                        {"encoder_no_repeat_ngram_size", 0},
                                                        {"min_length", 0},
                                                        {"min_new_tokens", 0},
                                                        {"guidance_scale", 1},
                                                        {"bad_words_ids", json::array()},
                                                        {"force_words_ids", json::array()},
                                                        {"suppress_tokens", json::array()},
                                                        {"begin_suppress_tokens", json::array()},
                                                        {"sequence_bias", json::object()},
                                                        {"stop_strings", json::array()},
                                                        {"constraints", json::array()},
                                                        {"forced_bos_token_id", {}},
                                                        {"forced_eos_token_id", {}},
                                                        {"exponential_decay_length_penalty", {}},
                                                        {"watermarking_config", {}}};

std::optional<GenerationConfig> GenerationConfig::read(const std::filesystem::path &folder, int64_t vocabulary) {
  std::filesystem::path file = folder / "generation_config.json";
  if (!std::filesystem::exists(file))
    return std::nullopt;
  GenerationConfig config;
  config.name = file.string();
  const json document = support::parseJson(support::readTextFile(config.name), config.name);
  const support::JsonCursor root(document, config.name);
  root.members(); // throws if the root is not an object
  if (auto eos = root.find("eos_token_id"); eos && !eos->isNull()) {
    auto ids = eos->isArray() ? eos->elements() : std::vector{*eos};
    for (const support::JsonCursor &id : ids)
      config.eos.push_back(int64_t(id.integer(0, uint64_t(vocabulary) - 1)));
  }
  config.sampling = manifest::readSampling(root);
  for (const auto &[key, neutral] : unknown)
    if (auto found = document.find(key); found != document.end() && !found->is_null() && *found != neutral)
      config.ignored.push_back(key);
  return config;
}
