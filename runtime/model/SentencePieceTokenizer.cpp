#include "runtime/model/SentencePieceTokenizer.h"
#include "support/MappedFile.h"

#include <sentencepiece_processor.h>
#include <stdexcept>

namespace nstf::runtime {

namespace {
constexpr std::string_view spaceSymbol = "\xe2\x96\x81"; // U+2581, SentencePiece's visible space
} // namespace

SentencePieceTokenizer::SentencePieceTokenizer(const std::filesystem::path &path)
    : processor(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  support::MappedFile file(path);
  std::string_view bytes = file.text();
  sentencepiece::util::Status status = processor->LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok() || processor->GetPieceSize() == 0)
    throw std::runtime_error(path.string() + ": expected a SentencePiece model: " + status.ToString());
  // The normalizer's settings are not part of the library's interface, but what they do can be seen.
  std::vector<std::string> plain = processor->EncodeAsPieces("a"), spaced = processor->EncodeAsPieces("  a");
  bool dropsSpaces = plain == spaced;
  bool addsSpace = !plain.empty() && plain.front().starts_with(spaceSymbol);
  leading = dropsSpaces ? LeadingSpaces::DropAll : addsSpace ? LeadingSpaces::DropOne : LeadingSpaces::Keep;
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::vector<int32_t> SentencePieceTokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  sentencepiece::util::Status status = processor->Encode({text.data(), text.size()}, &ids);
  if (!status.ok())
    throw std::runtime_error("cannot tokenize the text: " + status.ToString());
  return {ids.begin(), ids.end()};
}

int32_t SentencePieceTokenizer::vocabularySize() const { return processor->GetPieceSize(); }

std::string SentencePieceTokenizer::bytesOf(int32_t id) const {
  if (processor->IsControl(id))
    return "";
  if (processor->IsUnknown(id))
    return processor->DecodeIds({id}); // the model's own sign for unknown text
  const std::string &piece = processor->IdToPiece(id);
  if (processor->IsByte(id)) // "<0x41>"
    return std::string(1, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
  std::string text;
  for (std::size_t i = 0; i < piece.size();) {
    if (piece.compare(i, spaceSymbol.size(), spaceSymbol) == 0) {
      text += ' ';
      i += spaceSymbol.size();
    } else {
      text += piece[i++];
    }
  }
  return text;
}

} // namespace nstf::runtime
