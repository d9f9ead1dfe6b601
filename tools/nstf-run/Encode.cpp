// Runs texts through an encoder: writes hidden states to files, or prints embeddings.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"

#include "nstf/Encoder.h"

#include <cstdio>
#include <iomanip>
#include <span>

using namespace nstf::runtime;

static void encodeText(Session &session, const Options &options, const TokenSequence &text) {
  Encoder encoder(session);
  RunClock clock(session.backend());
  encoder.run(text);
  std::vector<std::pair<std::string, HostTensor>> results;
  for (const auto &[name, file] : options.outputs)
    results.emplace_back(file, name == "embedding" ? encoder.embedding() : session.output(name));
  bool print = options.embed && options.outputs.empty();
  HostTensor embedding = print || (options.embed && options.json) ? encoder.embedding() : HostTensor();
  std::span values(embedding.as<float>(), embedding.data.size() / sizeof(float));
  const RunTime time = clock.lap();
  for (const auto &[file, tensor] : results)
    writeNpy(file, tensor);
  if (options.json) {
    auto json = beginResult("encoding", session);
    json["ids"] = text.ids;
    if (options.embed)
      json["embedding"] = std::vector<float>(values.begin(), values.end());
    json["seconds"] = time.seconds;
    addPredicted(json, "predicted", time);
    printResult(json);
  } else {
    if (options.printIds)
      printNumbers(text.ids);
    if (print) {
      std::cout << std::setprecision(9); // enough digits to distinguish any two floats
      printNumbers(values);
    }
  }
  std::cout.flush();
  if (options.quiet)
    return;
  std::fprintf(stderr, "text:    %zu tokens, %.3f s (%s)\n", text.ids.size(), time.seconds,
               session.graphState().c_str());
  printPredicted(time);
}

void encodeTexts(Session &session, const Options &options, const std::vector<TextRequest> &requests,
                 const Tokenizer *tokenizer) {
  std::vector<TokenSequence> texts = encodeRequests(requests, session.package(), tokenizer, options.truncate);
  forEachPrompt(texts.size(), [&](std::size_t i) {
    if (!options.tokenTypes.empty())
      texts[i].types = options.tokenTypes;
    Encoder(session).check(texts[i]);
  });
  forEachPrompt(texts.size(), [&](std::size_t i) { encodeText(session, options, texts[i]); });
}
