// A launch file for nstf-emu that launches a kernel that was compiled alone, on numbers of its own.
#pragma once

#include "compiler/package/KernelHeader.h"
#include "support/LaunchFileText.h"

namespace nstf {

/// For the first of the header's launches, with as many rows as there can be. Floats and codes are random, other whole
/// numbers, which may choose rows, are 0. All but the text's codeObject.
support::LaunchFileText makeKernelLaunchFile(const KernelHeader &header);

} // namespace nstf
