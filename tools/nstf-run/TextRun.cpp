#include "tools/nstf-run/TextRun.h"
#include "support/Escape.h"
#include "tools/nstf-run/Output.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace nstf;
using namespace nstf::runtime;
using Json = nlohmann::ordered_json;

namespace {

double rate(std::size_t tokens, double seconds) { return seconds > 0 ? double(tokens) / seconds : 0.0; }

/// Predicted seconds per decode step; 0 if there was none.
double decodeStep(const Generation &result) {
  return result.decodeSteps ? result.predicted->decodeSeconds / double(result.decodeSteps) : 0.0;
}

} // namespace

void printTimes(const Generation &result, const Session &session) {
  const std::size_t promptTokens = result.promptTokens - result.heldTokens;
  std::fprintf(stderr, "prompt:  %zu tokens in %zu steps, %.3f s, %.1f tokens/s\n", promptTokens, result.promptSteps,
               result.promptSeconds, rate(promptTokens, result.promptSeconds));
  // The first new token comes from the prompt's last step, so the rate of decoding counts decode steps, not new tokens.
  std::fprintf(stderr, "decode:  %zu tokens in %zu steps, %.3f s, %.1f tokens/s (%s)\n", result.newTokens(),
               result.decodeSteps, result.decodeSeconds, rate(result.decodeSteps, result.decodeSeconds),
               session.graphState().c_str());
  if (result.predicted)
    std::fprintf(stderr, "predicted on %s: prompt %.3f ms; decode %.3f ms a step, %.1f tokens/s\n",
                 nstf::support::escape(result.predicted->chip).c_str(), result.predicted->promptSeconds * 1e3,
                 decodeStep(result) * 1e3, rate(result.decodeSteps, result.predicted->decodeSeconds));
}

TextRun::TextRun(Session &session, const Options &options, const TextRequest &request, const Tokenizer *tokenizer,
                 const TurnOptions *turn)
    : session(session), options(options), request(request), tokenizer(tokenizer), turn(turn), stop(request.stop),
      streams(tokenizer && !options.printIds && !options.json) {
  if (tokenizer)
    decoder.emplace(*tokenizer);
}

void TextRun::show(const std::string &text, bool isNew) {
  if (isNew)
    newText += text;
  if (isHeld)
    heldText += text;
  else if (streams)
    std::cout << text << std::flush;
}

/// Shows the prompt when the first token comes: until then the progress line may be on the terminal.
void TextRun::showPrompt(const std::vector<int32_t> &prompt) {
  if (decoder && !std::exchange(isPromptShown, true))
    for (int32_t id : prompt)
      if (std::string text = decoder->push(id); !turn)
        show(text, false);
}

void TextRun::showRest(const std::vector<int32_t> &prompt) {
  showPrompt(prompt);
  if (decoder)
    show(stop.push(decoder->finish()) + stop.finish(), true);
}

GenerateOptions TextRun::makeOptions(const std::vector<int32_t> &prompt) {
  GenerateOptions generation;
  generation.tokens = request.getTokens();
  generation.sampling = request.getSamplerOptions();
  generation.stopAtEos = !request.ignoreEos;
  generation.chunk = options.chunk;
  generation.logprobs = request.logprobs;
  generation.stopAfter = [this, &prompt](int32_t id) {
    showPrompt(prompt);
    if (decoder)
      show(stop.push(decoder->push(id)), true);
    wasInterrupted = turn && turn->isInterrupted();
    return stop.found() || wasInterrupted;
  };
  if (!options.logitsFile.empty())
    generation.onLogits = [this](std::span<const float> row) {
      logits.insert(logits.end(), row.begin(), row.end());
      ++rows;
    };
  if (turn)
    generation.eos = turn->eos;
  return generation;
}

Generation TextRun::run(const std::vector<int32_t> &prompt) {
  Generation result = Generator(session).generateFrom(turn ? turn->held : 0, prompt, makeOptions(prompt));
  showRest(prompt);
  print(result);
  return result;
}

GenerateOptions TextRun::begin(const std::vector<int32_t> &prompt) {
  isHeld = true;
  heldPrompt = &prompt;
  return makeOptions(prompt);
}

void TextRun::finish(const Generation &result) {
  showRest(*heldPrompt);
  if (streams)
    std::cout << heldText;
  print(result);
}

