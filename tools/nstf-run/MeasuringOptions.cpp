// The options of measurements: perplexity of texts, and speed.
#include "tools/nstf-run/Options.h"
#include "tools/nstf-run/Values.h"

void addMeasuringOptions(CLI::App &app, Options &options) {
  const char *perplexity = "Perplexity", *bench = "Speed";
  app.add_option(
         "--perplexity", options.perplexityFile,
         "how well the model foretells a text: a file of text, or of token ids (*.npy, *.json: a list, or a list "
         "of lists, each a text of its own); \"-\" is text from standard input")
      ->group(perplexity)
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--window", [&](const std::string &text) { options.window = parseInteger("--window", text, 2); },
         "tokens that the model sees at a time (default: its context)")
      ->group(perplexity)
      ->type_name("N");
  app.add_option_function<std::string>(
         "--stride", [&](const std::string &text) { options.stride = parseInteger("--stride", text, 1); },
         "how far a window begins behind the one before; what both have is context only (default: half a window)")
      ->group(perplexity)
      ->type_name("N");
  app.add_option_function<std::string>(
         "--from", [&](const std::string &text) { options.from = parseInteger("--from", text, 1); },
         "the first token of each text that is judged, from 0; those before it are context only")
      ->default_str(std::to_string(options.from))
      ->group(perplexity)
      ->type_name("POSITION");
  app.add_option("--rows", options.rows, "texts of the file, from 0 (0-7)")->group(perplexity)->type_name("FIRST-LAST");
  app.add_option(
         "--against", options.against,
         "another package of the same vocabulary, which is taken for the truth: how far the predictions are from "
         "its own (KL, likeliest tokens, both perplexities)")
      ->group(perplexity)
      ->type_name("PKG");

  app.add_flag("--bench")
      ->description("tokens a second, of prompts and of decoding, over repetitions: a table, or --json")
      ->group(bench);
  app.add_option_function<std::string>(
         "--bench-prompt",
         [&](const std::string &text) { options.benchPrompts = parseList("--bench-prompt", text, 1); },
         "lengths of the prompts (default: 512, or the context where that is less)")
      ->group(bench)
      ->type_name("N,...");
  app.add_option_function<std::string>(
         "--bench-tokens", [&](const std::string &text) { options.benchTokens = parseList("--bench-tokens", text, 1); },
         "how many tokens to decode, from an empty context (default: 128, or what fits)")
      ->group(bench)
      ->type_name("N,...");
  app.add_option_function<std::string>(
         "--bench-depth", [&](const std::string &text) { options.benchDepths = parseList("--bench-depth", text); },
         "positions to decode from, and to run the prompts of --bench-prompt from, without running what comes before "
         "them: caches hold zeros there")
      ->group(bench)
      ->type_name("P,...");
  app.add_option_function<std::string>(
         "--bench-batch", [&](const std::string &text) { options.benchBatch = parseInteger("--bench-batch", text, 1); },
         "requests that do so at once, each with caches of its own; tokens a second are of all (default: 1)")
      ->group(bench)
      ->type_name("N");
  app.add_option_function<std::string>(
         "--repetitions",
         [&](const std::string &text) { options.repetitions = parseInteger("--repetitions", text, 1, 1000000); },
         "runs of each, after one that is not counted")
      ->default_str(std::to_string(options.repetitions))
      ->group(bench)
      ->type_name("N");
}
