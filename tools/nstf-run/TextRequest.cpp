#include "tools/nstf-run/TextRequest.h"
#include "support/Escape.h"
#include "support/JsonCursor.h"
#include "tools/nstf-run/ReadText.h"
#include "tools/nstf-run/Values.h"

#include <CLI/Error.hpp>
#include <stdexcept>

using nstf::support::JsonCursor;

nstf::runtime::SamplerOptions TextRequest::getSamplerOptions() const {
  nstf::runtime::SamplerOptions options = nstf::runtime::makeSamplerOptions(model);
  bool isCut = sampling.topK.value_or(0) != 0 || sampling.topP.value_or(1.0f) != 1.0f || sampling.minP.value_or(0) != 0;
  if (isCut && !model.sample.value_or(false))
    options.temperature = 1.0f;
  options.temperature = sampling.temperature.value_or(options.temperature);
  options.topK = sampling.topK.value_or(options.topK);
  options.topP = sampling.topP.value_or(options.topP);
  options.minP = sampling.minP.value_or(options.minP);
  options.repetitionPenalty = sampling.repetitionPenalty.value_or(options.repetitionPenalty);
  options.frequencyPenalty = sampling.frequencyPenalty;
  options.presencePenalty = sampling.presencePenalty;
  options.seed = sampling.seed;
  options.logitBias = sampling.logitBias;
  return options;
}

std::string readPrompt(const std::filesystem::path &file) {
  std::string text = readText(file, 4);
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

namespace {

std::vector<int32_t> readIds(const JsonCursor &value) {
  std::vector<int32_t> ids;
  for (const JsonCursor &id : value.elements(1))
    ids.push_back(static_cast<int32_t>(id.integer(0, INT32_MAX)));
  return ids;
}

std::map<int32_t, double> readBiases(const JsonCursor &value) {
  std::map<int32_t, double> biases;
  for (const auto &[name, bias] : value.members()) {
    try {
      biases[static_cast<int32_t>(parseInteger("", name, 0, INT32_MAX))] = bias.number();
    } catch (const CLI::ValidationError &) {
      bias.fail("expected a token id as the name but got \"" + nstf::support::escape(name) + "\"");
    }
  }
  return biases;
}

std::vector<std::string> readStops(const JsonCursor &value) {
  if (value.isString())
    return {value.nonEmptyString()};
  std::vector<std::string> stops;
  for (const JsonCursor &stop : value.elements())
    stops.push_back(stop.nonEmptyString());
  return stops;
}

void readMember(const std::string &name, const JsonCursor &value, TextRequest &request) {
  if (name == "prompt")
    request.prompt = value.string();
  else if (name == "ids")
    request.ids = readIds(value);
  else if (name == "tokens")
    request.tokens = static_cast<int64_t>(value.integer(0, INT64_MAX));
  else if (name == "ignore_eos")
    request.ignoreEos = value.boolean();
  else if (name == "stop")
    request.stop = readStops(value);
  else if (name == "logprobs")
    request.logprobs = value.integer(0, 1000);
  else if (name == "logit_bias")
    request.sampling.logitBias = readBiases(value);
  else if (name == "repetition_penalty")
    request.sampling.repetitionPenalty = value.number();
  else if (name == "frequency_penalty")
    request.sampling.frequencyPenalty = value.number();
  else if (name == "presence_penalty")
    request.sampling.presencePenalty = value.number();
  else if (name == "temperature")
    request.sampling.temperature = static_cast<float>(value.number());
  else if (name == "top_k")
    request.sampling.topK = static_cast<int64_t>(value.integer(0, INT64_MAX));
  else if (name == "top_p")
    request.sampling.topP = static_cast<float>(value.number());
  else if (name == "min_p")
    request.sampling.minP = value.number();
  else if (name == "seed")
    request.sampling.seed = value.integer(0, UINT64_MAX);
  else
    value.fail("expected prompt, ids, tokens, ignore_eos, stop, logprobs or the name of a sampling option but got \"" +
               nstf::support::escape(name) + "\"");
}

TextRequest readLine(std::string_view line, const std::string &file, int number, const TextRequest &pattern) {
  nlohmann::json document = nstf::support::parseJson(line, file, number);
  const std::string where = file + ":" + std::to_string(number); // outlives the cursor, which holds a reference
  JsonCursor root(document, where);
  TextRequest request = pattern;
  for (const auto &[name, value] : root.members())
    readMember(name, value, request);
  if (request.prompt.has_value() == !request.ids.empty())
    root.fail("expected either prompt or ids but got " + std::string(request.prompt ? "both" : "none"));
  return request;
}

} // namespace

constexpr size_t maxPrompts = 100'000;

std::vector<TextRequest> readPrompts(const std::filesystem::path &file, const TextRequest &pattern) {
  std::string text = readText(file, 16), name = file == "-" ? "standard input" : file.string();
  bool isJson = text.starts_with('{');
  std::vector<TextRequest> requests;
  int number = 0; // at most 16 Mi
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin), where = name + ":" + std::to_string(++number);
    if (line.ends_with('\r'))
      line.pop_back();
    if (line.empty())
      continue;
    if (requests.size() == maxPrompts)
      throw std::runtime_error(where + ": expected at most " + std::to_string(maxPrompts) +
                               " prompts but there are more");
    if (isJson) {
      requests.push_back(readLine(line, name, number, pattern));
    } else {
      requests.push_back(pattern);
      requests.back().prompt = line;
    }
    try {
      nstf::runtime::Sampler check(requests.back().getSamplerOptions());
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(where + ": " + error.what());
    }
  }
  if (requests.empty())
    throw std::runtime_error(name + ": expected a prompt a line, or JSON Lines, but there are none");
  return requests;
}
