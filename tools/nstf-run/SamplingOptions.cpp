// The options of a Sampler, in the order of its steps.
#include "support/Escape.h"
#include "tools/nstf-run/Options.h"
#include "tools/nstf-run/Values.h"

static void parseBiases(const std::string &text, std::map<int32_t, double> &biases) {
  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    std::string entry = text.substr(begin, end - begin);
    std::size_t equals = entry.find('=');
    if (equals == std::string::npos)
      throw CLI::ValidationError("--logit-bias", "expected ID=BIAS but got \"" + nstf::support::escape(entry) + "\"");
    auto id = static_cast<int32_t>(parseInteger("--logit-bias", entry.substr(0, equals), 0, INT32_MAX));
    biases[id] = parseNumber("--logit-bias", entry.substr(equals + 1));
  }
}

void addSamplingOptions(CLI::App &app, Options &options) {
  const char *group = "Sampling: each step on what the one before it leaves, in this order";
  SamplingRequest &sampling = options.request.sampling;
  auto addNumber = [&](const char *name, const char *neutral, auto set, const std::string &help) {
    return app
        .add_option_function<std::string>(
            name, [set, name](const std::string &value) { set(parseNumber(name, value)); }, help)
        ->default_str(neutral)
        ->group(group)
        ->type_name("P");
  };
  app.add_option_function<std::string>(
         "--sampling", [&](const std::string &) { options.modelSampling = true; },
         "model: what isn't said here and by --tokens is as in the model's generation_config.json, which --info shows")
      ->check(CLI::IsMember({"model"}))
      ->group(group)
      ->type_name("");
  app.add_option_function<std::vector<std::string>>(
         "--logit-bias",
         [&](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             parseBiases(text, sampling.logitBias);
         },
         "is added to the logits of these tokens: 13=-2.5,99=-inf; repeatable")
      ->allow_extra_args(false)
      ->group(group)
      ->type_name("ID=BIAS,...");
  addNumber(
      "--repetition-penalty", "1", [&](double value) { sampling.repetitionPenalty = value; },
      "of tokens that stand in the prompt or the text so far, logits above 0 are divided by P, others multiplied");
  addNumber(
      "--frequency-penalty", "0", [&](double value) { sampling.frequencyPenalty = value; },
      "is subtracted from a token's logit as often as it stands in the new text");
  addNumber(
      "--presence-penalty", "0", [&](double value) { sampling.presencePenalty = value; },
      "is subtracted from a token's logit if it stands in the new text");
  auto *greedy = app.add_flag_callback(
                        "--greedy", [&] { sampling.temperature = 0.0f; },
                        "always the most likely token, the first of equals (the default)")
                     ->group(group);
  app.add_option_function<std::string>(
         "--temperature",
         [&](const std::string &text) { sampling.temperature = float(parseNumber("--temperature", text)); },
         "sample from softmax(logits / T); 0 is greedy (default: 0, with one of the next three 1)")
      ->excludes(greedy)
      ->group(group)
      ->type_name("T");
  app.add_option_function<std::string>(
         "--top-k", [&](const std::string &text) { sampling.topK = parseInteger("--top-k", text, 0); },
         "sample from the K most likely tokens only; 0: from all")
      ->excludes(greedy)
      ->default_str("0")
      ->group(group)
      ->type_name("K");
  addNumber(
      "--top-p", "1", [&](double value) { sampling.topP = float(value); },
      "sample from the fewest most likely tokens whose probabilities sum to P")
      ->excludes(greedy);
  addNumber(
      "--min-p", "0", [&](double value) { sampling.minP = value; },
      "sample from tokens at least P times as probable as the most likely one")
      ->excludes(greedy);
  app.add_option_function<std::string>(
         "--seed", [&](const std::string &text) { sampling.seed = parseSeed("--seed", text); },
         "of the sampling; the same seed gives the same text")
      ->default_str("0")
      ->group(group)
      ->type_name("N");
}
