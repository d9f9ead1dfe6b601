#include "runtime/model/TextInProgress.h"

#include <algorithm>

namespace nstf::runtime {

TextInProgress::TextInProgress(const Session &session, std::span<const int32_t> sequence, std::size_t held,
                               const GenerateOptions &options)
    : options(options), sampler(options.sampling), clock(session.backend()), eos(session.manifest().model.eos),
      context(session.manifest().model.context.value()), run(held) {
  sampler.begin(sequence);
  result.ids.assign(sequence.begin(), sequence.end());
  result.promptTokens = sequence.size();
  result.heldTokens = held;
  if (!clock.chip().empty())
    result.predicted = {.chip = clock.chip()};
  eos.insert(eos.end(), options.eos.begin(), options.eos.end());
}

void TextInProgress::addStep(std::size_t rows, const LanguageOutputs &outputs, std::size_t request) {
  ++(result.newTokens() ? result.decodeSteps : result.promptSteps);
  run += rows;
  if (options.onLogits)
    options.onLogits(outputs.readLogits(request));
  if (getWaiting().empty() && options.tokens == 0) {
    endPrompt();
    ended = true;
  }
}

int32_t TextInProgress::chooseToken(const LanguageOutputs &outputs, std::size_t request) {
  const std::vector<float> logits = outputs.readLogits(request);
  int32_t token;
  if (sampler.takesLargest() && outputs.hasNext()) {
    checkLogits(logits);
    token = outputs.readNext(request);
  } else {
    token = sampler.sample(logits);
  }
  if (options.logprobs)
    result.logprobs.push_back({{token, logits[token] - logSumExp(logits)}, likeliest(logits, *options.logprobs)});
  return token;
}

void TextInProgress::addToken(int32_t token) {
  if (result.newTokens() == 0)
    endPrompt();
  result.ids.push_back(token);
  if (options.onToken)
    options.onToken(token);
  if (options.stopAfter && options.stopAfter(token))
    return end(StopReason::Asked);
  if (options.stopAtEos && std::ranges::find(eos, token) != eos.end())
    return end(StopReason::EndOfText);
  if (static_cast<int64_t>(result.newTokens()) >= options.tokens)
    return end(StopReason::Tokens);
  if (getPosition() >= context)
    return end(StopReason::Context);
}

void TextInProgress::fail(const std::string &error) {
  result.error = error;
  end(StopReason::Failed);
}

void TextInProgress::endPrompt() {
  const RunTime time = clock.lap();
  result.promptSeconds = time.seconds;
  if (result.predicted)
    result.predicted->promptSeconds = time.predictedSeconds();
}

void TextInProgress::end(StopReason reason) {
  const RunTime time = clock.lap();
  result.decodeSeconds = time.seconds;
  if (result.predicted)
    result.predicted->decodeSeconds = time.predictedSeconds();
  result.stop = reason;
  ended = true;
}

} // namespace nstf::runtime
