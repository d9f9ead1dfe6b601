#include "tools/nstf-run/Options.h"

#include <CLI/CLI.hpp>
#include <limits>

namespace {

constexpr const char *footer = R"(
One of --prompt, --ids and --input says what to run:
  nstf-run llama.nstf --prompt "Once upon a time" --tokens 100 --temperature 0.8 --top-p 0.9 --seed 1
  nstf-run llama.nstf --ids 1,403,407 --tokens 64 --greedy --print-ids
  nstf-run mlp.nstf --input x=x.npy --output y=y.npy
  nstf-run minilm.nstf --prompt "hello world" --embed
  nstf-run minilm.nstf --ids 101,7592,2088,102 --token-types 0,0,0,0 --output=hidden.npy
Text goes to standard output as it is generated, times and tokens/s to standard error.)";

std::pair<std::string, std::string> nameAndFile(const std::string &text, const char *option) {
  std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    throw CLI::ValidationError(option, "expected name=file.npy but got " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::int32_t> toInt32(const char *option, const char *what, const std::vector<std::int64_t> &values) {
  std::vector<std::int32_t> result;
  for (std::int64_t value : values) {
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      throw CLI::ValidationError(option,
                                 "expected " + std::string(what) + " of 0 and more but got " + std::to_string(value));
    result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

void expectAtLeast(const char *option, std::int64_t min, std::int64_t value) {
  if (value < min)
    throw CLI::ValidationError(option, "expected " + std::to_string(min) + " or more but got " + std::to_string(value));
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app("nstf-run: runs a package made by nstfc, on a GPU or on the emulator", "nstf-run");
  app.footer(footer);
  app.failure_message([](const CLI::App *, const CLI::Error &error) {
    return "error: " + std::string(error.what()) + " (nstf-run --help lists the options)\n";
  });

  app.add_option("package", options.package, "the package, a folder model.nstf")->required()->type_name("PKG");

  std::string prompt, device = "auto", weights;
  std::vector<std::int64_t> ids, types;
  auto *promptOption =
      app.add_option(
             "--prompt", prompt,
             "text to continue or to encode; what the model wants around it (BOS, [CLS] and [SEP]) is put there")
          ->group("Text");
  auto *idsOption = app.add_option("--ids", ids, "token ids, as they are: 1,403,407")
                        ->delimiter(',')
                        ->allow_extra_args(false)
                        ->excludes(promptOption)
                        ->group("Text")
                        ->type_name("ID,...");
  options.tokens = 128;
  app.add_option("--tokens", options.tokens,
                 "how many new tokens to generate at most, the prompt's not counted; the prompt and these are printed. "
                 "Generation also ends at the model's end of text, and where its context is full")
      ->capture_default_str()
      ->group("Text")
      ->type_name("N");
  bool greedy = false;
  auto *greedyOption =
      app.add_flag("--greedy", greedy, "always the most likely token, the first of equals (the default)")
          ->group("Text");
  auto *temperature = app.add_option("--temperature", options.sampling.temperature,
                                     "sample from softmax(logits / T); 0 is greedy (default: 0, with --top-p 1)")
                          ->excludes(greedyOption)
                          ->group("Text")
                          ->type_name("T");
  auto *topP = app.add_option("--top-p", options.sampling.topP,
                              "sample from the most likely tokens only, the fewest whose probabilities sum to P")
                   ->excludes(greedyOption)
                   ->group("Text")
                   ->type_name("P");
  app.add_option("--seed", options.sampling.seed, "of the sampling; the same seed gives the same text")
      ->capture_default_str()
      ->group("Text")
      ->type_name("N");
  app.add_flag("--ignore-eos", options.ignoreEos, "go on after the model's end of text")->group("Text");
  auto *chunkOption =
      app.add_option(
             "--chunk", options.chunk,
             "the most prompt tokens a step takes; 1 runs them one by one (default: as many as the package allows)")
          ->group("Text")
          ->type_name("N");
  app.add_flag("--print-ids", options.printIds, "print all ids, the prompt's included, on one line instead of the text")
      ->group("Text");
  app.add_option("--print-logits", options.logitsFile,
                 "write the logits of the last position of each step that was run, one row a step, f32")
      ->group("Text")
      ->type_name("FILE.npy");

  app.add_option("--tokenizer", options.tokenizerFile,
                 "instead of the package's: *.json (tokenizer.json), *.model (sentencepiece) or *.bin (tok512)")
      ->group("Text")
      ->type_name("FILE");

  std::int64_t truncate = 0;
  auto *truncateOption = app.add_option("--truncate", truncate,
                                        "leave out the prompt's last tokens where it has more than N, those put around "
                                        "it counted (default: too long a prompt is an error)")
                             ->excludes(idsOption)
                             ->group("Text")
                             ->type_name("N");

  app.add_flag("--embed", options.embed,
               "print the text's embedding, or write it to --output: the mean of the last hidden state's rows, of "
               "length 1 (of the package's own pooling, where it has an output \"embedding\")")
      ->group("Encoders");
  app.add_option("--token-types", types, "segments of the tokens, one for each (default: 0, or the tokenizer's)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("Encoders")
      ->type_name("TYPE,...");

  std::vector<std::string> inputs, outputs;
  app.add_option("--input", inputs, "value of an input, f32 or i32; repeatable")
      ->allow_extra_args(false)
      ->excludes(promptOption)
      ->excludes(idsOption)
      ->group("Tensors")
      ->type_name("NAME=FILE.npy");
  app.add_option("--output", outputs,
                 "where to write an output; repeatable. With --prompt or --ids FILE.npy alone is the last hidden state")
      ->allow_extra_args(false)
      ->group("Tensors")
      ->type_name("[NAME=]FILE.npy");

  app.add_option("--device", device, "auto takes a GPU where one answers, else the emulator")
      ->check(CLI::IsMember({"auto", "hip", "emulator"}))
      ->capture_default_str()
      ->group("Device")
      ->type_name("NAME");
  app.add_option("--target", options.session.target,
                 "which of the package's targets (default: the device's; on the emulator the package's first)")
      ->group("Device")
      ->type_name("ID");
  std::vector<std::string> files;
  app.add_option("--weights", files, "weights for a package compiled with --weights=none; repeatable")
      ->allow_extra_args(false)
      ->group("Weights")
      ->type_name("FILE.safetensors");
  std::uint64_t weightsSeed = 0;
  auto *weightsSeedOption =
      app.add_option("--weights-seed", weightsSeed, "another seed for a package compiled with --weights=random")
          ->group("Weights")
          ->type_name("N");
  bool noHashCheck = false;
  app.add_flag("--no-hash-check", noHashCheck, "do not compare the weights with the hashes in the package")
      ->group("Weights");

  try {
    app.parse(argc, argv);
    if (*promptOption)
      options.prompt = prompt;
    expectAtLeast("--tokens", 0, options.tokens);
    if (*chunkOption)
      expectAtLeast("--chunk", 1, options.chunk);
    options.ids = toInt32("--ids", "token ids", ids);
    options.tokenTypes = toInt32("--token-types", "token types", types);
    if (*truncateOption) {
      expectAtLeast("--truncate", 1, truncate);
      options.truncate = static_cast<std::size_t>(truncate);
    }
    for (const std::string &text : inputs)
      options.inputs.push_back(nameAndFile(text, "--input"));
    bool text = options.prompt || !options.ids.empty();
    for (const std::string &output : outputs)
      options.outputs.push_back(text && output.find('=') == std::string::npos
                                    ? std::pair(options.embed ? "embedding" : "hidden", output)
                                    : nameAndFile(output, "--output"));
    if (!text && options.outputs.empty())
      throw CLI::ValidationError("expected --prompt, --ids, or --input and --output");
    if (!text && options.encodes())
      throw CLI::ValidationError("expected --prompt or --ids with --embed and --token-types");
    if (options.encodes() || (text && !options.outputs.empty()))
      for (const char *name :
           {"--tokens", "--greedy", "--temperature", "--top-p", "--seed", "--ignore-eos", "--chunk", "--print-logits"})
        if (app.get_option(name)->count() > 0)
          throw CLI::ValidationError(std::string(name) + " is for generating text, not for --output, --embed and "
                                                         "--token-types");
    if (*topP && !*temperature)
      options.sampling.temperature = 1.0f;
    for (const std::string &file : files)
      options.session.weights.emplace_back(file);
    if (*weightsSeedOption)
      options.session.seed = weightsSeed;
    options.session.checkHashes = !noHashCheck;
    options.session.device = nstf::parseDeviceKind(device);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1; // --help is an "error" of status 0
  }
  return std::nullopt;
}
