#include "runtime/model/tokenizer_json/TokenizerJson.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/TokenizerConfig.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Utf8.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

namespace {
std::optional<support::JsonCursor> findGiven(const support::JsonCursor &json, const char *key) {
  std::optional<support::JsonCursor> value = json.find(key);
  return value && value->isNull() ? std::nullopt : value;
}
} // namespace

TokenizerJson::TokenizerJson(const std::filesystem::path &path, const std::filesystem::path &config) {
  support::MappedFile mapped(path);
  std::string file = path.string();
  nlohmann::json document = support::parseJson(mapped.text(), file);
  support::JsonCursor root(document, file);
  if (auto version = root.find("version"))
    version->getChoice({"1.0"});
  model = WordModel::read(root["model"]);
  if (auto json = findGiven(root, "normalizer"))
    normalizer = Normalizer(*json);
  if (auto json = findGiven(root, "pre_tokenizer"))
    preTokenizer = readPreTokenizer(*json);
  if (auto json = findGiven(root, "added_tokens"))
    added = AddedTokens(*json, model->vocabulary(), normalizer);
  if (auto json = findGiven(root, "post_processor"))
    postProcessor = readPostProcessor(*json, vocabularySize());
  auto json = findGiven(root, "decoder");
  decoder = json ? readDecoder(*json) : joinBySpaces();
  if (!config.empty())
    readConfig(config);
}

void TokenizerJson::readConfig(const std::filesystem::path &path) {
  TokenizerConfig config({.config = path, .specialTokens = {}, .addedTokens = {}});
  std::optional<bool> flag = config.flag("add_bos_token");
  std::optional<NamedToken> token = config.special("bos_token");
  if (!flag || !token)
    return;
  const std::string &name = token->token.content;
  std::optional<int32_t> id = added.getId(name);
  if (!id)
    id = model->vocabulary().getId(name);
  if (!id && *flag)
    throw std::runtime_error(token->place + ": expected a token of the tokenizer beside but got \"" +
                             support::escape(name) + "\"");
  if (!id)
    return;
  addBos = flag;
  bosToken = *id;
}

std::optional<std::string> TokenizerJson::nameOf(int32_t id) const {
  if (const AddedToken *token = added.find(id))
    return token->content;
  const std::string *piece = model->vocabulary().getName(id);
  return piece ? std::optional(*piece) : std::nullopt;
}

int32_t TokenizerJson::vocabularySize() const { return std::max(model->vocabulary().size(), added.size()); }

void TokenizerJson::encodePiece(Piece piece, std::vector<int32_t> &ids) const {
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  if (preTokenizer)
    preTokenizer(pieces);
  for (const Piece &part : pieces)
    model->encode(part.text, ids);
}

std::vector<int32_t> TokenizerJson::encode(std::string_view bytes) const {
  std::string text = unicode::makeValid(bytes);
  std::vector<int32_t> ids;
  for (const AddedTokens::Part &part : added.cut(text, /*normalized=*/false)) {
    if (part.token) {
      ids.push_back(*part.token);
      continue;
    }
    std::string normal = normalizer(std::string(part.text));
    for (const AddedTokens::Part &inner : added.cut(normal, /*normalized=*/true)) {
      if (inner.token)
        ids.push_back(*inner.token);
      else
        encodePiece({std::string(inner.text), part.offset == 0 && inner.offset == 0}, ids);
    }
  }
  return ids;
}

bool TokenizerJson::processorAddsBos() const {
  std::vector<int32_t> around = postProcessor ? postProcessor({}).ids : std::vector<int32_t>();
  return !around.empty() && around.front() == bosToken;
}

TokenSequence TokenizerJson::encodePrompt(std::string_view text, std::optional<int32_t>, std::size_t limit) const {
  auto surround = [&](TokenSequence sequence) {
    if (postProcessor)
      sequence = postProcessor(std::move(sequence));
    if (addBos && *addBos != processorAddsBos()) {
      if (*addBos) {
        sequence.ids.insert(sequence.ids.begin(), bosToken);
        sequence.types.insert(sequence.types.begin(), 0);
      } else {
        sequence.ids.erase(sequence.ids.begin());
        sequence.types.erase(sequence.types.begin());
      }
    }
    return sequence;
  };
  std::vector<int32_t> ids = encode(text);
  std::size_t around = surround({}).ids.size();
  ids.resize(std::min(ids.size(), limit - std::min(limit, around)));
  std::vector<int32_t> types(ids.size());
  return surround({std::move(ids), std::move(types)});
}

/// Decodes one text.
class TokenizerJson::Stream : public TokenStream {
public:
  explicit Stream(const TokenizerJson &owner) : owner(owner), chain(owner.decoder) {}

  std::string push(int32_t id) override {
    const AddedToken *token = owner.added.find(id);
    if (token && token->special)
      return "";
    const std::string *piece = token ? &token->content : owner.model->vocabulary().getName(id);
    // An id without text does not interrupt the chain: the replacement character goes in between.
    return piece ? chain.push(*piece) : chain.finish() + support::replacementCharacter;
  }
  std::string finish() override { return chain.finish(); }

private:
  const TokenizerJson &owner;
  DecoderChain chain;
};

std::unique_ptr<TokenStream> TokenizerJson::stream() const { return std::make_unique<Stream>(*this); }

} // namespace nstf::runtime
