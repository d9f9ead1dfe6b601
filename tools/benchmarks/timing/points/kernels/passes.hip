// Kernels of programs that launch many passes, and a transform of 512 points per wave.
#include "device.h"

KERNEL fastwalshtransform(float *array, int step) {
  unsigned i = GLOBAL_ITEM, group = i % step, pair = 2 * step * (i / step) + group, match = pair + step;
  float a = array[pair], b = array[match];
  array[pair] = a + b;
  array[match] = a - b;
}

KERNEL floydwarshall(unsigned *distances, unsigned *paths, unsigned nodes, unsigned k) {
  int x = GLOBAL_ITEM, y = SIZE_Y * GROUP_Y + ITEM_Y;
  int old = distances[y * nodes + x], through = distances[y * nodes + k] + distances[k * nodes + x];
  if (through < old) {
    distances[y * nodes + x] = through;
    paths[y * nodes + x] = k;
  }
}

KERNEL bitonicsort(unsigned *array, unsigned stage, unsigned pass, unsigned up) {
  unsigned i = GLOBAL_ITEM, distance = 1u << (stage - pass), left = i % distance + i / distance * 2 * distance;
  unsigned a = array[left], b = array[left + distance];
  if (i / (1u << stage) % 2 == 1)
    up = 1 - up;
  unsigned greater = a > b ? a : b, lesser = a > b ? b : a;
  array[left] = up ? lesser : greater;
  array[left + distance] = up ? greater : lesser;
}

/// A wave computes 64 x 64 cells of an alignment in LDS, diagonal by diagonal. The side of 64 is known at launch only.
KERNEL nw(const int *reference, int *scores, int columns, int penalty, int side, int firstX, int firstY) {
  SHARED int score[65 * 65], weights[64 * 64];
  int lane = ITEM, blockX = firstX + GROUP, blockY = firstY - GROUP, pitch = side + 1;
  int corner = columns * side * blockY + side * blockX, index = corner + lane + columns + 1;
  auto cell = [&](int x, int y) {
    int straight = score[(y - 1) * pitch + x - 1] + weights[(y - 1) * side + x - 1];
    int left = score[y * pitch + x - 1] - penalty, up = score[(y - 1) * pitch + x] - penalty;
    int best = straight <= left ? left : straight;
    score[y * pitch + x] = best <= up ? up : best;
  };
  if (lane == 0)
    score[0] = scores[corner];
  barrier();
  for (int y = 0; y < side; ++y)
    weights[y * side + lane] = reference[index + columns * y];
  barrier();
  score[(lane + 1) * pitch] = scores[corner + columns + columns * lane];
  barrier();
  score[lane + 1] = scores[corner + lane + 1];
  barrier();
  for (int last = 0; last < side; ++last) {
    if (lane <= last)
      cell(lane + 1, last - lane + 1);
    barrier();
  }
  for (int last = side - 2; last >= 0; --last) {
    if (lane <= last)
      cell(lane + side - last, side - lane);
    barrier();
  }
  for (int y = 0; y < side; ++y)
    scores[index + columns * y] = score[(y + 1) * pitch + lane + 1];
}

