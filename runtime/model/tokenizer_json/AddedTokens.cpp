#include "runtime/model/tokenizer_json/AddedTokens.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime {

void AddedTokens::Tree::insert(std::string_view text, int32_t id) {
  int32_t node = 0;
  for (unsigned char byte : text) {
    auto [entry, isNew] = next.emplace(std::pair(node, byte), nodes);
    nodes += isNew;
    node = entry->second;
  }
  if (text.empty())
    return; // a normalizer may leave nothing of a token
  starts[static_cast<unsigned char>(text.front())] = true;
  tokenAt.emplace(node, id);
}

std::optional<std::pair<int32_t, std::size_t>> AddedTokens::Tree::longest(std::string_view text) const {
  std::optional<std::pair<int32_t, std::size_t>> found;
  if (!starts[static_cast<unsigned char>(text.front())])
    return found;
  int32_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto it = next.find({node, static_cast<unsigned char>(text[i])});
    if (it == next.end())
      break;
    node = it->second;
    if (auto token = tokenAt.find(node); token != tokenAt.end())
      found = {token->second, i + 1};
  }
  return found;
}

AddedTokens::AddedTokens(const support::JsonCursor &list, const Vocabulary &vocabulary, const Normalizer &normalizer) {
  for (const support::JsonCursor &item : list.elements()) {
    int32_t id = readId(item["id"]);
    Token token{item["content"].nonEmptyString(), readFlag(item, "special", false),
                readFlag(item, "single_word", false), readFlag(item, "lstrip", false), readFlag(item, "rstrip", false)};
    std::optional<int32_t> own = vocabulary.idOf(token.content);
    const std::string *name = vocabulary.nameOf(id);
    if (own && *own != id)
      item["id"].failExpected(std::to_string(*own) + ", which the vocabulary gives \"" +
                              support::escape(token.content) + "\",");
    if (name && *name != token.content)
      item["id"].failExpected("an id of its own for \"" + support::escape(token.content) + "\", not that of \"" +
                              *name + "\",");
    bool normalized = readFlag(item, "normalized", !token.special);
    (normalized ? normal : raw).insert(normalized ? normalizer(token.content) : token.content, id);
    if (const Token *same = find(id); same && same->content != token.content)
      item["id"].failExpected("an id of its own for \"" + support::escape(token.content) + "\", not that of \"" +
                              support::escape(same->content) + "\",");
    if (std::optional<int32_t> other = idOf(token.content); other && *other != id)
      item["id"].failExpected(std::to_string(*other) + ", the id \"" + support::escape(token.content) +
                              "\" has already,");
    ids.emplace(token.content, id);
    tokens.insert_or_assign(id, std::move(token));
  }
}

const AddedTokens::Token *AddedTokens::find(int32_t id) const {
  auto it = tokens.find(id);
  return it == tokens.end() ? nullptr : &it->second;
}

std::optional<int32_t> AddedTokens::idOf(const std::string &content) const {
  auto it = ids.find(content);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

namespace {

bool endsWithWord(std::string_view text) { return !text.empty() && unicode::isWord(unicode::last(text)); }
bool startsWithWord(std::string_view text) {
  std::size_t position = 0;
  return !text.empty() && unicode::isWord(unicode::take(text, position));
}
/// Where the white space at the end of the text begins.
std::size_t trailingSpace(std::string_view text) {
  while (!text.empty() && unicode::isSpace(unicode::last(text))) {
    while ((text.back() & 0xc0) == 0x80)
      text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text.size();
}
/// Where the white space at the start of the text ends.
std::size_t leadingSpace(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t position = 0; position < text.size() && unicode::isSpace(unicode::take(text, position));)
    end = position;
  return end;
}

} // namespace

std::vector<AddedTokens::Part> AddedTokens::cut(std::string_view text, bool normalized) const {
  const Tree &tree = normalized ? normal : raw;
  std::vector<Part> parts;
  std::size_t done = 0;
  for (std::size_t position = 0; position < text.size();) {
    auto found = tree.longest(text.substr(position));
    if (!found) {
      ++position;
      continue;
    }
    const Token &token = tokens.at(found->first);
    std::size_t begin = position, end = position + found->second;
    position = end; // one that does not count hides those inside it all the same
    if (token.singleWord && (endsWithWord(text.substr(0, begin)) || startsWithWord(text.substr(end))))
      continue;
    if (token.leftStrip)
      begin = std::max(trailingSpace(text.substr(0, begin)), done);
    if (token.rightStrip)
      end += leadingSpace(text.substr(end));
    if (done < begin)
      parts.push_back({text.substr(done, begin - done), done, std::nullopt});
    parts.push_back({text.substr(begin, end - begin), begin, found->first});
    done = end;
  }
  if (done < text.size())
    parts.push_back({text.substr(done), done, std::nullopt});
  return parts;
}

} // namespace nstf::runtime
