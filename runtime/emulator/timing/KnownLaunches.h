// Launches that were simulated: an identical one takes as long again and only has to be executed.
//
// Identical are launches of one kernel, grid and workgroup whose arguments are the same but for where pointers point:
// the place in the page, which pointers are equal, and the contents of small allocations (a position, a length) have to
// be the same, and of what the launch touches, behind each pointer, the caches have to hold as much.
#pragma once

#include "runtime/emulator/timing/LaunchPrediction.h"
#include "runtime/emulator/timing/MemorySystem.h"

#include <map>
#include <vector>

namespace nstf::emulator {
struct LaunchArguments;
class Memory;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// What has to be the same, and where the pointers among the arguments point to.
struct LaunchIdentity {
  std::vector<uint64_t> words;
  /// Synthetic physical addresses, and the end of each one's allocation.
  std::vector<PhysicalRange> pointers;

  static LaunchIdentity of(const LaunchArguments &launch, const Memory &memory);
};

class KnownLaunches {
public:
  /// An allocation of at most so many bytes is compared by its contents.
  static constexpr uint64_t smallBytes = 256;

  /// The prediction of an identical launch, and `memory` is left as if this one had been simulated. Null: there is
  /// none.
  const LaunchPrediction *find(const LaunchIdentity &identity, MemorySystem &memory);
  /// A launch was simulated last on `memory`.
  void add(const LaunchIdentity &identity, const LaunchPrediction &prediction, const MemorySystem &memory);

private:
  /// Pages behind a pointer.
  struct Touched {
    size_t pointer;
    PhysicalRange offset;
    std::vector<SnoopFilter::Mask> holders; ///< afterwards
  };
  struct Variant {
    std::vector<Touched> touched;
    std::vector<MemorySystem::Held> held; ///< by pointer: before
    LaunchPrediction prediction;
  };
  static bool findsTheSame(const Variant &variant, const LaunchIdentity &identity, const MemorySystem &memory);
  static PhysicalRange at(const Touched &touched, const LaunchIdentity &identity);

  std::map<std::vector<uint64_t>, std::vector<Variant>> variants;
};

} // namespace nstf::emulator::timing