DEVICE float2 times(float2 a, float2 b) { return (float2){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

/// An angle reduced by quarter turns.
struct Reduced {
  float rest;
  unsigned quarters;
};

/// Reduces an angle of at least 2^17: multiplies its 24 bits by 2 / pi, with enough bits of that to discard those that
/// the angle's exponent makes whole turns.
DEVICE Reduced reduceGreat(float angle) {
  constexpr unsigned twoOverPi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
  const unsigned bits = __builtin_bit_cast(unsigned, angle), mantissa = (bits & 0x7FFFFF) | 0x800000;
  unsigned words[8];
  unsigned long carry = 0;
  for (int i = 6; i >= 0; --i) {
    carry = carry / (1ul << 32) + (unsigned long)mantissa * twoOverPi[i];
    words[i + 1] = unsigned(carry);
  }
  words[0] = unsigned(carry >> 32);
  unsigned circles = (bits >> 23) - 127 + 7; // bits of the product that are whole turns
  for (int skip = 0; skip < 4; ++skip) {
    const bool all = circles >= 32;
    for (int i = 0; i + skip < 7; ++i)
      words[i] = all ? words[i + 1] : words[i];
    circles -= all ? 32 : 0;
  }
  const unsigned high = unsigned((((unsigned long)words[0] << 32 | words[1]) << circles) >> 32),
                 low = unsigned((((unsigned long)words[1] << 32 | words[2]) << circles) >> 32);
  const int fraction = int(high << 2 | low >> 30); // of a quarter turn, from -1/2 to 1/2
  return {float(fraction) * 3.65745831e-10f, (high >> 30) + unsigned(fraction < 0)};
}

/// Reduces an angle as libraries do: most angles by multiplication, large ones in a separate, inlined path.
DEVICE Reduced reduce(float angle) {
  if (!(angle < 131072.0f))
    return reduceGreat(angle);
  const float quarters = __builtin_rintf(angle * 0.636619772f);
  float rest = __builtin_fmaf(quarters, -1.57079625f, angle);
  rest = __builtin_fmaf(quarters, -7.54978942e-8f, rest);
  rest = __builtin_fmaf(quarters, -5.39030253e-15f, rest);
  return {rest, unsigned(int(quarters))};
}

DEVICE float sineOf(float r) {
  const float s = r * r;
  return __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(-1.9515296e-4f, s, 8.3321609e-3f), s, -0.16666655f), r * s, r);
}
DEVICE float cosineOf(float r) {
  const float s = r * r;
  return __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(2.4433157e-5f, s, -1.3887316e-3f), s, 4.1666646e-2f), s * s,
                        __builtin_fmaf(-0.5f, s, 1.0f));
}
DEVICE float finiteOnly(float x, float angle) { return __builtin_isfinite(angle) ? x : __builtin_nanf(""); }
DEVICE float sine(float angle) {
  const Reduced r = reduce(__builtin_fabsf(angle));
  const float x = r.quarters & 1 ? cosineOf(r.rest) : sineOf(r.rest);
  const unsigned sign = (r.quarters << 30 ^ __builtin_bit_cast(unsigned, angle)) & 0x80000000;
  return finiteOnly(__builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) ^ sign), angle);
}
DEVICE float cosine(float angle) {
  const Reduced r = reduce(__builtin_fabsf(angle));
  const float x = r.quarters & 1 ? -sineOf(r.rest) : cosineOf(r.rest);
  return finiteOnly(r.quarters & 2 ? -x : x, angle);
}
DEVICE float2 turned(float angle) { return (float2){cosine(angle), sine(angle)}; }

DEVICE void butterfly(float2 &a, float2 &b) {
  float2 c = a;
  a = c + b;
  b = c - b;
}
DEVICE void fft4(float2 *a) {
  butterfly(a[0], a[2]);
  butterfly(a[1], a[3]);
  a[3] = (float2){a[3].y, -a[3].x};
  butterfly(a[0], a[1]);
  butterfly(a[2], a[3]);
}
DEVICE void fft8(float2 *a) {
  for (int i = 0; i < 4; ++i)
    butterfly(a[i], a[i + 4]);
  a[5] = times(a[5], (float2){1, -1}) * 0.70710678f;
  a[6] = (float2){a[6].y, -a[6].x};
  a[7] = times(a[7], (float2){-1, -1}) * 0.70710678f;
  fft4(a);
  fft4(a + 4);
}
DEVICE void twiddle8(float2 *a, int index, int n) {
  constexpr int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma unroll
  for (int i = 1; i < 8; ++i)
    a[i] = times(a[i], turned(-6.2831855f * order[i] / n * index));
}
DEVICE void exchange(float2 *a, float *to, int toStride, const float *from, int fromStride, bool last) {
  constexpr int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (int i = 0; i < 8; ++i)
    to[i * toStride] = a[order[i]].x;
  barrier();
  for (int i = 0; i < 8; ++i)
    a[i].x = from[i * fromStride];
  barrier();
  for (int i = 0; i < 8; ++i)
    to[i * toStride] = a[order[i]].y;
  barrier();
  for (int i = 0; i < 8; ++i)
    a[i].y = from[i * fromStride];
  if (last)
    barrier();
}

KERNEL AT_MOST(64) fft1D_512(float2 *work) {
  SHARED float shared[8 * 8 * 9];
  int item = ITEM, high = item >> 3, low = item & 7;
  float2 data[8];
  work += GROUP * 512 + item;
  for (int i = 0; i < 8; ++i)
    data[i] = work[i * 64];
  fft8(data);
  twiddle8(data, item, 512);
  exchange(data, &shared[high * 8 + low], 66, &shared[low * 66 + high], 8, true);
  fft8(data);
  twiddle8(data, high, 64);
  exchange(data, &shared[high * 8 + low], 72, &shared[high * 72 + low], 8, false);
  fft8(data);
  constexpr int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (int i = 0; i < 8; ++i)
    work[i * 64] = data[order[i]];
}
