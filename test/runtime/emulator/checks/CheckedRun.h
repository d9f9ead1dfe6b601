// A few instructions on one workgroup, under checks.
#pragma once

#include "runtime/emulator/checks/Checker.h"

#include <string>
#include <vector>

namespace nstf::emulator::test {

/// Runs assembly on a workgroup of `waves` full waves and gives what the checks of `names` find. s[0:1] points to
/// 64 KiB of memory, s[4:7] is a buffer descriptor of it, s2 the wave's number, v0 = 4 * lane, v[2:3] is a lane's
/// address in the memory; 4 KiB of LDS. `s_endpgm` is added at the end.
std::vector<Finding> checkedRun(const std::string &target, const std::string &text, const std::string &names,
                                unsigned waves = 1);

} // namespace nstf::emulator::test
