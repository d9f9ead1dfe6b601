//===- main.cpp - nstf-run: runs a package -----------------------------------------===//
//
// Standard output holds the result and nothing else: the text as it grows, or the ids (--print-ids). Device, times and
// tokens/s go to standard error. Any failure is one line "error: …" there, and exit status 1.
//
//===----------------------------------------------------------------------------------===//
#include "tools/nstf-run/Options.h"

#include "nstf/Encoder.h"
#include "nstf/Generate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <span>
#include <stdexcept>

using namespace nstf;
using namespace nstf::runtime;

namespace {

void printSession(const Session &session) {
  std::fprintf(stderr, "package: %s, %s for %s\n", session.package().folder().c_str(),
               session.manifest().model.name.c_str(), session.target().id.c_str());
  std::fprintf(stderr, "device:  %s (%s), %s\n", session.backend().properties().name.c_str(),
               session.backend().targetId().c_str(), toString(session.backend().kind()));
}

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

void finishOutput() {
  std::cout.flush();
  if (!std::cout)
    throw std::runtime_error("cannot write to standard output: " + std::string(std::strerror(errno)));
}

TokenSequence promptOf(const Options &options, const Package &package, const Tokenizer *tokenizer) {
  if (!options.prompt)
    return {options.ids, {}};
  if (!tokenizer)
    throw std::runtime_error(package.folder().string() +
                             ": the package has no tokenizer: give one with --tokenizer, or token ids with --ids");
  return tokenizer->encodePrompt(*options.prompt, package.manifest().model.bos, options.truncate);
}

void printNumbers(const auto &numbers) {
  const char *separator = "";
  for (auto number : numbers) {
    std::cout << separator << number;
    separator = " ";
  }
  std::cout << '\n';
}

/// A text in, hidden states or an embedding out.
void encode(Session &session, const Options &options, const Tokenizer *tokenizer) {
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

/// Prompt in, tokens out.
void generate(Session &session, const Options &options, const Tokenizer *tokenizer) {
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

/// Named tensors in, named tensors out, one step.
void runOnce(Session &session, const Options &options) {
  const manifest::Manifest &manifest = session.manifest();
  // Without an input whose first dimension is "tokens", the step is the smallest there is.
  std::int64_t tokens = session.target().buckets.front().minTokens;
  bool known = false;
  for (const auto &[name, file] : options.inputs) {
    HostTensor value = readNpy(file);
    try {
      session.setInput(name, value);
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(file + ": " + error.what());
    }
    if (const manifest::Port *port = manifest.findInput(name); port->shape.hasTokens() && !known) {
      tokens = value.shape.front();
      known = true;
    }
  }
  auto start = std::chrono::steady_clock::now();
  session.run(tokens);
  std::vector<HostTensor> results;
  for (const auto &[name, file] : options.outputs)
    results.push_back(session.output(name));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t i = 0; i < results.size(); ++i)
    writeNpy(options.outputs[i].second, results[i]);
  std::fprintf(stderr, "step:    %lld rows, %.3f s (%s)\n", static_cast<long long>(tokens), seconds,
               session.graphState().c_str());
}

/// An encoder makes no text, and a language model's states are no embedding.
void checkPurpose(const Package &package, bool text, bool encodes) {
  std::string reason = Encoder::reasonAgainst(package.manifest());
  if (encodes && !reason.empty())
    throw std::runtime_error(package.folder().string() +
                             ": expected an encoder for --output, --embed and --token-types "
                             "with a text but " +
                             reason);
  if (text && !encodes && reason.empty())
    throw std::runtime_error(package.folder().string() + ": an encoder makes no text: ask for its last hidden state "
                                                         "with --output=FILE.npy, or for the embedding with --embed");
}

int run(const Options &options) {
  // What needs no device comes first: its errors should not wait for one.
  Sampler check(options.sampling);
  Package package = Package::open(options.package);
  bool text = options.prompt || !options.ids.empty();
  bool encodes = text && (options.encodes() || !options.outputs.empty());
  checkPurpose(package, text, encodes);
  std::unique_ptr<Tokenizer> tokenizer;
  if (options.prompt || (text && !encodes && !options.printIds))
    tokenizer = package.tokenizer(options.tokenizerFile);
  Session session(std::move(package), options.session);
  printSession(session);
  if (encodes)
    encode(session, options, tokenizer.get());
  else if (text)
    generate(session, options, tokenizer.get());
  else
    runOnce(session, options);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (std::optional<int> exitStatus = parseOptions(argc, argv, options))
    return *exitStatus;
  try {
    return run(options);
  } catch (const std::exception &error) {
    std::cout.flush();
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
