// Instruction streams as code objects, and a sandbox to run them in.
//
// What the fuzzers share: a code object around any machine code and any kernel descriptor, written by hand so that it
// can be as wrong as one likes; and a launch with buffers, limits and checks that ends whatever the code does.
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

/// Bytes taken from the front of the input; zeros when there are none left.
class Input {
public:
  Input(const uint8_t *data, size_t size) : rest_(data, size) {}
  uint8_t byte() {
    if (rest_.empty())
      return 0;
    const uint8_t value = rest_[0];
    rest_ = rest_.subspan(1);
    return value;
  }
  std::span<const uint8_t> rest() const { return rest_; }

private:
  std::span<const uint8_t> rest_;
};

/// The device a chip is when it is emulated ("gfx942:sramecc+:xnack-").
inline TargetId deviceOf(const Target &target) { return TargetId::parse(target.name + ":sramecc+:xnack-"); }

/// An ELF code object of one kernel, "fuzz", without metadata.
std::vector<std::byte> makeCodeObject(const Target &target, const llvm::amdhsa::kernel_descriptor_t &descriptor,
                                      std::span<const uint8_t> code);

/// Of the buffer that kernels may write.
constexpr size_t bytesOfGroup = 4096;

/// How a launch of a fuzzer is run.
struct RunChoices {
  uint32_t workItems = 64; ///< of a workgroup
  uint32_t workgroups = 1;
  uint32_t dynamicLds = 0;
  bool exact = false;        ///< matrix mode
  std::string checks;        ///< as --check has them; empty: none
  uint64_t stepLimit = 2000; ///< wave instructions
  TimedChoices timed;        ///< without checks
};

/// Loads and runs every kernel of the code object. What the emulator may throw is caught; everything else, and a run
/// that doesn't end, is what the fuzzer looks for.
void loadAndRun(const Target &target, std::span<const std::byte> object, const RunChoices &choices);

} // namespace nstf::emulator::fuzz
