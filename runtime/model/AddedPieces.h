// Special and added tokens beside a SentencePiece model's pieces, handled as transformers' slow tokenizers (version 4)
// do.
//
// An added token may repeat a piece, with flags of its own, or have an id beyond the pieces. A special token that is
// neither a piece nor added gets the number of tokens as its id, even if that id is taken. The tokens are cut out of
// the raw text, the leftmost first and of those the longest. Then each token strips the adjacent white space that its
// flags name. A single-word token that touches a word becomes part of the text around it.
#pragma once

#include "runtime/model/tokenizer_json/TokenizerConfig.h"

#include <set>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace nstf::runtime {

class AddedPieces {
public:
  /// Throws std::runtime_error when a token's id is taken. The special tokens of roles that no file mentions are
  /// transformers' defaults for Llama, if the model has them. `pieces` outlives the object.
  AddedPieces(const TokenizerConfig &config, const sentencepiece::SentencePieceProcessor &pieces);

  /// The text, cut into added tokens and the parts between them.
  std::vector<std::string> cut(std::string_view text) const;
  /// nullptr if no added token has this id.
  const AddedToken *find(int32_t id) const;
  std::optional<int32_t> getId(const std::string &content) const;
  bool isSpecial(const std::string &content) const { return specials.count(content); }
  /// The token of a role such as "bos_token"; nothing if there is none.
  std::optional<std::string> getContent(const std::string &role) const;
  /// The largest id + 1.
  int32_t size() const { return tokens.empty() ? 0 : tokens.rbegin()->first + 1; }
  /// Special tokens whose assigned id was already taken: for each a line with its place.
  const std::vector<std::string> &getClashes() const { return clashes; }
  /// Drops tokens beyond a model's vocabulary to which no file gives an id and that are not needed; throws
  /// std::runtime_error on other tokens beyond it.
  void fitTo(int64_t vocabulary, const std::set<int32_t> &needed);

private:
  struct Entry {
    AddedToken token;
    std::string place;
    bool hasOwnId; // whether a file gives the id
  };
  void addSpecials(const TokenizerConfig &config);
  void addSpecial(NamedToken named);
  void add(int32_t id, const NamedToken &named, bool hasOwnId);
  std::optional<int32_t> getPiece(const std::string &content) const;
  void checkFree(int32_t id, const NamedToken &named) const;
  void indexTokens();

  const sentencepiece::SentencePieceProcessor &pieces;
  std::map<int32_t, Entry> tokens;
  std::unordered_map<std::string, int32_t> ids;
  std::map<std::string, std::string> roles;
  std::set<std::string> specials;
  std::vector<std::string> clashes;
  int32_t next = 0;
  AddedTokenTree tree;
};

} // namespace nstf::runtime
