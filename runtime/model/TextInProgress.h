// A text that a language model generates: the choice of its next token, its end, and the result so far. The caller runs
// the steps, for one text or many, and asks for each token.
#pragma once

#include "nstf/Generate.h"
#include "runtime/model/LanguageOutputs.h"
#include "runtime/model/RunClock.h"

namespace nstf::runtime {

class TextInProgress {
public:
  /// The session's states already hold the first `held` ids of `sequence`. Throws std::runtime_error on sampling
  /// options outside their range. The session outlives the text.
  TextInProgress(const Session &session, std::span<const int32_t> sequence, std::size_t held,
                 const GenerateOptions &options);

  /// Ids that are still to be run: the rest of the prompt, or the last token.
  std::span<const int32_t> getWaiting() const { return std::span(result.ids).subspan(run); }
  /// Position of the first of these ids.
  int64_t getPosition() const { return static_cast<int64_t>(run); }
  /// Records a step that ran the next `rows` ids. `outputs` holds the logits of the last one, as request `request`.
  void addStep(std::size_t rows, const LanguageOutputs &outputs, std::size_t request);
  /// Chooses the next token from the outputs of the last step. Precondition: all ids were run, and the text has not
  /// ended. Throws std::runtime_error; LogitsError when no token can be chosen.
  int32_t chooseToken(const LanguageOutputs &outputs, std::size_t request);
  /// Appends the token to the text, which may end with it.
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
