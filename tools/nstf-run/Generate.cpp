// A prompt through a language model: the text as it grows, ids or logits, and the times.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"

#include "nstf/Generate.h"

#include <cstdio>
#include <cstring>

using namespace nstf;
using namespace nstf::runtime;

namespace {

void printTimes(const Generation &result, const Session &session) {
  auto rate = [](double tokens, double seconds) { return seconds > 0 ? tokens / seconds : 0.0; };
  std::fprintf(stderr, "prompt:  %zu tokens in %zu steps, %.3f s, %.1f tokens/s\n", result.promptTokens,
               result.promptSteps, result.promptSeconds, rate(double(result.promptTokens), result.promptSeconds));
  // The first new token comes out of the prompt's last step, so decode steps are what decode seconds were spent on.
  std::fprintf(stderr, "decode:  %zu tokens in %zu steps, %.3f s, %.1f tokens/s (%s)\n", result.newTokens(),
               result.decodeSteps, result.decodeSeconds, rate(double(result.decodeSteps), result.decodeSeconds),
               session.graphState().c_str());
  const char *reasons[] = {"as many tokens as asked for", "end of text", "the context is full"};
  std::fprintf(stderr, "stopped: %s\n", reasons[static_cast<int>(result.stop)]);
}

} // namespace

void generateText(Session &session, const Options &options, const Tokenizer *tokenizer) {
  std::vector<std::int32_t> prompt = promptOf(options, session.package(), tokenizer).ids;
  bool printIds = options.printIds || !tokenizer;
  std::unique_ptr<StreamDecoder> decoder;
  auto show = [&](std::int32_t id) {
    if (!printIds)
      std::cout << decoder->push(id) << std::flush;
  };
  if (!printIds)
    decoder = std::make_unique<StreamDecoder>(*tokenizer);

  std::vector<float> logits;
  std::int64_t rows = 0;
  GenerateOptions generation;
  generation.tokens = options.tokens;
  generation.sampling = options.sampling;
  generation.stopAtEos = !options.ignoreEos;
  generation.chunk = options.chunk;
  generation.onToken = show;
  if (!options.logitsFile.empty())
    generation.onLogits = [&](std::span<const float> row) {
      logits.insert(logits.end(), row.begin(), row.end());
      ++rows;
    };
  Generator generator(session);
  generator.check(prompt);
  for (std::int32_t id : prompt)
    show(id);
  Generation result = generator.generate(prompt, generation);

  if (printIds)
    printNumbers(result.ids);
  else
    std::cout << decoder->finish() << '\n';
  finishOutput();
  if (!options.logitsFile.empty()) {
    HostTensor tensor{manifest::ElementType::F32, {rows, rows ? std::int64_t(logits.size()) / rows : 0}, {}};
    tensor.data.resize(logits.size() * sizeof(float));
    std::memcpy(tensor.data.data(), logits.data(), tensor.data.size());
    writeNpy(options.logitsFile, tensor);
  }
  printTimes(result, session);
}
