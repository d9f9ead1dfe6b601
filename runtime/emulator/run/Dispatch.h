// Runs a kernel launch to its end.
//
// The interface between callers that launch kernels (hip_api, nstf-emu) and execution.
#pragma once

#include "runtime/emulator/run/Finding.h"
#include "runtime/emulator/run/LaunchOptions.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace nstf::emulator {

struct Target;
struct Kernel; // runtime/emulator/memory/CodeObject.h
class Memory;  // runtime/emulator/memory/Memory.h

struct LaunchArguments {
  const Kernel *kernel;
  uint32_t grid[3];           ///< in workgroups
  uint32_t block[3];          ///< in work-items
  uint32_t dynamicLds;        ///< bytes after the kernel's static LDS
  const void *kernarg;        ///< the kernarg segment with hidden arguments; copied, need not be device memory
  size_t kernargSize;         ///< bytes readable at `kernarg`, at least Kernel::kernargSize
  uint32_t remainder[3] = {}; ///< work-items of the last workgroup in each dimension; 0: it is full
};

/// Runs a launch to its end. Throws Fault for the first fault (that of the lowest-numbered workgroup that faulted), and
/// std::runtime_error for a launch that the kernel cannot take (block too large, more LDS than the chip has). Several
/// threads may call it at once; the memory effects of the grid are complete when it returns.
void dispatch(const Target &target, Memory &memory, const LaunchArguments &launch,
              const LaunchOptions &options = LaunchOptions::fromEnvironment());

} // namespace nstf::emulator
