// Text from a package in ten lines:
//
//   #include <iostream>
//   #include <nstf/Generate.h>
//
//   int main() {
//     auto model = nstf::runtime::TextModel::load("model.nstf");
//     nstf::runtime::GenerateOptions options;
//     options.tokens = 100;
//     options.sampling = {.temperature = 0.8f, .topP = 0.9f, .seed = 1};
//     model.generate("Once upon a time", options, [](std::string_view text) { std::cout << text << std::flush; });
//   }
//
// Failures throw std::runtime_error with a message for users.
#pragma once

#include "nstf/Sampler.h"
#include "nstf/Session.h"
#include "nstf/Tokenizer.h"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

struct GenerateOptions {
  /// Maximum number of new tokens; a sequence ends at the model's context in any case.
  int64_t tokens = std::numeric_limits<int64_t>::max();
  SamplerOptions sampling;       ///< greedy by default
  bool stopAtEos = true;         ///< ends after one of the model's eos ids; that id is the last of the result
  std::vector<int32_t> eos = {}; ///< further eos ids
  /// Maximum number of prompt tokens in one step; 0: the largest number that the package's buckets take.
  int64_t chunk = 0;
  /// TextModel: strings that end the text. The text then ends before the first of them.
  std::vector<std::string> stop;
  /// Called after each new token; true ends the generation.
  std::function<bool(int32_t)> stopAfter;
  /// The number of likeliest tokens whose probabilities are recorded for each new token, beside its own; not set: no
  /// probabilities are recorded.
  std::optional<std::size_t> logprobs;
  /// Called with each new token as soon as it is known.
  std::function<void(int32_t)> onToken;
  /// Called after each step, chunks of the prompt included, with the logits of the step's last position.
  std::function<void(std::span<const float>)> onLogits;
};

enum class StopReason {
  Tokens,    ///< the number asked for was generated
  EndOfText, ///< an eos id
  Context,   ///< no position is left
  Asked,     ///< a stop string, or stopAfter
  Failed,    ///< only in a Batch: no token could be chosen; Generation::error says why
};

/// The probability of a new token, by the model's logits before any step of the Sampler.
struct TokenLogprobs {
  TokenLogprob token;
  std::vector<TokenLogprob> likeliest; ///< may include the token itself
};

struct Generation {
  std::vector<int32_t> ids; ///< ids of the prompt, then the new ones
  std::size_t promptTokens = 0;
  std::size_t heldTokens = 0; ///< prompt tokens that the states already held; they were not run again
  StopReason stop = StopReason::Tokens;
  std::string error;                            ///< empty unless it failed
  std::vector<TokenLogprobs> logprobs;          ///< for each new token, if they were asked for
  std::size_t promptSteps = 0, decodeSteps = 0; ///< a decode step takes one token
  double promptSeconds = 0;                     ///< until the first new token is chosen
  double decodeSeconds = 0;                     ///< from then on
  struct Predicted {
    std::string chip;
    double promptSeconds = 0, decodeSeconds = 0; ///< the same two times, predicted for that chip
  };
  std::optional<Predicted> predicted; ///< only if the device predicts time
  std::size_t newTokens() const { return ids.size() - promptTokens; }
  std::span<const int32_t> newIds() const { return std::span(ids).subspan(promptTokens); }
};

/// The sizes of the steps that run `tokens` rows: as large as `target`'s buckets and `limit` (0: none) allow, the
/// remainder last. Throws std::runtime_error when the buckets leave a gap that cannot be filled.
std::vector<int64_t> planChunks(const manifest::Target &target, int64_t tokens, int64_t limit = 0);

class LanguageOutputs;
class TextInProgress;

/// The generation loop of a language model on a session: input "ids", outputs "logits" (f32 [requests, vocabulary])
/// and, where the package has it, "next" (i32 [requests], the greedy token, chosen on the device). The generator uses
/// the first row of both. The device's argmax skips NaN, so the generator checks the logits after every step from which
/// a token is chosen, on the host or on the device.
class Generator {
public:
  /// Throws std::runtime_error when the package is not a language model. The session outlives the generator.
  explicit Generator(Session &session);
  ~Generator();
  /// Throws std::runtime_error when generate would refuse the prompt: it is empty, an id is outside the vocabulary, or
  /// it is longer than the rest of the context.
  void check(std::span<const int32_t> prompt) const;
  /// Runs the prompt's ids after the session's sequence and continues with tokens that it generates. (The last token is
  /// not run: no token is chosen after it.) Throws std::runtime_error on an empty prompt, an id outside the vocabulary,
  /// and a prompt longer than the rest of the context. Throws it too on logits from which no token can be chosen
  /// (nstf/Logits.h); the message then names the step and the token's position.
  Generation generate(std::span<const int32_t> prompt, const GenerateOptions &options = {});
  /// The same with a whole sequence. The session's states already hold its first `held` ids; only the ids after them
  /// are run, at least the last one.
  Generation generateFrom(std::size_t held, std::span<const int32_t> sequence, const GenerateOptions &options = {});

  /// Runs one step with these tokens at the session's position; the session's output "logits" is then that of the last
  /// one.
  void step(std::span<const int32_t> ids);

  /// The logits of the last step.
  std::vector<float> logits() const;

private:
  Generation generateWhole(std::span<const int32_t> sequence, std::size_t held, const GenerateOptions &options);
  void readPrompt(TextInProgress &text);
  int32_t chooseToken(TextInProgress &text);

  Session &session;
  std::unique_ptr<LanguageOutputs> outputs;
};

/// A package with its tokenizer, for text in and text out.
class TextModel {
public:
  /// Throws std::runtime_error, also when the package has no tokenizer.
  static TextModel load(const std::filesystem::path &package, const SessionOptions &options = {});

  /// Starts a new sequence with the prompt, as encodePrompt makes it, and calls `onText` with pieces of the
  /// continuation. Each piece consists of whole UTF-8 characters.
  Generation generate(std::string_view prompt, const GenerateOptions &options = {},
                      const std::function<void(std::string_view)> &onText = {});
  /// The ids with which generate starts.
  std::vector<int32_t> encode(std::string_view prompt) const;
  Session &session() { return *held; }
  const Tokenizer &tokenizer() const { return *words; }

private:
  TextModel(std::unique_ptr<Session> session, std::unique_ptr<Tokenizer> tokenizer)
      : held(std::move(session)), words(std::move(tokenizer)) {}
  std::unique_ptr<Session> held;
  std::unique_ptr<Tokenizer> words;
};

/// Ids of a prompt: the text's tokens after those that the tokenizer's file, or else the model's BOS, puts before them.
std::vector<int32_t> encodePrompt(const manifest::Model &model, const Tokenizer &tokenizer, std::string_view prompt);

} // namespace nstf::runtime
