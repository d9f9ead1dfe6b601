#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace nstf::emulator {

namespace {

struct Cache {
  std::shared_ptr<const CodeRanges> ranges;
  std::map<std::pair<uint64_t, MatrixMode>, std::shared_ptr<CachedProgram>> programs; ///< by entry
};

std::shared_ptr<const CodeRanges> rangesOf(const Program &program) {
  auto codeOf = [](const Program::TextRange &range) {
    return Code(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
  };
  auto ranges = std::make_shared<CodeRanges>();
  std::ranges::transform(program.text(), std::back_inserter(ranges->texts), codeOf);
  std::ranges::transform(program.functionRanges(), std::back_inserter(ranges->functions), codeOf);
  return ranges;
}

} // namespace

uint64_t CachedProgram::getEntry(const Kernel &kernel) {
  // A kernel with preloaded arguments begins 256 bytes after its entry, which holds a prologue for old firmware.
  return kernel.entry + (kernel.descriptor.preloadDwords ? 256 : 0);
}

std::shared_ptr<CachedProgram> CachedProgram::of(const Target &target, const Kernel &kernel, MatrixMode matrix) {
  const Program &program = *kernel.program;
  std::lock_guard lock(program.cacheMutex);
  if (!program.cache)
    program.cache = std::make_shared<Cache>(rangesOf(program));
  Cache &cache = *std::static_pointer_cast<Cache>(program.cache);
  std::shared_ptr<CachedProgram> &known = cache.programs[{getEntry(kernel), matrix}];
  if (!known)
    known = std::make_shared<CachedProgram>(
        std::make_shared<DecodedProgram>(target, cache.ranges, handlersFor(target, matrix)));
  return known;
}

unsigned CachedProgram::usefulThreads(const Kernel &kernel, uint64_t groups, unsigned threads) {
  constexpr uint64_t shortLaunch = 200'000; // nanoseconds
  std::lock_guard lock(mutex);
  auto known = nanosecondsPerGroup.find(&kernel);
  if (known != nanosecondsPerGroup.end() && known->second * groups < shortLaunch)
    return 1;
  return unsigned(std::min<uint64_t>(threads, groups));
}

void CachedProgram::rememberTime(const Kernel &kernel, uint64_t groups, uint64_t nanoseconds) {
  std::lock_guard lock(mutex);
  nanosecondsPerGroup[&kernel] = nanoseconds / groups;
}

} // namespace nstf::emulator
