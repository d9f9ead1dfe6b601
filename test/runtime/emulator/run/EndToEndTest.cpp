// Small kernels, compiled by clang for both chips at every optimisation level, against the same computation on the
// host.
#include "test/runtime/emulator/run/Kernels.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

struct Setting {
  const char *target, *level;
};
class EndToEnd : public ::testing::TestWithParam<Setting> {
protected:
  CompiledKernels compile(const std::string &source, const std::string &flags = "") {
    return {GetParam().target, source, GetParam().level + (" " + flags)};
  }
  std::mt19937 random{42};
  std::vector<float> floats(size_t count, float low = -2, float high = 2) {
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(count);
    for (float &v : values)
      v = distribution(random);
    return values;
  }
  std::vector<int> integers(size_t count) {
    std::vector<int> values(count);
    for (int &v : values)
      v = int(random());
    return values;
  }
};

TEST_P(EndToEnd, VectorAdd) {
  auto k = compile(R"(
    kernel void add(global const float *a, global const float *b, global float *c, int n) {
      int i = get_global_id(0);
      if (i < n)
        c[i] = a[i] + b[i];
    })");
  int n = 1000;
  auto a = floats(n), b = floats(n);
  float *da = upload(k.memory, a), *db = upload(k.memory, b), *dc = upload(k.memory, std::vector<float>(n));
  launch(k, "add", {8}, {128}, da, db, dc, n);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(dc[i], a[i] + b[i]) << i;
}

TEST_P(EndToEnd, ReductionInLds) {
  auto k = compile(R"(
    kernel void sum(global const float *a, global float *out, int n) {
      local float part[256];
      int i = get_local_id(0);
      float s = 0;
      for (int j = get_global_id(0); j < n; j += get_global_size(0))
        s += a[j];
      part[i] = s;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int step = 128; step > 0; step /= 2) {
        if (i < step)
          part[i] += part[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (i == 0)
        out[get_group_id(0)] = part[0];
    })");
  int n = 5000;
  auto a = floats(n);
  float *da = upload(k.memory, a), *out = upload(k.memory, std::vector<float>(4));
  launch(k, "sum", {4}, {256}, da, out, n);
  double expected = 0, got = 0;
  for (float v : a)
    expected += v;
  for (int i = 0; i < 4; ++i)
    got += out[i];
  EXPECT_NEAR(got, expected, 1e-3);
}

TEST_P(EndToEnd, IntegerDivision) {
  auto k = compile(R"(
    kernel void divide(global const int *a, global const int *b, global int *q, global int *r, global uint *uq, global uint *ur,
                       global long *lq) {
      int i = get_global_id(0);
      q[i] = a[i] / b[i];
      r[i] = a[i] % b[i];
      uq[i] = (uint)a[i] / (uint)b[i];
      ur[i] = (uint)a[i] % (uint)b[i];
      lq[i] = ((long)a[i] * 1000003) / b[i];
    })");
  int n = 256;
  auto a = integers(n), b = integers(n);
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0)
      b[i] >>= 20;
    if (b[i] == 0)
      b[i] = 7;
  }
  a[0] = INT32_MAX, b[0] = -1, a[1] = INT32_MIN, b[1] = 3, a[2] = 0;
  int *da = upload(k.memory, a), *db = upload(k.memory, b);
  int *q = upload(k.memory, a), *r = upload(k.memory, a);
  uint32_t *uq = upload(k.memory, std::vector<uint32_t>(n)), *ur = upload(k.memory, std::vector<uint32_t>(n));
  int64_t *lq = upload(k.memory, std::vector<int64_t>(n));
  launch(k, "divide", {2}, {128}, da, db, q, r, uq, ur, lq);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(q[i], a[i] / b[i]) << a[i] << " / " << b[i];
    ASSERT_EQ(r[i], a[i] % b[i]) << a[i] << " % " << b[i];
    ASSERT_EQ(uq[i], uint32_t(a[i]) / uint32_t(b[i]));
    ASSERT_EQ(ur[i], uint32_t(a[i]) % uint32_t(b[i]));
    ASSERT_EQ(lq[i], int64_t(a[i]) * 1000003 / b[i]);
  }
}