void TextRun::print(const Generation &result) {
  if (options.json)
    printResult(describe(result));
  else if (streams)
    std::cout << '\n';
  else
    printNumbers(result.ids);
  std::cout.flush();
  writeLogits();
  if (!options.quiet && !turn) {
    printTimes(result, session);
    const char *reasons[] = {"as many tokens as asked for", "end of text", "the context is full", "a stop string"};
    std::fprintf(stderr, "stopped: %s\n", reasons[static_cast<int>(result.stop)]);
  }
  if (!options.json)
    printLogprobs(result);
}

void TextRun::writeLogits() const {
  if (options.logitsFile.empty())
    return;
  HostTensor tensor{manifest::ElementType::F32, {rows, rows ? int64_t(logits.size()) / rows : 0}, {}};
  tensor.data.resize(logits.size() * sizeof(float));
  std::memcpy(tensor.data.data(), logits.data(), tensor.data.size());
  writeNpy(options.logitsFile, tensor);
}

std::string TextRun::getText(int32_t id, int32_t before) const {
  int32_t both[] = {before, id};
  std::string text = tokenizer->decode(both), first = tokenizer->decode({both, 1});
  return text.starts_with(first) ? text.substr(first.size()) : tokenizer->decode({both + 1, 1});
}

Json TextRun::describe(const TokenLogprob &token, int32_t before) const {
  Json json = {{"id", token.id}};
  if (tokenizer)
    json["text"] = getText(token.id, before);
  json["logprob"] = std::isfinite(token.logprob) ? Json(token.logprob) : Json(); // null: a masked token
  return json;
}

const char *TextRun::getReason(const Generation &result) const {
  const char *reasons[] = {"tokens", "end_of_text", "context", wasInterrupted ? "interrupted" : "stop_string"};
  return reasons[static_cast<int>(result.stop)];
}

Json TextRun::describe(const Generation &result) const {
  Json json = beginResult("text", session);
  if (request.prompt)
    json["prompt"] = *request.prompt;
  std::span<const int32_t> newIds = result.newIds();
  json["prompt_ids"] = std::vector<int32_t>(result.ids.begin(), result.ids.end() - std::ptrdiff_t(newIds.size()));
  if (turn)
    json["held_tokens"] = result.heldTokens;
  json["ids"] = std::vector<int32_t>(newIds.begin(), newIds.end());
  if (tokenizer)
    json["text"] = newText;
  json["stopped"] = getReason(result);
  if (request.logprobs) {
    Json tokens = Json::array();
    for (std::size_t i = 0; i < result.logprobs.size(); ++i) {
      int32_t before = result.ids[result.promptTokens + i - 1];
      Json token = describe(result.logprobs[i].token, before);
      token["likeliest"] = Json::array();
      for (const TokenLogprob &other : result.logprobs[i].likeliest)
        token["likeliest"].push_back(describe(other, before));
      tokens.push_back(token);
    }
    json["logprobs"] = tokens;
  }
  json["times"] = {{"prompt_steps", result.promptSteps},
                   {"prompt_seconds", result.promptSeconds},
                   {"prompt_tokens_per_second", rate(result.promptTokens, result.promptSeconds)},
                   {"decode_steps", result.decodeSteps},
                   {"decode_seconds", result.decodeSeconds},
                   {"decode_tokens_per_second", rate(result.decodeSteps, result.decodeSeconds)}};
  if (result.predicted)
    json["predicted"] = {{"chip", result.predicted->chip},
                         {"prompt_seconds", result.predicted->promptSeconds},
                         {"decode_step_seconds", decodeStep(result)},
                         {"decode_tokens_per_second", rate(result.decodeSteps, result.predicted->decodeSeconds)}};
  return json;
}

void TextRun::printLogprobs(const Generation &result) const {
  for (std::size_t i = 0; i < result.logprobs.size(); ++i) {
    int32_t before = result.ids[result.promptTokens + i - 1];
    auto print = [&](const char *separator, const TokenLogprob &token) {
      std::fprintf(stderr, "%s%d", separator, token.id);
      if (tokenizer) // quoted, so that control characters don't break the line
        std::fprintf(stderr, " %s", Json(getText(token.id, before)).dump().c_str());
      std::fprintf(stderr, " %.6f", token.logprob);
    };
    print("logprob: ", result.logprobs[i].token);
    const char *separator = "; likeliest ";
    for (const TokenLogprob &token : result.logprobs[i].likeliest) {
      print(separator, token);
      separator = ", ";
    }
    std::fputc('\n', stderr);
  }
}
