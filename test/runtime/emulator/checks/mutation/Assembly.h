// A suite file as assembly from which single lines can be deleted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// A line of assembly that separates or orders instructions.
struct Site {
  enum Kind : uint8_t { Wait, Nop, Barrier } kind;
  size_t line;
  std::string text;
};
constexpr const char *siteKindNames[] = {"s_waitcnt", "s_nop", "s_barrier"};

class Assembly {
public:
  /// The device code of a HIP source, compiled for `chip`. Throws std::runtime_error with the compiler's output.
  Assembly(const std::string &source, const std::string &chip, const std::string &level);

  const std::vector<Site> &sites() const { return found; }
  /// Links a code object of the whole file with a symbol at each site and sets `addresses[site]` to its address.
  std::vector<char> link(std::vector<uint64_t> &addresses) const;
  /// Links a code object without the site's line.
  std::vector<char> linkWithout(const Site &site) const;

private:
  std::vector<char> link(const std::string &text) const;
  std::string chip;
  std::vector<std::string> lines;
  std::vector<Site> found;
};

} // namespace nstf::emulator::test
