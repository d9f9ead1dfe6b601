// The options of a prompt: its source, how it is continued, and what is printed.
#include "tools/nstf-run/Options.h"
#include "tools/nstf-run/Values.h"

static const char *group = "Text";

static void addPrompts(CLI::App &app, Options &options) {
  app.add_option_function<std::string>(
         "--prompt", [&](const std::string &text) { options.request.prompt = text; },
         "text to continue or to encode; what the model wants around it (BOS, [CLS] and [SEP]) is put there")
      ->group(group)
      ->type_name("TEXT");
  app.add_option("--prompt-file", options.promptFile,
                 "the same from a file, a pipe or, as \"-\", from standard input; a newline at its end is left out")
      ->group(group)
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--ids", [&](const std::string &text) { options.request.ids = parseList("--ids", text); },
         "token ids, as they are: 1,403,407")
      ->group(group)
      ->type_name("ID,...");
  app.add_option("--prompts", options.promptsFile,
                 "several, each from the start, one after the other or --batch at once: one a line, or JSON Lines, "
                 "{\"prompt\": \"…\"} or "
                 "{\"ids\": [1, 403]}, with any of tokens, ignore_eos, stop, logprobs and the names of the sampling "
                 "options (top_k, …) to have it otherwise than the command line says")
      ->group(group)
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--batch", [&](const std::string &text) { options.batch = parseInteger("--batch", text, 1); },
         "how many of the --prompts a step has rows of; a package of nstfc --max-batch takes so many (default: 1)")
      ->group(group)
      ->type_name("N");
  app.add_option_function<std::string>(
         "--truncate",
         [&](const std::string &text) { options.truncate = std::size_t(parseInteger("--truncate", text, 1)); },
         "leave out the prompt's last tokens where it has more than N, those put around it counted (default: too long "
         "a "
         "prompt is an error)")
      ->group(group)
      ->type_name("N");
  app.add_option("--tokenizer", options.tokenizerFile,
                 "instead of the package's: *.json (tokenizer.json), *.model (sentencepiece) or *.bin (tok512)")
      ->group(group)
      ->type_name("FILE");
}

void addTextOptions(CLI::App &app, Options &options) {
  addPrompts(app, options);
  app.add_option_function<std::string>(
         "--tokens", [&](const std::string &text) { options.request.tokens = parseInteger("--tokens", text, 0); },
         "how many new tokens to generate at most, the prompt's not counted; the prompt and these are printed. "
         "Generation also ends at the model's end of text, and where its context is full")
      ->default_str(std::to_string(TextRequest::defaultTokens))
      ->group(group)
      ->type_name("N");
  app.add_option("--stop", options.request.stop,
                 "end the new text before this string, wherever tokens begin and end; repeatable")
      ->allow_extra_args(false)
      ->group(group)
      ->type_name("STRING");
  app.add_flag("--ignore-eos", options.request.ignoreEos, "go on after the model's end of text")->group(group);
  app.add_option_function<std::string>(
         "--chunk", [&](const std::string &text) { options.chunk = parseInteger("--chunk", text, 1); },
         "the most prompt tokens a step takes; 1 runs them one by one (default: as many as the package allows)")
      ->group(group)
      ->type_name("N");
  auto *printIds =
      app.add_flag(
             "--print-ids", options.printIds,
             "print all ids, the prompt's included, on one line instead of the text; with --stop those of the stop "
             "string too")
          ->group(group);
  app.add_option_function<std::string>(
         "--logprobs",
         [&](const std::string &text) {
           options.request.logprobs = std::size_t(parseInteger("--logprobs", text, 0, 1000));
         },
         "natural logarithm of each new token's probability, and of the N likeliest ones, as the model gives them, "
         "before sampling; on standard error, or with --json in the result")
      ->group(group)
      ->type_name("N");
  app.add_option("--print-logits", options.logitsFile,
                 "write the logits of the last position of each step that was run, one row a step, f32")
      ->group(group)
      ->type_name("FILE.npy");
  app.add_flag("--json", options.json,
               "print the result as JSON, an object a line for each prompt, when it is whole "
               "(runtime/include/nstf/run.schema.json)")
      ->excludes(printIds);
}
