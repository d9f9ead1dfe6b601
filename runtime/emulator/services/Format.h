// The text of a printf, from its format and the words that a kernel has packed its arguments into.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nstf::emulator::services {

/// A printf that has no text; the message says why, in one line.
struct PrintfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Formats as C's printf does. An argument is one 64-bit word: a number (of which the conversion's width counts), a
/// double or a pointer. A string is its bytes up to a NUL, padded to whole words. %n, wide characters, more
/// arguments than there are, and widths and texts without measure are a PrintfError.
std::string formatPrintf(std::string_view format, std::span<const uint64_t> arguments);

/// The same; the words begin with the format, which is a string like the others.
std::string formatPrintf(std::span<const uint64_t> words);

} // namespace nstf::emulator::services
