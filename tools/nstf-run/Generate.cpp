// Runs prompts through a language model, one after another or several at once.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"
#include "tools/nstf-run/TextRun.h"

#include "nstf/Batch.h"

#include <deque>
#include <map>

using namespace nstf::runtime;

/// Runs `options.batch` prompts at once; a new prompt takes the slot of one that has ended. Results are printed in the
/// order of the prompts, each when it and all before it are complete.
static void generateTogether(Session &session, const Options &options, const std::vector<TextRequest> &requests,
                             const std::vector<TokenSequence> &prompts, const Tokenizer *tokenizer) {
  if (options.batch > session.maxRequests())
    throw std::runtime_error("--batch: expected at most " + std::to_string(session.maxRequests()) +
                             ", what the package was compiled for (nstfc --max-batch), but got " +
                             std::to_string(options.batch));
  std::deque<TextRun> runs;
  for (const TextRequest &request : requests)
    runs.emplace_back(session, options, request, tokenizer);
  Batch batch(session);
  std::vector<std::optional<Generation>> results(prompts.size());
  std::map<int64_t, std::size_t> promptOf; // by slot
  std::size_t begun = 0, printed = 0;
  while (printed < prompts.size()) {
    for (; begun < prompts.size() && promptOf.size() < std::size_t(options.batch); ++begun)
      promptOf[batch.add(prompts[begun].ids, runs[begun].begin(prompts[begun].ids))] = begun;
    for (int64_t slot : batch.step()) {
      results[promptOf.at(slot)] = batch.take(slot);
      promptOf.erase(slot);
    }
    for (; printed < prompts.size() && results[printed]; ++printed) {
      if (results[printed]->stop == StopReason::Failed)
        throw std::runtime_error("prompt " + std::to_string(printed + 1) + ": " + results[printed]->error);
      runs[printed].finish(*results[printed]);
    }
  }
}

void generateTexts(Session &session, const Options &options, const std::vector<TextRequest> &requests,
                   const Tokenizer *tokenizer) {
  std::vector<TokenSequence> prompts = encodeRequests(requests, session.package(), tokenizer, options.truncate);
  Generator generator(session);
  forEachPrompt(prompts.size(), [&](std::size_t i) {
    if (!tokenizer && !requests[i].stop.empty())
      throw std::runtime_error("expected a tokenizer, to find stop strings, but the package has none");
    generator.check(prompts[i].ids);
  });
  if (options.batch > 1)
    return generateTogether(session, options, requests, prompts, tokenizer);
  forEachPrompt(prompts.size(), [&](std::size_t i) {
    session.reset();
    TextRun(session, options, requests[i], tokenizer).run(prompts[i].ids);
  });
}
