// Launches kernels of a code object on a chip in model time: what the programs beside this folder share.
#pragma once

#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/KernelArguments.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "runtime/emulator/timing/prediction/LaunchPrediction.h"
#include "runtime/emulator/timing/prediction/TimingOptions.h"

#include <cstring>
#include <filesystem>
#include <memory>

namespace nstf::emulator {
class Program;
struct Kernel;
struct Target;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

class Bench {
public:
  /// `files`: code objects for the chip's target. Throws std::runtime_error.
  Bench(const ChipTiming &chip, const std::vector<std::filesystem::path> &files);
  ~Bench();

  const ChipTiming &chip() const { return timing; }
  /// The same kernels and memory on another chip of the target.
  void use(const ChipTiming &chip);

  /// Device memory of zeros, and giving it back.
  void *allocate(uint64_t bytes);
  void release(void *pointer) { memory.free(pointer); }

  /// Caches as earlier launches left them. Throws std::runtime_error, Fault.
  LaunchPrediction launch(const std::string &kernel, const LaunchShape &shape, std::span<const std::byte> arguments,
                          const TimingOptions &options = {});
  /// Arguments by value, in the kernel's order.
  template <typename... Arguments>
  LaunchPrediction call(const std::string &kernel, const LaunchShape &shape, const TimingOptions &options,
                        const Arguments &...arguments) {
    std::vector<std::byte> block = emptyArguments(kernel, shape);
    size_t number = 0;
    (std::memcpy(block.data() + getOffset(kernel, number++), &arguments, sizeof(arguments)), ...);
    return launch(kernel, shape, block, options);
  }
  /// All caches empty.
  void forget();

  double nanoseconds(double clocks) const { return clocks * 1000 / timing.peakClock; }

private:
  const Kernel &find(const std::string &kernel) const;
  std::vector<std::byte> emptyArguments(const std::string &kernel, const LaunchShape &shape) const;
  size_t getOffset(const std::string &kernel, size_t argument) const;

  ChipTiming timing;
  const Target &target;
  Memory memory;
  std::vector<std::unique_ptr<Program>> programs;
  std::unique_ptr<MemorySystem> caches;
};

} // namespace nstf::emulator::timing
