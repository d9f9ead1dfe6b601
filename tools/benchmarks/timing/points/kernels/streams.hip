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
/// one before.
template <int block> DEVICE void cacheSum(float4 *a, const float4 *b, int half, int rounds, int zero) {
  float4 sum = 0;
  b += ITEM;
  for (int round = 0; round < rounds; ++round) {
    b += zero;
#pragma unroll 4
    for (int i = 0; i < half; i += block)
      sum += b[i] * b[i + half];
    sum *= 1.3f;
  }
  if (sum.x == 1233.0f)
    a[ITEM] += sum;
}

KERNEL AT_MOST(128) cache_sum_128(float4 *a, const float4 *b, int half, int rounds, int zero) {
  cacheSum<128>(a, b, half, rounds, zero);
}

KERNEL AT_MOST(256) cache_sum_256(float4 *a, const float4 *b, int half, int rounds, int zero) {
  cacheSum<256>(a, b, half, rounds, zero);
}

KERNEL AT_MOST(512) cache_sum_512(float4 *a, const float4 *b, int half, int rounds, int zero) {
  cacheSum<512>(a, b, half, rounds, zero);
}
