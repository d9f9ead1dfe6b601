// Runs one request through a language model and shows its result: the text while it is generated, ids, logits or JSON,
// and the times.
#pragma once

#include "tools/nstf-run/Options.h"

#include "nstf/Generate.h"
#include "nstf/StopStrings.h"

#include <functional>
#include <nlohmann/json.hpp>

/// Options for a request that is a turn of a conversation. Its prompt and its times are not shown.
struct TurnOptions {
  std::size_t held = 0;     // ids of the prompt that are already in the session
  std::vector<int32_t> eos; // in addition to the model's
  std::function<bool()> isInterrupted;
};

class TextRun {
public:
  /// All arguments must outlive the run. `tokenizer` and `turn` may be null.
  TextRun(nstf::runtime::Session &session, const Options &options, const TextRequest &request,
          const nstf::runtime::Tokenizer *tokenizer, const TurnOptions *turn = nullptr);

  nstf::runtime::Generation run(const std::vector<int32_t> &prompt);
  /// `run` in two halves, for a caller that runs the steps. `begin` returns the options with a callback for each token;
  /// `finish` prints the result, and nothing is printed before. `prompt` must outlive both.
  nstf::runtime::GenerateOptions begin(const std::vector<int32_t> &prompt);
  void finish(const nstf::runtime::Generation &result);
  /// The generated text, up to a stop string.
  const std::string &getText() const { return newText; }

private:
  using Json = nlohmann::ordered_json;

  nstf::runtime::GenerateOptions makeOptions(const std::vector<int32_t> &prompt);
  void showPrompt(const std::vector<int32_t> &prompt);
  void showRest(const std::vector<int32_t> &prompt);
  void print(const nstf::runtime::Generation &result);
  void show(const std::string &text, bool isNew);
  void writeLogits() const;
  void printLogprobs(const nstf::runtime::Generation &result) const;
  const char *getReason(const nstf::runtime::Generation &result) const;
  Json describe(const nstf::runtime::Generation &result) const;
  Json describe(const nstf::runtime::TokenLogprob &token, int32_t before) const;
  /// The text of a token that follows the token `before`.
  std::string getText(int32_t id, int32_t before) const;

  nstf::runtime::Session &session;
  const Options &options;
  const TextRequest &request;
  const nstf::runtime::Tokenizer *tokenizer;
  const TurnOptions *turn;
  std::optional<nstf::runtime::StreamDecoder> decoder;
  nstf::runtime::StopStrings stop;
  bool streams;        // prints the text while it grows, unless isHeld
  bool isHeld = false; // holds the text back until it is complete
  bool isPromptShown = false;
  bool wasInterrupted = false;
  const std::vector<int32_t> *heldPrompt = nullptr;
  std::string newText, heldText;
  std::vector<float> logits;
  int64_t rows = 0;
};

/// Prints two lines on standard error, and a third if the device predicts times.
void printTimes(const nstf::runtime::Generation &result, const nstf::runtime::Session &session);
