// Which names each part of a template reads and sets, as jinja2's compiler sees them before anything runs.
//
// A part that sets a name before it reads it, and not only inside an if, has the name as undefined from its beginning:
// what stands inside it, a macro say, doesn't see the variable of that name which the template was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace nstf::runtime::jinja {

class Names {
public:
  /// A part with names of its own begins; its number.
  size_t enter();
  void leave() { current = parts[current].parent; }
  /// An if begins or ends in the part.
  void enterIf() { ++parts[current].ifs; }
  void leaveIf() { --parts[current].ifs; }

  void read(std::string_view name) { parts[current].setFirst.try_emplace(name, false); }
  void set(std::string_view name) { parts[current].setFirst.try_emplace(name, parts[current].ifs == 0); }

  /// By part: what is undefined at its beginning, since nothing around it knows the name.
  std::vector<std::vector<std::string_view>> findUnset() const;

private:
  struct Part {
    size_t parent;
    unsigned ifs = 0;
    std::map<std::string_view, bool> setFirst = {}; ///< all names, and whether that came first
  };
  std::vector<Part> parts;
  size_t current = SIZE_MAX;
};

} // namespace nstf::runtime::jinja
