// Fuzzes the files beside a SentencePiece model, separated by NUL: tokenizer_config.json, special_tokens_map.json,
// added_tokens.json and a text. Reads them, then converts the text to ids and back.
#include "runtime/model/SentencePieceTokenizer.h"
#include "test/fuzz/FuzzInput.h"

#include <array>

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes = fuzz::getText(data, size);
  std::array<std::string_view, 4> parts;
  for (std::string_view &part : parts) {
    part = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(bytes.size(), part.size() + 1));
  }
  auto makeFile = [&](int i) { return parts[i].empty() ? "" : fuzz::makeFile(parts[i], i); };
  fuzz::expectRead([&] {
    runtime::SentencePieceTokenizer tokenizer(NSTF_FUZZED_MODEL, {makeFile(0), makeFile(1), makeFile(2)});
    for (std::string_view text : {std::string_view("the <s> cat\xe2\x96\x81  <|user|> \xe4\xb8\xad\n12 "), parts[3]}) {
      runtime::TokenSequence prompt = tokenizer.encodePrompt(text, 1, 1000);
      for (int32_t id : prompt.ids)
        if (id < 0 || id >= tokenizer.vocabularySize())
          std::abort();
      tokenizer.decode(prompt.ids);
    }
    tokenizer.decode(std::vector<int32_t>{0, 1, 2, 3, 419, 420, 421, 1 << 20, -1});
    tokenizer.fitTo(430, "model");
    tokenizer.encode(parts[3]);
  });
  return 0;
}
