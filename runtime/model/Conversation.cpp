#include "nstf/Conversation.h"
#include "nstf/Encoder.h"
#include "runtime/model/tokenizer_json/TokenizerConfig.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

static ChatTemplate readTemplate(const Package &package) {
  const std::string folder = package.folder().string(), &file = package.manifest().model.tokenizer.chatTemplate;
  if (Encoder::accepts(package.manifest()))
    throw std::runtime_error(folder + ": expected a language model but got an encoder, which answers nothing");
  if (file.empty())
    throw std::runtime_error(folder + ": expected a package with a chat template but its model has none (nstfc "
                                      "--chat-template=FILE puts one in)");
  std::filesystem::path path = package.resolve(file);
  return ChatTemplate::parse(support::readTextFile(path.string()), path.string());
}

/// The text of a special token from the tokenizer's files or, if they do not mention the role, that of `id` in the
/// vocabulary.
static std::optional<std::string> findText(const TokenizerConfig &config, const char *role, const Tokenizer &tokenizer,
                                           std::optional<int32_t> id) {
  if (config.mentions(role)) {
    std::optional<NamedToken> token = config.special(role);
    return token ? std::optional(token->token.content) : std::nullopt;
  }
  return id ? tokenizer.nameOf(*id) : std::nullopt;
}

Conversation::Conversation(const Package &package, const Tokenizer &tokenizer, ConversationOptions settings)
    : tokenizer(tokenizer), form(readTemplate(package)) {
  const manifest::Model &model = package.manifest().model;
  if (!model.context)
    throw std::runtime_error(package.folder().string() + ": expected a language model, with a context");
  context = std::size_t(*model.context);
  TokenizerConfig config(package.tokenizerSideFiles());
  options.bosToken = findText(config, "bos_token", tokenizer, model.bos);
  options.eosToken =
      findText(config, "eos_token", tokenizer, model.eos.empty() ? std::nullopt : std::optional(model.eos.front()));
  options.variables = std::move(settings.variables);
  for (const char *role : {"unk_token", "sep_token", "pad_token", "cls_token", "mask_token"})
    if (std::optional<NamedToken> token = config.special(role); token && !options.variables.contains(role))
      options.variables[role] = token->token.content;
  if (options.eosToken)
    if (std::vector<int32_t> ids = tokenizer.encode(*options.eosToken); ids.size() == 1)
      ends = ids;
  if (settings.system)
    messages.push_back({{"role", "system"}, {"content", *settings.system}});
}

Turn Conversation::ask(std::string_view message) {
  nlohmann::ordered_json asked = messages;
  asked.push_back({{"role", "user"}, {"content", message}});
  Turn turn;
  turn.prompt = form.render(asked, options);
  turn.ids = tokenizer.encode(turn.prompt);
  if (turn.ids.size() > context)
    throw std::runtime_error("the conversation has outgrown the model's context: with this message it has " +
                             std::to_string(turn.ids.size()) + " tokens, and " + std::to_string(context) +
                             " are what the model takes");
  if (turn.ids.empty())
    throw std::runtime_error("expected the chat template to make a prompt but it made an empty text");
  auto [end, ignored] = std::mismatch(turn.ids.begin(), turn.ids.end() - 1, held.begin(), held.end());
  turn.held = std::size_t(end - turn.ids.begin());
  held.resize(turn.held); // the rest will be overwritten, perhaps not entirely
  messages = std::move(asked);
  return turn;
}

void Conversation::answer(const Generation &result, std::string_view text) {
  held = result.ids;
  held.resize(result.promptTokens + result.decodeSteps); // the last token has not been run
  messages.push_back({{"role", "assistant"}, {"content", text}});
}

} // namespace nstf::runtime
