// Histograms: by atomics in global memory, by atomics in LDS followed by an addition to global memory, and with 16-bit
// counters packed in LDS words by a compare-and-swap loop.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

extern "C" __global__ void histogramGlobal(const uint8_t *in, unsigned *counts, int n) {
  for (int i = globalId(); i < n; i += gridSize())
    ATOMIC(fetch_add, &counts[in[i]], 1u);
}

extern "C" __global__ void histogramLds(const uint8_t *in, unsigned *counts, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = globalId(); i < n; i += gridSize())
    __scoped_atomic_fetch_add(&own[in[i]], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  __syncthreads();
  if (unsigned count = own[threadIdx.x])
    ATOMIC(fetch_add, &counts[threadIdx.x], count);
}

extern "C" __global__ void histogramPacked(const uint8_t *in, unsigned *counts, int n) {
  __shared__ unsigned own[128];
  if (threadIdx.x < 128)
    own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = globalId(); i < n; i += gridSize()) {
    unsigned *word = &own[in[i] / 2], one = in[i] % 2 ? 0x10000 : 1, seen = *word;
    while (!__scoped_atomic_compare_exchange_n(word, &seen, seen + one, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __MEMORY_SCOPE_WRKGRP))
      ;
  }
  __syncthreads();
  ATOMIC(fetch_add, &counts[threadIdx.x], own[threadIdx.x / 2] >> threadIdx.x % 2 * 16 & 0xffff);
}

#else

namespace {
void histogramCase(suite::Run &run, const char *kernel) {
  int n = run.size;
  std::vector<uint8_t> in(n);
  std::vector<unsigned> counts(256);
  for (uint8_t &value : in) { // uneven, so that lanes of a wave collide
    value = uint8_t((run.random() & 255) * (run.random() & 255) >> 8);
    ++counts[value];
  }
  unsigned *device = run.upload(std::vector<unsigned>(256));
  run.launch(kernel, 3, 256, run.upload(in), device, n);
  run.expectEqual(run.download(device, 256), counts);
}
} // namespace

SUITE(histogram, global, 1, 1000, 4001) { histogramCase(run, "histogramGlobal"); }
SUITE(histogram, lds, 1, 1000, 4001) { histogramCase(run, "histogramLds"); }
SUITE(histogram, packed, 1, 1000, 2001) { histogramCase(run, "histogramPacked"); }
#endif
