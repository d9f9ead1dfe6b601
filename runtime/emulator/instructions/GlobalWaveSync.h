// Barriers and semaphores between the waves of a launch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

namespace nstf::emulator {

struct MicroOp;
struct Wave;

/// The chip's 64 resources of global wave sync, as a launch sees them. A barrier that no ds_gws_init has set up is one
/// of as many waves as the launch has workgroups: HIP sets it so before a cooperative launch, and one wave of each
/// workgroup arrives.
class GlobalWaveSync {
public:
  explicit GlobalWaveSync(uint64_t workgroups) : workgroups(workgroups) {}

  /// `wavesLess1`: one less than the waves that a barrier waits for; a semaphore's count.
  void initialize(unsigned resource, uint32_t wavesLess1);
  /// Called again and again by each wave that arrives until it is true: all have arrived. `nextLess1`: the size of the
  /// next barrier, 0: as before.
  bool passBarrier(unsigned resource, const Wave *wave, uint32_t nextLess1);
  void add(unsigned resource, uint32_t count);
  /// Takes one from the semaphore; false where there is none.
  bool take(unsigned resource, const Wave *wave);
  /// Lets all go that wait for the semaphore.
  void releaseAll(unsigned resource);
  /// How often a wave was let go.
  uint64_t passes() {
    std::lock_guard lock(mutex);
    return passed;
  }
  /// Whether a wave that stands at `op` waits here, once it has run.
  static bool isWait(const MicroOp *op);

private:
  struct Resource {
    bool ready = false, flag = false;
    int64_t counter = 0, size = 0;
    std::map<const Wave *, bool> waiting; // with the flag when they arrived
  };
  Resource &get(unsigned resource, bool asBarrier);

  uint64_t workgroups;
  std::mutex mutex;
  uint64_t passed = 0;
  std::array<Resource, 64> resources;
};

} // namespace nstf::emulator
