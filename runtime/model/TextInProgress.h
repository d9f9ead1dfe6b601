// A text that a language model writes: how its next token is chosen, when it ends, and what is told of it. Who runs the
// steps, for one text or many, asks it for each token.
#pragma once

#include "nstf/Generate.h"
#include "runtime/model/LanguageOutputs.h"
#include "runtime/model/RunClock.h"

namespace nstf::runtime {

class TextInProgress {
public:
  /// A sequence, whose first `held` ids the session's states hold from before. Throws std::runtime_error on sampling
  /// options outside their range. The session outlives the text.
  TextInProgress(const Session &session, std::span<const int32_t> sequence, std::size_t held,
                 const GenerateOptions &options);

  /// Ids that are still to be run: the rest of the prompt, or the token before.
  std::span<const int32_t> getWaiting() const { return std::span(result.ids).subspan(run); }
  /// Where the first of them stands.
  int64_t getPosition() const { return static_cast<int64_t>(run); }
  /// Takes note of a step with so many of them, which left the logits of the last in `outputs`, of request `request`.
  void addStep(std::size_t rows, const LanguageOutputs &outputs, std::size_t request);
  /// The next token, by the step before. Precondition: all ids were run, and the text has not ended. Throws
  /// std::runtime_error: LogitsError where no token can be chosen.
  int32_t chooseToken(const LanguageOutputs &outputs, std::size_t request);
  /// Takes it into the text, which may end with it.
  void addToken(int32_t token);
  void fail(const std::string &error);
  bool hasEnded() const { return ended; }
  const GenerateOptions &getOptions() const { return options; }

  Generation result;

private:
  void end(StopReason reason);
  void endPrompt();

  GenerateOptions options;
  Sampler sampler;
  RunClock clock;
  std::vector<int32_t> eos;
  int64_t context;
  std::size_t run;
  bool ended = false;
};

} // namespace nstf::runtime
