// Streams of one f64 element a work-item, and all compute units over the same set (gpu-benches: gpu-stream, gpu-cache,
// gpu-small-kernels).
#include "device.h"

KERNEL stream_init(double *a, const double *, const double *, const double *, int n) {
  int i = GLOBAL_ITEM;
  if (i < n)
    a[i] = 0.23;
}

KERNEL stream_read(double *a, const double *b, const double *, const double *, int n) {
  int i = GLOBAL_ITEM;
  if (i < n && b[i] == 123.0)
    a[i] = b[i];
}

KERNEL stream_scale(double *a, const double *b, const double *, const double *, int n) {
  int i = GLOBAL_ITEM;
  if (i < n)
    a[i] = b[i] * 1.2;
}

KERNEL stream_triad(double *a, const double *b, const double *c, const double *d, int n) {
  int i = GLOBAL_ITEM;
  if (i < n)
    a[i] = b[i] * d[i] + c[i];
}

KERNEL stream_3pt(double *a, const double *b, const double *, const double *, int n) {
  int i = GLOBAL_ITEM;
  if (i > 0 && i < n - 1)
    a[i] = 0.5 * b[i - 1] - 1.0 * b[i] + 0.5 * b[i + 1];
}

KERNEL stream_5pt(double *a, const double *b, const double *, const double *, int n) {
  int i = GLOBAL_ITEM;
  if (i > 1 && i < n - 2)
    a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - 1.0 * b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];
}

KERNEL small_scale(double *a, const double *b, int n) {
  int i = GLOBAL_ITEM;
  if (i < n)
    a[i] = b[i] * 0.25;
}

/// `half` quads from b on and as many behind them, `rounds` times. `zero` keeps a round's loads from being those of the
/// one before. As published, sizes are the compiler's, and it is asked for 32 pairs of loads in a row, whether they are
/// of one round or of several.
template <int kilobytes, int block> DEVICE void cacheSum(float4 *a, const float4 *b, int rounds, int zero) {
  constexpr int half = kilobytes * 32, pairs = half / block, inner = pairs >= 64 ? 32 : pairs,
                outer = pairs > 32 ? 1 : 32 / pairs;
  float4 sum = 0;
  b += ITEM;
#pragma unroll outer
  for (int round = 0; round < rounds; ++round) {
    b += zero;
    const float4 *c = b + half;
#pragma unroll inner
    for (int i = 0; i < half; i += block)
      sum += b[i] * c[i];
    sum *= 1.3f;
  }
  if (sum.x == 1233.0f && sum.y == 1233.0f && sum.z == 1233.0f && sum.w == 1233.0f)
    a[ITEM] += sum;
}

#define CACHE_SUM(kilobytes, block)                                                                                    \
  KERNEL cache_sum_##kilobytes(float4 *a, const float4 *b, int rounds, int zero) {                                     \
    cacheSum<kilobytes, block>(a, b, rounds, zero);                                                                    \
  }
CACHE_SUM(4, 128)
CACHE_SUM(8, 256)
CACHE_SUM(16, 512)
CACHE_SUM(48, 512)
CACHE_SUM(96, 512)
CACHE_SUM(192, 512)
CACHE_SUM(1536, 512)
CACHE_SUM(4608, 512)
CACHE_SUM(6304, 512)
CACHE_SUM(13824, 512)
CACHE_SUM(25920, 512)
