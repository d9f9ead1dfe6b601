#include "runtime/model/tokenizer_json/TokenizerConfig.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "support/Escape.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <charconv>

namespace nstf::runtime {

namespace {

using support::JsonCursor;

std::optional<JsonCursor> findGiven(const JsonCursor &json, const char *key) {
  std::optional<JsonCursor> value = json.find(key);
  return value && value->isNull() ? std::nullopt : value;
}

NamedToken readToken(const JsonCursor &value) {
  if (value.isString())
    return {{.content = value.string(), .special = true}, true, value.place()};
  NamedToken named{readAddedToken(value), false, value.place()};
  named.token.special = true;
  return named;
}

int32_t readKey(const std::string &key, const JsonCursor &place) {
  int32_t id = 0;
  auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (key.empty() || error != std::errc() || end != key.data() + key.size() || id < 0 || id > maxTokenId)
    place.fail("expected an id of 0 to " + std::to_string(maxTokenId) + " as key but got \"" + support::escape(key) +
               "\"");
  return id;
}

} // namespace

TokenizerConfig::Document TokenizerConfig::read(const std::filesystem::path &path) {
  Document document{path.string()};
  if (path.empty())
    return document;
  support::MappedFile mapped(path);
  document.json = support::parseJson(mapped.text(), document.file);
  document.root().members(); // throws unless it is an object
  return document;
}

TokenizerConfig::TokenizerConfig(const TokenizerSideFiles &files)
    : config(read(files.config)), specialTokens(read(files.specialTokens)), addedTokens(read(files.addedTokens)) {}

std::optional<bool> TokenizerConfig::flag(const char *key) const {
  std::optional<JsonCursor> value = findGiven(config.root(), key);
  return value ? std::optional(value->boolean()) : std::nullopt;
}

std::optional<std::string> TokenizerConfig::text(const char *key) const {
  std::optional<JsonCursor> value = findGiven(config.root(), key);
  return value ? std::optional(value->string()) : std::nullopt;
}

std::string TokenizerConfig::getPlace(const char *key) const {
  auto value = config.json.find(key);
  bool isSaid = value != config.json.end() && !value->empty() && *value != nlohmann::json(false);
  return isSaid ? config.root()[key].place() : "";
}

bool TokenizerConfig::hasDecoder() const { return config.json.contains("added_tokens_decoder"); }

std::optional<JsonCursor> TokenizerConfig::find(const char *key) const {
  std::optional<JsonCursor> value = hasDecoder() ? std::nullopt : specialTokens.root().find(key);
  return value ? value : config.root().find(key);
}

bool TokenizerConfig::mentions(const char *role) const { return find(role).has_value(); }

std::optional<NamedToken> TokenizerConfig::special(const char *role) const {
  std::optional<JsonCursor> value = find(role);
  return value && !value->isNull() ? std::optional(readToken(*value)) : std::nullopt;
}

std::vector<NamedToken> TokenizerConfig::otherSpecials() const {
  std::vector<NamedToken> tokens;
  auto add = [&](const JsonCursor &root, const char *key) {
    if (std::optional<JsonCursor> list = findGiven(root, key))
      for (const JsonCursor &item : list->elements())
        tokens.push_back(readToken(item));
  };
  add(config.root(), "additional_special_tokens");
  if (!hasDecoder())
    add(specialTokens.root(), "additional_special_tokens");
  if (config.json.value("extra_special_tokens", nlohmann::json()).is_array())
    add(config.root(), "extra_special_tokens");
  else if (std::optional<JsonCursor> extra = findGiven(config.root(), "extra_special_tokens"))
    for (const auto &[role, value] : extra->members())
      tokens.push_back(readToken(value));
  return tokens;
}

std::map<int32_t, NamedToken> TokenizerConfig::added() const {
  if (!hasDecoder())
    return addedByName();
  std::map<int32_t, NamedToken> tokens;
  for (const auto &[key, value] : config.root()["added_tokens_decoder"].members())
    if (!tokens.emplace(readKey(key, value), NamedToken{readAddedToken(value), false, value.place()}).second)
      value.fail("expected an id once but got it twice"); // "7" and "07"
  return tokens;
}

std::map<int32_t, NamedToken> TokenizerConfig::addedByName() const {
  std::vector<std::string> specials;
  for (const char *role : specialTokenRoles)
    if (std::optional<NamedToken> named = special(role))
      specials.push_back(named->token.content);
  for (const NamedToken &named : otherSpecials())
    specials.push_back(named.token.content);
  std::map<int32_t, NamedToken> tokens;
  for (const auto &[content, value] : addedTokens.root().members()) {
    if (content.empty())
      value.fail("expected a token as key but got an empty one");
    bool isSpecial = std::find(specials.begin(), specials.end(), content) != specials.end();
    int32_t id = readId(value);
    auto [entry, isNew] = tokens.emplace(id, NamedToken{{content, isSpecial}, false, value.place()});
    if (!isNew)
      value.failExpected("an id of its own for \"" + support::escape(content) + "\", not that of \"" +
                         support::escape(entry->second.token.content) + "\",");
  }
  return tokens;
}

std::string TokenizerConfig::placeOfUnread() const {
  if (!hasDecoder())
    return "";
  std::map<int32_t, NamedToken> read = added();
  for (const auto &[id, named] : addedByName())
    if (auto known = read.find(id); known == read.end() || known->second.token.content != named.token.content)
      return named.place;
  return "";
}

} // namespace nstf::runtime
