#include "tools/nstf-run/Options.h"
#include "support/CommandLineError.h"
#include "tools/nstf-run/Values.h"

#include "support/Completion.h"

namespace {

constexpr const char *footer = R"(
One of --prompt, --prompt-file, --ids, --prompts, --chat, --input, --perplexity, --bench and --info says what to do:
  nstf-run llama.nstf --prompt "Once upon a time" --tokens 100 --temperature 0.8 --top-p 0.9 --seed 1
  nstf-run llama.nstf --ids 1,403,407 --tokens 64 --greedy --print-ids
  nstf-run llama.nstf --prompts questions.jsonl --stop "Q:" --json
  nstf-run llama.nstf --prompts questions.jsonl --batch 16
  nstf-run llama.nstf --chat --system "You are brief." --sampling=model
  nstf-run llama.nstf --perplexity book.txt --window 1024 --stride 512
  nstf-run llama.nstf --bench --bench-prompt 128,512
  nstf-run llama.nstf --bench --bench-depth 512 --bench-tokens 1 --timing mi300x
  nstf-run llama.nstf --info
  nstf-run mlp.nstf --input x=x.npy --output y=y.npy
  nstf-run minilm.nstf --prompt "hello world" --embed
  nstf-run minilm.nstf --ids 101,7592,2088,102 --token-types 0,0,0,0 --output=hidden.npy
The result goes to standard output, text as it is generated; times and tokens/s to standard error.)";

