//===- Dispatch.h - runs a kernel launch to its end --------------------------------------------------------------===//
//
// The door between the HIP side (hip_api, memory) and execution. Workgroups spread over NSTF_EMU_THREADS oneTBB
// threads (at most one a core); the waves of a workgroup take turns on one thread, each running until a barrier or its
// end.
//
//===-------------------------------------------------------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_EXECUTE_DISPATCH_H
#define NSTF_RUNTIME_EMULATOR_EXECUTE_DISPATCH_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nstf::emulator {

struct Target;
struct Kernel; // runtime/emulator/memory/CodeObject.h
class Memory;  // runtime/emulator/memory/Memory.h
struct ExecutionStatistics;

/// Upper 32 bits of flat addresses that mean LDS and scratch (src_shared_base, src_private_base, hidden_shared_base …).
/// Host addresses have none of these bits, so no allocation can lie there.
constexpr uint32_t sharedApertureHigh = 0x00010000;
constexpr uint32_t privateApertureHigh = 0x00020000;

struct LaunchArguments {
  const Kernel *kernel;
  uint32_t grid[3];    ///< in workgroups
  uint32_t block[3];   ///< in work-items
  uint32_t dynamicLds; ///< bytes after the kernel's static LDS
  const void *kernarg; ///< the kernarg segment, hidden arguments filled in; copied, need not be device memory
  size_t kernargSize;  ///< bytes readable at `kernarg`, at least Kernel::kernargSize
};

/// What stopped a run: an access outside every allocation, an unknown instruction, a trap …
/// what() names the kernel, pc, instruction text, workgroup, wave, lane, address and nearest allocation as far as they
/// apply.
class Fault : public std::runtime_error {
public:
  explicit Fault(const std::string &message, bool illegalAddress = false)
      : std::runtime_error(message), illegalAddress(illegalAddress) {}
  /// An access to global memory that isn't there (HIP has an error code of its own for it).
  bool illegalAddress;
};

/// Runs a launch to its end; where `statistics` are given, counts what it does and adds that to them. Throws Fault on
/// the first fault (of the lowest workgroup that faulted), and std::runtime_error for a launch that the kernel can't
/// take (block too large, LDS beyond the chip's). Threads may call it at once; the grid's memory effects are complete
/// when it returns.
void dispatch(const Target &target, Memory &memory, const LaunchArguments &launch,
              ExecutionStatistics *statistics = nullptr);

/// Which vector instructions of the host the handlers use ("AVX3", "AVX2", "EMU128": none), for reports.
std::string hostVectorTarget();

} // namespace nstf::emulator

#endif
