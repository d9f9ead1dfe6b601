// Text to token ids and back.
//
// Three kinds: Hugging Face's tokenizer.json, SentencePiece models (tokenizer.model, by libsentencepiece) and
// llama2.c's tok512.bin. A character may be spread over several tokens, as bytes: StreamDecoder holds them back until
// it is whole.
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

/// Tokens as a model takes them.
struct TokenSequence {
  std::vector<int32_t> ids;
  std::vector<int32_t> types; // of an encoder's segments; as many as ids, mostly 0
};

/// The way back of one text, token by token.
class TokenStream {
public:
  virtual ~TokenStream() = default;
  /// The text that became certain with this token.
  virtual std::string push(int32_t id) = 0;
  /// What is left when no more tokens come. Nothing may be pushed after it.
  virtual std::string finish() = 0;
};

/// Files beside a tokenizer's that have a say about its texts; an empty path: there is none.
struct TokenizerSideFiles {
  std::filesystem::path config;        // tokenizer_config.json
  std::filesystem::path specialTokens; // special_tokens_map.json
  std::filesystem::path addedTokens;   // added_tokens.json
  bool empty() const { return config.empty() && specialTokens.empty() && addedTokens.empty(); }
};

class Tokenizer {
public:
  static constexpr std::size_t noLimit = std::numeric_limits<std::size_t>::max();

  /// `kind`: "tokenizer_json", "sentencepiece" or "tok512". Of a tokenizer.json's side files only the config counts, of
  /// a tok512's none. Throws std::runtime_error that names the file.
  static std::unique_ptr<Tokenizer> load(std::string_view kind, const std::filesystem::path &file,
                                         const TokenizerSideFiles &beside = {});
  /// The same for a user's file: its kind by its name, side files where they lie beside it.
  static std::unique_ptr<Tokenizer> load(const std::filesystem::path &file);
  /// The kind a file's name says: "….json" tokenizer_json, "….model" sentencepiece, "….bin" tok512. Throws
  /// std::runtime_error on others.
  static std::string_view kindOf(const std::filesystem::path &file);
  /// The files beside a user's that count for its kind.
  static TokenizerSideFiles sideFilesOf(const std::filesystem::path &file);
  virtual ~Tokenizer() = default;

  /// Token ids of a text, without BOS and EOS; special and added tokens in it are found. Any bytes are accepted.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The text as a model wants it: with what the tokenizer's file puts around it (BOS, [CLS] and [SEP]), or, where the
  /// file does not say, with the model's `bos` before it. At most `limit` tokens: the text's last ones are left out.
  virtual TokenSequence encodePrompt(std::string_view text, std::optional<int32_t> bos,
                                     std::size_t limit = noLimit) const;
  /// What a text of a SentencePiece model or tok512 begins with: what a file beside it says, or else the model's `bos`.
  virtual std::optional<int32_t> beginOf(std::optional<int32_t> bos) const { return bos; }
  /// A token as its file writes it, special ones too; nothing where the file has none of that id.
  virtual std::optional<std::string> nameOf(int32_t id) const = 0;
  /// Ids are 0 … vocabularySize()-1.
  virtual int32_t vocabularySize() const = 0;
  /// For a model of so many tokens. Throws std::runtime_error where there are more, with the name of `file` or of the
  /// one beside it that names the token; special tokens that no file gives an id are left out instead.
  virtual void fitTo(int64_t vocabulary, const std::filesystem::path &file);
  /// What the side files say and isn't followed: for each a line with the file and the key.
  virtual std::vector<std::string> notes() const { return {}; }
  /// A decoder of one text; the tokenizer outlives it. Ids are those of the vocabulary.
  virtual std::unique_ptr<TokenStream> stream() const = 0;

  /// The text of a whole sequence; see StreamDecoder.
  std::string decode(std::span<const int32_t> ids) const;
};

/// Decodes token by token. What it returns, joined, is the text of Tokenizer::decode.
class StreamDecoder {
public:
  /// `tokenizer` outlives the decoder.
  explicit StreamDecoder(const Tokenizer &tokenizer) : tokenizer(tokenizer), current(tokenizer.stream()) {}
  /// The text that became certain with this token: whole UTF-8 characters only, perhaps none. Special tokens are no
  /// text. Bytes that are no UTF-8 come out as U+FFFD, and so does an id that is not in the tokenizer: models pad their
  /// vocabulary to round sizes.
  std::string push(int32_t id);
  /// What is left when no more tokens come, an unfinished character as U+FFFD. What is pushed then is a new text.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  std::unique_ptr<TokenStream> current;
};

} // namespace nstf::runtime
