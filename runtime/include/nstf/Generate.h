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
// Failures throw std::runtime_error with a message for people.
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
  /// New tokens at most; a sequence ends at the model's context in any case.
  int64_t tokens = std::numeric_limits<int64_t>::max();
  SamplerOptions sampling;       ///< greedy unless told otherwise
  bool stopAtEos = true;         ///< end after one of the model's eos ids, which is the last of the result
  std::vector<int32_t> eos = {}; ///< further ids of that kind
  /// Largest number of prompt tokens a step; 0: what the package's largest bucket takes.
  int64_t chunk = 0;
  /// TextModel: strings that end the text, which is what comes before the first of them.
  std::vector<std::string> stop;
  /// Asked after each new token: true ends the generation.
  std::function<bool(int32_t)> stopAfter;
  /// For each new token, beside its own probability, those of so many of the likeliest; not set: none of them.
  std::optional<std::size_t> logprobs;
  /// Called with each new token as soon as it is known.
  std::function<void(int32_t)> onToken;
  /// Called after each step that was run, chunks of the prompt included, with the logits of its last position.
  std::function<void(std::span<const float>)> onLogits;
};

enum class StopReason {
  Tokens,    ///< as many as were asked for
  EndOfText, ///< an eos id
  Context,   ///< no position is left
  Asked,     ///< a stop string, or stopAfter
  Failed,    ///< of a Batch: no token could be chosen; Generation::error says why
};

/// How probable a new token was, by the model's logits before any step of the Sampler.
struct TokenLogprobs {
  TokenLogprob token;
  std::vector<TokenLogprob> likeliest; ///< may hold the token too
};

struct Generation {
  std::vector<int32_t> ids; ///< the prompt's and the new ones
  std::size_t promptTokens = 0;
  std::size_t heldTokens = 0; ///< of the prompt, which were not run again
  StopReason stop = StopReason::Tokens;
  std::string error;                            ///< empty unless it failed
  std::vector<TokenLogprobs> logprobs;          ///< for each new token, where they were asked for
  std::size_t promptSteps = 0, decodeSteps = 0; ///< decode steps take one token each
  double promptSeconds = 0;                     ///< until the first new token is known
  double decodeSeconds = 0;                     ///< from then on
  struct Predicted {
    std::string chip;
    double promptSeconds = 0, decodeSeconds = 0; ///< of the same two on that chip
  };
  std::optional<Predicted> predicted; ///< where the device predicts time
  std::size_t newTokens() const { return ids.size() - promptTokens; }
  std::span<const int32_t> newIds() const { return std::span(ids).subspan(promptTokens); }
};

/// The sizes of the steps that take `tokens` rows: as large as `target`'s buckets and `limit` (0: none) allow, the rest
/// last. Throws std::runtime_error when the buckets leave a gap that cannot be filled.
std::vector<int64_t> planChunks(const manifest::Target &target, int64_t tokens, int64_t limit = 0);

class LanguageOutputs;
class TextInProgress;

/// The loop of a language model on a session: input "ids", outputs "logits" (f32 [requests, vocabulary]) and, where the
/// package has it, "next" (i32 [requests], the greedy token, chosen on the device), of which it uses the first row. The
/// device's choice passes over NaN, so the logits are looked at after every step that a token is chosen from, whoever
/// chooses.
class Generator {
public:
  /// Throws std::runtime_error when the package is no language model. The session outlives the generator.
  explicit Generator(Session &session);
  ~Generator();
  /// Throws std::runtime_error when generate would refuse the prompt: it is empty, an id is outside the vocabulary, or
  /// it is longer than what is left of the context.
  void check(std::span<const int32_t> prompt) const;
  /// Continues the session's sequence with the prompt's ids and then with tokens of its own. (The last token is not
  /// run: it is not needed to know it.) Throws std::runtime_error: an empty prompt, an id outside the vocabulary, a
  /// prompt longer than what is left of the context; and with the step and the token's position, logits that no token
  /// can be chosen from (nstf/Logits.h).
  Generation generate(std::span<const int32_t> prompt, const GenerateOptions &options = {});
  /// The same with a whole sequence, whose first `held` ids the session's states hold from before: only what follows
  /// is run, at least the last one.
  Generation generateFrom(std::size_t held, std::span<const int32_t> sequence, const GenerateOptions &options = {});

  /// One step with these tokens at the session's position; the session's output "logits" is that of the last one.
  void step(std::span<const int32_t> ids);

  /// Those logits.
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
  /// Throws std::runtime_error; also when the package has no tokenizer.
  static TextModel load(const std::filesystem::path &package, const SessionOptions &options = {});

  /// Starts anew with the prompt, as encodePrompt makes it, and calls `onText` with pieces of the continuation, each of
  /// whole UTF-8 characters.
  Generation generate(std::string_view prompt, const GenerateOptions &options = {},
                      const std::function<void(std::string_view)> &onText = {});
  /// The ids generate starts from.
  std::vector<int32_t> encode(std::string_view prompt) const;
  Session &session() { return *held; }
  const Tokenizer &tokenizer() const { return *words; }

private:
  TextModel(std::unique_ptr<Session> session, std::unique_ptr<Tokenizer> tokenizer)
      : held(std::move(session)), words(std::move(tokenizer)) {}
  std::unique_ptr<Session> held;
  std::unique_ptr<Tokenizer> words;
};

/// Ids of a prompt: the text's tokens and what the tokenizer's file, or the model by its BOS, wants before them.
std::vector<int32_t> encodePrompt(const manifest::Model &model, const Tokenizer &tokenizer, std::string_view prompt);

} // namespace nstf::runtime
