// A conversation with a language model, turn by turn.
//
// The model's chat template makes a prompt of all turns so far. Ids of the prompt that the session's states already
// hold from earlier turns are not run again.
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
  std::optional<std::string> system; ///< the system message: instructions before the first turn
  /// Further variables of the template, by name: {"enable_thinking": false}.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};

/// The input of a run that gets an answer.
struct Turn {
  std::string prompt;       ///< the whole conversation, as the template writes it
  std::vector<int32_t> ids; ///< of the prompt
  std::size_t held;         ///< the session's states hold the first `held` of them
};

class Conversation {
public:
  /// `tokenizer` outlives the conversation. Throws std::runtime_error when the package is not a language model or has
  /// no chat template.
  Conversation(const Package &package, const Tokenizer &tokenizer, ConversationOptions options = {});

  /// Adds a user message. If the template refuses it or the conversation outgrows the model's context, throws
  /// std::runtime_error and leaves the conversation as it was.
  Turn ask(std::string_view message);
  /// Adds the model's answer to the last message: the result of Generator::generateFrom, and its text.
  void answer(const Generation &result, std::string_view text);

  /// Ids that end a turn in addition to the model's own eos ids: the tokenizer's eos token, where it is one id.
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
  std::vector<int32_t> held; // ids that the session's states hold
};

} // namespace nstf::runtime