TEST_P(EndToEnd, FloatDivisionIsCorrectlyRounded) {
  auto k = compile(R"(
    kernel void divide(global const float *a, global const float *b, global float *c, global const double *x,
                       global const double *y, global double *z) {
      int i = get_global_id(0);
      c[i] = a[i] / b[i];
      z[i] = x[i] / y[i];
    })",
                   "-cl-fp32-correctly-rounded-divide-sqrt");
  int n = 4096;
  std::vector<float> a(n), b(n);
  std::vector<double> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    auto any32 = [&] {
      return std::ldexp(1 + float(random() % 8388608) / 8388608, int(random() % 250) - 125) * (random() % 2 ? 1 : -1);
    };
    a[i] = float(any32()), b[i] = float(any32());
    x[i] = std::ldexp(double(random()) * 4294967296.0 + double(random()), int(random() % 800) - 400);
    y[i] = std::ldexp(double(random()) * 4294967296.0 + double(random() | 1), int(random() % 800) - 400);
  }
  float inf = INFINITY, tiny = 1e-41f;
  float special[] = {0, -0.0f, 1, -1, inf, -inf, NAN, tiny, 3e38f, 1.5f, 7.0f};
  for (int i = 0; i < 121; ++i)
    a[i] = special[i / 11], b[i] = special[i % 11];
  float *da = upload(k.memory, a), *db = upload(k.memory, b), *c = upload(k.memory, a);
  double *dx = upload(k.memory, x), *dy = upload(k.memory, y), *z = upload(k.memory, x);
  launch(k, "divide", {16}, {256}, da, db, c, dx, dy, z);
  for (int i = 0; i < n; ++i) {
    float expected = a[i] / b[i];
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(c[i])) << a[i] << " / " << b[i];
    else
      ASSERT_EQ(c[i], expected) << a[i] << " / " << b[i];
    ASSERT_EQ(z[i], x[i] / y[i]);
  }
}

TEST_P(EndToEnd, RootsAndExponentials) {
  auto k = compile(R"(
    kernel void roots(global const float *a, global float *root, global float *inverse, global float *power, global float *logarithm) {
      int i = get_global_id(0);
      root[i] = __builtin_sqrtf(a[i]);
      inverse[i] = 1.0f / __builtin_sqrtf(a[i]);
      power[i] = __builtin_exp2f(a[i] - 10);
      logarithm[i] = __builtin_log2f(a[i]);
    })",
                   "-cl-fp32-correctly-rounded-divide-sqrt");
  int n = 1024;
  auto a = floats(n, 0, 30);
  a[0] = 0, a[1] = 1e-40f, a[2] = 1e38f, a[3] = 1, a[4] = INFINITY;
  float *da = upload(k.memory, a), *root = upload(k.memory, a), *inverse = upload(k.memory, a),
        *power = upload(k.memory, a), *logarithm = upload(k.memory, a);
  launch(k, "roots", {4}, {256}, da, root, inverse, power, logarithm);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(root[i], std::sqrt(a[i])) << a[i];
    ASSERT_FLOAT_EQ(inverse[i], 1 / std::sqrt(a[i])) << a[i];
    ASSERT_FLOAT_EQ(power[i], std::exp2(a[i] - 10)) << a[i];
    if (std::isinf(std::log2(a[i])))
      ASSERT_EQ(logarithm[i], std::log2(a[i]));
    else
      ASSERT_NEAR(logarithm[i], std::log2(a[i]), 2e-6) << a[i];
  }
}

