// Workgroups that wait for each other, waits that never end, and the limits of a launch.
#include "test/runtime/emulator/run/Kernels.h"

#include <cmath>
#include <gmock/gmock.h>
#include <thread>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace {

const char *source = R"(
#define LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
#define ADD(p, x) __scoped_atomic_fetch_add(p, x, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)

// All workgroups meet `rounds` times; in between each adds up what its neighbours wrote.
kernel void meet(global int *arrived, global int *values, int rounds) {
  int group = get_group_id(0), groups = get_num_groups(0);
  for (int round = 1; round <= rounds; ++round) {
    int sum = values[((round - 1) & 1) * groups + (group + 1) % groups] + values[((round - 1) & 1) * groups + group];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      values[(round & 1) * groups + group] = sum;
      ADD(arrived, 1);
      while (LOAD(arrived) < round * groups)
        ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
// Each workgroup waits for the one behind it, so the first ends last; `work` rounds that the last does before.
kernel void chain(global int *flags, int work) {
  int group = get_group_id(0), groups = get_num_groups(0);
  if (group + 1 < groups) {
    while (LOAD(flags + group + 1) == 0)
      __builtin_amdgcn_s_sleep(1);
  } else {
    for (int i = 0; i < work; ++i)
      flags[groups] += i;
  }
  if (get_local_id(0) == 0)
    __scoped_atomic_store_n(flags + group, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
// Waits that count: registers change while nothing moves.
kernel void countingChain(global int *flags) {
  int group = get_group_id(0), groups = get_num_groups(0), tries = 0;
  if (group + 1 < groups)
    while (LOAD(flags + group + 1) == 0)
      ++tries;
  if (get_local_id(0) == 0)
    __scoped_atomic_store_n(flags + group, 1 + (tries < 0), __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
// The first wave waits for a flag nobody sets, the others at the barrier for the first.
kernel void stuck(global int *flag) {
  if (get_local_id(0) < 64)
    while (LOAD(flag) == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  flag[1] = 1;
}
// A lock that is never given back: the failing exchanges write what stands there.
kernel void lockedTwice(global int *lock) {
  if (get_local_id(0) == 0)
    while (__scoped_atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) != 0)
      ;
}
// Numbers the work-items in the order in which they come.
kernel void order(global int *counter, global int *out) {
  for (int i = 0; i < get_local_id(0) % 7; ++i)
    __builtin_amdgcn_s_sleep(1);
  out[get_global_id(0)] = ADD(counter, 1);
}
// Sums in an order that only the kernel decides.
kernel void sums(global const float *in, global float *out) {
  local float part[256];
  int i = get_local_id(0);
  float sum = 0;
  for (int k = i; k < 4096; k += 256)
    sum += in[k] * (float)(get_group_id(0) + 1);
  part[i] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 128; step; step /= 2) {
    if (i < step)
      part[i] += part[i + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    out[get_group_id(0)] = part[0];
}
kernel void longWork(global int *out, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    __asm__ volatile("v_add_u32 %0, 3, %0" : "+v"(sum));
  out[get_global_id(0)] = sum;
}
kernel void nothing() {}
)";

class Scheduler : public ::testing::TestWithParam<const char *> {
protected:
  CompiledKernels k{GetParam(), source, "-O2 -g"};

  std::string getFault(const char *name, Dimensions grid, Dimensions block,
                       const std::vector<std::vector<char>> &args) {
    try {
      launchBytes(k, name, grid, block, 0, args);
    } catch (const Fault &fault) {
      EXPECT_EQ(fault.finding.check, "progress");
      return fault.what();
    }
    return "no fault";
  }
};

TEST_P(Scheduler, WorkgroupsMeet) {
  for (unsigned threads : {1, 2})
    for (unsigned groups : {1u, 2u, 7u, 104u, 208u}) {
      const int rounds = 5;
      std::vector<int> values(2 * groups), expected(groups), next(groups);
      for (unsigned i = 0; i < groups; ++i)
        values[i] = expected[i] = int(i * 37 % 11);
      for (int round = 0; round < rounds; ++round, expected.swap(next))
        for (unsigned i = 0; i < groups; ++i)
          next[i] = expected[i] + expected[(i + 1) % groups];
      int *arrived = upload(k.memory, std::vector<int>(1)), *memory = upload(k.memory, values);
      k.options = LaunchOptions{.threads = threads, .alone = true};
      launch(k, "meet", {groups}, {128}, arrived, memory, rounds);
      EXPECT_EQ(download(memory + (rounds & 1) * groups, groups), expected) << groups << " groups";
      k.memory.free(arrived);
      k.memory.free(memory);
    }
}

TEST_P(Scheduler, AChainEndsWithItsFirst) {
  for (unsigned groups : {2u, 100u, 400u})
    for (const char *name : {"chain", "countingChain"}) {
      int *flags = upload(k.memory, std::vector<int>(groups + 1));
      k.options = LaunchOptions{.threads = 1, .alone = true};
      std::vector<std::vector<char>> arguments = {getBytes(flags), getBytes(100000)};
      arguments.resize(name == std::string("chain") ? 2 : 1);
      launchBytes(k, name, {groups}, {64}, 0, arguments);
      for (unsigned i = 0; i < groups; ++i)
        ASSERT_EQ(flags[i], 1) << name << " " << i;
      k.memory.free(flags);
    }
}

TEST_P(Scheduler, WaitsThatNeverEndAreFound) {
  for (unsigned threads : {1, 2}) {
    int *flag = upload(k.memory, std::vector<int>(2));
    k.options = LaunchOptions{.threads = threads, .timeout = std::chrono::seconds(60), .alone = true};
    EXPECT_THAT(
        getFault("stuck", {3}, {256}, {getBytes(flag)}),
        ContainsRegex("no wave can make progress: all wait for what never comes \\("
                      ".*3 waves at pc 0x[0-9a-f]+ '.*' \\(the first: workgroup \\(0, 0, 0\\), wave 0\\).*"
                      "9 waves at the barrier before pc 0x[0-9a-f]+ '.*' \\(the first: workgroup \\(0, 0, 0\\), "
                      "wave 1\\).*kernel 'stuck'"));
    EXPECT_THAT(getFault("lockedTwice", {2}, {64}, {getBytes(flag)}), HasSubstr("no wave can make progress"));
    // More workgroups than fit on the chip, each waiting for a later one.
    std::vector<int> flags(20001);
    int *many = upload(k.memory, flags);
    EXPECT_THAT(getFault("chain", {20000}, {1024}, {getBytes(many), getBytes(1)}),
                HasSubstr("no wave can make progress"));
  }
}

TEST_P(Scheduler, ResultsDontDependOnThreads) {
  constexpr unsigned groups = 301;
  std::vector<float> in(4096);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = std::sin(float(i)) * 1e3f;
  std::vector<float> first;
  for (unsigned threads : {1, 2, 1, 2}) {
    float *from = upload(k.memory, in), *to = upload(k.memory, std::vector<float>(groups));
    k.options = LaunchOptions{.threads = threads};
    launch(k, "sums", {groups}, {256}, from, to);
    std::vector<float> sums = download(to, groups);
    if (first.empty())
      first = sums;
    EXPECT_EQ(std::memcmp(sums.data(), first.data(), groups * sizeof(float)), 0) << threads << " threads";
  }
}

TEST_P(Scheduler, OneThreadIsDeterministic) {
  std::vector<int> first;
  for (int run = 0; run < 3; ++run) {
    int *counter = upload(k.memory, std::vector<int>(1)), *out = upload(k.memory, std::vector<int>(40 * 128));
    k.options = LaunchOptions{.threads = 1};
    launch(k, "order", {40}, {128}, counter, out);
    std::vector<int> numbers = download(out, 40 * 128);
    if (run == 0)
      first = numbers;
    EXPECT_EQ(numbers, first);
  }
}

TEST_P(Scheduler, WorkIsNoWait) {
  int *out = upload(k.memory, std::vector<int>(4 * 64));
  k.options = LaunchOptions{.threads = 1, .alone = true};
  launch(k, "longWork", {4}, {64}, out, 300000);
  for (int i = 0; i < 4 * 64; ++i)
    ASSERT_EQ(out[i], 900000);
}

TEST_P(Scheduler, Limits) {
  int *out = upload(k.memory, std::vector<int>(64));
  k.options = LaunchOptions{.stepLimit = 1000};
  EXPECT_THAT(getFault("longWork", {1}, {64}, {getBytes(out), getBytes(300000)}), HasSubstr("step limit"));
  launch(k, "longWork", {1}, {64}, out, 100);
  EXPECT_EQ(out[5], 300);
  std::atomic<bool> stop = false;
  k.options = LaunchOptions{.interrupt = &stop};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  EXPECT_THAT(getFault("longWork", {1}, {64}, {getBytes(out), getBytes(INT32_MAX)}),
              ContainsRegex("the launch was interrupted \\(1 wave at pc"));
  other.join();
  uint64_t last = 0, calls = 0;
  k.options = LaunchOptions{.progress = [&](uint64_t done, uint64_t all) {
    EXPECT_EQ(all, 64u);
    EXPECT_EQ(done, last + 1);
    last = done;
    ++calls;
  }};
  int *more = upload(k.memory, std::vector<int>(64 * 64));
  launch(k, "longWork", {64}, {64}, more, 10);
  EXPECT_EQ(calls, 64u);
}

// These workgroups never yield: the launch must end between two of them.
TEST_P(Scheduler, LimitsHoldForShortWorkgroups) {
  constexpr unsigned groups = 1u << 22; // takes seconds
  for (unsigned threads : {1, 2}) {
    uint64_t ended = 0;
    auto count = [&](uint64_t done, uint64_t) { ended = done; };
    k.options = LaunchOptions{.threads = threads, .timeout = std::chrono::milliseconds(10), .progress = count};
    EXPECT_THAT(getFault("nothing", {groups}, {64}, {}),
                ContainsRegex("still running at the end of its time \\(1 wave at pc.*kernel 'nothing', pc 0x[0-9a-f]+ "
                              "\\(entry \\+ 0x0\\)"));
    EXPECT_LT(ended, groups / 2);
    std::atomic<bool> stop = false;
    auto stopSoon = [&](uint64_t done, uint64_t) { stop = done >= 100; };
    k.options = LaunchOptions{.threads = threads, .interrupt = &stop, .progress = stopSoon};
    EXPECT_THAT(getFault("nothing", {groups}, {64}, {}), HasSubstr("the launch was interrupted (1 wave at pc"));
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, Scheduler, ::testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
