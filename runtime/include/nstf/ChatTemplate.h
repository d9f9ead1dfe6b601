// Chat templates: they turn a conversation into text of the form that an instruct model was trained on.
//
//   ChatTemplate chat = ChatTemplate::parse(text, "tokenizer_config.json: chat_template");
//   std::string prompt = chat.render({{{"role", "user"}, {"content", "Hello"}}}, {.bosToken = "<s>"});
//
// The template language is Jinja as Hugging Face's transformers configures it (trim_blocks, lstrip_blocks, loop
// controls, tojson, raise_exception, strftime_now, generation), and the text is the same to the byte.
// docs/chat-templates.md lists what is supported, what is refused and what limits a rendering.
#pragma once

#include "nstf/ChatLimits.h"

#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nstf::runtime {

namespace jinja {
struct Template;
}

/// The template itself refuses a conversation, by raise_exception: "the conversation has two system turns".
class ChatRefusal : public std::runtime_error {
public:
  /// what() is "FILE:LINE:COLUMN: the template refuses the conversation: MESSAGE".
  ChatRefusal(const std::string &place, const std::string &message);
  std::string message; ///< the template's own words
};

struct ChatOptions {
  bool addGenerationPrompt = true;
  /// Undefined in the template where the model has no such token.
  std::optional<std::string> bosToken, eosToken;
  nlohmann::ordered_json tools = nullptr;                              ///< array of JSON schemas; null: no tools
  nlohmann::ordered_json variables = nlohmann::ordered_json::object(); ///< by name: {"enable_thinking": false}
  /// The time that strftime_now formats; by default the local time.
  std::function<std::tm()> clock;
  ChatLimits limits = {};
};

class ChatTemplate {
public:
  /// Throws std::runtime_error "FILE:LINE:COLUMN: …" on a syntax error and on unsupported constructs, even in branches
  /// that no conversation takes. `file` is the text's name.
  static ChatTemplate parse(std::string_view text, const std::string &file);

  /// `messages`: an array of {"role": …, "content": …, …}. Throws ChatRefusal, or std::runtime_error with the place in
  /// the template. A template is immutable: any number of threads may render it.
  std::string render(const nlohmann::ordered_json &messages, const ChatOptions &options = {}) const;

private:
  explicit ChatTemplate(std::shared_ptr<const jinja::Template> parsed) : parsed(std::move(parsed)) {}
  std::shared_ptr<const jinja::Template> parsed;
};

} // namespace nstf::runtime
