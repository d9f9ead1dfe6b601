// A conversation with a language model, turn by turn.
//
// The model's chat template makes a prompt of all turns so far; what the session's states hold of it from the turns
// before isn't run again.
//
//   Package package = Package::open("model.nstf");
//   std::unique_ptr<Tokenizer> tokenizer = package.tokenizer();
//   Conversation conversation(package, *tokenizer, {.system = "You are brief."});
//   Session session(package);
//   Turn turn = conversation.ask("What is a wave?");
//   Generation result = Generator(session).generateFrom(turn.held, turn.ids, {.eos = conversation.getEnds()});
//   conversation.answer(result, tokenizer->decode(result.newIds()));
#pragma once

#include "nstf/ChatTemplate.h"
#include "nstf/Generate.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

struct ConversationOptions {
  std::optional<std::string> system; ///< how the model is to behave: a message before the first turn
  /// More of what the template reads, by name: {"enable_thinking": false}.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};

/// What is run to get an answer.
struct Turn {
  std::string prompt;       ///< the whole conversation, as the template writes it
  std::vector<int32_t> ids; ///< of the prompt
  std::size_t held;         ///< the session's states hold so many of them
};

class Conversation {
public:
  /// `tokenizer` outlives the conversation. Throws std::runtime_error where the package is no language model or has no
  /// chat template.
  Conversation(const Package &package, const Tokenizer &tokenizer, ConversationOptions options = {});

  /// Adds a message of the user's. Throws std::runtime_error, and leaves the conversation as it was, where the template
  /// refuses it or the conversation outgrows the model's context.
  Turn ask(std::string_view message);
  /// Adds the model's answer to it: what Generator::generateFrom gave, and its text.
  void answer(const Generation &result, std::string_view text);

  /// What ends a turn beside the model's own ends of text: the tokenizer's.
  const std::vector<int32_t> &getEnds() const { return ends; }
  /// [{"role": "user", "content": "…"}, …]
  const nlohmann::ordered_json &getMessages() const { return messages; }

private:
  const Tokenizer &tokenizer;
  ChatTemplate form;
  ChatOptions options;
  std::size_t context;
  std::vector<int32_t> ends;
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  std::vector<int32_t> held; // what the session's states are of
};

} // namespace nstf::runtime
