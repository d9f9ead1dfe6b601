// Arithmetic that the compiler turns into long sequences: the Mandelbrot set in f64, 32- and 64-bit integer division,
// wide multiplication, f64 and f32 division and roots, shifts and counts of bits, fixed point.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__
#pragma clang fp contract(off)

extern "C" __global__ void mandelbrot(int *steps, int width, int height, double left, double top, double step) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  double cr = left + x * step, ci = top + y * step, r = 0, i = 0;
  int n = 0;
  for (; n < 100 && r * r + i * i <= 4; ++n) {
    double next = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = next;
  }
  steps[y * width + x] = n;
}

extern "C" __global__ void divide(const int64_t *a, const int64_t *b, int64_t *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  int64_t x = a[i], y = b[i];
  out[8 * i] = x / y;
  out[8 * i + 1] = x % y;
  out[8 * i + 2] = int64_t(uint64_t(x) / uint64_t(y));
  out[8 * i + 3] = int64_t(uint64_t(x) % uint64_t(y));
  int x32 = int(x), y32 = int(y) ? int(y) : 1;
  out[8 * i + 4] = y32 == -1 ? 0 : x32 / y32;
  out[8 * i + 5] = unsigned(x32) % unsigned(y32);
  out[8 * i + 6] = x / 1000003;
  out[8 * i + 7] = int16_t(x) / (int8_t(y) ? int8_t(y) : 1);
}

extern "C" __global__ void wide(const uint64_t *a, const uint64_t *b, uint64_t *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  uint64_t x = a[i], y = b[i];
  unsigned __int128 product = (unsigned __int128)x * y;
  out[8 * i] = uint64_t(product);
  out[8 * i + 1] = uint64_t(product >> 64);
  out[8 * i + 2] = uint64_t(__int128(int64_t(x)) * int64_t(y) >> 40);
  out[8 * i + 3] = (x << (y & 63)) ^ (x >> (y >> 8 & 63)) ^ uint64_t(int64_t(x) >> (y >> 16 & 63));
  out[8 * i + 4] = __builtin_popcountll(x) * 10000 + (x ? __builtin_clzll(x) * 100 + __builtin_ctzll(x) : 0);
  out[8 * i + 5] = __builtin_bitreverse64(x) + __builtin_bswap64(y);
  out[8 * i + 6] = __builtin_rotateleft64(x, y & 63) + __builtin_rotateleft32(unsigned(x), y >> 6 & 31);
  bool over = __builtin_add_overflow(int64_t(x), int64_t(y), (int64_t *)&out[8 * i + 7]);
  out[8 * i + 7] += over;
}

extern "C" __global__ void floats(const double *a, const double *b, double *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  double x = a[i], y = b[i];
  out[8 * i] = x / y;
  out[8 * i + 1] = __builtin_sqrt(__builtin_fabs(x));
  out[8 * i + 2] = __builtin_fma(x, y, -x);
  out[8 * i + 3] = __builtin_floor(x) + __builtin_ceil(y) * 0.5 + __builtin_trunc(x) * 0.25 + __builtin_rint(y);
  out[8 * i + 4] = float(x) / float(y);
  out[8 * i + 5] = __builtin_ldexp(x, int(y)) + __builtin_fmin(x, y) - __builtin_fmax(x, y);
  out[8 * i + 6] = double(int64_t(x * 1e12)) + double(uint64_t(y * y)) + int(x) + unsigned(y * y);
  out[8 * i + 7] = __builtin_copysign(x, y) + (x < y) + 2 * (x != x) + 4 * __builtin_isinf(y);
}

#else

SUITE(arithmetic, mandelbrot, 16, 31, 50) {
  int width = run.size, height = run.size / 2 + 1;
  double left = -2.2, top = -1.1, step = 3.0 / width;
  std::vector<int> expected(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double cr = left + x * step, ci = top + y * step, r = 0, i = 0;
      int &n = expected[y * width + x];
      for (; n < 100 && r * r + i * i <= 4; ++n) {
        double next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
      }
    }
  int *steps = run.room<int>(expected.size());
  run.launch("mandelbrot", {suite::blocksFor(width, 16), suite::blocksFor(height, 16)}, {16, 16}, steps, width, height,
             left, top, step);
  run.expectEqual(run.download(steps, expected.size()), expected);
}

