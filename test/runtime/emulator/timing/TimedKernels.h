// Small kernels whose launches are predicted, and the chips they are predicted for.
#pragma once

#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gtest/gtest.h>

namespace nstf::emulator::timing::test {

using namespace nstf::emulator::test;

inline constexpr const char *timedKernels = R"(
  kernel void empty() {}

  kernel void copy(global const float *a, global float *b) {
    int i = get_global_id(0);
    b[i] = a[i];
  }

  // A part for each workgroup.
  kernel void copyRows(global const float *a, global float *b, int rows) {
    int i = get_group_id(0) * rows * 256 + get_local_id(0);
    for (int row = 0; row < rows; ++row, i += 256)
      b[i] = a[i];
  }

  kernel void add(global const float *a, global const float *b, global float *c, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
      c[i] = a[i] + b[i];
  }

  // Lanes access LDS at a stride of elements: the larger the power of two, the more lanes of a bank.
#define STRIDED(name, T, access)                                                                                       \
  kernel void name(global T *out, int stride, int times) {                                                             \
    local T rows[64 * 32];                                                                                             \
    int lane = get_local_id(0);                                                                                        \
    for (int i = lane; i < 64 * 32; i += get_local_size(0))                                                            \
      rows[i] = 0;                                                                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    T sum = lane;                                                                                                      \
    _Pragma("nounroll") /* would join accesses */                                                                      \
    for (int i = 0, at = lane * stride & 64 * 32 - 1; i < times; ++i, at = at + 1 & 64 * 32 - 1)                       \
      access;                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    out[get_global_id(0)] = sum + rows[lane];                                                                          \
  }
  STRIDED(readInt, int, sum += rows[at])
  STRIDED(readInt2, int2, sum += rows[at])
  STRIDED(readInt4, int4, sum += rows[at])
  STRIDED(writeInt, int, rows[at] = sum)
  STRIDED(writeInt2, int2, rows[at] = sum)
  STRIDED(writeInt4, int4, rows[at] = sum)
  STRIDED(addInt, int, __opencl_atomic_fetch_add((local atomic_int *)&rows[at], sum, memory_order_relaxed,
                                                 memory_scope_work_group))

#define MULTIPLY(name, columns)                                                                                        \
  kernel void name(global const float *a, global const float *b, global float *c, int n) {                             \
    local float tileA[16][columns], tileB[16][17];                                                                     \
    int x = get_local_id(0), y = get_local_id(1);                                                                      \
    int column = get_global_id(0), row = get_global_id(1);                                                             \
    float sum = 0;                                                                                                     \
    for (int k = 0; k < n; k += 16) {                                                                                  \
      tileA[y][x] = a[row * n + k + x];                                                                                \
      tileB[y][x] = b[(k + y) * n + column];                                                                           \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      for (int i = 0; i < 16; ++i)                                                                                     \
        sum += tileA[y][i] * tileB[i][x];                                                                              \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    }                                                                                                                  \
    c[row * n + column] = sum;                                                                                         \
  }
  MULTIPLY(multiply, 17)
  MULTIPLY(multiplyAlone, 512 + 32) // LDS for one workgroup on a compute unit

  kernel void compute(global float *out, int times) {
    float x = get_global_id(0), y = 1;
    for (int i = 0; i < times; ++i) {
#pragma unroll
      for (int j = 0; j < 64; ++j)
        y = y * x + 0.5f;
    }
    out[get_global_id(0)] = y;
  }

  // Workgroups have up to four times as much to do as others, in no order.
  kernel void computeUnevenly(global float *out, int times) {
    float x = get_global_id(0), y = 1;
    int own = times * (1 + (int)(get_group_id(0) * 2654435761u >> 20) % 4);
    for (int i = 0; i < own; ++i) {
#pragma unroll
      for (int j = 0; j < 64; ++j)
        y = y * x + 0.5f;
    }
    out[get_global_id(0)] = y;
  }

  static bool isRaised(global int *flag) {
    return __opencl_atomic_load((global atomic_int *)flag, memory_order_relaxed, memory_scope_device);
  }
  static void waitFor(global int *flag) {
    while (!__opencl_atomic_load((global atomic_int *)flag, memory_order_acquire, memory_scope_device))
      ;
  }

  // The first workgroup works for a while and then raises the flag for which the others wait.
  kernel void handOver(global int *flag, global int *out, int delay) {
    if (get_group_id(0) == 0) {
      for (int i = 0; i < delay; ++i)
        __builtin_amdgcn_s_sleep(1);
      if (get_local_id(0) == 0)
        __opencl_atomic_store((global atomic_int *)flag, 1, memory_order_release, memory_scope_device);
    } else {
      waitFor(flag);
      out[get_group_id(0)] = 1;
    }
  }

