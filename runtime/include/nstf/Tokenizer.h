// Text to token ids and back.
//
// Three kinds: Hugging Face's tokenizer.json, SentencePiece models (tokenizer.model, by libsentencepiece) and
// llama2.c's tok512.bin. The bytes of a character may be spread over several tokens: StreamDecoder holds them back
// until the character is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

/// Tokens as input of a model.
struct TokenSequence {
  std::vector<int32_t> ids;
  std::vector<int32_t> types; // segment of each id, for encoders; as many as ids, mostly 0
};

/// Decodes one text, token by token.
class TokenStream {
public:
  virtual ~TokenStream() = default;
  /// The text that became certain with this token.
  virtual std::string push(int32_t id) = 0;
  /// The rest of the text, when no more tokens come. No push may follow.
  virtual std::string finish() = 0;
};

/// Files beside a tokenizer's file that affect its texts; an empty path: there is no such file.
struct TokenizerSideFiles {
  std::filesystem::path config;        // tokenizer_config.json
  std::filesystem::path specialTokens; // special_tokens_map.json
  std::filesystem::path addedTokens;   // added_tokens.json
  bool empty() const { return config.empty() && specialTokens.empty() && addedTokens.empty(); }
};

class Tokenizer {
public:
  static constexpr std::size_t noLimit = std::numeric_limits<std::size_t>::max();

  /// `kind`: "tokenizer_json", "sentencepiece" or "tok512". A tokenizer.json uses only the config of its side files, a
  /// tok512 none. Throws std::runtime_error that names the file.
  static std::unique_ptr<Tokenizer> load(std::string_view kind, const std::filesystem::path &file,
                                         const TokenizerSideFiles &beside = {});
  /// The same for a user's file: the kind follows from its name, and side files are those in the same folder.
  static std::unique_ptr<Tokenizer> load(const std::filesystem::path &file);
  /// The kind that a file's name implies: "….json" tokenizer_json, "….model" sentencepiece, "….bin" tok512. Throws
  /// std::runtime_error on other names.
  static std::string_view kindOf(const std::filesystem::path &file);
  /// The side files in a user's folder that the file's kind uses.
  static TokenizerSideFiles sideFilesOf(const std::filesystem::path &file);
  virtual ~Tokenizer() = default;

  /// Token ids of a text, without BOS and EOS; special and added tokens in the text are recognised. Any bytes are
  /// accepted.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The text as a model expects it: with the tokens that the tokenizer's file puts around it (BOS, [CLS] and [SEP])
  /// or, where the file specifies none, with the model's `bos` before it. At most `limit` tokens: the last tokens of
  /// the text are dropped.
  virtual TokenSequence encodePrompt(std::string_view text, std::optional<int32_t> bos,
                                     std::size_t limit = noLimit) const;
  /// The first token of a text, for a SentencePiece model or tok512: as a side file specifies, else the model's `bos`.
  virtual std::optional<int32_t> beginOf(std::optional<int32_t> bos) const { return bos; }
  /// A token as its file writes it, special ones too; nothing if the file has no token with this id.
  virtual std::optional<std::string> nameOf(int32_t id) const = 0;
  /// Ids are 0 … vocabularySize()-1.
  virtual int32_t vocabularySize() const = 0;
  /// Adapts the tokenizer to a model with `vocabulary` tokens. If it has more, throws std::runtime_error with the name
  /// of `file` or of the side file that names the token. Special tokens to which no file gives an id are dropped
  /// instead.
  virtual void fitTo(int64_t vocabulary, const std::filesystem::path &file);
  /// Settings of the side files that are ignored: for each a line with the file and the key.
  virtual std::vector<std::string> notes() const { return {}; }
  /// A decoder of one text; the tokenizer outlives it. Ids must be in the vocabulary.
  virtual std::unique_ptr<TokenStream> stream() const = 0;

  /// The text of a whole sequence; see StreamDecoder.
  std::string decode(std::span<const int32_t> ids) const;
};

/// Decodes token by token. The results, concatenated, are the text of Tokenizer::decode.
class StreamDecoder {
public:
  /// `tokenizer` outlives the decoder.
  explicit StreamDecoder(const Tokenizer &tokenizer) : tokenizer(tokenizer), current(tokenizer.stream()) {}
  /// The text that became certain with this token: whole UTF-8 characters only, perhaps none. Special tokens yield no
  /// text. Bytes that are not UTF-8 become U+FFFD, and so does an id that is not in the tokenizer (models pad their
  /// vocabulary to round sizes).
  std::string push(int32_t id);
  /// The rest of the text when no more tokens come, with an unfinished character as U+FFFD. A later push begins a new
  /// text.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  std::unique_ptr<TokenStream> current;
};

} // namespace nstf::runtime
