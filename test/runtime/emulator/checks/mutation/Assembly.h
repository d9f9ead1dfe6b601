// A suite file as assembly whose lines can be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// A line of assembly that keeps instructions apart or in order.
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
  /// A code object of it all, with a symbol at each site, whose address becomes `addresses[site]`.
  std::vector<char> link(std::vector<uint64_t> &addresses) const;
  /// A code object without a site's line.
  std::vector<char> linkWithout(const Site &site) const;

private:
  std::vector<char> link(const std::string &text) const;
  std::string chip;
  std::vector<std::string> lines;
  std::vector<Site> found;
};

} // namespace nstf::emulator::test
