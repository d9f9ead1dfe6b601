// Texts as in Python's str: sequences of characters, not of bytes. All texts are valid UTF-8.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// str.isspace for one character.
bool isSpace(char32_t character);
/// Length in bytes of the identifier at the start of `text`.
size_t identifierLength(std::string_view text);

/// Number of characters.
size_t countCharacters(std::string_view text);
/// Byte offset of character `index`; the end of the text if it has fewer characters.
size_t getOffset(std::string_view text, size_t index);
/// Bytes of the first character. Precondition: the text is not empty.
size_t characterLength(std::string_view text);
/// Removes the first character from `text` and returns it.
std::string_view takeCharacter(std::string_view &text);

std::string_view stripSpaces(std::string_view text, bool left = true, bool right = true);
/// Strips the characters of `set` from the chosen ends.
std::string_view stripSet(std::string_view text, std::string_view set, bool left, bool right);

/// str.split(): splits at white space, at most `max` times; negative: everywhere. The last part keeps the rest.
std::vector<std::string_view> splitSpaces(Context &context, std::string_view text, int64_t max, bool fromRight);
/// str.split(separator).
std::vector<std::string_view> splitAt(Context &context, std::string_view text, std::string_view separator, int64_t max,
                                      bool fromRight);
/// str.splitlines(keepends).
std::vector<std::string_view> splitLines(Context &context, std::string_view text, bool keepEnds);

/// Byte offset of `part` in `text`; npos if it does not occur. Linear in the length of the text.
size_t findText(Context &context, std::string_view text, std::string_view part, size_t from = 0);
size_t findLastText(Context &context, std::string_view text, std::string_view part);
/// str.replace; negative `max`: all.
Value replaceText(Context &context, std::string_view text, std::string_view part, std::string_view by, int64_t max);

} // namespace nstf::runtime::jinja
