// Fuzzes chat templates: parses one, then renders a conversation within small limits. The conversation is the JSON
// after a NUL in the input.
#include "nstf/ChatTemplate.h"
#include "support/Utf8.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;
using nlohmann::ordered_json;

static runtime::ChatOptions makeOptions() {
  runtime::ChatOptions options;
  options.bosToken = "<s>";
  options.tools = ordered_json::parse(R"([{"name": "roll", "parameters": {"sides": [4, 6.5], "é": null}}])");
  options.variables = ordered_json::parse(R"({"n": 7, "words": ["b", "A", "ß"], "flag": true})");
  options.clock = [] {
    std::tm time = {};
    time.tm_year = 124;
    time.tm_mday = 6;
    return time;
  };
  options.limits = {.steps = 5000, .memoryBytes = 1 << 19, .textBytes = 1 << 15, .depth = 200};
  return options;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const runtime::ChatOptions options = makeOptions();
  const std::string_view bytes = fuzz::getText(data, size);
  const size_t end = std::min(bytes.find('\0'), size);
  const ordered_json given =
      ordered_json::parse(bytes.substr(std::min(end + 1, size)), nullptr, /*allow_exceptions=*/false);
  static const ordered_json usual = ordered_json::parse(R"([{"role": "system", "content": "Be brief."},
    {"role": "user", "content": " Grüße, \"you\" & <me>\n"}, {"role": "assistant", "content": "日本"}])");
  fuzz::expectRead([&] {
    const runtime::ChatTemplate chat = runtime::ChatTemplate::parse(bytes.substr(0, end), "fuzz");
    const std::string text = chat.render(given.is_discarded() ? usual : given, options);
    if (text.size() > options.limits.textBytes)
      std::abort();
    for (std::string_view rest = text; !rest.empty();) {
      const support::Utf8Prefix character = support::utf8Prefix(rest);
      if (!character.valid)
        std::abort();
      rest.remove_prefix(character.length);
    }
  });
  return 0;
}
