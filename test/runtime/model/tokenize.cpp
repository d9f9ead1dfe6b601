// Tokenize FILE [BOS]: answers requests on standard input, one JSON object a line, for the comparison with Hugging
// Face's libraries (test/runtime/model/Inputs/compare_tokenizers.py and compare_pieces.py). BOS: the model's.
//   {"text": "…"}  →  {"ids": […], "prompt": […], "types": […]}   ids alone, and with what the file puts around them
//   {"ids": […]}   →  {"text": "…", "streamed": […]}              the whole text, and what each token added
#include "nstf/Tokenizer.h"

#include <iostream>
#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace nstf::runtime;

static json answer(const Tokenizer &tokenizer, std::optional<int32_t> bos, const json &request) {
  if (request.contains("text")) {
    std::string text = request["text"];
    TokenSequence prompt = tokenizer.encodePrompt(text, bos);
    return {{"ids", tokenizer.encode(text)}, {"prompt", prompt.ids}, {"types", prompt.types}};
  }
  std::vector<int32_t> ids = request["ids"];
  StreamDecoder decoder(tokenizer);
  json parts = json::array();
  for (int32_t id : ids)
    parts.push_back(decoder.push(id));
  parts.push_back(decoder.finish());
  return {{"text", tokenizer.decode(ids)}, {"streamed", parts}};
}

int main(int argc, char **argv) {
  try {
    if (argc != 2 && argc != 3)
      throw std::runtime_error("expected a tokenizer's file");
    std::unique_ptr<Tokenizer> tokenizer = Tokenizer::load(argv[1]);
    std::optional<int32_t> bos = argc == 3 ? std::optional(std::stoi(argv[2])) : std::nullopt;
    for (std::string line; std::getline(std::cin, line);)
      try {
        std::cout << answer(*tokenizer, bos, json::parse(line)) << '\n';
      } catch (const std::runtime_error &error) {
        std::cout << json{{"error", error.what()}} << '\n';
      }
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
