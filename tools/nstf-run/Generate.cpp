// Prompts through a language model, one after the other.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"
#include "tools/nstf-run/TextRun.h"

using namespace nstf::runtime;

void generateTexts(Session &session, const Options &options, const std::vector<TextRequest> &requests,
                   const Tokenizer *tokenizer) {
  std::vector<TokenSequence> prompts = encodeRequests(requests, session.package(), tokenizer, options.truncate);
  Generator generator(session);
  forEachPrompt(prompts.size(), [&](std::size_t i) {
    if (!tokenizer && !requests[i].stop.empty())
      throw std::runtime_error("expected a tokenizer, to find stop strings, but the package has none");
    generator.check(prompts[i].ids);
  });
  forEachPrompt(prompts.size(), [&](std::size_t i) {
    session.reset();
    TextRun(session, options, requests[i], tokenizer).run(prompts[i].ids);
  });
}
