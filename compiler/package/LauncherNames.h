// C++ names for a model's names in its launcher (LauncherText.h).
#pragma once

#include "nstf/Manifest.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::launcher {

/// Converts `text` to an identifier: characters that C++ does not allow become '_'; a '_' is appended to keywords and
/// to names that may be macros.
std::string identifier(std::string_view text);

/// A set of unique identifiers.
class NameSet {
public:
  explicit NameSet(std::set<std::string> taken) : taken(std::move(taken)) {}
  /// Adds an identifier for `text` that is not in the set yet: "x", "x_2", …
  std::string add(std::string_view text);

private:
  std::set<std::string> taken;
};

/// A launcher's names, in the manifest's order.
struct Names {
  std::string space; ///< the namespace; the ending "model" avoids keywords, macros and C functions
  std::vector<std::string> buffers, inputs, outputs;
};
Names makeNames(const manifest::Manifest &manifest);

/// `text` as a string literal with quotes, for any bytes.
std::string literal(std::string_view text);
/// `text` for a line comment; characters that a comment can't contain are replaced.
std::string comment(std::string_view text);

/// The C++ type with an element's bytes: "float"; uint16_t for f16 and bf16 and uint8_t for e4m3fnuz, which C++17
/// lacks.
std::string cppType(manifest::ElementType type);
/// "f32", "e4m3fnuz (its bits)": with a note on types that C++ lacks.
std::string describe(manifest::ElementType type);
/// "f32 [tokens, 20]"
std::string describe(const manifest::Port &port);

} // namespace nstf::launcher
