// Data of a code object that is kept from launch to launch.
#pragma once

#include "runtime/emulator/instructions/HandlerTable.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace nstf::emulator {

struct Kernel;
struct Target;

/// The micro-ops of the code that one kernel has reached, and the time that the host takes for one of its workgroups.
class CachedProgram {
public:
  /// The address at which a kernel's waves begin.
  static uint64_t getEntry(const Kernel &kernel);
  /// The kernel's cached program; made at its first launch in this mode.
  static std::shared_ptr<CachedProgram> of(const Target &target, const Kernel &kernel, MatrixMode matrix);

  const std::shared_ptr<const DecodedProgram> decoded;
  explicit CachedProgram(std::shared_ptr<const DecodedProgram> decoded) : decoded(std::move(decoded)) {}

  /// The number of threads that pays off for a launch, at most `threads`: waking a thread costs more than a short
  /// launch takes.
  unsigned usefulThreads(const Kernel &kernel, uint64_t groups, unsigned threads);
  void rememberTime(const Kernel &kernel, uint64_t groups, uint64_t nanoseconds);

private:
  std::mutex mutex;
  std::unordered_map<const Kernel *, uint64_t> nanosecondsPerGroup;
};

} // namespace nstf::emulator
