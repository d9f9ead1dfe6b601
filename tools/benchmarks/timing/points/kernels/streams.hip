// Streams of one f64 element per work-item, and kernels in which all compute units read the same set (gpu-benches:
// gpu-stream, gpu-cache, gpu-small-kernels).
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

/// The pairs of loads that a wave has in flight. The published rate at 4 kB requires more than two for each of its two
/// waves; by default clang 22 keeps one in flight to save VGPRs.
constexpr int ahead = 4;

/// Adds `count` products to the sum. Each multiplies a quad at b + distance(i) by the quad `half` quads after it.
template <int half, int count, typename Distance>
DEVICE float4 addProducts(float4 sum, const float4 *b, Distance distance) {
  float4 left[count], right[count];
  for (int i = 0; i < count; ++i) {
    left[i] = b[distance(i)];
    right[i] = b[distance(i) + half];
  }
  __builtin_amdgcn_sched_barrier(0);
  for (int i = 0; i < count; ++i)
    sum += left[i] * right[i];
  return sum;
}

/// Reads `half` quads from b on and as many after them, `rounds` times. `zero` makes the loads of a round differ from
/// those of the previous one for the compiler. Sizes are compile-time constants, as published. If one round has too few
/// loads, those of several rounds are in flight.
template <int kilobytes, int block> DEVICE void cacheSum(float4 *a, const float4 *b, int rounds, int zero) {
  constexpr int half = kilobytes * 32, pairs = half / block;
  float4 sum = 0;
  b += ITEM;
  if constexpr (pairs < ahead * 4) {
    for (int round = 0; round < rounds; round += ahead) {
#pragma unroll
      for (int first = 0; first < ahead * pairs; first += ahead)
        sum = addProducts<half, ahead>(sum, b,
                                       [=](int i) { return (first + i) / pairs * zero + (first + i) % pairs * block; });
      sum *= 1.3f;
      b += zero;
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 8
      for (int first = 0; first < pairs / ahead * ahead; first += ahead)
        sum = addProducts<half, ahead>(sum, b, [=](int i) { return (first + i) * block; });
      if constexpr (pairs % ahead != 0)
        sum = addProducts<half, pairs % ahead>(sum, b, [](int i) { return (pairs / ahead * ahead + i) * block; });
      sum *= 1.3f;
      b += zero;
    }
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
