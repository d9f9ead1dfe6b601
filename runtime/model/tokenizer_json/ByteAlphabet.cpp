#include "runtime/model/tokenizer_json/ByteAlphabet.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <array>

namespace nstf::runtime {

namespace {

struct Alphabet {
  std::array<std::string, 256> characterOf;
  std::array<int, 0x144> byteOf; // -1: none
  Alphabet() {
    byteOf.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
      char32_t character = printable ? static_cast<char32_t>(byte) : next++;
      unicode::append(characterOf[byte], character);
      byteOf[character] = byte;
    }
  }
};

const Alphabet &alphabet() {
  static const Alphabet instance;
  return instance;
}

} // namespace

std::string bytesToAlphabet(std::string_view bytes) {
  const Alphabet &table = alphabet();
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char byte : bytes)
    text += table.characterOf[static_cast<unsigned char>(byte)];
  return text;
}

std::optional<std::string> bytesFromAlphabet(std::string_view text) {
  const Alphabet &table = alphabet();
  std::string bytes;
  for (std::size_t position = 0; position < text.size();) {
    char32_t character = unicode::take(text, position);
    if (character >= table.byteOf.size() || table.byteOf[character] < 0)
      return std::nullopt;
    bytes += static_cast<char>(table.byteOf[character]);
  }
  return bytes;
}

} // namespace nstf::runtime
