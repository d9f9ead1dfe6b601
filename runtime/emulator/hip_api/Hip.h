// HIP's own declarations (Debian's 5.2 header), so that every function here is checked against its prototype. Functions
// that HIP 6 added or whose structs it changed are declared where they are defined. `hip-abi` facts: offsets and enum
// values differ only where a comment says so.
#pragma once

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

/// Marks a function that programs call: C name, visible. Its version node is in hip.map.
#define NSTF_HIP_API extern "C" __attribute__((visibility("default")))
