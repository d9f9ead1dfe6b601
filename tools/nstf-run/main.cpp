// nstf-run: runs a package.
//
// Standard output has only the result: the text while it is generated, or the ids (--print-ids). Device, times and
// tokens/s go to standard error. Any failure is one line "error: …" on standard error, with exit status 1.
#include "support/Escape.h"
#include "support/Path.h"
#include "support/Tool.h"
#include "support/WriteFile.h"
#include "tools/nstf-run/Commands.h"

#include "nstf/Encoder.h"
#include "nstf/PackageInfo.h"
#include "nstf/StopStrings.h"
#include "support/Progress.h"
#include "tools/nstf-run/Output.h"

#include <cstdio>
#include <iostream>
#include <stdexcept>

using namespace nstf::runtime;

namespace {

void printSession(const Session &session) {
  std::fprintf(stderr, "package: %s, %s for %s\n", nstf::support::describePath(session.package().folder()).c_str(),
               nstf::support::escape(session.manifest().model.name).c_str(), session.target().id.c_str());
  std::fprintf(stderr, "device:  %s (%s), %s\n", session.backend().properties().name.c_str(),
               session.backend().targetId().c_str(), toString(session.backend().kind()));
}

/// Encoders can't generate text, and language models can't compute embeddings.
void checkPurpose(const Package &package, const Options &options) {
  std::string reason = Encoder::reasonAgainst(package.manifest()), folder = package.folder().string();
  if (options.encodes() && !reason.empty())
    throw std::runtime_error(folder + ": expected an encoder for --output, --embed and --token-types with a text but " +
                             reason);
  bool makesText = options.task == Task::Text || options.task == Task::Chat;
  if (makesText && !options.encodes() && reason.empty())
    throw std::runtime_error(folder + ": an encoder makes no text: ask for its last hidden state with "
                                      "--output=FILE.npy, or for the embedding with --embed");
}

/// Adds the package's sampling values, if --sampling=model is given.
TextRequest completeRequest(const Options &options, const Package &package) {
  TextRequest request = options.request;
  if (!options.modelSampling)
    return request;
  const std::optional<nstf::manifest::Sampling> &sampling = package.manifest().model.sampling;
  if (!sampling)
    throw std::runtime_error(package.folder().string() + ": expected a model with a generation_config.json for "
                                                         "--sampling=model but it was compiled without one");
  request.model = *sampling;
  return request;
}

std::vector<TextRequest> requestsOf(const Options &options, const Package &package) {
  TextRequest request = completeRequest(options, package);
  if (!options.promptsFile.empty())
    return readPrompts(options.promptsFile, request);
  if (!options.promptFile.empty())
    request.prompt = readPrompt(options.promptFile);
  return {request};
}

int startChat(const Options &options, Package package) {
  TextRequest request = completeRequest(options, package);
  if (!request.tokens)
    request.tokens = request.model.tokens.value_or(package.manifest().model.context.value_or(1));
  std::unique_ptr<Tokenizer> tokenizer = package.tokenizer(options.tokenizerFile);
  if (!tokenizer)
    throw std::runtime_error(package.folder().string() + ": expected a package with a tokenizer for --chat but it has "
                                                         "none: --tokenizer=FILE gives one");
  Conversation conversation(package, *tokenizer, options.conversation);
  Session session(std::move(package), options.session);
  if (!options.quiet)
    printSession(session);
  return runChat(session, options, request, conversation, *tokenizer);
}

void runTexts(const Options &options, Package package) {
  std::vector<TextRequest> requests = requestsOf(options, package);
  bool needsTokenizer = !options.encodes() && !options.printIds;
  for (const TextRequest &request : requests)
    needsTokenizer |= request.prompt.has_value() || !request.stop.empty();
  std::unique_ptr<Tokenizer> tokenizer = needsTokenizer ? package.tokenizer(options.tokenizerFile) : nullptr;
  Session session(std::move(package), options.session);
  if (!options.quiet)
    printSession(session);
  (options.encodes() ? encodeTexts : generateTexts)(session, options, requests, tokenizer.get());
}

int run(const Options &options) {
  // Checks that need no device come first, so that errors are reported before one is opened.
  for (const auto &[name, file] : options.outputs)
    nstf::support::checkWritable(file);
  if (!options.logitsFile.empty())
    nstf::support::checkWritable(options.logitsFile);
  Sampler sampler(options.request.getSamplerOptions());
  StopStrings stop(options.request.stop);
  Package package = Package::open(options.package);
  if (options.task == Task::Info) {
    std::cout << (options.json ? describePackageAsJson(package) : describePackage(package));
    return 0;
  }
  checkPurpose(package, options);
  if (options.task == Task::Chat)
    return startChat(options, std::move(package));
  if (options.task == Task::Text) {
    runTexts(options, std::move(package));
    return 0;
  }
  PerplexityTexts texts;
  if (options.task == Task::Perplexity)
    texts = readPerplexityTexts(options, package);
  Session session(std::move(package), options.session);
  if (!options.quiet)
    printSession(session);
  if (options.task == Task::Perplexity)
    printPerplexity(session, options, texts);
  else if (options.task == Task::Bench)
    runBench(session, options);
  else
    runTensors(session, options);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return nstf::support::runTool([&] {
    Options options;
    std::optional<int> exitStatus = parseOptions(argc, argv, options);
    if (exitStatus)
      return *exitStatus;
    if (!options.quiet)
      nstf::support::showProgress();
    return run(options);
  });
}
