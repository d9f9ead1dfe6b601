// What a model's names are called in the C++ of its launcher (LauncherText.h).
#pragma once

#include "nstf/Manifest.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::launcher {

/// `text` as an identifier: what C++ does not allow becomes '_'; keywords and what may be a macro get a '_' more.
std::string identifier(std::string_view text);

/// Identifiers that are different from each other.
class NameSet {
public:
  explicit NameSet(std::set<std::string> taken) : taken(std::move(taken)) {}
  /// An identifier for `text` that nobody has yet: "x", "x_2", …
  std::string add(std::string_view text);

private:
  std::set<std::string> taken;
};

/// The names of a launcher, in the manifest's order.
struct Names {
  std::string space; ///< the namespace; ends in "model", so that no keyword, macro or C function is called the same
  std::vector<std::string> buffers, inputs, outputs;
};
Names makeNames(const manifest::Manifest &manifest);

/// `text` as a string literal with its quotes, for any bytes.
std::string literal(std::string_view text);
/// `text` as the part of a line comment that it can be.
std::string comment(std::string_view text);

/// The C++ type whose bytes are an element: "float"; uint16_t for f16 and bf16 and uint8_t for e4m3fnuz, which
/// C++17 has not.
std::string cppType(manifest::ElementType type);
/// "f32", "e4m3fnuz (its bits)": with a word on types that C++ has not.
std::string describe(manifest::ElementType type);
/// "f32 [tokens, 20]"
std::string describe(const manifest::Port &port);

} // namespace nstf::launcher
