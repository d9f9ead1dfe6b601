// nstf-run: runs a package.
//
// Standard output holds the result and nothing else: the text as it grows, or the ids (--print-ids). Device, times and
// tokens/s go to standard error. Any failure is one line "error: …" there, and exit status 1.
#include "tools/nstf-run/Commands.h"

#include "nstf/Encoder.h"

#include <cstdio>
#include <iostream>
#include <stdexcept>

using namespace nstf::runtime;

namespace {

void printSession(const Session &session) {
  std::fprintf(stderr, "package: %s, %s for %s\n", session.package().folder().c_str(),
               session.manifest().model.name.c_str(), session.target().id.c_str());
  std::fprintf(stderr, "device:  %s (%s), %s\n", session.backend().properties().name.c_str(),
               session.backend().targetId().c_str(), toString(session.backend().kind()));
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
    encodeText(session, options, tokenizer.get());
  else if (text)
    generateText(session, options, tokenizer.get());
  else
    runTensors(session, options);
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
