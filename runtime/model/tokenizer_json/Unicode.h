// Characters, their classes and normal forms.
//
// By utf8proc (Unicode 15). Texts are valid UTF-8 once makeValid has returned them, so the functions here do not check
// again. The classes are those of Hugging Face's tokenizers; recently assigned characters may be in another class
// there.
#pragma once

#include <string>
#include <string_view>

namespace nstf::runtime::unicode {

/// The text with each maximal ill-formed sequence replaced by U+FFFD, as Python's bytes.decode("utf-8", "replace")
/// does.
std::string makeValid(std::string_view bytes);

/// The character at `position`; advances `position` past it.
char32_t take(std::string_view text, std::size_t &position);
/// The last character. Precondition: the text is not empty.
char32_t last(std::string_view text);
void append(std::string &text, char32_t character);
/// Number of characters.
std::size_t count(std::string_view text);

using Class = bool (*)(char32_t);
/// leading: the end of the longest prefix whose characters are in the class; trailing: the start of the longest such
/// suffix.
std::size_t leading(std::string_view text, Class isOf);
std::size_t trailing(std::string_view text, Class isOf);
/// Precondition: `from` is not empty.
std::string replaceAll(std::string_view text, std::string_view from, std::string_view to);
/// SentencePiece's sign for a space, U+2581.
inline constexpr const char *visibleSpace = "\xe2\x96\x81";

bool isSpace(char32_t character);          // White_Space
bool isPythonSpace(char32_t character);    // what Python's str.strip() strips: White_Space and four separators
bool isPunctuation(char32_t character);    // P, and all of ASCII except letters, digits, spaces and control characters
bool isNonspacingMark(char32_t character); // Mn
bool isMark(char32_t character);           // M
bool isNumber(char32_t character);         // N
bool isOther(char32_t character);          // Cc, Cf, Co
bool isWord(char32_t character);           // regular expressions' \w: Alphabetic, M, Nd, Pc, Join_Control
bool isIdeograph(char32_t character);      // BERT's "Chinese characters": the CJK Unified Ideographs blocks

enum class Form { NFC, NFD, NFKC, NFKD };
std::string normalize(std::string_view text, Form form);
/// Converts each character without regard to its neighbours.
std::string lower(std::string_view text);

} // namespace nstf::runtime::unicode
