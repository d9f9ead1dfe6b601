#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <map>
#include <vector>

namespace nstf::emulator {

namespace {

/// Texts up to this size are decoded as a whole, which takes some ten milliseconds.
constexpr size_t smallText = 256 * 1024;
/// Key for the whole text, instead of an entry.
constexpr uint64_t wholeText = 0;

using Cache = std::map<std::pair<uint64_t, MatrixMode>, std::shared_ptr<CachedProgram>>;

std::vector<Code> textsOf(const Program &program) {
  std::vector<Code> texts;
  for (const Program::TextRange &range : program.text())
    texts.emplace_back(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
  return texts;
}

} // namespace

uint64_t CachedProgram::entryOf(const Kernel &kernel) {
  // A kernel with preloaded arguments begins 256 bytes after its entry, which holds a prologue for old firmware.
  return kernel.entry + (kernel.descriptor.preloadDwords ? 256 : 0);
}

std::shared_ptr<CachedProgram> CachedProgram::of(const Target &target, const Kernel &kernel, MatrixMode matrix) {
  const Program &program = *kernel.program;
  const uint64_t entry = entryOf(kernel);
  std::lock_guard lock(program.cacheMutex);
  if (!program.cache)
    program.cache = std::make_shared<Cache>();
  Cache &cache = *std::static_pointer_cast<Cache>(program.cache);
  for (uint64_t key : {wholeText, entry})
    if (const auto known = cache.find({key, matrix}); known != cache.end())
      return known->second;
  const std::vector<Code> texts = textsOf(program);
  size_t bytes = 0;
  for (Code text : texts)
    bytes += text.size();
  std::optional<std::vector<Code>> reached;
  if (bytes > smallText)
    reached = reachableCode(target, texts, entry);
  return cache[{reached ? entry : wholeText, matrix}] =
             std::make_shared<CachedProgram>(decodeProgram(target, reached ? *reached : texts, matrix));
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
