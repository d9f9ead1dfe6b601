// Fuzzes tokenizer.json: reads it, then converts texts to ids and back. The part after a NUL in the input is a text
// too.
#include "runtime/model/tokenizer_json/TokenizerJson.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes = fuzz::getText(data, size);
  const size_t end = std::min(bytes.find('\0'), size);
  fuzz::expectRead([&] {
    const runtime::TokenizerJson tokenizer(fuzz::makeFile(bytes.substr(0, end)), /*config=*/"");
    for (std::string_view text : {std::string_view("the cat  \u00e9\u4e2d\n12 "), bytes.substr(end)})
      fuzz::expectRead([&] { tokenizer.decode(tokenizer.encodePrompt(text, std::nullopt, 1000).ids); });
    fuzz::expectRead([&] { tokenizer.decode(std::vector<int32_t>{0, 1, 2, 3, 1 << 20, -1}); });
  });
  return 0;
}
