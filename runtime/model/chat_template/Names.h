// Which names each part of a template reads and sets, determined before anything runs, as in jinja2's compiler.
//
// If a part sets a name before it reads it, outside any if, the name is undefined from the part's beginning. Code
// inside the part, such as a macro, then does not see a variable of the same name that was passed to the template.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace nstf::runtime::jinja {

class Names {
public:
  /// Begins a part with a scope of its own; returns its number.
  size_t enter();
  void leave() { current = parts[current].parent; }
  /// Begins or ends an if in the current part.
  void enterIf() { ++parts[current].ifs; }
  void leaveIf() { --parts[current].ifs; }

  void read(std::string_view name) { parts[current].setFirst.try_emplace(name, false); }
  void set(std::string_view name) { parts[current].setFirst.try_emplace(name, parts[current].ifs == 0); }

  /// By part: names that are undefined at its beginning, since no enclosing part uses the name.
  std::vector<std::vector<std::string_view>> findUnset() const;

private:
  struct Part {
    size_t parent;
    unsigned ifs = 0;
    std::map<std::string_view, bool> setFirst = {}; ///< all names; true if the part sets the name before it reads it
  };
  std::vector<Part> parts;
  size_t current = SIZE_MAX;
};

} // namespace nstf::runtime::jinja
