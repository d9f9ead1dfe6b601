// Softmax of rows: one wave per row kept in registers, one workgroup per row read three times, and one wave per row in
// one pass that rescales its sum when the maximum grows.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

INLINE float waveMax(float value) {
  for (int mask = 32; mask; mask /= 2)
    value = __builtin_fmaxf(value, shuffleXor(value, mask));
  return value;
}
INLINE float waveSum(float value) {
  for (int mask = 32; mask; mask /= 2)
    value += shuffleXor(value, mask);
  return value;
}

/// Requires columns <= 512.
extern "C" __global__ void softmaxWave(const float *in, float *out, int columns) {
  const float *row = in + blockIdx.x * columns;
  float values[8], most = -__builtin_inff(), sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int c = i * 64 + threadIdx.x;
    values[i] = c < columns ? row[c] : -__builtin_inff();
    most = __builtin_fmaxf(most, values[i]);
  }
  most = waveMax(most);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    values[i] = __builtin_expf(values[i] - most);
    sum += values[i];
  }
  sum = waveSum(sum);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int c = i * 64 + threadIdx.x;
    if (c < columns)
      out[blockIdx.x * columns + c] = values[i] / sum;
  }
}

extern "C" __global__ void softmaxBlock(const _Float16 *in, _Float16 *out, int columns) {
  __shared__ float waves[4];
  const _Float16 *row = in + blockIdx.x * columns;
  unsigned wave = threadIdx.x / 64;
  float most = -__builtin_inff(), sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256)
    most = __builtin_fmaxf(most, float(row[c]));
  most = waveMax(most);
  if (laneId() == 0)
    waves[wave] = most;
  __syncthreads();
  most = __builtin_fmaxf(__builtin_fmaxf(waves[0], waves[1]), __builtin_fmaxf(waves[2], waves[3]));
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += 256)
    sum += __builtin_expf(float(row[c]) - most);
  sum = waveSum(sum);
  if (laneId() == 0)
    waves[wave] = sum;
  __syncthreads();
  sum = waves[0] + waves[1] + waves[2] + waves[3];
  for (int c = threadIdx.x; c < columns; c += 256)
    out[blockIdx.x * columns + c] = _Float16(__builtin_expf(float(row[c]) - most) / sum);
}

extern "C" __global__ void softmaxOnline(const float *in, float *out, int columns) {
  const float *row = in + blockIdx.x * columns;
  float most = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < columns; c += 64) {
    float value = row[c], next = __builtin_fmaxf(most, value);
    sum = sum * __builtin_expf(most - next) + __builtin_expf(value - next);
    most = next;
  }
  for (int mask = 32; mask; mask /= 2) {
    float otherMost = shuffleXor(most, mask), otherSum = shuffleXor(sum, mask), next = __builtin_fmaxf(most, otherMost);
    sum = sum * __builtin_expf(most - next) + otherSum * __builtin_expf(otherMost - next);
    most = next;
  }
  float inverse = __builtin_amdgcn_rcpf(sum);
  for (int c = threadIdx.x; c < columns; c += 64)
    out[blockIdx.x * columns + c] = __builtin_expf(row[c] - most) * inverse;
}

#else

namespace {
template <typename T> void softmaxCase(suite::Run &run, const char *kernel, unsigned block, double tolerance) {
  int rows = 3, columns = run.size;
  std::vector<T> in(rows * columns);
  std::vector<double> expected(in.size());
  for (T &value : in)
    value = T(run.uniform(-8, 8));
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(double(in[r * columns + c]));
    for (int c = 0; c < columns; ++c)
      expected[r * columns + c] = std::exp(double(in[r * columns + c])) / sum;
  }
  T *out = run.room<T>(in.size());
  run.launch(kernel, rows, block, run.upload(in), out, columns);
  run.expectNear(run.download(out, in.size()), expected, tolerance);
}
} // namespace

SUITE(softmax, wave, 1, 300, 512) { softmaxCase<float>(run, "softmaxWave", 64, 1e-6); }
SUITE(softmax, block, 64, 255, 1031) { softmaxCase<_Float16>(run, "softmaxBlock", 256, 1e-3); }
SUITE(softmax, online, 2, 200, 1025) { softmaxCase<float>(run, "softmaxOnline", 64, 1e-6); }
#endif
