#include "support/Escape.h"
#include "support/Utf8.h"

#include <cstdio>

namespace nstf::support {
namespace {

char32_t decode(std::string_view character) {
  auto byteAt = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1)
    return byteAt(0);
  char32_t code = byteAt(0) & (0x7f >> character.size());
  for (size_t i = 1; i < character.size(); ++i)
    code = code << 6 | (byteAt(i) & 0x3f);
  return code;
}

/// Control characters (C0, DEL, C1), the line and paragraph separators, and characters that change the text's
/// direction.
bool isObeyed(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string escapeCode(char32_t code) {
  if (code == '\n')
    return "\\n";
  if (code == '\r')
    return "\\r";
  if (code == '\t')
    return "\\t";
  char buffer[12];
  std::snprintf(buffer, sizeof buffer, code < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(code));
  return buffer;
}

std::string escapeBytes(std::string_view bytes) {
  std::string result;
  for (unsigned char byte : bytes) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
    result += buffer;
  }
  return result;
}

} // namespace

std::string escape(std::string_view text, size_t limit) {
  std::string result;
  size_t characters = 0;
  while (!text.empty()) {
    if (text[0] >= ' ' && text[0] < 0x7f) { // fast path: printable ASCII
      if (++characters > limit)
        return result + "…";
      result += text[0];
      text.remove_prefix(1);
      continue;
    }
    Utf8Prefix prefix = utf8Prefix(text);
    std::string_view bytes = text.substr(0, prefix.length);
    text.remove_prefix(prefix.length);
    std::string piece = !prefix.valid             ? escapeBytes(bytes)
                        : isObeyed(decode(bytes)) ? escapeCode(decode(bytes))
                                                  : std::string(bytes);
    characters += piece == bytes ? 1 : piece.size();
    if (characters > limit)
      return result + "…";
    result += piece;
  }
  return result;
}

} // namespace nstf::support
