// Tokenizer.model files, by libsentencepiece.
#pragma once

#include "runtime/model/PieceTokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace nstf::runtime {

class SentencePieceTokenizer : public PieceTokenizer {
public:
  explicit SentencePieceTokenizer(const std::filesystem::path &file);
  ~SentencePieceTokenizer() override;
  std::vector<int32_t> encode(std::string_view text) const override;
  int32_t vocabularySize() const override;
  std::string bytesOf(int32_t id) const override;
  LeadingSpaces leadingSpaces() const override { return leading; }

private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor;
  LeadingSpaces leading;
};

} // namespace nstf::runtime
