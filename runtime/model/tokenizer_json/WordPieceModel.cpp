// WordPiece (WordModel.h).
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "runtime/model/tokenizer_json/WordModel.h"

#include <algorithm>

namespace nstf::runtime {

namespace {

class WordPieceModel : public WordModel {
public:
  explicit WordPieceModel(const support::JsonCursor &json) {
    readVocabulary(json);
    std::optional<int32_t> id = readName(json, "unk_token");
    if (!id)
      json["unk_token"].failExpected("a piece of the vocabulary");
    unknown = *id;
    continuing = json["continuing_subword_prefix"].string();
    longestWord = json["max_input_chars_per_word"].integer(0, maxTokenId);
  }

  void encode(std::string_view piece, std::vector<int32_t> &ids) const override {
    std::size_t before = ids.size();
    if (unicode::count(piece) > longestWord || !split(piece, ids)) {
      ids.resize(before);
      ids.push_back(unknown);
    }
  }

private:
  bool split(std::string_view word, std::vector<int32_t> &ids) const {
    std::string name;
    for (std::size_t start = 0; start < word.size();) {
      const std::string &prefix = start == 0 ? empty : continuing;
      // No name is longer than the longest one, which limits the cost of a long word.
      std::size_t end = std::min(word.size(), start + words.longest());
      std::optional<int32_t> id;
      for (; end > start; --end) {
        if (end < word.size() && (word[end] & 0xc0) == 0x80)
          continue; // inside a character
        name = prefix;
        name += word.substr(start, end - start);
        if ((id = words.getId(name)))
          break;
      }
      if (!id)
        return false;
      ids.push_back(*id);
      start = end;
    }
    return true;
  }

  const std::string empty;
  int32_t unknown;
  std::string continuing;
  std::size_t longestWord;
};

} // namespace

std::unique_ptr<WordModel> readWordPieceModel(const support::JsonCursor &json) {
  return std::make_unique<WordPieceModel>(json);
}

} // namespace nstf::runtime
