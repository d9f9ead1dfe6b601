#include "runtime/model/tokenizer_json/AddedTokens.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime {

AddedTokens::AddedTokens(const support::JsonCursor &list, const Vocabulary &vocabulary, const Normalizer &normalizer) {
  for (const support::JsonCursor &item : list.elements()) {
    int32_t id = readId(item["id"]);
    AddedToken token = readAddedToken(item);
    std::optional<int32_t> own = vocabulary.getId(token.content);
    const std::string *name = vocabulary.getName(id);
    if (own && *own != id)
      item["id"].failExpected(std::to_string(*own) + ", which the vocabulary gives \"" +
                              support::escape(token.content) + "\",");
    if (name && *name != token.content)
      item["id"].failExpected("an id of its own for \"" + support::escape(token.content) + "\", not that of \"" +
                              *name + "\",");
    bool normalized = readFlag(item, "normalized", !token.special);
    (normalized ? normal : raw).insert(normalized ? normalizer(token.content) : token.content, id);
    if (const AddedToken *same = find(id); same && same->content != token.content)
      item["id"].failExpected("an id of its own for \"" + support::escape(token.content) + "\", not that of \"" +
                              support::escape(same->content) + "\",");
    if (std::optional<int32_t> other = getId(token.content); other && *other != id)
      item["id"].failExpected(std::to_string(*other) + ", the id \"" + support::escape(token.content) +
                              "\" has already,");
    ids.emplace(token.content, id);
    tokens.insert_or_assign(id, std::move(token));
  }
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto it = tokens.find(id);
  return it == tokens.end() ? nullptr : &it->second;
}

std::optional<int32_t> AddedTokens::getId(const std::string &content) const {
  auto it = ids.find(content);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

namespace {

bool endsWithWord(std::string_view text) { return !text.empty() && unicode::isWord(unicode::last(text)); }
bool startsWithWord(std::string_view text) {
  std::size_t position = 0;
  return !text.empty() && unicode::isWord(unicode::take(text, position));
}

} // namespace

std::vector<AddedTokens::Part> AddedTokens::cut(std::string_view text, bool normalized) const {
  const AddedTokenTree &tree = normalized ? normal : raw;
  std::vector<Part> parts;
  std::size_t done = 0;
  for (std::size_t position = 0; position < text.size();) {
    auto found = tree.longest(text.substr(position));
    if (!found) {
      ++position;
      continue;
    }
    const AddedToken &token = tokens.at(found->first);
    std::size_t begin = position, end = position + found->second;
    position = end; // a token that does not count still hides those inside it
    if (token.singleWord && (endsWithWord(text.substr(0, begin)) || startsWithWord(text.substr(end))))
      continue;
    if (token.leftStrip)
      begin = std::max(unicode::trailing(text.substr(0, begin), unicode::isSpace), done);
    if (token.rightStrip)
      end += unicode::leading(text.substr(end), unicode::isSpace);
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
