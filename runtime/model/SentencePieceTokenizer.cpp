#include "runtime/model/SentencePieceTokenizer.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Utf8.h"

#include <algorithm>
#include <sentencepiece_processor.h>
#include <stdexcept>

namespace nstf::runtime {

SentencePieceTokenizer::SentencePieceTokenizer(const std::filesystem::path &path, const TokenizerSideFiles &beside)
    : processor(std::make_unique<sentencepiece::SentencePieceProcessor>()), hasConfig(!beside.empty()),
      takesModelBos(beside.empty()) {
  TokenizerConfig config(beside);
  legacy = config.flag("legacy").value_or(true);
  support::MappedFile file(path);
  constexpr std::size_t maxBytes = std::size_t(1) << 30; // a protocol buffers message has less than 2 GiB
  if (file.size() > maxBytes)
    throw std::runtime_error(path.string() + ": expected a SentencePiece model of at most " + std::to_string(maxBytes) +
                             " bytes but got " + std::to_string(file.size()));
  std::string bytes(file.text());
  // Appending to a protocol buffers message overrides its fields: normalizer_spec { add_dummy_prefix: false }.
  if (!legacy && !config.flag("from_slow").value_or(false))
    bytes += std::string_view("\x1a\x02\x18\x00", 4);
  sentencepiece::util::Status status = processor->LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok() || processor->GetPieceSize() == 0)
    throw std::runtime_error(path.string() + ": expected a SentencePiece model: " + status.ToString());
  // The library's interface does not expose the normalizer's settings, but their effects are observable.
  std::vector<std::string> plain = processor->EncodeAsPieces("a"), spaced = processor->EncodeAsPieces("  a");
  bool dropsSpaces = plain == spaced;
  bool addsSpace = !plain.empty() && plain.front().starts_with(unicode::visibleSpace);
  leading = dropsSpaces ? LeadingSpaces::DropAll : addsSpace ? LeadingSpaces::DropOne : LeadingSpaces::Keep;
  added.emplace(config, *processor);
  readConfig(config);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::readConfig(const TokenizerConfig &config) {
  addsPrefixSpace = config.flag("add_prefix_space").value_or(true);
  splitsSpecial = config.flag("split_special_tokens").value_or(false);
  if (hasConfig) {
    bool isNamed = config.mentions("bos_token") || added->getContent("bos_token");
    takesModelBos = !isNamed && config.flag("add_bos_token").value_or(true);
    if (isNamed)
      bos = idOfRole(config, "bos_token", "add_bos_token", true);
    eos = idOfRole(config, "eos_token", "add_eos_token", false);
  }
  unknown = added->getContent("unk_token").value_or(unknown);
  unknownPieces = processor->EncodeAsPieces(unknown).size();

  unfollowed = added->getClashes();
  std::string name = config.text("tokenizer_class").value_or("LlamaTokenizer");
  if (name != "LlamaTokenizer" && name != "LlamaTokenizerFast")
    unfollowed.push_back(config.getPlace("tokenizer_class") + ": \"" + support::escape(name) +
                         "\" is taken for a LlamaTokenizer");
  for (const char *key : {"auto_map", "sp_model_kwargs", "clean_up_tokenization_spaces"})
    if (std::string place = config.getPlace(key); !place.empty())
      unfollowed.push_back(place + ": isn't followed");
  if (std::string place = config.placeOfUnread(); !place.empty())
    unfollowed.push_back(place +
                         ": isn't followed, as tokenizer_config.json has an \"added_tokens_decoder\" without it");
}

std::optional<int32_t> SentencePieceTokenizer::idOfRole(const TokenizerConfig &config, const char *role,
                                                        const char *flag, bool absent) const {
  std::optional<bool> isWanted = config.flag(flag);
  std::optional<std::string> content = added->getContent(role);
  if (isWanted.value_or(false) && !content)
    throw std::runtime_error(config.getPlace(flag) + ": expected a " + role + " to add but there is none");
  return isWanted.value_or(absent) && content ? added->getId(*content) : std::nullopt;
}

std::optional<std::string> SentencePieceTokenizer::nameOf(int32_t id) const {
  if (const AddedToken *token = added->find(id))
    return token->content;
  return id >= 0 && id < processor->GetPieceSize() ? std::optional(processor->IdToPiece(id)) : std::nullopt;
}

int32_t SentencePieceTokenizer::vocabularySize() const { return std::max(processor->GetPieceSize(), added->size()); }

void SentencePieceTokenizer::fitTo(int64_t vocabulary, const std::filesystem::path &file) {
  added->fitTo(vocabulary, {bos.value_or(0), eos.value_or(0)});
  Tokenizer::fitTo(vocabulary, file);
}

void SentencePieceTokenizer::cutPieces(const std::string &text, std::vector<std::string> &parts) const {
  // Without a dummy prefix, the model drops a space at the start: after another text, the space stays.
  bool isGuarded = !legacy && (text.starts_with(' ') || text.starts_with(unicode::visibleSpace));
  std::vector<std::string> pieces;
  sentencepiece::util::Status status = processor->Encode(isGuarded ? unknown + text : text, &pieces);
  if (!status.ok())
    throw std::runtime_error("cannot tokenize the text: " + status.ToString());
  std::size_t guard = isGuarded && pieces.size() >= unknownPieces ? unknownPieces : 0;
  parts.insert(parts.end(), std::make_move_iterator(pieces.begin() + std::ptrdiff_t(guard)),
               std::make_move_iterator(pieces.end()));
}

int32_t SentencePieceTokenizer::getId(const std::string &piece) const {
  std::optional<int32_t> own = added->getId(piece);
  return own ? *own : processor->PieceToId(piece);
}

std::vector<int32_t> SentencePieceTokenizer::encode(std::string_view bytes) const {
  std::string text = unicode::makeValid(bytes);
  if (!legacy && !text.empty())
    text = (addsPrefixSpace ? unicode::visibleSpace : "") + unicode::replaceAll(text, unicode::visibleSpace, " ");
  std::vector<std::string> pieces;
  for (const std::string &part : splitsSpecial ? std::vector{text} : added->cut(text))
    if (!splitsSpecial && added->getId(part))
      pieces.push_back(part);
    else if (!part.empty())
      cutPieces(part, pieces);
  // Before a special token, a prefix alone yields no token.
  bool isPrefixAlone =
      !legacy && pieces.size() > 1 && pieces[0] == unicode::visibleSpace && added->isSpecial(pieces[1]);
  std::vector<int32_t> ids;
  ids.reserve(pieces.size());
  for (std::size_t i = isPrefixAlone; i < pieces.size(); ++i)
    ids.push_back(getId(pieces[i]));
  return ids;
}

TokenSequence SentencePieceTokenizer::encodePrompt(std::string_view text, std::optional<int32_t> modelBos,
                                                   std::size_t limit) const {
  std::size_t ends = std::min<std::size_t>(eos.has_value(), limit);
  TokenSequence sequence = Tokenizer::encodePrompt(text, modelBos, limit - ends);
  if (ends)
    sequence.ids.push_back(*eos);
  sequence.types.resize(sequence.ids.size());
  return sequence;
}

bool SentencePieceTokenizer::isSkipped(int32_t id) const {
  const AddedToken *token = added->find(id);
  // The marker of unknown text stays unless a file calls it special.
  return token && (token->special || added->isSpecial(token->content)) && (hasConfig || !processor->IsUnknown(id));
}

const std::string *SentencePieceTokenizer::getWord(int32_t id) const {
  const AddedToken *token = added->find(id);
  return token && hasConfig && !isSkipped(id) ? &token->content : nullptr;
}

std::string SentencePieceTokenizer::getBytes(int32_t id) const {
  if (id >= processor->GetPieceSize())
    return support::replacementCharacter; // between added tokens
  if (processor->IsControl(id))
    return "";
  if (processor->IsUnknown(id))
    return processor->DecodeIds({id}); // the model's own marker for unknown text
  const std::string &piece = processor->IdToPiece(id);
  if (processor->IsByte(id)) // "<0x41>"
    return std::string(1, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
  return unicode::replaceAll(piece, unicode::visibleSpace, " ");
}

} // namespace nstf::runtime
