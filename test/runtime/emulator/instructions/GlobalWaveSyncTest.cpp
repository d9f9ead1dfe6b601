// Barriers and semaphores between the waves of a launch.
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <atomic>
#include <gmock/gmock.h>
#include <thread>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

// Each wave increments a counter, meets all others and reads the counter: in each round all waves must read the same
// number.
const char *source = R"(
#define LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
#define ADD(p, x) __scoped_atomic_fetch_add(p, x, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define BARRIER                                                                                                        \
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");                                                               \
  __builtin_amdgcn_s_barrier();
kernel void meet(global int *counts, global int *seen, int rounds) {
  int wave = (get_group_id(0) * get_local_size(0) + get_local_id(0)) / 64;
  int waves = get_num_groups(0) * get_local_size(0) / 64;
  if (wave == 0)
    __builtin_amdgcn_ds_gws_init(waves - 1, 3);
  BARRIER
  if (get_local_id(0) < 64)
    __builtin_amdgcn_ds_gws_barrier(0, 0);
  BARRIER // the barrier is set up
  for (int round = 0; round < rounds; ++round) {
    if (get_local_id(0) % 64 == 0)
      ADD(counts + round, 1);
    __builtin_amdgcn_ds_gws_barrier(waves - 1, 3);
    seen[round * waves + wave] = LOAD(counts + round);
  }
}
// As AMD's device library has it for whole grids: one wave of each workgroup arrives, and says no size.
kernel void meetUnsized(global int *counts, global int *seen, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (get_local_id(0) == 0)
      ADD(counts + round, 1);
    BARRIER
    if (get_local_id(0) < 64)
      __builtin_amdgcn_ds_gws_barrier(0, 0);
    BARRIER
    if (get_local_id(0) == get_local_size(0) - 1)
      seen[round * get_num_groups(0) + get_group_id(0)] = LOAD(counts + round);
  }
}
// Waves that wait for each other for ever.
kernel void halfAtEach(global int *x) {
  if (get_group_id(0) % 2)
    return;
  if (get_local_id(0) / 64)
    __builtin_amdgcn_ds_gws_barrier(0, 0);
  else
    __builtin_amdgcn_s_barrier();
  x[0] = 1;
}
kernel void inHalfOfTheGroups(global int *x) {
  if (get_group_id(0) % 2 && get_local_id(0) < 64)
    __builtin_amdgcn_ds_gws_barrier(0, 0);
}
kernel void neverLetGo(global int *x) { __builtin_amdgcn_ds_gws_sema_p(3); }
// Waits for the host beside waves that wait for it.
kernel void forTheHost(global int *flag, global int *out) {
  if (get_group_id(0) == 0)
    while (LOAD(flag) == 0)
      __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_ds_gws_barrier(0, 0);
  out[get_group_id(0)] = LOAD(flag);
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

TEST(GlobalWaveSync, AllWavesMeet) {
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
    }
  }
}

TEST(GlobalWaveSync, WorkgroupsMeet) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    CompiledKernels kernels(target, source, "-O2");
    for (unsigned block : {32u, 64u, 96u, 256u, 1024u})
      for (unsigned groups : {1u, 2u, 7u, 64u}) {
        constexpr int rounds = 3;
        int *counts = upload(kernels.memory, std::vector<int>(rounds));
        int *seen = upload(kernels.memory, std::vector<int>(rounds * groups));
        kernels.options = LaunchOptions();
        kernels.options->timeout = std::chrono::seconds(60);
        launch(kernels, "meetUnsized", {groups}, {block}, counts, seen, rounds);
        EXPECT_THAT(download(seen, rounds * groups), testing::Each(int(groups)))
            << target << ", " << groups << " of " << block;
      }
  }
}

TEST(GlobalWaveSync, WaitingForEachOtherIsAFaultAlsoWhereTheHostMayWrite) {
  for (const char *target : {"gfx90a", "gfx942"}) {
    CompiledKernels kernels(target, source, "-O2");
    int *x = upload(kernels.memory, std::vector<int>(1));
    for (const char *name : {"halfAtEach", "inHalfOfTheGroups", "neverLetGo"})
      for (unsigned threads : {1u, 2u}) {
        kernels.options = LaunchOptions();
        kernels.options->threads = threads;
        kernels.options->timeout = std::chrono::seconds(60);
        auto start = std::chrono::steady_clock::now();
        try {
          launch(kernels, name, {8}, {128}, x);
          ADD_FAILURE() << name << " ended";
        } catch (const Fault &fault) {
          EXPECT_THAT(fault.what(), testing::HasSubstr("no wave can make progress: all wait for what never comes"));
        }
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << name << " " << threads;
      }
  }
}

TEST(GlobalWaveSync, TheHostMayEndTheWaiting) {
  CompiledKernels kernels("gfx90a", source, "-O2");
  for (unsigned threads : {1u, 2u}) {
    kernels.options = LaunchOptions();
    kernels.options->threads = threads;
    int *flag = upload(kernels.memory, std::vector<int>(1)), *out = upload(kernels.memory, std::vector<int>(8));
    std::thread host([flag] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      std::atomic_ref<int>{*flag}.store(7);
    });
    EXPECT_NO_THROW(launch(kernels, "forTheHost", {8}, {64}, flag, out));
    host.join();
    EXPECT_THAT(download(out, 8), testing::Each(7));
  }
}

TEST(GlobalWaveSync, SemaphoresLetGo) {
  CompiledKernels kernels("gfx90a", source, "-O2");
  int *order = upload(kernels.memory, std::vector<int>(9));
  launch(kernels, "semaphore", {8}, {64}, order);
  EXPECT_THAT(download(order, 8), testing::Each(1));
}

TEST(GlobalWaveSync, CountsAndFlags) {
  GlobalWaveSync sync(2);
  auto wave = [](uintptr_t i) { return reinterpret_cast<const Wave *>(i * 64); };
  // The first round takes two waves (the default); its last wave sets three for the next.
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
