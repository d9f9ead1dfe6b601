// Upper and lower case as in Python's str: full mappings of Unicode (ß → SS), by utf8proc.
#pragma once

#include <string>
#include <string_view>

namespace nstf::runtime::jinja {

std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
/// str.title(): each word's first letter in title case.
std::string toTitle(std::string_view text);
/// str.capitalize(): the first character in title case, the others in lower case.
std::string capitalize(std::string_view text);
std::string swapCase(std::string_view text);
/// str.casefold(): for comparisons without regard to case.
std::string foldCase(std::string_view text);

/// str.islower(), str.isupper(), str.istitle(): all cased letters have this case, and there is at least one.
bool isLower(std::string_view text);
bool isUpper(std::string_view text);
bool isTitle(std::string_view text);

bool isLetter(char32_t character);  // str.isalpha
bool isDecimal(char32_t character); // str.isdecimal
/// The value of a decimal digit of any script.
int digitValue(char32_t character);
bool isDigit(char32_t character); // str.isdigit
bool isPrintable(char32_t character);

} // namespace nstf::runtime::jinja