  // The first workgroup computes and raises a flag; for that the second one waits, which does the same with the next
  // flag, and so on. All others, and those that are done, wait for the last flag. Another one would end it all.
  kernel void relay(global int *flags, global int *abort, global float *out, int runners, int times) {
    int own = get_group_id(0);
    if (own < runners) {
      while (own && !isRaised(abort) && !isRaised(flags + own))
        ;
      float x = get_local_id(0), y = own;
      for (int i = 0; i < times; ++i)
        y = y * x + 0.5f;
      out[own * get_local_size(0) + get_local_id(0)] = y;
      __opencl_atomic_store((global atomic_int *)flags + own + 1, 1, memory_order_release, memory_scope_device);
    }
    while (!isRaised(abort) && !isRaised(flags + runners))
      ;
  }

  // Everybody waits for the last workgroup.
  kernel void waitForLast(global int *flag) {
    if (get_group_id(0) == get_num_groups(0) - 1)
      __opencl_atomic_store((global atomic_int *)flag, 1, memory_order_release, memory_scope_device);
    waitFor(flag);
  }

  // Counts what `compute` computes.
  kernel void histogram(global float *out, global int *counts) {
    float x = get_global_id(0), y = 1;
#pragma unroll
    for (int j = 0; j < 64; ++j)
      y = y * x + 0.5f;
    out[get_global_id(0)] = y;
    __opencl_atomic_fetch_add((global atomic_int *)&counts[as_int(y) & 63], 1, memory_order_relaxed,
                              memory_scope_device);
  }

  // The same of who counts how often it looks, looks less and less often, and takes the time.
  kernel void waitForLastPatiently(global int *flag, global long *out) {
    long began = __builtin_amdgcn_s_memtime(), waited = 0;
    int looks = 0, pause = 1;
    while (!isRaised(flag)) {
      ++looks;
      pause = pause < 16 ? 2 * pause : 16;
      for (int i = 0; i < pause; ++i)
        __builtin_amdgcn_s_sleep(1);
      waited = __builtin_amdgcn_s_memtime() - began;
    }
    out[get_global_id(0)] = waited + looks;
  }

  // Nobody raises the flag, but nobody waits for ever.
#define IMPATIENT(name, goesOn, otherwise)                                                                             \
  kernel void name(global int *flag, global int *out, int patience) {                                                  \
    long began = __builtin_amdgcn_s_memtime();                                                                         \
    int looks = 0;                                                                                                     \
    while (!isRaised(flag) && (goesOn)) {                                                                              \
      ++looks;                                                                                                         \
      otherwise;                                                                                                       \
    }                                                                                                                  \
    out[get_global_id(0)] = looks;                                                                                     \
  }
  IMPATIENT(looksSoOften, looks < patience + get_local_id(0) % 2, )
  IMPATIENT(looksSoLong, __builtin_amdgcn_s_memtime() - began < 1000 * patience, )
  IMPATIENT(raisesItself, true,
            if (looks == patience) __opencl_atomic_store((global atomic_int *)flag, 1, memory_order_relaxed,
                                                         memory_scope_device))

  // Each of its waits ends at once.
  kernel void looksAgain(global int *flag, global int *out, int patience) {
    int looks = 0;
    for (; looks < patience; ++looks)
      while (isRaised(flag))
        ;
    out[get_global_id(0)] = looks;
  }

  kernel void takeTurns(global int *turn, global int *out, int rounds) {
    int own = get_group_id(0), n = 0;
    for (; n < rounds; ++n) {
      while (isRaised(turn) != own)
        ;
      __opencl_atomic_store((global atomic_int *)turn, 1 - own, memory_order_relaxed, memory_scope_device);
    }
    out[get_global_id(0)] = n;
  }

  kernel void count(global int *counter, global int *order) {
    if (get_local_id(0) == 0)
      order[get_group_id(0)] =
          __opencl_atomic_fetch_add((global atomic_int *)counter, 1, memory_order_relaxed, memory_scope_device);
  }
)";

struct Chip {
  const char *target, *name;
};
inline const auto bothChips = testing::Values(Chip{"gfx942", "mi300x"}, Chip{"gfx90a", "mi250x"});
inline std::string getName(const testing::TestParamInfo<Chip> &info) { return info.param.name; }

/// Launches of these kernels on a chip.
class TimedKernelsTest : public testing::TestWithParam<Chip> {
protected:
  TimedKernelsTest() : kernels(GetParam().target, timedKernels, "-O2"), chip(ChipTiming::find(GetParam().name)) {}

  /// Predicts a launch on a chip with cold caches.
  template <typename... Arguments>
  LaunchPrediction predicted(const std::string &name, Dimensions grid, Dimensions block, Arguments... arguments) {
    const PackedLaunch packed = pack(kernels, name, grid, block, 0, {getBytes(arguments)...});
    MemorySystem caches(chip);
    return predict(kernels.target, kernels.memory, packed.launch, options, chip, caches, timing);
  }

  CompiledKernels kernels; ///< of each test: its memory begins empty, and addresses decide times
  LaunchOptions options = LaunchOptions::fromEnvironment();
  ChipTiming chip;
  TimingOptions timing;
};

inline std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i % 251) - 100;
  return values;
}

} // namespace nstf::emulator::timing::test
