// Atomics of every type and operation that HIP offers, in global memory and LDS, with and without the old value; float
// atomics as instructions (unsafe-fp-atomics) and as compare-and-swap loops; locks; a lock-free stack and queue.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

/// All operations, on one word each; `old` receives the results of fetch_add.
template <typename T> INLINE void allOperations(T *words, T *old, const T *in, int n) {
  int i = globalId();
  if (i >= n)
    return;
  T value = in[i];
  old[i] = ATOMIC(fetch_add, &words[0], T(1));
  ATOMIC(fetch_add, &words[1], value);
  ATOMIC(fetch_sub, &words[2], value);
  ATOMIC(fetch_and, &words[3], value | T(0xff));
  ATOMIC(fetch_or, &words[4], value & T(0xff00));
  ATOMIC(fetch_xor, &words[5], value);
  ATOMIC(fetch_min, &words[6], value);
  ATOMIC(fetch_max, &words[7], value);
  T replaced = __scoped_atomic_exchange_n(&words[8], value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  ATOMIC(fetch_add, &words[9], replaced);
  T seen = __scoped_atomic_load_n(&words[10], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (!__scoped_atomic_compare_exchange_n(&words[10], &seen, seen * 3 + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                             __MEMORY_SCOPE_DEVICE))
    ;
}
#define KERNELS(name, T)                                                                                               \
  extern "C" __global__ void global_##name(T *words, T *old, const T *in, int n) { allOperations(words, old, in, n); } \
  extern "C" __global__ void lds_##name(T *words, T *old, const T *in, int n) {                                        \
    __shared__ T own[11];                                                                                              \
    if (threadIdx.x < 11)                                                                                              \
      own[threadIdx.x] = words[threadIdx.x];                                                                           \
    __syncthreads();                                                                                                   \
    allOperations(own, old, in, n);                                                                                    \
    __syncthreads();                                                                                                   \
    if (threadIdx.x < 11)                                                                                              \
      words[threadIdx.x] = own[threadIdx.x];                                                                           \
  }
KERNELS(i32, int)
KERNELS(u32, unsigned)
KERNELS(i64, int64_t)
KERNELS(u64, uint64_t)

extern "C" __global__ void wrapping(unsigned *words, int n) {
  int i = globalId();
  if (i >= n)
    return;
  __scoped_atomic_fetch_uinc(&words[0], 9u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_udec(&words[1], 9u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/// Sums whose terms add exactly in any order.
template <typename T> INLINE void floatSums(T *sums, const T *in, int n) {
  __shared__ T own[3];
  if (threadIdx.x == 0) {
    own[0] = 0;
    own[1] = T(1000);
    own[2] = T(-1000);
  }
  __syncthreads();
  int i = globalId();
  if (i < n) {
    ATOMIC(fetch_add, &sums[0], in[i]);
    ATOMIC(fetch_min, &sums[1], in[i]);
    ATOMIC(fetch_max, &sums[2], in[i]);
    __scoped_atomic_fetch_add(&own[0], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_fetch_min(&own[1], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_fetch_max(&own[2], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ATOMIC(fetch_add, &sums[3], own[0]);
    ATOMIC(fetch_min, &sums[4], own[1]);
    ATOMIC(fetch_max, &sums[5], own[2]);
  }
}
extern "C" __global__ void sums_f32(float *sums, const float *in, int n) { floatSums(sums, in, n); }
extern "C" __global__ void sums_f64(double *sums, const double *in, int n) { floatSums(sums, in, n); }

/// Uses the memory's own float atomics, like -munsafe-fp-atomics.
template <typename T> INLINE void unsafeSums(T *sums, T *old, const T *in, int n) {
  [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {
    int i = globalId();
    if (i >= n)
      return;
    ATOMIC(fetch_add, &sums[0], in[i]);
    old[i] = ATOMIC(fetch_add, &sums[1], T(1));
    ATOMIC(fetch_min, &sums[2], in[i]);
    ATOMIC(fetch_max, &sums[3], in[i]);
  }
}
extern "C" __global__ void unsafe_f32(float *sums, float *old, const float *in, int n) { unsafeSums(sums, old, in, n); }
extern "C" __global__ void unsafe_f64(double *sums, double *old, const double *in, int n) {
  unsafeSums(sums, old, in, n);
}

#define GLOBAL(T) __attribute__((address_space(1))) T
#define LOCAL(T) __attribute__((address_space(3))) T
extern "C" __global__ void packedSums(half2 *f16, short2 *bf16, const half2 *in, int n) {
  __shared__ half2 own;
  if (threadIdx.x == 0)
    own = 0;
  __syncthreads();
  int i = globalId();
  if (i < n) {
    __builtin_amdgcn_global_atomic_fadd_v2f16((GLOBAL(half2) *)&f16[0], in[i]);
#ifdef __gfx942__
    __builtin_amdgcn_ds_atomic_fadd_v2f16((LOCAL(half2) *)&own, in[i]);
    __builtin_amdgcn_global_atomic_fadd_v2bf16((GLOBAL(short2) *)bf16, short2{0x3f80, short(0xbf80)}); // 1, -1
#endif
  }
  __syncthreads();
  if (threadIdx.x == 0)
    f16[1 + blockIdx.x] = own;
}

/// A lock that one lane per wave takes.
extern "C" __global__ void locked(unsigned *lock, unsigned *values) {
  if (laneId() == 0) {
    unsigned free;
    do
      free = 0;
    while (!__scoped_atomic_compare_exchange_n(lock, &free, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                               __MEMORY_SCOPE_DEVICE));
    unsigned a = values[0], b = values[1];
    values[0] = b;
    values[1] = a + b + 1;
    ATOMIC_STORE_RELEASE(lock, 0u);
  }
}

/// Compacts the values of the lanes that keep one, in any order.
extern "C" __global__ void compact(const int *in, int *out, unsigned *count, int n) {
  int i = globalId();
  bool kept = i < n && in[i] % 3 == 0;
  uint64_t lanes = ballot(kept);
  unsigned place = 0;
  if (laneId() == 0)
    place = ATOMIC(fetch_add, count, unsigned(__builtin_popcountll(lanes)));
  place = __builtin_amdgcn_readfirstlane(place);
  if (kept)
    out[place + __builtin_amdgcn_mbcnt_hi(unsigned(lanes >> 32), __builtin_amdgcn_mbcnt_lo(unsigned(lanes), 0))] =
        in[i];
}

#else
#include <algorithm>

namespace {
template <typename T> void integerCase(suite::Run &run, const char *kernel, bool lds) {
  int n = run.size;
  std::vector<T> in(n), words(11);
  for (T &value : in)
    value = T(uint64_t(run.random()) << 32 | run.random());
  for (T &word : words)
    word = T(uint64_t(run.random()) << 32 | run.random());
  T *device = run.upload(words), *old = run.room<T>(n);
  run.launch(kernel, lds ? 1 : suite::blocksFor(n, 128), lds ? 256 : 128, device, old, run.upload(in), n);
  auto got = run.download(device, 11);
  using Bits = std::make_unsigned_t<T>;
  auto olds = run.download(old, n);
  std::sort(olds.begin(), olds.end(), [&](T a, T b) { return Bits(a - words[0]) < Bits(b - words[0]); });
  for (int i = 0; i < n; ++i)
    run.expect(olds[i] == T(Bits(words[0]) + Bits(i)), "the old values are each seen once");
  std::vector<T> expected = words;
  expected[9] = T(Bits(words[9]) + Bits(words[8])); // plus all values swapped out except the last
  for (T value : in) {
    expected[0] = T(Bits(expected[0]) + 1);
    expected[1] = T(Bits(expected[1]) + Bits(value));
    expected[2] = T(Bits(expected[2]) - Bits(value));
    expected[3] &= value | T(0xff);
    expected[4] |= value & T(0xff00);
    expected[5] ^= value;
    expected[6] = std::min(expected[6], value);
    expected[7] = std::max(expected[7], value);
    expected[9] = T(Bits(expected[9]) + Bits(value));
    expected[10] = T(Bits(expected[10]) * 3 + 1);
  }
  run.expect(std::find(in.begin(), in.end(), got[8]) != in.end(), "a value is in the exchanged word");
  expected[8] = got[8];
  expected[9] = T(Bits(expected[9]) - Bits(got[8]));
  run.expectEqual(got, expected);
}
template <typename T> void sumCase(suite::Run &run, const char *kernel) {
  int n = run.size;
  std::vector<T> in(n), sums(6), expected(6);
  sums[1] = sums[4] = expected[1] = expected[4] = 500;
  sums[2] = sums[5] = expected[2] = expected[5] = -500;
  for (T &value : in) {
    value = T(int(run.random()) >> 20) / 8;
    for (int i = 0; i < 6; i += 3) {
      expected[i] += value;
      expected[i + 1] = std::min(expected[i + 1], value);
      expected[i + 2] = std::max(expected[i + 2], value);
    }
  }
  T *device = run.upload(sums);
  run.launch(kernel, suite::blocksFor(n, 128), 128, device, run.upload(in), n);
  run.expectEqual(run.download(device, 6), expected);
}
template <typename T> void unsafeCase(suite::Run &run, const char *kernel) {
  int n = run.size;
  std::vector<T> in(n), expected{0, T(n), 500, -500}, olds(n);
  for (int i = 0; i < n; ++i) {
    in[i] = T(int(run.random()) >> 20) / 8;
    expected[0] += in[i];
    expected[2] = std::min(expected[2], in[i]);
    expected[3] = std::max(expected[3], in[i]);
    olds[i] = T(i);
  }
  T *device = run.upload(std::vector<T>{0, 0, 500, -500}), *old = run.room<T>(n);
  run.launch(kernel, suite::blocksFor(n, 128), 128, device, old, run.upload(in), n);
  run.expectEqual(run.download(device, 4), expected);
  auto got = run.download(old, n);
  std::sort(got.begin(), got.end());
  run.expectEqual(got, olds, "old values");
}
} // namespace

SUITE(atomics, i32, 1, 100, 515) { integerCase<int>(run, "global_i32", false); }
SUITE(atomics, u32, 1, 100, 515) { integerCase<unsigned>(run, "global_u32", false); }
SUITE(atomics, i64, 1, 100, 515) { integerCase<int64_t>(run, "global_i64", false); }
SUITE(atomics, u64, 1, 100, 515) { integerCase<uint64_t>(run, "global_u64", false); }
SUITE(atomics, ldsI32, 1, 100, 256) { integerCase<int>(run, "lds_i32", true); }
SUITE(atomics, ldsU32, 1, 100, 256) { integerCase<unsigned>(run, "lds_u32", true); }
SUITE(atomics, ldsI64, 1, 100, 256) { integerCase<int64_t>(run, "lds_i64", true); }
SUITE(atomics, ldsU64, 1, 100, 256) { integerCase<uint64_t>(run, "lds_u64", true); }
SUITE(atomics, sumsF32, 1, 100, 515) { sumCase<float>(run, "sums_f32"); }
SUITE(atomics, sumsF64, 1, 100, 515) { sumCase<double>(run, "sums_f64"); }
SUITE(atomics, unsafeF32, 1, 100, 515) { unsafeCase<float>(run, "unsafe_f32"); }
SUITE(atomics, unsafeF64, 1, 100, 515) { unsafeCase<double>(run, "unsafe_f64"); }

SUITE(atomics, wrapping, 1, 10, 133) {
  uint32_t *words = run.upload(std::vector<uint32_t>{0, 0});
  run.launch("wrapping", suite::blocksFor(run.size, 64), 64, words, run.size);
  run.expectEqual(run.download(words, 2), {run.size % 10u, (10 - run.size % 10u) % 10});
}

SUITE(atomics, packed, 1, 60, 200) {
  int n = run.size, blocks = suite::blocksFor(n, 64);
  std::vector<_Float16> in(2 * n), expected(2 * (1 + blocks));
  for (int i = 0; i < 2 * n; ++i) {
    in[i] = _Float16(int(run.random() % 9) - 4);
    expected[i % 2] += in[i];
    if (run.gfx942)
      expected[2 * (1 + i / 128) + i % 2] += in[i];
  }
  std::vector<suite::Bf16> pair(2), pairExpected(2);
  pairExpected[0] = suite::Bf16(run.gfx942 ? n : 0);
  pairExpected[1] = suite::Bf16(run.gfx942 ? -n : 0);
  _Float16 *f16 = run.upload(std::vector<_Float16>(expected.size()));
  suite::Bf16 *bf16 = run.upload(pair);
  run.launch("packedSums", blocks, 64, f16, bf16, run.upload(in), n);
  run.expectNear(run.download(f16, expected.size()), expected, 0);
  run.expectNear(run.download(bf16, 2), pairExpected, 0);
}

SUITE(atomics, lock, 1, 5, 12) {
  uint32_t a = 0, b = 1;
  for (int i = 0; i < 2 * run.size; ++i) {
    uint32_t sum = a + b + 1;
    a = b;
    b = sum;
  }
  uint32_t *values = run.upload(std::vector<uint32_t>{0, 1});
  run.launch("locked", run.size, 128, run.upload(std::vector<uint32_t>(1)), values);
  run.expectEqual(run.download(values, 2), {a, b});
}

SUITE(atomics, compact, 1, 200, 1000) {
  std::vector<int> in(run.size), expected;
  for (int &value : in) {
    value = int(run.random() >> 4);
    if (value % 3 == 0)
      expected.push_back(value);
  }
  int *out = run.room<int>(run.size);
  uint32_t *count = run.upload(std::vector<uint32_t>(1));
  run.launch("compact", suite::blocksFor(run.size, 128), 128, run.upload(in), out, count, run.size);
  run.expectEqual(run.download(count, 1), {uint32_t(expected.size())}, "count");
  auto got = run.download(out, expected.size());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  run.expectEqual(got, expected);
}
#endif
