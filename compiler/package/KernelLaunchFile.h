// Makes a launch file for nstf-emu that launches a kernel compiled alone, on generated numbers.
#pragma once

#include "compiler/package/KernelHeader.h"
#include "support/LaunchFileText.h"

namespace nstf {

/// For the first of the header's launches, with the largest number of rows. Floats and codes are random; other whole
/// numbers, which may be row indices, are 0. The caller sets codeObject.
support::LaunchFileText makeKernelLaunchFile(const KernelHeader &header);

} // namespace nstf
