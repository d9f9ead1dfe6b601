// Limits on the length and the nesting depth of untrusted text. Readers build a tree many times the text's size and
// recurse into it, so without limits a text could exhaust memory or the stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::support {

inline constexpr size_t maxNesting = 256;
inline constexpr size_t maxOperators = 1000;
inline constexpr size_t maxJsonBytes = 64 << 20;
inline constexpr size_t maxYamlBytes = 8 << 20;

/// The limit that a JSON text exceeds, as "expected values nested at most 256 deep but got more at line 1, column 257",
/// or nothing. The text need not be valid.
std::optional<std::string> findJsonExcess(std::string_view text);

/// The same for MLIR: the nesting of regions, types and attributes, by {} [] () <> and by aliases, and the number of
/// operators of an affine expression. The length is not limited.
std::optional<std::string> findMlirExcess(std::string_view text);

} // namespace nstf::support
