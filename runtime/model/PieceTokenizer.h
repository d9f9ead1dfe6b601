// Tokenizers whose tokens are strings of bytes.
//
// Common part of SentencePiece models and tok512 files. A token has the same bytes wherever it is in a text, except for
// spaces at the start of the text. A user's own word (getWord) ends a text: it is surrounded by spaces, and the tokens
// after it begin another text.
#pragma once

#include "nstf/Tokenizer.h"

namespace nstf::runtime {

class PieceTokenizer : public Tokenizer {
public:
  std::unique_ptr<TokenStream> stream() const override;

  /// The bytes of a token, with plain spaces; empty for control tokens such as BOS.
  virtual std::string getBytes(int32_t id) const = 0;
  /// The text of an added token that stands apart from the text around it; nullptr for the model's own tokens.
  virtual const std::string *getWord(int32_t) const { return nullptr; }
  /// Whether decoding skips the token as if it were absent.
  virtual bool isSkipped(int32_t) const { return false; }
  /// How decoding treats spaces at the start of a text: encode may have inserted one, or dropped some.
  enum class LeadingSpaces { Keep, DropOne, DropAll };
  virtual LeadingSpaces leadingSpaces() const = 0;
  /// Whether the first token of a sequence first loses one leading space.
  virtual bool dropsPrefix() const { return false; }
};

} // namespace nstf::runtime
