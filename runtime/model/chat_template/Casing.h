// Upper and lower case as Python's str has them: full mappings of Unicode (ß → SS), by utf8proc.
#pragma once

#include <string>
#include <string_view>

namespace nstf::runtime::jinja {

std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
/// str.title(): each word's first letter in title case.
std::string toTitle(std::string_view text);
/// str.capitalize(): the first character in title case, the others lower.
std::string capitalize(std::string_view text);
std::string swapCase(std::string_view text);
/// str.casefold(): for comparisons without regard to case.
std::string foldCase(std::string_view text);

/// str.islower(), str.isupper(), str.istitle(): that case where there is case, and at least one such letter.
bool isLower(std::string_view text);
bool isUpper(std::string_view text);
bool isTitle(std::string_view text);

bool isLetter(char32_t character);  // str.isalpha
bool isDecimal(char32_t character); // str.isdecimal
/// Of a decimal digit of any script.
int digitValue(char32_t character);
bool isDigit(char32_t character); // str.isdigit
bool isPrintable(char32_t character);

} // namespace nstf::runtime::jinja
