#include "nstf/Generate.h"
#include "nstf/StopStrings.h"
#include "runtime/model/NonFinite.h"
#include "runtime/model/TextInProgress.h"
#include "support/Progress.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

std::vector<int64_t> planChunks(const manifest::Target &target, int64_t tokens, int64_t limit) {
  int64_t largest = limit > 0 ? std::min(limit, target.maxTokens()) : target.maxTokens();
  std::vector<int64_t> chunks;
  while (tokens > 0) {
    int64_t size = std::min(tokens, largest);
    if (!target.bucketFor(size)) {
      // `size` lies between two buckets: takes the largest size of the lower bucket.
      int64_t below = 0;
      for (const manifest::Bucket &bucket : target.buckets)
        if (bucket.maxTokens < size)
          below = bucket.maxTokens;
      if (below == 0)
        throw std::runtime_error("expected steps of as many tokens as the package was compiled for (" +
                                 target.bucketRanges() + ") but " + std::to_string(tokens) +
                                 (chunks.empty() ? "" : " more") + " are to be run" +
                                 (limit > 0 ? ", at most " + std::to_string(limit) + " a step" : ""));
      size = below;
    }
    chunks.push_back(size);
    tokens -= size;
  }
  return chunks;
}

Generator::Generator(Session &session) : session(session), outputs(std::make_unique<LanguageOutputs>(session)) {}
Generator::~Generator() = default;

void Generator::step(std::span<const int32_t> ids) {
  session.setInput("ids", makeIds(ids));
  session.run(static_cast<int64_t>(ids.size()));
}

std::vector<float> Generator::logits() const { return outputs->readLogits(); }

void Generator::check(std::span<const int32_t> prompt) const { outputs->checkPrompt(prompt, session.position()); }

void Generator::readPrompt(TextInProgress &text) {
  support::Progress progress("reading the prompt", "tokens", text.getWaiting().size());
  for (int64_t chunk :
       planChunks(session.target(), static_cast<int64_t>(text.getWaiting().size()), text.getOptions().chunk)) {
    step(text.getWaiting().first(chunk));
    text.addStep(chunk, *outputs, 0);
    progress.add(chunk);
  }
}

int32_t Generator::chooseToken(TextInProgress &text) {
  const Generation &result = text.result;
  try {
    return text.chooseToken(*outputs, 0);
  } catch (const std::runtime_error &error) {
    const std::string place = "step " + std::to_string(result.promptSteps + result.decodeSteps) +
                              ", for the token at position " + std::to_string(session.position()) + ": ";
    const bool isOfLogits = dynamic_cast<const LogitsError *>(&error);
    throw std::runtime_error(
        place + error.what() +
        (isOfLogits ? explainText(session, result.ids, result.promptTokens, text.getOptions().chunk) : ""));
  }
}

Generation Generator::generate(std::span<const int32_t> prompt, const GenerateOptions &options) {
  check(prompt);
  return generateWhole(prompt, 0, options);
}

Generation Generator::generateFrom(std::size_t held, std::span<const int32_t> sequence,
                                   const GenerateOptions &options) {
  held = std::min(held, sequence.empty() ? 0 : sequence.size() - 1);
  session.seek(static_cast<int64_t>(held));
  check(sequence.subspan(held));
  return generateWhole(sequence, held, options);
}

Generation Generator::generateWhole(std::span<const int32_t> sequence, std::size_t held,
                                    const GenerateOptions &options) {
  TextInProgress text(session, sequence, held, options);
  readPrompt(text);
  while (!text.hasEnded()) {
    text.addToken(chooseToken(text));
    if (text.hasEnded())
      break;
    step(text.getWaiting());
    text.addStep(1, *outputs, 0);
  }
  return std::move(text.result);
}

std::vector<int32_t> encodePrompt(const manifest::Model &model, const Tokenizer &tokenizer, std::string_view prompt) {
  return tokenizer.encodePrompt(prompt, model.bos).ids;
}

TextModel TextModel::load(const std::filesystem::path &path, const SessionOptions &options) {
  Package package = Package::open(path);
  std::unique_ptr<Tokenizer> tokenizer = package.tokenizer();
  if (!tokenizer)
    throw std::runtime_error(path.string() + ": expected a package with a tokenizer but it has none: give token ids");
  return TextModel(std::make_unique<Session>(std::move(package), options), std::move(tokenizer));
}

std::vector<int32_t> TextModel::encode(std::string_view prompt) const {
  return encodePrompt(held->manifest().model, *words, prompt);
}

Generation TextModel::generate(std::string_view prompt, const GenerateOptions &options,
                               const std::function<void(std::string_view)> &onText) {
  std::vector<int32_t> ids = encode(prompt);
  StreamDecoder decoder(*words);
  StopStrings stop(options.stop);
  for (int32_t id : ids)
    decoder.push(id); // decoding depends on the preceding tokens
  auto show = [&](const std::string &text) {
    if (onText && !text.empty())
      onText(text);
  };
  GenerateOptions streaming = options;
  streaming.stopAfter = [&](int32_t id) {
    show(stop.push(decoder.push(id)));
    return stop.found() || (options.stopAfter && options.stopAfter(id));
  };
  held->reset();
  Generation result = Generator(*held).generate(ids, streaming);
  show(stop.push(decoder.finish()) + stop.finish());
  return result;
}

} // namespace nstf::runtime
