// Small kernels with a mistake, and the whole text of what is found.
#pragma once

#include <string>
#include <vector>

namespace nstf::emulator::test {

/// A kernel in assembly. It starts with s[4:5] pointing to 4096 bytes that the host wrote (zeros), s[6:7] to 4096 bytes
/// that nobody wrote, s[8:9] to freed memory, s2 the workgroup, v0 the work-item, v1 four times that, and has 1024
/// bytes of LDS and 64 bytes of stack. The body begins 28 bytes behind the entry.
struct MemoryCase {
  const char *name;
  const char *body;
  /// Texts of the findings, in order; addresses are P, allocation numbers N. What ended the launch comes last.
  std::vector<std::string> found;
  unsigned block = 64, grid = 1;
};

/// Runs each case under the checks of `names` on a chip, and gives the texts of what is found.
std::vector<std::vector<std::string>> findInMemoryCases(const std::string &target, const std::string &names,
                                                        const std::vector<MemoryCase> &cases);
/// The same, expecting what the cases say. Takes a third of a second for all.
void runMemoryCases(const std::string &target, const std::string &names, const std::vector<MemoryCase> &cases);

} // namespace nstf::emulator::test
