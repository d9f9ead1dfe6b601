// The tokenizer of tokenizer.model files, by libsentencepiece.
//
// With side files, texts become ids as transformers' LlamaTokenizer (slow, version 4) makes them: special and added
// tokens are cut out first (AddedPieces.h), and the model encodes the text between them. Of tokenizer_config.json,
// "legacy", "add_prefix_space", "add_bos_token", "add_eos_token" and "split_special_tokens" apply. Without side files,
// the model's own <s>, </s> and <unk> are recognised, and a prompt begins with the BOS of config.json.
//
// Known differences: a text that is inside two overlapping added tokens and has one character too many (transformers'
// tree then finds the longer token in error); special tokens that the class adds although no file names them and that
// are not pieces; one token with two ids. Decoding is that of skip_special_tokens=True: every special token is dropped,
// also one without a role. Bytes that are not UTF-8 are decoded as in the other tokenizers.
#pragma once

#include "runtime/model/AddedPieces.h"
#include "runtime/model/PieceTokenizer.h"

namespace nstf::runtime {

class SentencePieceTokenizer : public PieceTokenizer {
public:
  explicit SentencePieceTokenizer(const std::filesystem::path &file, const TokenizerSideFiles &beside = {});
  ~SentencePieceTokenizer() override;
  std::vector<int32_t> encode(std::string_view text) const override;
  TokenSequence encodePrompt(std::string_view text, std::optional<int32_t> bos, std::size_t limit) const override;
  std::optional<int32_t> beginOf(std::optional<int32_t> modelBos) const override {
    return takesModelBos ? modelBos : bos;
  }
  std::optional<std::string> nameOf(int32_t id) const override;
  int32_t vocabularySize() const override;
  void fitTo(int64_t vocabulary, const std::filesystem::path &file) override;
  std::vector<std::string> notes() const override { return unfollowed; }
  std::string getBytes(int32_t id) const override;
  const std::string *getWord(int32_t id) const override;
  bool isSkipped(int32_t id) const override;
  LeadingSpaces leadingSpaces() const override { return leading; }
  bool dropsPrefix() const override { return hasConfig && addsPrefixSpace; }

private:
  void readConfig(const TokenizerConfig &config);
  std::optional<int32_t> idOfRole(const TokenizerConfig &config, const char *role, const char *flag, bool absent) const;
  /// Appends the pieces of a text between added tokens.
  void cutPieces(const std::string &text, std::vector<std::string> &parts) const;
  int32_t getId(const std::string &piece) const;

  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor;
  std::optional<AddedPieces> added;
  LeadingSpaces leading;
  bool hasConfig, takesModelBos, legacy = true, addsPrefixSpace = true, splitsSpecial = false;
  std::optional<int32_t> bos, eos; // added around a prompt
  std::string unknown = "<unk>";
  std::size_t unknownPieces = 0; // number of pieces into which the text `unknown` is cut
  std::vector<std::string> unfollowed;
};

} // namespace nstf::runtime
