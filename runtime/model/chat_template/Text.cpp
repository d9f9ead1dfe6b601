#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <algorithm>
#include <cstring>

namespace nstf::runtime::jinja {

namespace {

/// The last character. Precondition: the text is not empty.
std::string_view lastCharacter(std::string_view text) {
  size_t begin = text.size() - 1;
  while ((text[begin] & 0xc0) == 0x80)
    --begin;
  return text.substr(begin);
}

char32_t decode(std::string_view character) {
  size_t position = 0;
  return unicode::take(character, position);
}

bool isSpaceText(std::string_view character) { return isSpace(decode(character)); }

template <typename Drops> std::string_view strip(std::string_view text, bool left, bool right, Drops drops) {
  while (left && !text.empty() && drops(text.substr(0, characterLength(text))))
    text.remove_prefix(characterLength(text));
  while (right && !text.empty() && drops(lastCharacter(text)))
    text.remove_suffix(lastCharacter(text).size());
  return text;
}

} // namespace

bool isSpace(char32_t character) {
  if (character < 0x80)
    return character == ' ' || (character >= 0x09 && character <= 0x0d) || (character >= 0x1c && character <= 0x1f);
  return unicode::isSpace(character);
}

size_t identifierLength(std::string_view text) {
  size_t length = 0;
  for (size_t position = 0; position < text.size();) {
    const char32_t character = unicode::take(text, position);
    const bool letter = (character | 0x20) - 'a' < 26u || character == '_';
    const bool digit = character >= '0' && character <= '9';
    const bool other = character >= 0x80 && unicode::isWord(character) && (length > 0 || !unicode::isNumber(character));
    if (!letter && !other && !(digit && length > 0))
      break;
    length = position;
  }
  return length;
}

size_t countCharacters(std::string_view text) { return unicode::count(text); }

size_t getOffset(std::string_view text, size_t index) {
  size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index)
    offset += characterLength(text.substr(offset));
  return offset;
}

size_t characterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

std::string_view takeCharacter(std::string_view &text) {
  const std::string_view character = text.substr(0, characterLength(text));
  text.remove_prefix(character.size());
  return character;
}

std::string_view stripSpaces(std::string_view text, bool left, bool right) {
  return strip(text, left, right, isSpaceText);
}

std::string_view stripSet(std::string_view text, std::string_view set, bool left, bool right) {
  return strip(text, left, right,
               [&](std::string_view character) { return set.find(character) != std::string_view::npos; });
}

std::vector<std::string_view> splitSpaces(Context &context, std::string_view text, int64_t max, bool fromRight) {
  context.stepBytes(text.size());
  std::vector<std::string_view> parts;
  text = stripSpaces(text, !fromRight, fromRight);
  while (!text.empty()) {
    context.step();
    if (max >= 0 && static_cast<int64_t>(parts.size()) == max) {
      parts.push_back(text);
      break;
    }
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view character = fromRight ? lastCharacter(rest) : rest.substr(0, characterLength(rest));
      if (isSpaceText(character))
        break;
      fromRight ? rest.remove_suffix(character.size()) : rest.remove_prefix(character.size());
    }
    const size_t length = text.size() - rest.size();
    parts.push_back(fromRight ? text.substr(rest.size()) : text.substr(0, length));
    text = stripSpaces(rest, !fromRight, fromRight);
  }
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> splitAt(Context &context, std::string_view text, std::string_view separator, int64_t max,
                                      bool fromRight) {
  std::vector<std::string_view> parts;
  while (max < 0 || static_cast<int64_t>(parts.size()) < max) {
    context.step();
    const size_t found = fromRight ? findLastText(context, text, separator) : findText(context, text, separator);
    if (found == std::string_view::npos)
      break;
    parts.push_back(fromRight ? text.substr(found + separator.size()) : text.substr(0, found));
    text = fromRight ? text.substr(0, found) : text.substr(found + separator.size());
  }
  parts.push_back(text);
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> splitLines(Context &context, std::string_view text, bool keepEnds) {
  context.stepBytes(text.size());
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t end = position;
    const char32_t c = unicode::take(text, position);
    const bool ends = (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
    if (!ends)
      continue;
    if (c == '\r' && position < text.size() && text[position] == '\n')
      ++position;
    context.step();
    lines.push_back(text.substr(begin, (keepEnds ? position : end) - begin));
    begin = position;
  }
  if (begin < text.size())
    lines.push_back(text.substr(begin));
  return lines;
}

size_t findText(Context &context, std::string_view text, std::string_view part, size_t from) {
  if (from > text.size())
    return std::string_view::npos;
  if (part.empty())
    return from;
  if (from == text.size()) // an empty text may have no address
    return std::string_view::npos;
  const void *found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  const size_t at = found ? static_cast<size_t>(static_cast<const char *>(found) - text.data()) : text.size();
  context.stepBytes(at - from);
  return found ? at : std::string_view::npos;
}

size_t findLastText(Context &context, std::string_view text, std::string_view part) {
  const size_t found = text.rfind(part);
  context.stepBytes((text.size() - (found == std::string_view::npos ? 0 : found)) * (1 + part.size() / 32));
  return found;
}

Value replaceText(Context &context, std::string_view text, std::string_view part, std::string_view by, int64_t max) {
  TextBuilder result(context);
  size_t position = 0;
  for (; max != 0; max -= max > 0) {
    if (part.empty()) { // before each character, and at the end
      result += by;
      if (position == text.size())
        return result.finish();
      const size_t length = characterLength(text.substr(position));
      result += text.substr(position, length);
      position += length;
      continue;
    }
    const size_t found = findText(context, text, part, position);
    if (found == std::string_view::npos)
      break;
    result += text.substr(position, found - position);
    result += by;
    position = found + part.size();
  }
  result += text.substr(position);
  return result.finish();
}

} // namespace nstf::runtime::jinja
