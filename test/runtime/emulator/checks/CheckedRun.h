// Runs a few instructions on one workgroup under checks.
#pragma once

#include "runtime/emulator/checks/Checker.h"

#include <string>
#include <vector>

namespace nstf::emulator::test {

/// Runs assembly on a workgroup of `waves` full waves and returns what the checks in `names` find. s[0:1] points to 64
/// KiB of memory, s[4:7] is a buffer descriptor of that memory, s2 is the wave's number, v0 is 4 * lane and v[2:3] is a
/// lane's address in the memory. The workgroup has 4 KiB of LDS. `s_endpgm` is appended.
std::vector<Finding> checkedRun(const std::string &target, const std::string &text, const std::string &names,
                                unsigned waves = 1);

} // namespace nstf::emulator::test
