// Bytes as visible characters.
//
// GPT-2's trick (openai/gpt-2, encoder.py, bytes_to_unicode): every byte has a printable character, its own where
// Latin-1 has one, else the next free one from U+0100 on. So pieces of bytes can be written as strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nstf::runtime {

/// Each byte as its character.
std::string bytesToAlphabet(std::string_view bytes);
/// The bytes of a text in the alphabet, or nothing where it has other characters.
std::optional<std::string> bytesFromAlphabet(std::string_view text);

} // namespace nstf::runtime
