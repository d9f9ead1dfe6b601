#include "nstf/Tokenizer.h"
#include "runtime/model/SentencePieceTokenizer.h"
#include "runtime/model/Tok512Tokenizer.h"
#include "runtime/model/Utf8.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

std::unique_ptr<Tokenizer> Tokenizer::load(std::string_view kind, const std::filesystem::path &file) {
  if (kind == "sentencepiece")
    return std::make_unique<SentencePieceTokenizer>(file);
  if (kind == "tok512")
    return std::make_unique<Tok512Tokenizer>(file);
  throw std::runtime_error(file.string() + ": expected a tokenizer of kind sentencepiece or tok512 but got \"" +
                           std::string(kind) + "\"");
}

std::string_view Tokenizer::kindOf(const std::filesystem::path &file) {
  if (file.extension() == ".model")
    return "sentencepiece";
  if (file.extension() == ".bin")
    return "tok512";
  throw std::runtime_error(file.string() + ": expected a tokenizer named *.model (sentencepiece) or *.bin (tok512)");
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  StreamDecoder decoder(*this);
  std::string text;
  for (std::int32_t id : ids)
    text += decoder.push(id);
  return text + decoder.finish();
}

std::string StreamDecoder::push(std::int32_t id) {
  bool known = id >= 0 && id < tokenizer.vocabularySize();
  std::string bytes = known ? tokenizer.bytesOf(id) : replacementCharacter;
  if (atStart && !bytes.empty()) {
    using Leading = Tokenizer::LeadingSpaces;
    Leading leading = tokenizer.leadingSpaces();
    if (leading != Leading::Keep && bytes.front() == ' ')
      bytes.erase(0, leading == Leading::DropOne ? 1 : std::min(bytes.find_first_not_of(' '), bytes.size()));
    atStart = leading == Leading::DropAll && bytes.empty();
  }
  pending += bytes;
  return takeWholeCharacters(pending);
}

std::string StreamDecoder::finish() {
  std::string text = pending.empty() ? "" : replacementCharacter;
  pending.clear();
  atStart = true;
  return text;
}

} // namespace nstf::runtime
