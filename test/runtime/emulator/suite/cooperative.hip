// Workgroups that cooperate within one launch: a barrier over the grid (its own, and that of a cooperative launch),
// split-K with a semaphore that passes the sum on, split-K where the last workgroup adds up, and producers and
// consumers on a ring. All waiting workgroups must be resident; the emulator keeps as many as the chip would.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

/// Every workgroup passes when all have arrived; `count` keeps counting over all barriers.
INLINE void gridBarrier(unsigned *count, unsigned turn) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned blocks = gridSize() / blockDim.x;
    __scoped_atomic_fetch_add(count, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    while (ATOMIC_LOAD_ACQUIRE(count) < blocks * turn)
      __builtin_amdgcn_s_sleep(2);
  }
  __syncthreads();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

/// `steps` steps of a 3-point average over a ring of all work-items, between two buffers.
extern "C" __global__ void smooth(unsigned *a, unsigned *b, unsigned *count, int steps) {
  unsigned i = globalId(), n = gridSize();
  for (int s = 1; s <= steps; ++s) {
    b[i] = a[(i + n - 1) % n] + 2 * a[i] + a[(i + 1) % n];
    unsigned *kept = a;
    a = b;
    b = kept;
    gridBarrier(count, s);
  }
}

/// The same through the fields of a cooperative launch, as ROCm's device library implements this_grid().sync().
INLINE void launchedBarrier() {
  struct Barrier {
    uint64_t unused[4];
    unsigned word, other, workgroups;
  };
  __syncthreads();
  if (threadIdx.x == 0) {
    Barrier *barrier = *(Barrier **)((char *)__builtin_amdgcn_implicitarg_ptr() + 88);
    unsigned workgroups = barrier->workgroups;
    unsigned seen = __scoped_atomic_fetch_add(&barrier->word, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    if ((seen & 0xffff) == workgroups - 1)
      __scoped_atomic_fetch_add(&barrier->word, 0x10000 - workgroups, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    while (ATOMIC_LOAD_ACQUIRE(&barrier->word) >> 16 == seen >> 16)
      __builtin_amdgcn_s_sleep(1);
  }
  __syncthreads();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}
extern "C" __global__ void rotate(unsigned *a, unsigned *b, int steps) {
  unsigned i = globalId(), n = gridSize();
  for (int s = 0; s < steps; ++s) {
    b[i] = a[(i + 1) % n] + 1;
    launchedBarrier();
    a[i] = b[(i + 1) % n] + 1;
    launchedBarrier();
  }
}

/// A tile's z-th workgroup adds to C only after the previous one has, which fixes the order of the sum.
extern "C" __global__ void splitSerial(const float *a, const float *b, float *c, unsigned *semaphores, int n, int k,
                                       int splits) {
  int column = threadIdx.x, row = blockIdx.x, split = blockIdx.y, each = (k + splits - 1) / splits;
  float sum = 0;
  for (int p = split * each; column < n && p < k && p < (split + 1) * each; ++p)
    sum += a[row * k + p] * b[p * n + column];
  if (threadIdx.x == 0)
    while (ATOMIC_LOAD_ACQUIRE(&semaphores[row]) != unsigned(split))
      __builtin_amdgcn_s_sleep(1);
  __syncthreads();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  if (column < n)
    c[row * n + column] = split ? c[row * n + column] + sum : sum;
  threadFence();
  __syncthreads();
  if (threadIdx.x == 0)
    ATOMIC_STORE_RELEASE(&semaphores[row], unsigned(split + 1));
}

/// All workgroups store their part; the last to arrive adds the parts in order.
extern "C" __global__ void splitParallel(const float *a, const float *b, float *c, float *parts, unsigned *arrived,
                                         int n, int k, int splits) {
  __shared__ bool last;
  int column = threadIdx.x, row = blockIdx.x, split = blockIdx.y, each = (k + splits - 1) / splits;
  float sum = 0;
  if (column < n) {
    for (int p = split * each; p < k && p < (split + 1) * each; ++p)
      sum += a[row * k + p] * b[p * n + column];
    parts[(row * splits + split) * n + column] = sum;
  }
  threadFence();
  __syncthreads();
  if (threadIdx.x == 0)
    last =
        __scoped_atomic_fetch_add(&arrived[row], 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE) == unsigned(splits - 1);
  __syncthreads();
  if (!last || column >= n)
    return;
  threadFence();
  sum = 0;
  for (int s = 0; s < splits; ++s)
    sum += parts[(row * splits + s) * n + column];
  c[row * n + column] = sum;
}

/// Even workgroups write numbers into a ring of four slots and odd ones take them out; each waits for the other.
extern "C" __global__ void ring(unsigned *slots, unsigned *out, int items) {
  unsigned *own = slots + blockIdx.x / 2 * 8; // 4 values, then the number written and the number read
  if (threadIdx.x)
    return;
  if (blockIdx.x % 2 == 0) {
    for (unsigned i = 0; i < unsigned(items); ++i) {
      while (i - ATOMIC_LOAD_ACQUIRE(&own[5]) >= 4)
        __builtin_amdgcn_s_sleep(1);
      own[i % 4] = i * i + blockIdx.x;
      ATOMIC_STORE_RELEASE(&own[4], i + 1);
    }
    return;
  }
  unsigned sum = 0;
  for (unsigned i = 0; i < unsigned(items); ++i) {
    while (ATOMIC_LOAD_ACQUIRE(&own[4]) <= i)
      __builtin_amdgcn_s_sleep(1);
    sum = sum * 31 + own[i % 4];
    ATOMIC_STORE_RELEASE(&own[5], i + 1);
  }
  out[blockIdx.x / 2] = sum;
}

#else

SUITE(cooperative, gridBarrier, 1, 7, 32) {
  unsigned n = run.size * 64, steps = 5;
  auto values = run.integers(n), next = values;
  uint32_t *a = run.upload(values), *b = run.room<uint32_t>(n);
  run.launch("smooth", run.size, 64, a, b, run.upload(std::vector<uint32_t>(1)), int(steps));
  for (unsigned s = 0; s < steps; ++s, values.swap(next))
    for (unsigned i = 0; i < n; ++i)
      next[i] = values[(i + n - 1) % n] + 2 * values[i] + values[(i + 1) % n];
  run.expectEqual(run.download(steps % 2 ? b : a, n), values);
}

SUITE(cooperative, cooperativeLaunch, 1, 5, 40) {
  unsigned n = run.size * 128, steps = 3;
  auto values = run.integers(n);
  std::vector<uint32_t> expected(n);
  uint32_t *a = run.upload(values), *b = run.room<uint32_t>(n);
  for (int launch = 0; launch < 2; ++launch)
    run.launchCooperative("rotate", run.size, 128, a, b, int(steps));
  for (unsigned i = 0; i < n; ++i)
    expected[i] = values[(i + 4 * steps) % n] + 4 * steps;
  run.expectEqual(run.download(a, n), expected);
}

SUITE(cooperative, tooLarge, 1) {
  uint32_t *a = run.room<uint32_t>(1);
  std::string error;
  try {
    run.launchCooperative("rotate", 100000, 128, a, a, 1);
  } catch (const std::exception &exception) {
    error = exception.what();
  }
  run.expect(error.find("too many blocks in cooperative launch") != std::string::npos, error);
}

namespace {
void splitCase(suite::Run &run, bool serial) {
  int m = 5, n = run.size, k = 97, splits = 4, each = 25;
  auto a = run.floats(m * k), b = run.floats(k * n);
  std::vector<float> expected(m * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      for (int s = 0; s < splits; ++s) {
        float sum = 0;
        for (int p = s * each; p < k && p < (s + 1) * each; ++p)
          sum = std::fma(a[row * k + p], b[p * n + column], sum);
        expected[row * n + column] = s ? expected[row * n + column] + sum : sum;
      }
  float *c = run.room<float>(m * n);
  uint32_t *counters = run.upload(std::vector<uint32_t>(m));
  suite::Grid grid(m, splits);
  if (serial)
    run.launch("splitSerial", grid, 128, run.upload(a), run.upload(b), c, counters, n, k, splits);
  else
    run.launch("splitParallel", grid, 128, run.upload(a), run.upload(b), c, run.room<float>(m * n * splits), counters,
               n, k, splits);
  run.expectNear(run.download(c, m * n), expected, 1e-6);
}
} // namespace
SUITE(cooperative, splitSerial, 1, 64, 101) { splitCase(run, true); }
SUITE(cooperative, splitParallel, 1, 64, 101) { splitCase(run, false); }

SUITE(cooperative, ring, 1, 6, 50) {
  unsigned pairs = 3;
  std::vector<uint32_t> expected(pairs);
  for (unsigned p = 0; p < pairs; ++p)
    for (unsigned i = 0; i < unsigned(run.size); ++i)
      expected[p] = expected[p] * 31 + i * i + 2 * p;
  uint32_t *out = run.room<uint32_t>(pairs);
  run.launch("ring", 2 * pairs, 64, run.upload(std::vector<uint32_t>(8 * pairs)), out, run.size);
  run.expectEqual(run.download(out, pairs), expected);
}
#endif