TEST_P(EndToEnd, TransposeThroughLds) {
  auto k = compile(R"(
    kernel __attribute__((reqd_work_group_size(16, 16, 1)))
    void transpose(global const int *a, global int *b, int width, int height) {
      local int tile[16][17];
      int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
      if (x < width && y < height)
        tile[get_local_id(1)][get_local_id(0)] = a[y * width + x];
      barrier(CLK_LOCAL_MEM_FENCE);
      int tx = get_group_id(1) * 16 + get_local_id(0), ty = get_group_id(0) * 16 + get_local_id(1);
      if (tx < height && ty < width)
        b[ty * height + tx] = tile[get_local_id(0)][get_local_id(1)];
    })");
  int width = 70, height = 37;
  auto a = integers(width * height);
  int *da = upload(k.memory, a), *db = upload(k.memory, std::vector<int>(width * height));
  launch(k, "transpose", {5, 3}, {16, 16}, da, db, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      ASSERT_EQ(db[x * height + y], a[y * width + x]);
}

TEST_P(EndToEnd, PrivateArraysLoopsAndCalls) {
  auto k = compile(R"(
    __attribute__((noinline)) int collatz(int n) {
      int steps = 0;
      while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++steps;
      }
      return steps;
    }
    kernel void steps(global int *out) {
      int i = get_global_id(0);
      int table[32];
      for (int j = 0; j < 32; ++j)
        table[j] = collatz(i + j + 1) * (j + 1);
      int sum = 0;
      for (int j = 0; j < 32; ++j)
        sum += table[(j * 7 + i) & 31];
      out[i] = sum + table[i & 31];
    })");
  int n = 130;
  int *out = upload(k.memory, std::vector<int>(192));
  launch(k, "steps", {3}, {64}, out);
  auto collatz = [](int n) {
    int steps = 0;
    for (; n != 1; ++steps)
      n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
  };
  for (int i = 0; i < n; ++i) {
    int table[32], sum = 0;
    for (int j = 0; j < 32; ++j)
      table[j] = collatz(i + j + 1) * (j + 1);
    for (int j = 0; j < 32; ++j)
      sum += table[j];
    ASSERT_EQ(out[i], sum + table[i & 31]) << i;
  }
}

TEST_P(EndToEnd, DoublesHalvesAndConversions) {
  auto k = compile(R"(
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void mix(global const float *a, global const half *h, global double *d, global half *g, global int *i32, global uint *u32,
                    global uchar *bytes, global short *shorts) {
      int i = get_global_id(0);
      d[i] = (double)a[i] * 1.25 + (double)h[i];
      g[i] = h[i] * h[i] + (half)a[i];
      i32[i] = (int)(a[i] * 1000.0f);
      u32[i] = (uint)(d[i] > 0 ? d[i] * 100 : 0);
      bytes[i] = (uchar)(i * 3);
      shorts[i] = (short)((short)(i * 517) >> 3);
    })");
  int n = 256;
  auto a = floats(n);
  std::vector<_Float16> h(n);
  for (auto &v : h)
    v = _Float16(floats(1)[0]);
  float *da = upload(k.memory, a);
  _Float16 *dh = upload(k.memory, h), *g = upload(k.memory, h);
  double *d = upload(k.memory, std::vector<double>(n));
  int *i32 = upload(k.memory, std::vector<int>(n));
  uint32_t *u32 = upload(k.memory, std::vector<uint32_t>(n));
  uint8_t *bytes = upload(k.memory, std::vector<uint8_t>(n));
  int16_t *shorts = upload(k.memory, std::vector<int16_t>(n));
  launch(k, "mix", {4}, {64}, da, dh, d, g, i32, u32, bytes, shorts);
  for (int i = 0; i < n; ++i) {
    ASSERT_NEAR(d[i], double(a[i]) * 1.25 + double(h[i]), 1e-12);
    ASSERT_NEAR(float(g[i]), float(h[i]) * float(h[i]) + float(_Float16(a[i])), 6e-3);
    ASSERT_EQ(i32[i], int(a[i] * 1000.0f));
    ASSERT_EQ(u32[i], uint32_t(d[i] > 0 ? d[i] * 100 : 0));
    ASSERT_EQ(bytes[i], uint8_t(i * 3));
    ASSERT_EQ(shorts[i], int16_t(int16_t(i * 517) >> 3));
  }
}

TEST_P(EndToEnd, Atomics) {
  auto k = compile(R"(
    kernel void count(global int *counters, global float *sum, global int *order) {
      local int inGroup;
      int i = get_local_id(0);
      if (i == 0)
        inGroup = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      ATOMIC(fetch_add, &inGroup, i);
      int place = ATOMIC(fetch_add, counters, 1);
      order[place] = 1;
      ATOMIC(fetch_max, counters + 1, get_global_id(0));
      ATOMIC(fetch_min, counters + 2, get_global_id(0) - 5);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (i == 0)
        ATOMIC(fetch_add, counters + 3, inGroup);
      ATOMIC(fetch_add, sum, 0.5f);
    })");
  int n = 512;
  int *counters = upload(k.memory, std::vector<int>(4)), *order = upload(k.memory, std::vector<int>(n));
  float *sum = upload(k.memory, std::vector<float>(1));
  launch(k, "count", {8}, {64}, counters, sum, order);
  EXPECT_EQ(counters[0], n);
  EXPECT_EQ(counters[1], n - 1);
  EXPECT_EQ(counters[2], -5);
  EXPECT_EQ(counters[3], 8 * 63 * 64 / 2);
  EXPECT_EQ(*sum, n * 0.5f);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(order[i], 1);
}

