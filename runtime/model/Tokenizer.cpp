#include "nstf/Tokenizer.h"
#include "runtime/model/SentencePieceTokenizer.h"
#include "runtime/model/Tok512Tokenizer.h"
#include "runtime/model/tokenizer_json/TokenizerJson.h"
#include "support/Escape.h"
#include "support/Utf8.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nstf::runtime {

std::unique_ptr<Tokenizer> Tokenizer::load(std::string_view kind, const std::filesystem::path &file,
                                           const std::filesystem::path &config) {
  if (kind == "tokenizer_json")
    return std::make_unique<TokenizerJson>(file, config);
  if (kind == "sentencepiece")
    return std::make_unique<SentencePieceTokenizer>(file);
  if (kind == "tok512")
    return std::make_unique<Tok512Tokenizer>(file);
  throw std::runtime_error(file.string() +
                           ": expected a tokenizer of kind tokenizer_json, sentencepiece or tok512 but got \"" +
                           support::escape(kind) + "\"");
}

std::unique_ptr<Tokenizer> Tokenizer::load(const std::filesystem::path &file) {
  return load(kindOf(file), file, configOf(file));
}

std::string_view Tokenizer::kindOf(const std::filesystem::path &file) {
  if (file.extension() == ".json")
    return "tokenizer_json";
  if (file.extension() == ".model")
    return "sentencepiece";
  if (file.extension() == ".bin")
    return "tok512";
  throw std::runtime_error(
      file.string() +
      ": expected a tokenizer named *.json (tokenizer.json), *.model (sentencepiece) or *.bin (tok512)");
}

std::filesystem::path Tokenizer::configOf(const std::filesystem::path &file) {
  std::filesystem::path config = file.parent_path() / "tokenizer_config.json";
  std::error_code ignored;
  return file.extension() == ".json" && std::filesystem::exists(config, ignored) ? config : std::filesystem::path();
}

TokenSequence Tokenizer::encodePrompt(std::string_view text, std::optional<int32_t> bos, std::size_t limit) const {
  TokenSequence sequence{encode(text), {}};
  if (bos)
    sequence.ids.insert(sequence.ids.begin(), *bos);
  sequence.ids.resize(std::min(sequence.ids.size(), limit));
  sequence.types.resize(sequence.ids.size());
  return sequence;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  StreamDecoder decoder(*this);
  std::string text;
  for (int32_t id : ids)
    text += decoder.push(id);
  return text + decoder.finish();
}

std::string StreamDecoder::push(int32_t id) { return current->push(id); }
std::string StreamDecoder::finish() { return std::exchange(current, tokenizer.stream())->finish(); }

namespace {

class PieceStream : public TokenStream {
public:
  explicit PieceStream(const PieceTokenizer &tokenizer) : tokenizer(tokenizer) {}

  std::string push(int32_t id) override {
    bool known = id >= 0 && id < tokenizer.vocabularySize();
    std::string bytes = known ? tokenizer.bytesOf(id) : support::replacementCharacter;
    if (atStart && !bytes.empty()) {
      using Leading = PieceTokenizer::LeadingSpaces;
      Leading leading = tokenizer.leadingSpaces();
      if (leading != Leading::Keep && bytes.front() == ' ')
        bytes.erase(0, leading == Leading::DropOne ? 1 : std::min(bytes.find_first_not_of(' '), bytes.size()));
      atStart = leading == Leading::DropAll && bytes.empty();
    }
    pending += bytes;
    return support::takeWholeCharacters(pending);
  }
  std::string finish() override { return pending.empty() ? "" : support::replacementCharacter; }

private:
  const PieceTokenizer &tokenizer;
  std::string pending; // the start of a character, at most 3 bytes
  bool atStart = true;
};

} // namespace

std::unique_ptr<TokenStream> PieceTokenizer::stream() const { return std::make_unique<PieceStream>(*this); }

} // namespace nstf::runtime
