// SentencePiece's table of replacements: a double-array trie (darts-clone) from strings to offsets, and the replacement
// strings. It is applied as in Hugging Face's tokenizers: to grapheme clusters below six bytes, otherwise to
// characters; the shortest entry counts.
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <cstring>
#include <utf8proc.h>

namespace nstf::runtime {

namespace {

std::optional<std::string> fromBase64(std::string_view text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('='))
    text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char digit : text) {
    std::size_t value = digits.find(digit);
    if (value == std::string_view::npos)
      return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8)
      bytes += static_cast<char>(bits >> (count -= 8));
  }
  return bytes;
}

class Table {
public:
  /// Returns false if the bytes are not a table.
  bool read(std::string_view bytes) {
    uint32_t size = 0;
    if (bytes.size() < sizeof(size))
      return false;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (size == 0 || size % 4 != 0 || size > bytes.size())
      return false;
    units.resize(size / 4);
    std::memcpy(units.data(), bytes.data(), size);
    strings = bytes.substr(size);
    return unicode::makeValid(strings) == strings;
  }

  /// The replacement of the start of `text`, if any.
  std::optional<std::string_view> find(std::string_view text) const {
    std::size_t node = getOffset(units[0]);
    for (unsigned char byte : text) {
      node ^= byte;
      if (byte == 0 || node >= units.size() || (units[node] & 0x800000ff) != byte)
        return std::nullopt;
      uint32_t unit = units[node];
      node ^= getOffset(unit);
      if ((unit >> 8 & 1) == 0)
        continue;
      std::size_t begin = node < units.size() ? units[node] & 0x7fffffff : strings.size();
      if (begin >= strings.size() || (strings[begin] & 0xc0) == 0x80)
        return std::nullopt;
      return std::string_view(strings).substr(begin, strings.find('\0', begin) - begin);
    }
    return std::nullopt;
  }

private:
  static std::size_t getOffset(uint32_t unit) { return std::size_t(unit >> 10) << ((unit & 0x200) >> 6); }
  std::vector<uint32_t> units;
  std::string strings;
};

std::string replaceIn(const Table &table, const std::string &text, std::size_t max) {
  std::string result;
  auto characters = [&](std::string_view cluster) {
    for (std::size_t position = 0; position < cluster.size() && result.size() <= max;) {
      std::size_t begin = position;
      unicode::take(cluster, position);
      std::string_view character = cluster.substr(begin, position - begin);
      result += table.find(character).value_or(character);
    }
  };
  auto add = [&](std::string_view cluster) {
    std::optional<std::string_view> found = cluster.size() < 6 ? table.find(cluster) : std::nullopt;
    if (found)
      result += *found;
    else
      characters(cluster);
  };
  std::size_t begin = 0;
  std::optional<char32_t> before;
  utf8proc_int32_t state = 0;
  for (std::size_t position = 0; position < text.size() && result.size() <= max;) {
    std::size_t here = position;
    char32_t character = unicode::take(text, position);
    if (before && utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(*before),
                                                   static_cast<utf8proc_int32_t>(character), &state)) {
      add(std::string_view(text).substr(begin, here - begin));
      begin = here;
    }
    before = character;
  }
  add(std::string_view(text).substr(begin));
  return result;
}

} // namespace

NormalizerStep readPrecompiled(const support::JsonCursor &json) {
  support::JsonCursor map = json["precompiled_charsmap"];
  std::optional<std::string> bytes = fromBase64(map.string());
  auto table = std::make_shared<Table>();
  if (!bytes || !table->read(*bytes))
    map.failExpected("a table of replacements in base64");
  return [table](const std::string &text, std::size_t max) { return replaceIn(*table, text, max); };
}

} // namespace nstf::runtime