TEST_P(EndToEnd, CrossLaneBuiltins) {
  auto k = compile(R"(
    kernel void lanes(global const int *a, global int *sum, global int *swizzled, global int *first, global ulong *ballot) {
      int i = get_local_id(0), v = a[i];
      int s = v;
      s += __builtin_amdgcn_mov_dpp(s, 0x111, 0xf, 0xf, true);
      s += __builtin_amdgcn_mov_dpp(s, 0x112, 0xf, 0xf, true);
      s += __builtin_amdgcn_mov_dpp(s, 0x114, 0xf, 0xf, true);
      s += __builtin_amdgcn_mov_dpp(s, 0x118, 0xf, 0xf, true);
      sum[i] = s;
      swizzled[i] = __builtin_amdgcn_ds_swizzle(v, 0x401f) + __builtin_amdgcn_ds_bpermute(((i + 5) & 63) * 4, v);
      first[i] = __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_readlane(v, 17);
      ballot[i] = __builtin_amdgcn_uicmp(v, 0x7fffffff, 34);
    })");
  auto a = integers(64);
  int *da = upload(k.memory, a), *sum = upload(k.memory, a), *swizzled = upload(k.memory, a),
      *first = upload(k.memory, a);
  uint64_t *ballot = upload(k.memory, std::vector<uint64_t>(64));
  launch(k, "lanes", {1}, {64}, da, sum, swizzled, first, ballot);
  uint64_t above = 0;
  for (int i = 0; i < 64; ++i)
    above |= uint64_t(uint32_t(a[i]) > 0x7fffffffu) << i;
  for (int i = 0; i < 64; ++i) {
    uint32_t prefix = 0;
    for (int j = i & ~15; j <= i; ++j)
      prefix += uint32_t(a[j]);
    ASSERT_EQ(uint32_t(sum[i]), prefix) << i;
    ASSERT_EQ(uint32_t(swizzled[i]), uint32_t(a[i ^ 16]) + uint32_t(a[(i + 5) & 63])) << i;
    ASSERT_EQ(uint32_t(first[i]), uint32_t(a[0]) + uint32_t(a[17]));
    ASSERT_EQ(ballot[i], above);
  }
}

TEST_P(EndToEnd, MatrixMultiplyF32) {
  auto k = compile(R"(
    typedef float v4 __attribute__((ext_vector_type(4)));
    // C[16 x 16] = A[16 x K] * B[K x 16], one wave
    kernel void mm(global const float *a, global const float *b, global float *c, int depth) {
      int lane = get_local_id(0), i = lane & 15, g = lane >> 4;
      v4 sum = 0;
      for (int k = 0; k < depth; k += 4)
        sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a[i * depth + k + g], b[(k + g) * 16 + i], sum, 0, 0, 0);
      for (int r = 0; r < 4; ++r)
        c[(4 * g + r) * 16 + i] = sum[r];
    })");
  int depth = 40;
  auto a = floats(16 * depth), b = floats(16 * depth);
  float *da = upload(k.memory, a), *db = upload(k.memory, b), *c = upload(k.memory, std::vector<float>(256));
  launch(k, "mm", {1}, {64}, da, db, c, depth);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = 0;
      for (int n = 0; n < depth; ++n)
        sum = std::fma(a[i * depth + n], b[n * 16 + j], sum);
      ASSERT_EQ(c[i * 16 + j], sum) << i << ' ' << j;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EndToEnd,
                         ::testing::Values(Setting{"gfx942", "-O0"}, Setting{"gfx942", "-O1"}, Setting{"gfx942", "-O2"},
                                           Setting{"gfx942", "-O3"}, Setting{"gfx90a", "-O0"}, Setting{"gfx90a", "-O1"},
                                           Setting{"gfx90a", "-O2"}, Setting{"gfx90a", "-O3"}),
                         [](const auto &info) {
                           return std::string(info.param.target) + "_" + (info.param.level + 1);
                         });

} // namespace
