#include "support/Utf8.h"

namespace nstf::support {

Utf8Prefix utf8Prefix(std::string_view bytes) {
  auto byteAt = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned char lead = byteAt(0);
  size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size == 0)
    return {1, false, false}; // a continuation byte, or an invalid lead byte
  // The second byte's range excludes overlong forms, surrogates and code points above U+10FFFF.
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < size; ++i, low = 0x80, high = 0xbf) {
    if (i == bytes.size())
      return {i, false, true};
    if (byteAt(i) < low || byteAt(i) > high)
      return {i, false, false};
  }
  return {size, true, false};
}

std::string takeWholeCharacters(std::string &bytes) {
  std::string text;
  size_t position = 0;
  while (position < bytes.size()) {
    Utf8Prefix prefix = utf8Prefix(std::string_view(bytes).substr(position));
    if (prefix.unfinished)
      break;
    if (prefix.valid)
      text.append(bytes, position, prefix.length);
    else
      text += replacementCharacter;
    position += prefix.length;
  }
  bytes.erase(0, position);
  return text;
}

} // namespace nstf::support
