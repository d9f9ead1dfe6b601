// The "added_tokens" of tokenizer.json.
//
// Tokens that are found in the text as they stand, before the model sees it: special ones ("<s>") and a user's own. At
// each place the longest counts. Those with "normalized": false are looked for in the raw text, the others in the
// normalised one.
#pragma once

#include "runtime/model/tokenizer_json/AddedToken.h"
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/WordModel.h"

namespace nstf::runtime {

class AddedTokens {
public:
  AddedTokens() = default;
  /// Reads the list; ids must agree with the model's vocabulary. Throws std::runtime_error at the place that is wrong.
  AddedTokens(const support::JsonCursor &list, const Vocabulary &vocabulary, const Normalizer &normalizer);

  /// A piece of text, or the token found in its place.
  struct Part {
    std::string_view text;
    std::size_t offset; // in the text that was cut
    std::optional<int32_t> token;
  };
  /// Cuts at the tokens that are looked for in raw, or in normalised, text.
  std::vector<Part> cut(std::string_view text, bool normalized) const;

  /// nullptr where no added token has that id.
  const AddedToken *find(int32_t id) const;
  std::optional<int32_t> idOf(const std::string &content) const;
  /// The largest id + 1.
  int32_t size() const { return tokens.empty() ? 0 : tokens.rbegin()->first + 1; }

private:
  std::map<int32_t, AddedToken> tokens;
  std::unordered_map<std::string, int32_t> ids;
  AddedTokenTree raw, normal;
};

} // namespace nstf::runtime
