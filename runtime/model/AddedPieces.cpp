#include "runtime/model/AddedPieces.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

#include <algorithm>
#include <sentencepiece_processor.h>
#include <stdexcept>

namespace nstf::runtime {

AddedPieces::AddedPieces(const TokenizerConfig &config, const sentencepiece::SentencePieceProcessor &pieces)
    : pieces(pieces) {
  for (const auto &[id, named] : config.added())
    add(id, named, /*hasOwnId=*/true);
  next = pieces.GetPieceSize();
  for (const auto &[id, entry] : tokens)
    next += id >= pieces.GetPieceSize() && !getPiece(entry.token.content);
  addSpecials(config);
  indexTokens();
}

void AddedPieces::addSpecials(const TokenizerConfig &config) {
  const std::map<std::string, std::string> ofLlama = {
      {"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}};
  for (const char *role : specialTokenRoles) {
    auto usual = ofLlama.find(role);
    std::optional<NamedToken> named;
    if (config.mentions(role)) {
      if (!(named = config.special(role)))
        continue;
      // Strings with these roles become tokens without flags, as in transformers' class, unless the decoder has flags.
      auto known = ids.find(named->token.content);
      if (config.hasDecoder() && known != ids.end()) {
        named->token = tokens.at(known->second).token;
        named->isPlain = false;
      } else if (usual != ofLlama.end() || role == std::string_view("pad_token")) {
        named->isPlain = false;
      }
    } else if (usual != ofLlama.end() && (ids.count(usual->second) || getPiece(usual->second))) {
      named = NamedToken{{.content = usual->second}, false, ""};
    }
    if (!named || named->token.content.empty())
      continue;
    roles[role] = named->token.content;
    if (!isSpecial(named->token.content))
      addSpecial(*named);
  }
  // If the list has duplicates, the last one with flags counts, but a role takes precedence.
  const std::set<std::string> ofRoles = specials;
  for (const NamedToken &named : config.otherSpecials())
    if (!named.token.content.empty() && !ofRoles.count(named.token.content))
      addSpecial(named);
}

void AddedPieces::addSpecial(NamedToken named) {
  const std::string &content = named.token.content;
  auto known = ids.find(content);
  specials.insert(content);
  if (named.isPlain && known != ids.end())
    return;
  named.token.special = true;
  std::optional<int32_t> id = known != ids.end() ? std::optional(known->second) : getPiece(content);
  if (id)
    add(*id, named, known == ids.end() || tokens.at(*id).hasOwnId);
  else
    add(next++, named, /*hasOwnId=*/false);
}

/// The model's piece with this name, unless the piece has been renamed.
std::optional<int32_t> AddedPieces::getPiece(const std::string &content) const {
  int32_t id = pieces.PieceToId(content);
  const AddedToken *renamed = find(id);
  bool isPiece = pieces.IdToPiece(id) == content && (!renamed || renamed->content == content);
  return isPiece ? std::optional(id) : std::nullopt;
}

void AddedPieces::add(int32_t id, const NamedToken &named, bool hasOwnId) {
  if (hasOwnId)
    checkFree(id, named);
  else if (const AddedToken *other = find(id); other && other->content != named.token.content)
    clashes.push_back(named.place + ": \"" + support::escape(named.token.content) + "\" gets the id " +
                      std::to_string(id) + ", which is that of \"" + support::escape(other->content) + "\"");
  tokens.insert_or_assign(id, Entry{named.token, named.place, hasOwnId});
  ids.insert_or_assign(named.token.content, id);
}

void AddedPieces::checkFree(int32_t id, const NamedToken &named) const {
  const std::string &content = named.token.content;
  const AddedToken *other = find(id);
  std::string owner = other ? other->content : content;
  if (!other && id < pieces.GetPieceSize()) {
    // A piece that no text yields may be renamed, unless the model itself needs it.
    bool isNeeded = pieces.IsUnknown(id) || id == pieces.bos_id() || id == pieces.eos_id() || id == pieces.pad_id();
    if (isNeeded || !(pieces.IsControl(id) || pieces.IsUnused(id)))
      owner = pieces.IdToPiece(id);
  }
  if (owner != content && unicode::replaceAll(owner, unicode::visibleSpace, " ") != content)
    throw std::runtime_error(named.place + ": expected an id of its own for \"" + support::escape(content) +
                             "\" but got " + std::to_string(id) + ", which is that of \"" + support::escape(owner) +
                             "\"");
}

void AddedPieces::indexTokens() {
  tree = {};
  for (const auto &[id, entry] : tokens)
    tree.insert(entry.token.content, id);
}

const AddedToken *AddedPieces::find(int32_t id) const {
  auto it = tokens.find(id);
  return it == tokens.end() ? nullptr : &it->second.token;
}

std::optional<int32_t> AddedPieces::getId(const std::string &content) const {
  auto it = ids.find(content);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::string> AddedPieces::getContent(const std::string &role) const {
  auto it = roles.find(role);
  return it == roles.end() ? std::nullopt : std::optional(it->second);
}

void AddedPieces::fitTo(int64_t vocabulary, const std::set<int32_t> &needed) {
  while (!tokens.empty() && tokens.rbegin()->first >= std::max<int64_t>(vocabulary, pieces.GetPieceSize())) {
    auto last = std::prev(tokens.end());
    const auto &[id, entry] = *last;
    if (entry.hasOwnId || needed.count(id))
      throw std::runtime_error(entry.place + ": expected an id of the model's " + std::to_string(vocabulary) +
                               " tokens for \"" + support::escape(entry.token.content) + "\" but got " +
                               std::to_string(id));
    ids.erase(entry.token.content);
    tokens.erase(last);
  }
  indexTokens();
}

std::vector<std::string> AddedPieces::cut(std::string_view text) const {
  std::vector<std::string> parts;
  std::size_t done = 0;
  for (std::size_t position = 0; position < text.size();) {
    auto found = tree.longest(text.substr(position));
    if (!found) {
      ++position;
      continue;
    }
    if (done < position)
      parts.emplace_back(text.substr(done, position - done));
    parts.emplace_back(text.substr(position, found->second));
    done = position += found->second;
  }
  if (done < text.size())
    parts.emplace_back(text.substr(done));

  std::string none;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto id = ids.find(parts[i]);
    if (id == ids.end())
      continue;
    const AddedToken &token = tokens.at(id->second).token;
    std::string &left = i > 0 ? parts[i - 1] : none, &right = i + 1 < parts.size() ? parts[i + 1] : none;
    // Whether the token is a word is decided before the text is stripped.
    bool isTouchedLeft = !left.empty() && left.back() != ' ', isTouchedRight = !right.empty() && right.front() != ' ';
    if (token.rightStrip)
      right.erase(0, unicode::leading(right, unicode::isPythonSpace));
    if (token.leftStrip)
      left.resize(unicode::trailing(left, unicode::isPythonSpace));
    if (token.singleWord && (isTouchedLeft || isTouchedRight)) {
      if (isTouchedLeft)
        left += parts[i];
      else
        right.insert(0, parts[i]);
      parts[i].clear();
    }
  }
  return parts;
}

} // namespace nstf::runtime
