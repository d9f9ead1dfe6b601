// The options of a conversation.
#include "support/Json.h"
#include "tools/nstf-run/Options.h"

static const char *group = "Conversations";

static nlohmann::ordered_json parseVariables(const std::string &text) {
  nstf::support::parseJson(text, "--chat-variables"); // throws, with the place, on invalid JSON
  auto variables = nlohmann::ordered_json::parse(text);
  if (!variables.is_object())
    throw CLI::ValidationError("--chat-variables", "expected an object but got " + text);
  return variables;
}

void addChatOptions(CLI::App &app, Options &options) {
  app.add_flag_callback(
         "--chat", [] {}, // Options.cpp checks whether it is given
         "answer the lines of standard input, one after the other, by the model's chat template; a line that ends in a "
         "backslash goes on in the next one. Ctrl-D ends the conversation, Ctrl-C an answer too. An answer is as long "
         "as the context allows, unless --tokens or the model says otherwise")
      ->group(group);
  app.add_option_function<std::string>(
         "--system", [&](const std::string &text) { options.conversation.system = text; },
         "how the model is to behave: a message before the first turn")
      ->group(group)
      ->type_name("TEXT");
  app.add_option_function<std::string>(
         "--chat-variables", [&](const std::string &text) { options.conversation.variables = parseVariables(text); },
         "more of what the template reads, by name: '{\"enable_thinking\": false}'")
      ->group(group)
      ->type_name("JSON");
}
