// Hugging Face's tokenizer.json.
//
// The file of the library "tokenizers" (https://github.com/huggingface/tokenizers, version "1.0" of the format). Added
// tokens are found first; the normalizer, pre_tokenizer and model then process the text between them, and the
// post_processor puts special tokens around the result. The decoder is the inverse. All ids equal that library's,
// except that prompts are never padded or cut ("truncation" and "padding" are left to the application), and that bytes
// which are not UTF-8 are replaced by U+FFFD.
//
// A tokenizer_config.json beside the file can change the beginning of a text: "add_bos_token" with "bos_token" takes
// precedence over the post_processor.
#pragma once

#include "nstf/Tokenizer.h"
#include "runtime/model/tokenizer_json/AddedTokens.h"
#include "runtime/model/tokenizer_json/Decoder.h"
#include "runtime/model/tokenizer_json/PostProcessor.h"
#include "runtime/model/tokenizer_json/PreTokenizer.h"

namespace nstf::runtime {

class TokenizerJson : public Tokenizer {
public:
  /// `config`: tokenizer_config.json, or empty.
  TokenizerJson(const std::filesystem::path &file, const std::filesystem::path &config);
  std::vector<int32_t> encode(std::string_view text) const override;
  TokenSequence encodePrompt(std::string_view text, std::optional<int32_t> bos, std::size_t limit) const override;
  std::optional<std::string> nameOf(int32_t id) const override;
  int32_t vocabularySize() const override;
  std::unique_ptr<TokenStream> stream() const override;

private:
  class Stream;
  void readConfig(const std::filesystem::path &config);
  bool processorAddsBos() const;
  /// Appends the ids of a text between added tokens.
  void encodePiece(Piece piece, std::vector<int32_t> &ids) const;

  Normalizer normalizer;
  PreTokenizer preTokenizer; // may be empty
  std::unique_ptr<WordModel> model;
  AddedTokens added;
  PostProcessor postProcessor; // may be empty
  Decoder decoder;
  std::optional<bool> addBos;
  int32_t bosToken = 0; // valid if addBos has a value
};

} // namespace nstf::runtime
