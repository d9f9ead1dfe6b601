//===- Tokenizer.h - Text to token ids and back -------------------------------------===//
//
// Two kinds: SentencePiece models (tokenizer.model, by libsentencepiece) and llama2.c's tok512.bin. Both fall back to
// bytes for characters they do not know, so a character may be spread over several tokens: StreamDecoder holds bytes
// back until a character is whole.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

class Tokenizer {
public:
  /// `kind`: "sentencepiece" or "tok512". Throws std::runtime_error that names the file.
  static std::unique_ptr<Tokenizer> load(std::string_view kind, const std::filesystem::path &file);
  /// The kind a file's name says: "….model" sentencepiece, "….bin" tok512. Throws std::runtime_error on others.
  static std::string_view kindOf(const std::filesystem::path &file);
  virtual ~Tokenizer() = default;

  /// Token ids of a text, without BOS and EOS. Any bytes are accepted.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  /// Ids are 0 … vocabularySize()-1.
  virtual std::int32_t vocabularySize() const = 0;
  /// The bytes a token stands for, spaces as spaces; empty for control tokens such as BOS.
  virtual std::string bytesOf(std::int32_t id) const = 0;
  /// What decoding does with spaces at the start of a text: encode may have put one there, or dropped some.
  enum class LeadingSpaces { Keep, DropOne, DropAll };
  virtual LeadingSpaces leadingSpaces() const = 0;

  /// The text of a whole sequence; see StreamDecoder.
  std::string decode(std::span<const std::int32_t> ids) const;
};

/// Decodes token by token. What it returns, joined, is the text of Tokenizer::decode.
class StreamDecoder {
public:
  /// `tokenizer` outlives the decoder.
  explicit StreamDecoder(const Tokenizer &tokenizer) : tokenizer(tokenizer) {}
  /// The text that became certain with this token: whole UTF-8 characters only, perhaps none. Bytes that are no UTF-8
  /// come out as U+FFFD, and so does an id that is not in the tokenizer: models pad their vocabulary to round sizes.
  std::string push(std::int32_t id);
  /// What is left when no more tokens come: an unfinished character as U+FFFD.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  std::string pending; // the start of a character, at most 3 bytes
  bool atStart = true;
};

} // namespace nstf::runtime
