// llama2.c's tokenizer files.
//
// File: i32 length of the longest token, then for each token {f32 score, i32 length, bytes}, little-endian, to the end
// of the file. Ids 0, 1, 2 are unknown, BOS, EOS; 3 … 258 are the bytes 0 … 255, spelt "<0x41>". Encoding
// (karpathy/llama2.c, run.c): a space is put before the text. The text is cut into UTF-8 characters; a character that
// is not a token becomes its bytes. Then, of all neighbouring pairs whose concatenation is a token, the pair with the
// best score is merged, the leftmost of equals, until no such pair is left.
#pragma once

#include "runtime/model/PieceTokenizer.h"

#include <unordered_map>

namespace nstf::runtime {

class Tok512Tokenizer : public PieceTokenizer {
public:
  explicit Tok512Tokenizer(const std::filesystem::path &file);
  std::vector<int32_t> encode(std::string_view text) const override;
  std::optional<std::string> nameOf(int32_t id) const override;
  int32_t vocabularySize() const override { return static_cast<int32_t>(pieces.size()); }
  std::string getBytes(int32_t id) const override;
  LeadingSpaces leadingSpaces() const override { return LeadingSpaces::DropOne; }

private:
  struct Piece {
    std::string text;
    float score;
  };
  std::vector<int32_t> split(std::string_view text) const;
  void merge(std::vector<int32_t> &ids) const;

  std::vector<Piece> pieces;
  std::unordered_map<std::string_view, int32_t> idOf; // of the first token with a text; keys are views into pieces
};

} // namespace nstf::runtime
