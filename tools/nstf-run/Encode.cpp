// A text through an encoder: hidden states into files, or its embedding.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"

#include "nstf/Encoder.h"

#include <chrono>
#include <cstdio>
#include <iomanip>
#include <span>

using namespace nstf::runtime;

void encodeText(Session &session, const Options &options, const Tokenizer *tokenizer) {
  TokenSequence text = promptOf(options, session.package(), tokenizer);
  if (!options.tokenTypes.empty())
    text.types = options.tokenTypes;
  Encoder encoder(session);
  auto start = std::chrono::steady_clock::now();
  encoder.run(text);
  std::vector<std::pair<std::string, HostTensor>> results;
  for (const auto &[name, file] : options.outputs)
    results.emplace_back(file, name == "embedding" ? encoder.embedding() : session.output(name));
  bool print = options.embed && options.outputs.empty();
  HostTensor embedding = print ? encoder.embedding() : HostTensor();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto &[file, tensor] : results)
    writeNpy(file, tensor);
  if (options.printIds)
    printNumbers(text.ids);
  if (print) {
    std::cout << std::setprecision(9); // as many digits as tell any two floats apart
    printNumbers(std::span(embedding.as<float>(), embedding.elements()));
  }
  finishOutput();
  std::fprintf(stderr, "text:    %zu tokens, %.3f s (%s)\n", text.ids.size(), seconds, session.graphState().c_str());
}