std::pair<std::string, std::string> nameAndFile(const std::string &text, const char *option) {
  std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    throw CLI::ValidationError(option, "expected name=file.npy but got " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void addEncoderOptions(CLI::App &app, Options &options) {
  app.add_flag("--embed", options.embed,
               "print the text's embedding, or write it to --output: the mean of the last hidden state's rows, of "
               "length 1 (of the package's own pooling, where it has an output \"embedding\")")
      ->group("Encoders");
  app.add_option_function<std::string>(
         "--token-types", [&](const std::string &text) { options.tokenTypes = parseList("--token-types", text); },
         "segments of the tokens, one for each (default: 0, or the tokenizer's)")
      ->group("Encoders")
      ->type_name("TYPE,...");
}

void addTensorOptions(CLI::App &app, std::vector<std::string> &inputs, std::vector<std::string> &outputs) {
  app.add_option("--input", inputs, "value of an input, f32 or i32; repeatable")
      ->allow_extra_args(false)
      ->group("Tensors")
      ->type_name("NAME=FILE.npy");
  app.add_option("--output", outputs,
                 "where to write an output; repeatable. With --prompt or --ids FILE.npy alone is the last hidden state")
      ->allow_extra_args(false)
      ->group("Tensors")
      ->type_name("[NAME=]FILE.npy");
}

void addSessionOptions(CLI::App &app, nstf::runtime::SessionOptions &session) {
  app.add_option_function<std::string>(
         "--device", [&](const std::string &name) { session.device = nstf::parseDeviceKind(name); },
         "auto takes a GPU where one answers, else the emulator")
      ->check(CLI::IsMember({"auto", "hip", "emulator"}))
      ->default_str("auto")
      ->group("Device")
      ->type_name("NAME");
  app.add_option("--target", session.target,
                 "which of the package's targets (default: the device's; on the emulator the package's first)")
      ->group("Device")
      ->type_name("ID");
  app.add_option("--timing", session.timing,
                 "predict the time on that chip, mi300x or another or a file of constants, and print it; a package "
                 "without weights then needs none")
      ->group("Device")
      ->type_name("CHIP");
  app.add_option_function<std::vector<std::string>>(
         "--weights",
         [&](const std::vector<std::string> &files) { session.weights.assign(files.begin(), files.end()); },
         "weights for a package compiled with --weights=none; repeatable")
      ->allow_extra_args(false)
      ->group("Weights")
      ->type_name("FILE.safetensors");
  app.add_option_function<std::string>(
         "--weights-seed", [&](const std::string &text) { session.seed = parseSeed("--weights-seed", text); },
         "another seed for a package compiled with --weights=random")
      ->group("Weights")
      ->type_name("N");
  app.add_flag_callback(
         "--no-hash-check", [&] { session.checkHashes = false; },
         "do not compare the weights with the hashes in the package")
      ->group("Weights");
}

/// Determines the task: exactly one of the tasks' options must be given, and only with options of its own.
void checkTask(CLI::App &app, Options &options, const std::vector<std::string> &outputs) {
  auto given = [&](const char *name) { return app.get_option(name)->count() > 0; };
  auto refuse = [&](std::initializer_list<const char *> names, const std::string &reason) {
    for (const char *name : names)
      if (given(name))
        throw CLI::ValidationError(std::string(name) + reason);
  };
  const char *first = nullptr;
  for (const char *name :
       {"--prompt", "--prompt-file", "--ids", "--prompts", "--chat", "--input", "--perplexity", "--bench", "--info"}) {
    if (first && given(name))
      throw CLI::ValidationError(std::string(first) + " excludes " + name);
    first = given(name) ? name : first;
  }
  if (!first && outputs.empty())
    throw CLI::ValidationError(
        "expected one of --prompt, --prompt-file, --ids, --prompts, --chat, --input and --output, "
        "--perplexity, --bench, and --info");
  std::string what = first ? first : "--output";
  options.task = what == "--chat"                          ? Task::Chat
                 : what == "--perplexity"                  ? Task::Perplexity
                 : what == "--bench"                       ? Task::Bench
                 : what == "--info"                        ? Task::Info
                 : what == "--input" || what == "--output" ? Task::Tensors
                                                           : Task::Text;
  if (options.task != Task::Text)
    refuse({"--embed", "--token-types", "--truncate"}, " is for --prompt and --ids");
  if (options.task == Task::Perplexity || options.task == Task::Bench || options.task == Task::Info)
    refuse({"--output"}, " is for --prompt, --ids and --input");
  if (options.task != Task::Chat)
    refuse({"--system", "--chat-variables"}, " is for --chat");
  else
    refuse({"--output", "--print-logits"}, " is not for --chat");
  if (options.task == Task::Info)
    refuse({"--timing"}, " is for what runs, not for --info");
  if (options.task != Task::Perplexity)
    refuse({"--window", "--stride", "--from", "--rows", "--against"}, " is for --perplexity");
  if (options.task != Task::Bench)
    refuse({"--bench-prompt", "--bench-tokens", "--bench-depth", "--bench-batch", "--repetitions"}, " is for --bench");
  if (what != "--prompts")
    refuse({"--batch"}, " is for --prompts");
  if (what == "--ids")
    refuse({"--truncate"}, " is for a text, not for --ids");
  if (what == "--prompts")
    refuse({"--output", "--print-logits", "--token-types"}, " is for one prompt, not for --prompts");

  for (const std::string &output : outputs)
    options.outputs.push_back(options.task == Task::Text && output.find('=') == std::string::npos
                                  ? std::pair(options.embed ? "embedding" : "hidden", output)
                                  : nameAndFile(output, "--output"));
  if ((options.task != Task::Text && options.task != Task::Chat) || options.encodes())
    refuse({"--tokens", "--stop", "--ignore-eos", "--logprobs", "--print-logits", "--logit-bias",
            "--repetition-penalty", "--frequency-penalty", "--presence-penalty", "--greedy", "--temperature", "--top-k",
            "--top-p", "--min-p", "--seed", "--sampling"},
           " is for generating text, not for --output, --embed, --token-types, --input and measurements");
  if (options.encodes() || options.task == Task::Tensors || options.task == Task::Info)
    refuse({"--chunk"}, " is for language models");
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app("nstf-run: runs a package made by nstfc, on a GPU or on the emulator", "nstf-run");
  app.footer(footer);
  app.add_option("package", options.package, "the package, a folder model.nstf")->required()->type_name("PKG");
  addTextOptions(app, options);
  addChatOptions(app, options);
  addSamplingOptions(app, options);
  addEncoderOptions(app, options);
  std::vector<std::string> inputs, outputs;
  addTensorOptions(app, inputs, outputs);
  addMeasuringOptions(app, options);
  addSessionOptions(app, options.session);
  bool info = false;
  app.add_flag("--info", info,
               "print what the package is and what it needs: targets, inputs, outputs, "
               "tokenizer, precision, device memory. With --json a document of "
               "runtime/include/nstf/package-info.schema.json");
  app.add_flag("--quiet", options.quiet, "only results and errors: neither progress nor times");
  nstf::support::addCommonOptions(app, "nstf-run " NSTF_VERSION);
  try {
    app.parse(argc, argv);
    for (const std::string &text : inputs)
      options.inputs.push_back(nameAndFile(text, "--input"));
    checkTask(app, options, outputs);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw std::runtime_error(nstf::support::describeCommandLineError(app, error));
  }
  return std::nullopt;
}
