// Tokenizers whose tokens stand for bytes.
//
// What SentencePiece models and tok512 files share: a token is the same bytes wherever it stands, except for spaces at
// the start of a text.
#pragma once

#include "nstf/Tokenizer.h"

namespace nstf::runtime {

class PieceTokenizer : public Tokenizer {
public:
  std::unique_ptr<TokenStream> stream() const override;

  /// The bytes a token stands for, spaces as spaces; empty for control tokens such as BOS.
  virtual std::string bytesOf(int32_t id) const = 0;
  /// What decoding does with spaces at the start of a text: encode may have put one there, or dropped some.
  enum class LeadingSpaces { Keep, DropOne, DropAll };
  virtual LeadingSpaces leadingSpaces() const = 0;
};

} // namespace nstf::runtime
