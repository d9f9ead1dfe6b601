// Sums and maxima: within a wave by DPP, by shuffles and by ballot; within a workgroup through LDS; over the grid by
// the last workgroup to finish, which an atomic counter identifies.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

template <int control, int rows> INLINE int dpp(int before, int value) {
  return __builtin_amdgcn_update_dpp(before, value, control, rows, 0xf, false);
}
/// The wave's sum: shifts add up rows of 16, broadcasts then pass the sum from row to row into lane 63.
INLINE int waveSumByDpp(int value) {
  value += dpp<0x111, 0xf>(0, value); // row_shr:1
  value += dpp<0x112, 0xf>(0, value);
  value += dpp<0x114, 0xf>(0, value);
  value += dpp<0x118, 0xf>(0, value);
  value += dpp<0x142, 0xa>(0, value); // row_bcast:15 into rows 1 and 3
  value += dpp<0x143, 0xc>(0, value); // row_bcast:31 into rows 2 and 3
  return __builtin_amdgcn_readlane(value, 63);
}
template <int control> INLINE float dppMax(float value) {
  int other = __builtin_amdgcn_update_dpp(bits<int>(-__builtin_inff()), bits<int>(value), control, 0xf, 0xf, false);
  return __builtin_fmaxf(value, bits<float>(other));
}

extern "C" __global__ void reduceDpp(const int *in, int *sums, float *maxima, int n) {
  int i = globalId(), value = i < n ? in[i] : 0;
  int sum = waveSumByDpp(value);
  float most = float(value);
  most = dppMax<0x128>(most); // row_ror:8
  most = dppMax<0x124>(most);
  most = dppMax<0x122>(most);
  most = dppMax<0x121>(most);
  most = __builtin_fmaxf(most, shuffleXor(most, 16));
  most = __builtin_fmaxf(most, shuffleXor(most, 32));
  if (laneId() == 0) {
    sums[i / 64] = sum;
    maxima[i / 64] = most;
  }
}

extern "C" __global__ void reduceLds(const float *in, float *out, int n) {
  __shared__ float values[256];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = globalId(); i < n; i += gridSize())
    sum += in[i];
  values[t] = sum;
  __syncthreads();
  for (unsigned step = 128; step; step /= 2) {
    if (t < step)
      values[t] += values[t + step];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = values[0];
}

extern "C" __global__ void reduceShuffle(const float *in, float *out, int n) {
  __shared__ float waves[4];
  int i = globalId();
  float sum = i < n ? in[i] : 0;
  for (int mask = 32; mask; mask /= 2)
    sum += shuffleXor(sum, mask);
  if (laneId() == 0)
    waves[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = (waves[0] + waves[1]) + (waves[2] + waves[3]);
}

/// The number of negative values and the place of the first, without a sum.
extern "C" __global__ void countNegative(const int *in, unsigned *counts, int *first, int n) {
  int i = globalId();
  uint64_t negative = ballot(i < n && in[i] < 0);
  if (laneId() == 0) {
    counts[i / 64] = __builtin_popcountll(negative);
    first[i / 64] = negative ? __builtin_ctzll(negative) : -1;
  }
}

/// One launch reduces all values to one sum: the last workgroup adds the partial sums.
extern "C" __global__ void reduceLastBlock(const int *in, int *partial, unsigned *finished, int *out, int n) {
  __shared__ int waves[4];
  __shared__ bool last;
  int i = globalId(), wave = threadIdx.x / 64;
  int sum = waveSumByDpp(i < n ? in[i] : 0);
  if (laneId() == 0)
    waves[wave] = sum;
  __syncthreads();
  unsigned blocks = gridSize() / blockDim.x;
  if (threadIdx.x == 0) {
    __scoped_atomic_store_n(&partial[blockIdx.x], waves[0] + waves[1] + waves[2] + waves[3], __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
    last = __scoped_atomic_fetch_add(finished, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE) == blocks - 1;
  }
  __syncthreads();
  if (!last)
    return;
  sum = 0;
  for (unsigned b = threadIdx.x; b < blocks; b += 256)
    sum += __scoped_atomic_load_n(&partial[b], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  sum = waveSumByDpp(sum);
  if (laneId() == 0)
    waves[wave] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    *out = waves[0] + waves[1] + waves[2] + waves[3];
}

#else

SUITE(reduce, dpp, 64, 1000, 2049) {
  int n = run.size, waves = suite::blocksFor(n, 256) * 4;
  std::vector<int> in(n), sums(waves);
  std::vector<float> maxima(waves, -INFINITY);
  for (int i = 0; i < waves * 64; ++i) {
    int value = 0;
    if (i < n)
      value = in[i] = int(run.random()) >> 4;
    sums[i / 64] = int(uint32_t(sums[i / 64]) + uint32_t(value));
    maxima[i / 64] = std::fmax(maxima[i / 64], float(value));
  }
  int *deviceSums = run.room<int>(waves);
  float *deviceMaxima = run.room<float>(waves);
  run.launch("reduceDpp", waves / 4, 256, run.upload(in), deviceSums, deviceMaxima, n);
  run.expectEqual(run.download(deviceSums, waves), sums, "sums");
  run.expectEqual(run.download(deviceMaxima, waves), maxima, "maxima");
}

SUITE(reduce, lds, 1, 999, 5000) {
  int n = run.size, blocks = 3;
  auto in = run.floats(n);
  std::vector<double> expected(blocks);
  for (int i = 0; i < n; ++i)
    expected[i / 256 % blocks] += in[i];
  float *out = run.room<float>(blocks);
  run.launch("reduceLds", blocks, 256, run.upload(in), out, n);
  run.expectNear(run.download(out, blocks), expected, 1e-5);
}

SUITE(reduce, shuffle, 64, 777, 1024) {
  int n = run.size, blocks = suite::blocksFor(n, 256);
  auto in = run.floats(n);
  std::vector<double> expected(blocks);
  for (int i = 0; i < n; ++i)
    expected[i / 256] += in[i];
  float *out = run.room<float>(blocks);
  run.launch("reduceShuffle", blocks, 256, run.upload(in), out, n);
  run.expectNear(run.download(out, blocks), expected, 1e-5);
}

SUITE(reduce, negative, 63, 640, 1001) {
  int n = run.size, waves = suite::blocksFor(n, 64);
  std::vector<int> in(n), first(waves, -1);
  std::vector<unsigned> counts(waves);
  for (int i = 0; i < n; ++i) {
    in[i] = int(run.random()) | (i / 64 % 2 ? 0 : 0x40000000);
    if (i / 64 == 3)
      in[i] &= 0x7fffffff;
    if (in[i] < 0 && counts[i / 64]++ == 0)
      first[i / 64] = i % 64;
  }
  unsigned *deviceCounts = run.room<unsigned>(waves);
  int *deviceFirst = run.room<int>(waves);
  run.launch("countNegative", waves, 64, run.upload(in), deviceCounts, deviceFirst, n);
  run.expectEqual(run.download(deviceCounts, waves), counts, "counts");
  run.expectEqual(run.download(deviceFirst, waves), first, "first");
}

SUITE(reduce, lastBlock, 100, 2000, 4097) {
  int n = run.size, blocks = suite::blocksFor(n, 256);
  std::vector<int> in(n), expected(1);
  for (int &value : in) {
    value = int(run.random()) >> 12;
    expected[0] += value;
  }
  int *out = run.room<int>(1);
  run.launch("reduceLastBlock", blocks, 256, run.upload(in), run.room<int>(blocks),
             run.upload(std::vector<unsigned>(1)), out, n);
  run.expectEqual(run.download(out, 1), expected);
}
#endif
