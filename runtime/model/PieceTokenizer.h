// Tokenizers whose tokens stand for bytes.
//
// What SentencePiece models and tok512 files share: a token is the same bytes wherever it stands, except for spaces at
// the start of a text. A word of the user's own ends a text: it has a space on each side, and behind it another begins.
#pragma once

#include "nstf/Tokenizer.h"

namespace nstf::runtime {

class PieceTokenizer : public Tokenizer {
public:
  std::unique_ptr<TokenStream> stream() const override;

  /// The bytes a token stands for, spaces as spaces; empty for control tokens such as BOS.
  virtual std::string bytesOf(int32_t id) const = 0;
  /// The text of a token that isn't the model's own and stands apart from the text around it, else nullptr.
  virtual const std::string *wordOf(int32_t) const { return nullptr; }
  /// Whether a token is left out as if it weren't there.
  virtual bool isSkipped(int32_t) const { return false; }
  /// What decoding does with spaces at the start of a text: encode may have put one there, or dropped some.
  enum class LeadingSpaces { Keep, DropOne, DropAll };
  virtual LeadingSpaces leadingSpaces() const = 0;
  /// Whether the first token of a text loses a space before that.
  virtual bool dropsPrefix() const { return false; }
};

} // namespace nstf::runtime
