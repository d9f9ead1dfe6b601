// Special and added tokens beside a SentencePiece model's pieces, as transformers' slow tokenizers (version 4) keep
// them.
//
// An added token may restate a piece, with flags of its own, or have an id past the pieces. A special token that is
// neither a piece nor added gets the next id: the number of tokens, be it taken or not. The tokens are cut out of the
// raw text, the leftmost first and of those the longest; then each looks at its neighbours: strips their white space,
// or, where it counts as a word only and isn't one, becomes a part of them.
#pragma once

#include "runtime/model/tokenizer_json/TokenizerConfig.h"

#include <set>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace nstf::runtime {

class AddedPieces {
public:
  /// Throws std::runtime_error where a token's id is taken. Special tokens no file names are transformers' for Llama,
  /// where the model has them. `pieces` outlives it.
  AddedPieces(const TokenizerConfig &config, const sentencepiece::SentencePieceProcessor &pieces);

  /// The parts of a text, added tokens among them.
  std::vector<std::string> cut(std::string_view text) const;
  /// nullptr where no added token has that id.
  const AddedToken *find(int32_t id) const;
  std::optional<int32_t> idOf(const std::string &content) const;
  bool isSpecial(const std::string &content) const { return specials.count(content); }
  /// The token of a role such as "bos_token"; nothing where there is none.
  std::optional<std::string> contentOf(const std::string &role) const;
  /// The largest id + 1.
  int32_t size() const { return tokens.empty() ? 0 : tokens.rbegin()->first + 1; }
  /// Special tokens that got an id which is taken: for each a line with its place.
  const std::vector<std::string> &getClashes() const { return clashes; }
  /// Leaves out tokens past a model's vocabulary that no file gives an id and that aren't needed; throws
  /// std::runtime_error on others.
  void fitTo(int64_t vocabulary, const std::set<int32_t> &needed);

private:
  struct Entry {
    AddedToken token;
    std::string place;
    bool hasOwnId; // a file says which
  };
  void addSpecials(const TokenizerConfig &config);
  void addSpecial(NamedToken named);
  void add(int32_t id, const NamedToken &named, bool hasOwnId);
  std::optional<int32_t> pieceOf(const std::string &content) const;
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
