// Makes a launch file for nstf-emu that launches a kernel compiled alone, on generated numbers.
#pragma once

#include "compiler/package/KernelHeader.h"
#include "support/LaunchFileText.h"

namespace nstf {

/// Returns the launch file of the header's first launch, with the largest number of rows that the kernel takes. Floats
/// and codes are random; other whole numbers, which may be row indices, are 0. The caller sets codeObject.
support::LaunchFileText makeKernelLaunchFile(const KernelHeader &header);

} // namespace nstf
