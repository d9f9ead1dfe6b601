// The "added_tokens" of tokenizer.json.
//
// These tokens are searched verbatim in the text before the model encodes it: special ones ("<s>") and a user's own. At
// each place the longest one matches. Those with "normalized": false are searched in the raw text, the others in the
// normalised text.
#pragma once

#include "runtime/model/tokenizer_json/AddedToken.h"
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/WordModel.h"

namespace nstf::runtime {

class AddedTokens {
public:
  AddedTokens() = default;
  /// Reads the list; ids must agree with the model's vocabulary. Throws std::runtime_error at the place of an error.
  AddedTokens(const support::JsonCursor &list, const Vocabulary &vocabulary, const Normalizer &normalizer);

  /// A part of the text, or the token found in its place.
  struct Part {
    std::string_view text;
    std::size_t offset; // in the text that was cut
    std::optional<int32_t> token;
  };
  /// Cuts at the tokens that are searched in raw or, with `normalized`, in normalised text.
  std::vector<Part> cut(std::string_view text, bool normalized) const;

  /// nullptr if no added token has this id.
  const AddedToken *find(int32_t id) const;
  std::optional<int32_t> getId(const std::string &content) const;
  /// The largest id + 1.
  int32_t size() const { return tokens.empty() ? 0 : tokens.rbegin()->first + 1; }

private:
  std::map<int32_t, AddedToken> tokens;
  std::unordered_map<std::string, int32_t> ids;
  AddedTokenTree raw, normal;
};

} // namespace nstf::runtime
