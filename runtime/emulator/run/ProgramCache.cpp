#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace nstf::emulator {

std::shared_ptr<CachedProgram> CachedProgram::of(const Target &target, const Program &program, MatrixMode matrix) {
  using Modes = std::array<std::shared_ptr<CachedProgram>, 2>;
  std::lock_guard lock(program.cacheMutex);
  if (!program.cache)
    program.cache = std::make_shared<Modes>();
  std::shared_ptr<CachedProgram> &cached = (*std::static_pointer_cast<Modes>(program.cache))[unsigned(matrix)];
  if (!cached) {
    std::vector<std::span<const uint8_t>> texts;
    for (const Program::TextRange &range : program.text())
      texts.emplace_back(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
    cached = std::make_shared<CachedProgram>(decodeProgram(target, texts, matrix));
  }
  return cached;
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
