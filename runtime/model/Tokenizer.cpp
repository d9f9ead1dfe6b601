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
                                           const TokenizerSideFiles &beside) {
  if (kind == "tokenizer_json")
    return std::make_unique<TokenizerJson>(file, beside.config);
  if (kind == "sentencepiece")
    return std::make_unique<SentencePieceTokenizer>(file, beside);
  if (kind == "tok512")
    return std::make_unique<Tok512Tokenizer>(file);
  throw std::runtime_error(file.string() +
                           ": expected a tokenizer of kind tokenizer_json, sentencepiece or tok512 but got \"" +
                           support::escape(kind) + "\"");
}

std::unique_ptr<Tokenizer> Tokenizer::load(const std::filesystem::path &file) {
  return load(kindOf(file), file, sideFilesOf(file));
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

TokenizerSideFiles Tokenizer::sideFilesOf(const std::filesystem::path &file) {
  auto find = [&](const char *name) {
    std::filesystem::path path = file.parent_path() / name;
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? path : std::filesystem::path();
  };
  std::string_view kind = kindOf(file);
  TokenizerSideFiles beside;
  if (kind != "tok512")
    beside.config = find("tokenizer_config.json");
  if (kind == "sentencepiece") {
    beside.specialTokens = find("special_tokens_map.json");
    beside.addedTokens = find("added_tokens.json");
  }
  return beside;
}

void Tokenizer::fitTo(int64_t vocabulary, const std::filesystem::path &file) {
  // Fewer tokens are normal: models pad their vocabularies to round sizes.
  if (vocabularySize() > vocabulary)
    throw std::runtime_error(file.string() + ": expected at most the model's " + std::to_string(vocabulary) +
                             " tokens but got " + std::to_string(vocabularySize()));
}

TokenSequence Tokenizer::encodePrompt(std::string_view text, std::optional<int32_t> bos, std::size_t limit) const {
  TokenSequence sequence{encode(text), {}};
  if (std::optional<int32_t> begin = beginOf(bos))
    sequence.ids.insert(sequence.ids.begin(), *begin);
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
    bool isKnown = id >= 0 && id < tokenizer.vocabularySize();
    if (isKnown && tokenizer.isSkipped(id))
      return "";
    if (const std::string *word = isKnown ? tokenizer.getWord(id) : nullptr) {
      std::string before = finishText();
      before += hasWords ? " " : "";
      hasWords = true;
      return before + *word;
    }
    std::string bytes = isKnown ? tokenizer.getBytes(id) : support::replacementCharacter;
    if (std::exchange(hasTokens, true) == false && tokenizer.dropsPrefix() && bytes.starts_with(' '))
      bytes.erase(0, 1);
    if (atStart && !bytes.empty()) {
      using Leading = PieceTokenizer::LeadingSpaces;
      Leading leading = tokenizer.leadingSpaces();
      if (leading != Leading::Keep && bytes.front() == ' ')
        bytes.erase(0, leading == Leading::DropOne ? 1 : std::min(bytes.find_first_not_of(' '), bytes.size()));
      atStart = leading == Leading::DropAll && bytes.empty();
    }
    pending += bytes;
    return emit(support::takeWholeCharacters(pending));
  }
  std::string finish() override {
    bool endsInSpace = hasTokens && hasWords && !hasText && pending.empty();
    return finishText() + (endsInSpace ? " " : "");
  }

private:
  std::string emit(std::string text) {
    if (!text.empty() && !std::exchange(hasText, true) && hasWords)
      text.insert(0, " ");
    return text;
  }
  /// The tokens that follow begin a new text.
  std::string finishText() {
    std::string rest = emit(pending.empty() ? "" : support::replacementCharacter);
    hasWords |= hasText;
    pending.clear();
    hasTokens = hasText = false;
    atStart = true;
    return rest;
  }

  const PieceTokenizer &tokenizer;
  std::string pending;                     // the start of a character, at most 3 bytes
  bool atStart = true;                     // whether the text is at its start, where spaces may be dropped
  bool hasTokens = false, hasText = false; // of the text
  bool hasWords = false;                   // whether anything precedes the text
};

} // namespace

std::unique_ptr<TokenStream> PieceTokenizer::stream() const { return std::make_unique<PieceStream>(*this); }

} // namespace nstf::runtime
