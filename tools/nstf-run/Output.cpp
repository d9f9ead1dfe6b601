#include "tools/nstf-run/Output.h"
#include "support/Escape.h"

#include <cstdio>
#include <stdexcept>

using namespace nstf::runtime;

std::vector<TokenSequence> encodeRequests(const std::vector<TextRequest> &requests, const Package &package,
                                          const Tokenizer *tokenizer, std::size_t truncate) {
  std::vector<TokenSequence> texts;
  for (const TextRequest &request : requests) {
    if (request.prompt && !tokenizer)
      throw std::runtime_error(package.folder().string() +
                               ": the package has no tokenizer: give one with --tokenizer, or token ids with --ids");
    texts.push_back(request.prompt ? tokenizer->encodePrompt(*request.prompt, package.manifest().model.bos, truncate)
                                   : TokenSequence{request.ids, {}});
  }
  return texts;
}

void forEachPrompt(std::size_t count, const std::function<void(std::size_t)> &function) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      function(i);
    } catch (const std::runtime_error &error) {
      if (count == 1)
        throw;
      throw std::runtime_error("prompt " + std::to_string(i + 1) + ": " + error.what());
    }
  }
}

void printPredicted(const RunTime &time) {
  if (time.predicted)
    std::fprintf(stderr, "predicted on %s: %.3f ms\n", nstf::support::escape(time.predicted->chip).c_str(),
                 time.predictedSeconds() * 1e3);
}

void addPredicted(nlohmann::ordered_json &result, const char *key, const RunTime &time) {
  if (time.predicted)
    result[key] = {{"chip", time.predicted->chip}, {"seconds", time.predictedSeconds()}};
}

nlohmann::ordered_json beginResult(const char *kind, const Session &session) {
  return {{"kind", kind},
          {"package", session.package().folder().string()},
          {"model", session.manifest().model.name},
          {"target", session.target().id},
          {"device", session.backend().properties().name}};
}

void printResult(const nlohmann::ordered_json &result) {
  std::cout << result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}
