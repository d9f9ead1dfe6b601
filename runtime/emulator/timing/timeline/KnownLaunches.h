// Launches that were simulated. An identical launch takes the same time and only has to be executed.
//
// Two launches are identical if kernel, grid and workgroup are the same and the arguments are the same except for the
// targets of pointers. For pointers, these must be the same: the offset in the page, which pointers are equal, and the
// contents of small allocations (a position, a length). Of the data that the launch touches through each pointer, the
// caches must hold about as much as they held before the simulated launch.
#pragma once

#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "runtime/emulator/timing/prediction/LaunchPrediction.h"

#include <map>
#include <vector>

namespace nstf::emulator {
struct LaunchArguments;
class Memory;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// The properties that must be the same, and the targets of the pointers among the arguments.
struct LaunchIdentity {
  std::vector<uint64_t> words;
  /// Synthetic physical addresses, each with the end of its allocation.
  std::vector<PhysicalRange> pointers;

  static LaunchIdentity of(const LaunchArguments &launch, const Memory &memory);
};

class KnownLaunches {
public:
  /// Allocations of at most this many bytes are compared by contents.
  static constexpr uint64_t smallBytes = 256;

  /// The prediction of an identical launch, or null. If found, `memory` is left as if this launch had been simulated.
  const LaunchPrediction *find(const LaunchIdentity &identity, MemorySystem &memory);
  /// Adds the launch that was simulated last on `memory`.
  void add(const LaunchIdentity &identity, const LaunchPrediction &prediction, const MemorySystem &memory);

private:
  /// A range of pages that a pointer leads to.
  struct Touched {
    size_t pointer;
    PhysicalRange offset;
    std::vector<SnoopFilter::Mask> holders; ///< after the launch
  };
  struct Variant {
    std::vector<Touched> touched;
    std::vector<MemorySystem::Held> held; ///< by pointer: before the launch
    LaunchPrediction prediction;
  };
  static bool findsTheSame(const Variant &variant, const LaunchIdentity &identity, const MemorySystem &memory);
  static PhysicalRange at(const Touched &touched, const LaunchIdentity &identity);

  std::map<std::vector<uint64_t>, std::vector<Variant>> variants;
};

} // namespace nstf::emulator::timing
