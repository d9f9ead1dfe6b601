// Chat templates: a conversation as the text that an instruct model was trained on.
//
//   ChatTemplate chat = ChatTemplate::parse(text, "tokenizer_config.json: chat_template");
//   std::string prompt = chat.render({{{"role", "user"}, {"content", "Hello"}}}, {.bosToken = "<s>"});
//
// The template is Jinja as Hugging Face's transformers set it up (trim_blocks, lstrip_blocks, loop controls, tojson,
// raise_exception, strftime_now, generation), and the text is the same to the byte. What is understood, what is refused
// and what bounds a run: runtime/model/chat_template/README.md.
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

/// What the template itself says against a conversation, by raise_exception: "the conversation has two system turns".
class ChatRefusal : public std::runtime_error {
public:
  /// what() is "FILE:LINE:COLUMN: the template refuses the conversation: MESSAGE".
  ChatRefusal(const std::string &place, const std::string &message);
  std::string message; ///< the template's own words
};

struct ChatOptions {
  bool addGenerationPrompt = true;
  /// Undefined in the template where the model has none.
  std::optional<std::string> bosToken, eosToken;
  nlohmann::ordered_json tools = nullptr;                              ///< array of JSON schemas; null: none
  nlohmann::ordered_json variables = nlohmann::ordered_json::object(); ///< more, by name: {"enable_thinking": false}
  /// The time that strftime_now tells; local time by default.
  std::function<std::tm()> clock;
  ChatLimits limits = {};
};

class ChatTemplate {
public:
  /// Throws std::runtime_error "FILE:LINE:COLUMN: …" for what is no template and for constructs that are not supported,
  /// in branches that no conversation takes too. `file` is the text's name.
  static ChatTemplate parse(std::string_view text, const std::string &file);

  /// `messages`: an array of {"role": …, "content": …, …}. Throws ChatRefusal, or std::runtime_error with the place in
  /// the template. Templates don't change: any number of threads may render one.
  std::string render(const nlohmann::ordered_json &messages, const ChatOptions &options = {}) const;

private:
  explicit ChatTemplate(std::shared_ptr<const jinja::Template> parsed) : parsed(std::move(parsed)) {}
  std::shared_ptr<const jinja::Template> parsed;
};

} // namespace nstf::runtime
