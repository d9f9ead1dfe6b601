// Barriers and semaphores between the waves of a launch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

namespace nstf::emulator {

struct MicroOp;
struct Wave;

/// The chip's 64 resources of global wave sync, as used by one launch. A barrier that no ds_gws_init has set up is for
/// as many waves as the launch has workgroups: HIP initialises it so before a cooperative launch, and one wave of each
/// workgroup arrives.
class GlobalWaveSync {
public:
  explicit GlobalWaveSync(uint64_t workgroups) : workgroups(workgroups) {}

  /// `wavesLess1`: for a barrier, the number of waves minus 1; for a semaphore, the count.
  void initialize(unsigned resource, uint32_t wavesLess1);
  /// Each arriving wave calls this repeatedly until it returns true, when all waves have arrived. `nextLess1`: the size
  /// of the next barrier minus 1; 0: unchanged.
  bool passBarrier(unsigned resource, const Wave *wave, uint32_t nextLess1);
  void add(unsigned resource, uint32_t count);
  /// Decrements the semaphore; false if it is zero.
  bool take(unsigned resource, const Wave *wave);
  /// Releases all waves that wait for the semaphore.
  void releaseAll(unsigned resource);
  /// How many times a wave was released.
  uint64_t passes() {
    std::lock_guard lock(mutex);
    return passed;
  }
  /// Whether a wave at `op` is waiting here, once it has run the op.
  static bool isWait(const MicroOp *op);

private:
  struct Resource {
    bool ready = false, flag = false;
    int64_t counter = 0, size = 0;
    std::map<const Wave *, bool> waiting; // value: the flag when the wave arrived
  };
  Resource &get(unsigned resource, bool asBarrier);

  uint64_t workgroups;
  std::mutex mutex;
  uint64_t passed = 0;
  std::array<Resource, 64> resources;
};

} // namespace nstf::emulator