SUITE(arithmetic, division, 1, 200, 777) {
  int n = run.size;
  std::vector<int64_t> a(n), b(n), expected(8 * n);
  const int64_t edges[] = {1, -1, 2, INT64_MAX, INT64_MIN + 1, INT32_MAX, INT32_MIN, 0x100000000, 0xffffffff, 3};
  for (int i = 0; i < n; ++i) {
    a[i] = int64_t(uint64_t(run.random()) << 32 | run.random()) >> run.random() % 64;
    b[i] = int64_t(uint64_t(run.random()) << 32 | run.random()) >> run.random() % 64;
    if (i >= 100 && i < 200) {
      a[i] = edges[i % 10];
      b[i] = edges[i / 10 % 10];
    }
    if (b[i] == 0)
      b[i] = 7;
    int64_t x = a[i], y = b[i], *out = &expected[8 * i];
    int x32 = int(x), y32 = int(y) ? int(y) : 1;
    out[0] = x / y;
    out[1] = x % y;
    out[2] = int64_t(uint64_t(x) / uint64_t(y));
    out[3] = int64_t(uint64_t(x) % uint64_t(y));
    out[4] = y32 == -1 ? 0 : x32 / y32;
    out[5] = unsigned(x32) % unsigned(y32);
    out[6] = x / 1000003;
    out[7] = int16_t(x) / (int8_t(y) ? int8_t(y) : 1);
  }
  int64_t *out = run.room<int64_t>(8 * n);
  run.launch("divide", suite::blocksFor(n, 128), 128, run.upload(a), run.upload(b), out, n);
  run.expectEqual(run.download(out, 8 * n), expected);
}

SUITE(arithmetic, wide, 1, 200, 777) {
  int n = run.size;
  std::vector<uint64_t> a(n), b(n), expected(8 * n);
  for (int i = 0; i < n; ++i) {
    uint64_t x = a[i] = (uint64_t(run.random()) << 32 | run.random()) >> run.random() % 64;
    uint64_t y = b[i] = uint64_t(run.random()) << 32 | run.random();
    uint64_t *out = &expected[8 * i];
    unsigned __int128 product = (unsigned __int128)x * y;
    out[0] = uint64_t(product);
    out[1] = uint64_t(product >> 64);
    out[2] = uint64_t(__int128(int64_t(x)) * int64_t(y) >> 40);
    out[3] = (x << (y & 63)) ^ (x >> (y >> 8 & 63)) ^ uint64_t(int64_t(x) >> (y >> 16 & 63));
    out[4] = __builtin_popcountll(x) * 10000 + (x ? __builtin_clzll(x) * 100 + __builtin_ctzll(x) : 0);
    out[5] = __builtin_bitreverse64(x) + __builtin_bswap64(y);
    out[6] = __builtin_rotateleft64(x, y & 63) + __builtin_rotateleft32(unsigned(x), y >> 6 & 31);
    int64_t sum;
    bool over = __builtin_add_overflow(int64_t(x), int64_t(y), &sum);
    out[7] = uint64_t(sum) + over;
  }
  uint64_t *out = run.room<uint64_t>(8 * n);
  run.launch("wide", suite::blocksFor(n, 128), 128, run.upload(a), run.upload(b), out, n);
  run.expectEqual(run.download(out, 8 * n), expected);
}

SUITE(arithmetic, floats, 1, 200, 777) {
  int n = run.size;
  std::vector<double> a(n), b(n), expected(8 * n);
  for (int i = 0; i < n; ++i) {
    double x = a[i] = run.uniform(-1000, 1000) * (i % 7 ? 1 : 1e-3), y = b[i] = run.uniform(-1000, 1000);
    double *out = &expected[8 * i];
    out[0] = x / y;
    out[1] = std::sqrt(std::fabs(x));
    out[2] = std::fma(x, y, -x);
    out[3] = std::floor(x) + std::ceil(y) * 0.5 + std::trunc(x) * 0.25 + std::rint(y);
    out[4] = float(x) / float(y);
    out[5] = std::ldexp(x, int(y)) + std::fmin(x, y) - std::fmax(x, y);
    out[6] = double(int64_t(x * 1e12)) + double(uint64_t(y * y)) + int(x) + unsigned(y * y);
    out[7] = std::copysign(x, y) + (x < y);
  }
  double *out = run.room<double>(8 * n);
  run.launch("floats", suite::blocksFor(n, 128), 128, run.upload(a), run.upload(b), out, n);
  run.expectEqual(run.download(out, 8 * n), expected);
}
#endif
