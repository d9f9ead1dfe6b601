// Texts as Python's str has them: of characters, not of bytes. All are valid UTF-8.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// str.isspace of a character.
bool isSpace(char32_t character);
/// Bytes of the identifier at the start of `text`.
size_t identifierLength(std::string_view text);

/// Number of characters.
size_t countCharacters(std::string_view text);
/// Where character `index` begins; the end where there are fewer.
size_t offsetOf(std::string_view text, size_t index);
/// Bytes of the first character of a text that isn't empty.
size_t characterLength(std::string_view text);
/// The first character, which is taken off.
std::string_view takeCharacter(std::string_view &text);

std::string_view stripSpaces(std::string_view text, bool left = true, bool right = true);
/// Without the characters of `set` at its ends.
std::string_view stripSet(std::string_view text, std::string_view set, bool left, bool right);

/// str.split(): at white space, at most `max` times; negative: everywhere. The last part keeps the rest.
std::vector<std::string_view> splitSpaces(Context &context, std::string_view text, int64_t max, bool fromRight);
/// str.split(separator).
std::vector<std::string_view> splitAt(Context &context, std::string_view text, std::string_view separator, int64_t max,
                                      bool fromRight);
/// str.splitlines(keepends).
std::vector<std::string_view> splitLines(Context &context, std::string_view text, bool keepEnds);

/// Where `part` is found in `text`, in bytes; npos where it isn't. Linear in the length of the text.
size_t findText(Context &context, std::string_view text, std::string_view part, size_t from = 0);
size_t findLastText(Context &context, std::string_view text, std::string_view part);
/// str.replace; negative `max`: all.
Value replaceText(Context &context, std::string_view text, std::string_view part, std::string_view by, int64_t max);

} // namespace nstf::runtime::jinja
