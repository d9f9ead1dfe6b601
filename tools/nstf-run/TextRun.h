// A request on its way through a language model, from ids to what is shown of it: the text as it grows, ids, logits or
// JSON, and the times.
#pragma once

#include "tools/nstf-run/Options.h"

#include "nstf/Generate.h"
#include "nstf/StopStrings.h"

#include <functional>
#include <nlohmann/json.hpp>

/// What is different where a request is a turn of a conversation: its prompt isn't shown, nor its times.
struct TurnOptions {
  std::size_t held = 0;     // ids of the prompt that the session holds
  std::vector<int32_t> eos; // beside the model's
  std::function<bool()> isInterrupted;
};

class TextRun {
public:
  /// All of them outlive the run. `tokenizer` may be null, `turn` too.
  TextRun(nstf::runtime::Session &session, const Options &options, const TextRequest &request,
          const nstf::runtime::Tokenizer *tokenizer, const TurnOptions *turn = nullptr);

  nstf::runtime::Generation run(const std::vector<int32_t> &prompt);
  /// The same in two halves, for whoever runs the steps: what is to be done for each token, and what is printed in the
  /// end, until when nothing is. `prompt` outlives both.
  nstf::runtime::GenerateOptions begin(const std::vector<int32_t> &prompt);
  void finish(const nstf::runtime::Generation &result);
  /// What the model wrote, up to a stop string.
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
  /// The text of a token behind another one.
  std::string textOf(int32_t id, int32_t before) const;

  nstf::runtime::Session &session;
  const Options &options;
  const TextRequest &request;
  const nstf::runtime::Tokenizer *tokenizer;
  const TurnOptions *turn;
  std::optional<nstf::runtime::StreamDecoder> decoder;
  nstf::runtime::StopStrings stop;
  bool streams;        // text is printed, as it grows unless it is held back
  bool isHeld = false; // until the text is whole
  bool isPromptShown = false;
  bool wasInterrupted = false;
  const std::vector<int32_t> *heldPrompt = nullptr;
  std::string newText, heldText;
  std::vector<float> logits;
  int64_t rows = 0;
};

/// Two lines on standard error, a third where the device predicts.
void printTimes(const nstf::runtime::Generation &result, const nstf::runtime::Session &session);
