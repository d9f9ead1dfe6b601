// Instruction streams as code objects, and a sandbox that runs them.
//
// The fuzzers share two things: a hand-written code object around any machine code and any kernel descriptor, so that
// every part of it can be wrong; and a launch with buffers, limits and checks that ends whatever the code does.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "test/runtime/emulator/fuzz/TimedRun.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator::fuzz {

/// Takes bytes from the front of the input; zeros when none are left.
class Input {
public:
  Input(const uint8_t *data, size_t size) : left(data, size) {}
  uint8_t byte() {
    if (left.empty())
      return 0;
    const uint8_t value = left[0];
    left = left.subspan(1);
    return value;
  }
  std::span<const uint8_t> rest() const { return left; }

private:
  std::span<const uint8_t> left;
};

/// The device that the emulator presents for a chip ("gfx942:sramecc+:xnack-").
inline TargetId getDevice(const Target &target) { return TargetId::parse(target.name + ":sramecc+:xnack-"); }

/// An ELF code object with one kernel, "fuzz", without metadata.
std::vector<std::byte> makeCodeObject(const Target &target, const llvm::amdhsa::kernel_descriptor_t &descriptor,
                                      std::span<const uint8_t> code);

/// A workgroup's share of the writable buffer.
constexpr size_t bytesOfGroup = 4096;

/// How a fuzzer runs a launch.
struct RunChoices {
  uint32_t workItems = 64; ///< per workgroup
  uint32_t workgroups = 1;
  uint32_t dynamicLds = 0;
  bool exact = false;        ///< matrix mode
  std::string checks;        ///< as for --check; empty: none
  uint64_t stepLimit = 2000; ///< wave instructions
  TimedChoices timed;        ///< used only without checks
};

/// Loads the code object and runs its kernels (at most four). Catches what the emulator may throw; any other exception,
/// and a run that does not end, is a bug for the fuzzer to report.
void loadAndRun(const Target &target, std::span<const std::byte> object, const RunChoices &choices);

} // namespace nstf::emulator::fuzz
