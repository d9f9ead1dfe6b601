// Sorting: bitonic in LDS and over global memory, and a least-significant-digit radix sort with four bits per pass.
// Each pass counts, scans and scatters, using ballots to be stable.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

/// Each workgroup sorts its 512 keys in LDS.
extern "C" __global__ void bitonicLds(unsigned *keys) {
  __shared__ unsigned own[512];
  unsigned t = threadIdx.x, *mine = keys + blockIdx.x * 512;
  own[t] = mine[t];
  own[t + 256] = mine[t + 256];
  for (unsigned k = 2; k <= 512; k *= 2)
    for (unsigned j = k / 2; j; j /= 2) {
      __syncthreads();
      unsigned low = 2 * t - (t & (j - 1)), high = low + j;
      unsigned a = own[low], b = own[high];
      if ((a > b) == ((low & k) == 0)) {
        own[low] = b;
        own[high] = a;
      }
    }
  __syncthreads();
  mine[t] = own[t];
  mine[t + 256] = own[t + 256];
}

/// One step over all n keys (n is a power of two), launched for each k and j.
extern "C" __global__ void bitonicStep(float *keys, unsigned n, unsigned k, unsigned j) {
  unsigned i = globalId(), other = i ^ j;
  if (i >= n || other < i)
    return;
  float a = keys[i], b = keys[other];
  if ((a > b) == ((i & k) == 0)) {
    keys[i] = b;
    keys[other] = a;
  }
}

/// counts[digit * blocks + block] is the number of a workgroup's keys with that digit.
extern "C" __global__ void radixCount(const unsigned *keys, unsigned *counts, unsigned n, unsigned shift) {
  __shared__ unsigned own[16];
  if (threadIdx.x < 16)
    own[threadIdx.x] = 0;
  __syncthreads();
  unsigned i = globalId();
  if (i < n)
    __scoped_atomic_fetch_add(&own[keys[i] >> shift & 15], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  __syncthreads();
  if (threadIdx.x < 16)
    counts[threadIdx.x * (gridSize() / blockDim.x) + blockIdx.x] = own[threadIdx.x];
}

/// An exclusive scan in place by one wave.
extern "C" __global__ void radixScan(unsigned *counts, unsigned n) {
  unsigned before = 0;
  for (unsigned base = 0; base < n; base += 64) {
    unsigned i = base + threadIdx.x, own = i < n ? counts[i] : 0, sum = own;
    for (int step = 1; step < 64; step *= 2) {
      unsigned left = shuffle(sum, int(threadIdx.x) - step);
      if (int(threadIdx.x) >= step)
        sum += left;
    }
    if (i < n)
      counts[i] = before + sum - own;
    before += shuffle(sum, 63);
  }
}

extern "C" __global__ void radixScatter(const unsigned *keys, const unsigned *values, unsigned *keysOut,
                                        unsigned *valuesOut, const unsigned *places, unsigned n, unsigned shift) {
  __shared__ unsigned waves[4][16];
  unsigned i = globalId(), wave = threadIdx.x / 64, key = i < n ? keys[i] : 0, digit = key >> shift & 15;
  uint64_t same = ballot(i < n);
  for (unsigned bit = 0; bit < 4; ++bit) {
    uint64_t set = ballot(digit >> bit & 1);
    same &= digit >> bit & 1 ? set : ~set;
  }
  unsigned rank = __builtin_popcountll(same & ((uint64_t(1) << laneId()) - 1));
  if (laneId() < 16)
    waves[wave][laneId()] = 0;
  __syncthreads();
  if (i < n && rank == 0)
    waves[wave][digit] = __builtin_popcountll(same);
  __syncthreads();
  if (i >= n)
    return;
  unsigned place = places[digit * (gridSize() / blockDim.x) + blockIdx.x] + rank;
  for (unsigned w = 0; w < wave; ++w)
    place += waves[w][digit];
  keysOut[place] = key;
  valuesOut[place] = values[i];
}

#else
#include <algorithm>

SUITE(sort, bitonicLds, 1, 2, 3) {
  auto keys = run.integers(run.size * 512);
  uint32_t *device = run.upload(keys);
  for (int b = 0; b < run.size; ++b)
    std::sort(keys.begin() + b * 512, keys.begin() + (b + 1) * 512);
  run.launch("bitonicLds", run.size, 256, device);
  run.expectEqual(run.download(device, keys.size()), keys);
}

SUITE(sort, bitonicSteps, 2, 128, 512) {
  unsigned n = run.size;
  auto keys = run.floats(n, -100, 100);
  float *device = run.upload(keys);
  std::sort(keys.begin(), keys.end());
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j; j /= 2)
      run.launch("bitonicStep", suite::blocksFor(n, 64), 64, device, n, k, j);
  run.expectEqual(run.download(device, n), keys);
}

SUITE(sort, radix, 100, 256, 1301) {
  unsigned n = run.size, blocks = suite::blocksFor(n, 256);
  auto keys = run.integers(n);
  for (unsigned i = 0; i < n; i += 3) // equal keys: the order of their values shows whether the sort is stable
    keys[i] &= 0xf00f;
  std::vector<uint32_t> values(n);
  for (unsigned i = 0; i < n; ++i)
    values[i] = i;
  uint32_t *k[2] = {run.upload(keys), run.room<uint32_t>(n)}, *v[2] = {run.upload(values), run.room<uint32_t>(n)};
  uint32_t *counts = run.room<uint32_t>(16 * blocks);
  for (unsigned pass = 0; pass < 8; ++pass) {
    unsigned from = pass % 2, shift = 4 * pass;
    run.launch("radixCount", blocks, 256, k[from], counts, n, shift);
    run.launch("radixScan", 1, 64, counts, 16 * blocks);
    run.launch("radixScatter", blocks, 256, k[from], v[from], k[1 - from], v[1 - from], counts, n, shift);
  }
  std::stable_sort(values.begin(), values.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  std::stable_sort(keys.begin(), keys.end());
  run.expectEqual(run.download(k[0], n), keys, "keys");
  run.expectEqual(run.download(v[0], n), values, "values");
}
#endif
