// Barriers and semaphores between all waves of a launch.
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gmock/gmock.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

// Each wave counts up, meets all others, and reads what they counted to: the same number for all in each round.
const char *source = R"(
#define LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
#define ADD(p, x) __scoped_atomic_fetch_add(p, x, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
kernel void meet(global int *counts, global int *seen, int rounds) {
  int wave = (get_group_id(0) * get_local_size(0) + get_local_id(0)) / 64;
  int waves = get_num_groups(0) * get_local_size(0) / 64;
  for (int round = 0; round < rounds; ++round) {
    if (get_local_id(0) % 64 == 0)
      ADD(counts + round, 1);
    __builtin_amdgcn_ds_gws_barrier(waves - 1, 3);
    seen[round * waves + wave] = LOAD(counts + round);
  }
}
// As AMD's device library has it for whole grids: without a size.
kernel void meetUnsized(global int *count, global int *seen) {
  int wave = (get_group_id(0) * get_local_size(0) + get_local_id(0)) / 64;
  if (get_local_id(0) % 64 == 0)
    ADD(count, 1);
  __builtin_amdgcn_ds_gws_barrier(0, 0);
  seen[wave] = LOAD(count);
}
// The last workgroup lets the others go, one by one.
kernel void semaphore(global int *order) {
  if (get_group_id(0) + 1 == get_num_groups(0)) {
    __builtin_amdgcn_ds_gws_init(0, 7);
    order[0] = 1;
    for (int i = 1; i < get_num_groups(0); ++i)
      __builtin_amdgcn_ds_gws_sema_v(7);
  } else {
    __builtin_amdgcn_ds_gws_sema_p(7);
    order[1 + get_group_id(0)] = LOAD(order);
  }
}
)";

TEST(GlobalWaveSync, allWavesMeet) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    CompiledKernels kernels(target, source, "-O2");
    for (unsigned threads : {1u, 2u}) {
      kernels.options = LaunchOptions();
      kernels.options->threads = threads;
      constexpr int groups = 6, waves = groups * 2, rounds = 5;
      int *counts = upload(kernels.memory, std::vector<int>(rounds));
      int *seen = upload(kernels.memory, std::vector<int>(rounds * waves));
      launch(kernels, "meet", {groups}, {128}, counts, seen, rounds);
      EXPECT_THAT(download(seen, rounds * waves), testing::Each(waves)) << target << " " << threads;
      int *count = upload(kernels.memory, std::vector<int>(1));
      launch(kernels, "meetUnsized", {groups}, {128}, count, seen);
      EXPECT_THAT(download(seen, waves), testing::Each(waves)) << target;
    }
  }
}

TEST(GlobalWaveSync, semaphoresLetGo) {
  CompiledKernels kernels("gfx90a", source, "-O2");
  int *order = upload(kernels.memory, std::vector<int>(9));
  launch(kernels, "semaphore", {8}, {64}, order);
  EXPECT_THAT(download(order, 8), testing::Each(1));
}

TEST(GlobalWaveSync, countsAndFlags) {
  GlobalWaveSync sync(2);
  auto wave = [](uintptr_t i) { return reinterpret_cast<const Wave *>(i * 64); };
  // Two waves by default, then three, as the last to arrive says.
  EXPECT_FALSE(sync.passBarrier(5, wave(1), 2));
  EXPECT_FALSE(sync.passBarrier(5, wave(1), 2));
  EXPECT_TRUE(sync.passBarrier(5, wave(2), 2));
  EXPECT_TRUE(sync.passBarrier(5, wave(1), 2));
  EXPECT_FALSE(sync.passBarrier(5, wave(1), 2));
  EXPECT_FALSE(sync.passBarrier(5, wave(2), 2));
  EXPECT_TRUE(sync.passBarrier(5, wave(3), 2));
  EXPECT_TRUE(sync.passBarrier(5, wave(2), 2));
  EXPECT_TRUE(sync.passBarrier(5, wave(1), 2));
  sync.initialize(6, 1);
  EXPECT_TRUE(sync.take(6, wave(1)));
  EXPECT_FALSE(sync.take(6, wave(2)));
  EXPECT_FALSE(sync.take(6, wave(3)));
  sync.add(6, 1);
  EXPECT_TRUE(sync.take(6, wave(3)));
  EXPECT_FALSE(sync.take(6, wave(2)));
  sync.releaseAll(6);
  EXPECT_TRUE(sync.take(6, wave(2)));
}

} // namespace
