// What is kept of a code object from launch to launch.
#pragma once

#include "runtime/emulator/instructions/HandlerTable.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace nstf::emulator {

struct Kernel;
struct Target;

/// A program's micro-ops, and how long a workgroup of each of its kernels took. Of a large program, those that one
/// kernel can come to.
class CachedProgram {
public:
  /// Where a kernel's waves begin.
  static uint64_t entryOf(const Kernel &kernel);
  /// The kernel's, made at its first launch in that mode.
  static std::shared_ptr<CachedProgram> of(const Target &target, const Kernel &kernel, MatrixMode matrix);

  const std::shared_ptr<const DecodedProgram> decoded;
  explicit CachedProgram(std::shared_ptr<const DecodedProgram> decoded) : decoded(std::move(decoded)) {}

  /// How many threads a launch is worth, at most `threads`: one that has to be woken costs more than a short launch
  /// takes.
  unsigned usefulThreads(const Kernel &kernel, uint64_t groups, unsigned threads);
  void rememberTime(const Kernel &kernel, uint64_t groups, uint64_t nanoseconds);

private:
  std::mutex mutex;
  std::unordered_map<const Kernel *, uint64_t> nanosecondsPerGroup;
};

} // namespace nstf::emulator
