// Kernels of which a program launches many, one pass each, and a transform of 512 points a wave.
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

/// A wave makes 64 x 64 cells of an alignment, diagonal by diagonal, in LDS. That they are 64 knows the launch alone.
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

/// Sine and cosine by reduction to an eighth of a circle and polynomials, as libraries do.
DEVICE float2 turned(float angle) {
  float quarters = __builtin_rintf(angle * 0.636619772f);
  float r = __builtin_fmaf(quarters, -1.57079637f, angle);
  r = __builtin_fmaf(quarters, 4.37113883e-8f, r);
  float s = r * r;
  float sine =
      __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(-1.9515296e-4f, s, 8.3321609e-3f), s, -0.16666655f), r * s, r);
  float cosine = __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(2.4433157e-5f, s, -1.3887316e-3f), s, 4.1666646e-2f),
                                s * s, __builtin_fmaf(-0.5f, s, 1.0f));
  int quadrant = int(quarters);
  float x = quadrant & 1 ? sine : cosine, y = quadrant & 1 ? cosine : sine;
  x = (quadrant + 1) & 2 ? -x : x;
  return (float2){x, quadrant & 2 ? -y : y};
}

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
