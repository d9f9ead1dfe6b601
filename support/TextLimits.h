// How long texts that anybody may have written may be, and how deep their values may nest: readers build a tree of many
// times the text's size and recurse into it, and memory and stacks end.
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

/// What is too much of a text in JSON, as "expected values nested at most 256 deep but got more at line 1, column 257".
/// The text may be anything.
std::optional<std::string> findJsonExcess(std::string_view text);

/// The same of MLIR: regions, types and attributes, which nest in {} [] () <> and by aliases, and operators of affine
/// expressions. Its length is not limited.
std::optional<std::string> findMlirExcess(std::string_view text);

} // namespace nstf::support
