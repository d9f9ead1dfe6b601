#include "nstf/Generate.h"
#include "nstf/Encoder.h"
#include "nstf/StopStrings.h"
#include "runtime/model/NonFinite.h"
#include "runtime/model/RunClock.h"
#include "support/Progress.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

using manifest::ElementType;

std::vector<int64_t> planChunks(const manifest::Target &target, int64_t tokens, int64_t limit) {
  int64_t largest = limit > 0 ? std::min(limit, target.maxTokens()) : target.maxTokens();
  std::vector<int64_t> chunks;
  while (tokens > 0) {
    int64_t size = std::min(tokens, largest);
    if (!target.bucketFor(size)) {
      // Between two buckets: the most the lower one takes.
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

Generator::Generator(Session &session) : session(session) {
  const manifest::Manifest &manifest = session.manifest();
  auto fail = [&](const std::string &what) {
    throw std::runtime_error(session.package().folder().string() + ": expected a language model, with " + what +
                             "; run other packages with named inputs and outputs");
  };
  if (Encoder::accepts(manifest))
    throw std::runtime_error(session.package().folder().string() +
                             ": expected a language model but got an encoder, which makes no text");
  const manifest::Port *ids = manifest.findInput("ids");
  if (!ids || ids->type != ElementType::I32 || ids->shape.str() != "[tokens]" || manifest.inputs.size() != 1)
    fail("one input \"ids\", i32 [tokens]");
  if (!manifest.model.context || !manifest.model.vocabulary)
    fail("a context and a vocabulary");
  context = *manifest.model.context;
  vocabulary = *manifest.model.vocabulary;
  const manifest::Port *logits = manifest.findOutput("logits"), *next = manifest.findOutput("next");
  if (!logits || logits->type != ElementType::F32 || logits->shape.dimensions != std::vector{int64_t(1), vocabulary})
    fail("an output \"logits\", f32 [1, " + std::to_string(vocabulary) + "]");
  hasNext = next && next->type == ElementType::I32 && next->shape.dimensions == std::vector<int64_t>{1};
}

void Generator::step(std::span<const int32_t> ids) {
  session.setInput("ids", makeIds(ids));
  session.run(static_cast<int64_t>(ids.size()));
}

void Generator::run(std::span<const int32_t> ids, const GenerateOptions &options) {
  step(ids);
  if (options.onLogits) {
    HostTensor logits = session.output("logits");
    options.onLogits({logits.as<float>(), logits.elements()});
  }
}

int32_t Generator::nextToken(Sampler &sampler, const GenerateOptions &options, Generation &result) const {
  HostTensor tensor = session.output("logits");
  std::span<const float> logits(tensor.as<float>(), tensor.elements());
  int32_t token;
  try {
    if (sampler.takesLargest() && hasNext) {
      checkLogits(logits);
      token = *session.output("next").as<int32_t>();
      if (token < 0 || token >= vocabulary)
        throw std::runtime_error("expected the device to choose a token from 0 to " + std::to_string(vocabulary - 1) +
                                 " but got " + std::to_string(token));
    } else {
      token = sampler.sample(logits);
    }
  } catch (const std::runtime_error &error) {
    const std::string place = "step " + std::to_string(result.promptSteps + result.decodeSteps) +
                              ", for the token at position " + std::to_string(session.position()) + ": ";
    const bool isOfLogits = dynamic_cast<const LogitsError *>(&error);
    throw std::runtime_error(place + error.what() +
                             (isOfLogits ? explainText(session, result.ids, result.promptTokens, options.chunk) : ""));
  }
  if (options.logprobs)
    result.logprobs.push_back({{token, logits[token] - logSumExp(logits)}, likeliest(logits, *options.logprobs)});
  return token;
}

void Generator::check(std::span<const int32_t> prompt) const {
  if (prompt.empty())
    throw std::runtime_error("expected a prompt of at least one token but got none");
  for (int32_t id : prompt)
    if (id < 0 || id >= vocabulary)
      throw std::runtime_error("expected token ids from 0 to " + std::to_string(vocabulary - 1) + " but got " +
                               std::to_string(id));
  int64_t left = context - session.position();
  if (static_cast<int64_t>(prompt.size()) > left)
    throw std::runtime_error("expected a prompt of at most " + std::to_string(left) + " tokens, " +
                             (session.position() ? "what is left of the model's context" : "the model's context") +
                             ", but got " + std::to_string(prompt.size()));
}

void Generator::readPrompt(std::span<const int32_t> prompt, const GenerateOptions &options, Generation &result) {
  support::Progress progress("reading the prompt", "tokens", prompt.size());
  for (int64_t chunk : planChunks(session.target(), static_cast<int64_t>(prompt.size()), options.chunk)) {
    run(prompt.first(chunk), options);
    prompt = prompt.subspan(chunk);
    progress.add(chunk);
    ++result.promptSteps;
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
  Sampler sampler(options.sampling);
  sampler.begin(sequence);

  Generation result;
  result.ids.assign(sequence.begin(), sequence.end());
  result.promptTokens = sequence.size();
  result.heldTokens = held;
  RunClock clock(session.backend());
  if (!clock.chip().empty())
    result.predicted = {.chip = clock.chip()};
  auto ends = [&](double &seconds, double Generation::Predicted::*predicted) {
    const RunTime time = clock.lap();
    seconds = time.seconds;
    if (result.predicted)
      (*result.predicted).*predicted = time.predictedSeconds();
  };
  auto promptEnds = [&] { ends(result.promptSeconds, &Generation::Predicted::promptSeconds); };
  readPrompt(sequence.subspan(held), options, result);
  std::vector<int32_t> eos = session.manifest().model.eos;
  eos.insert(eos.end(), options.eos.begin(), options.eos.end());
  while (static_cast<int64_t>(result.newTokens()) < options.tokens) {
    int32_t token = nextToken(sampler, options, result);
    if (result.newTokens() == 0)
      promptEnds();
    result.ids.push_back(token);
    if (options.onToken)
      options.onToken(token);
    if (options.stopAfter && options.stopAfter(token)) {
      result.stop = StopReason::Asked;
      break;
    }
    if (options.stopAtEos && std::find(eos.begin(), eos.end(), token) != eos.end()) {
      result.stop = StopReason::EndOfText;
      break;
    }
    if (static_cast<int64_t>(result.newTokens()) >= options.tokens)
      break;
    if (session.position() >= context) {
      result.stop = StopReason::Context;
      break;
    }
    run({&token, 1}, options);
    ++result.decodeSteps;
  }
  if (result.newTokens() == 0)
    promptEnds();
  else
    ends(result.decodeSeconds, &Generation::Predicted::decodeSeconds);
  return result;
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
    decoder.push(id); // what follows decodes in the light of what stood before
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
