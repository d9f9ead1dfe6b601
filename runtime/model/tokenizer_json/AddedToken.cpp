#include "runtime/model/tokenizer_json/AddedToken.h"
#include "runtime/model/tokenizer_json/ReadFields.h"

namespace nstf::runtime {

AddedToken readAddedToken(const support::JsonCursor &json) {
  return {json["content"].nonEmptyString(), readFlag(json, "special", false), readFlag(json, "single_word", false),
          readFlag(json, "lstrip", false), readFlag(json, "rstrip", false)};
}

void AddedTokenTree::insert(std::string_view text, int32_t id) {
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

std::optional<std::pair<int32_t, std::size_t>> AddedTokenTree::longest(std::string_view text) const {
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

} // namespace nstf::runtime
