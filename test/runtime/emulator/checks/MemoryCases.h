// Small kernels with one mistake each, and the whole text of the findings.
#pragma once

#include <string>
#include <vector>

namespace nstf::emulator::test {

/// A kernel in assembly. At its start s[4:5] points to 4096 bytes that the host wrote (zeros), s[6:7] to 4096 bytes
/// that nobody wrote and s[8:9] to freed memory; s2 is the workgroup's number, v0 the work-item's and v1 four times v0.
/// The kernel has 1024 bytes of LDS and 64 bytes of stack. The body begins 28 bytes after the entry.
struct MemoryCase {
  const char *name;
  const char *body;
  /// Texts of the findings, in order; P stands for addresses, N for allocation numbers. The fault that ended the launch
  /// comes last.
  std::vector<std::string> found;
  unsigned block = 64, grid = 1;
};

/// Runs each case under the checks of `names` on a chip, and gives the texts of what is found.
std::vector<std::vector<std::string>> findInMemoryCases(const std::string &target, const std::string &names,
                                                        const std::vector<MemoryCase> &cases);
/// The same, expecting what the cases say. Takes a third of a second for all.
void runMemoryCases(const std::string &target, const std::string &names, const std::vector<MemoryCase> &cases);

} // namespace nstf::emulator::test
