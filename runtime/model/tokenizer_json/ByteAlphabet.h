// Maps bytes to printable characters.
//
// GPT-2's mapping (openai/gpt-2, encoder.py, bytes_to_unicode): a byte that is a printable character of Latin-1 maps to
// it, any other byte to the next free character from U+0100 on. Any string of bytes can thus be written as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nstf::runtime {

/// The text in which each byte is its character.
std::string bytesToAlphabet(std::string_view bytes);
/// The bytes of a text in this alphabet; nothing if the text has other characters.
std::optional<std::string> bytesFromAlphabet(std::string_view text);

} // namespace nstf::runtime
