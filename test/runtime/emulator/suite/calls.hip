// Calls that are not inlined: through a table of device functions and through a pointer that differs by lane, recursion
// with a stack (quicksort, Ackermann, mutual), arguments and results on the stack, a function that uses LDS.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

NOINLINE int twice(int x) { return 2 * x; }
NOINLINE int square(int x) { return x * x; }
NOINLINE int negated(int x) { return -x; }
NOINLINE int collatz(int x) {
  int steps = 0;
  for (unsigned y = x & 0xffff; y > 1; ++steps)
    y = y & 1 ? 3 * y + 1 : y / 2;
  return steps;
}
typedef int (*Function)(int);
__device__ Function table[4] = {twice, square, negated, collatz};

/// All lanes of a wave call the same function.
extern "C" __global__ void callUniform(const int *in, int *out, int n) {
  int i = globalId();
  Function function = table[blockIdx.x % 4];
  if (i < n)
    out[i] = function(in[i]);
}
/// Lanes call different functions: the compiler loops over them.
extern "C" __global__ void callDivergent(const int *in, int *out, int n) {
  int i = globalId();
  if (i < n)
    out[i] = table[in[i] & 3](in[i]);
}

NOINLINE unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
NOINLINE bool isOdd(unsigned n);
NOINLINE bool isEven(unsigned n) { return n == 0 || isOdd(n - 1); }
NOINLINE bool isOdd(unsigned n) { return n != 0 && isEven(n - 1); }
extern "C" __global__ void recurse(unsigned *out) {
  unsigned i = threadIdx.x;
  out[i] = ackermann(i % 3, i % 5) * 2 + isEven(i % 16);
}

NOINLINE void quicksort(int *values, int low, int high) {
  if (low >= high)
    return;
  int pivot = values[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot)
      ++i;
    while (values[j] > pivot)
      --j;
    if (i <= j) {
      int kept = values[i];
      values[i++] = values[j];
      values[j--] = kept;
    }
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}
/// Each lane sorts 24 values in its own stack memory.
extern "C" __global__ void quicksortPrivate(const int *in, int *out) {
  int i = globalId(), values[24];
  for (int j = 0; j < 24; ++j)
    values[j] = in[i * 24 + j];
  quicksort(values, 0, 23);
  for (int j = 0; j < 24; ++j)
    out[i * 24 + j] = values[j];
}

struct Large {
  double values[12];
};
NOINLINE Large mixed(Large a, Large b, int rotation, const Large *c) {
  Large result;
  for (int i = 0; i < 12; ++i)
    result.values[i] = a.values[i] * 2 - b.values[(i + rotation) % 12] + c->values[11 - i];
  return result;
}
extern "C" __global__ void callByValue(const double *in, double *out) {
  int i = globalId();
  Large a, b, c;
  for (int j = 0; j < 12; ++j) {
    a.values[j] = in[i + j];
    b.values[j] = in[i + 2 * j];
    c.values[j] = in[i + 3 * j];
  }
  Large result = mixed(a, b, i % 12, &c);
  for (int j = 0; j < 12; ++j)
    out[i * 12 + j] = result.values[j];
}

NOINLINE int sumOfGroup(int value) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  __scoped_atomic_fetch_add(&sum, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  __syncthreads();
  int result = sum;
  __syncthreads();
  return result;
}
extern "C" __global__ void callWithLds(const int *in, int *out) {
  int i = globalId(), first = sumOfGroup(in[i]);
  out[i] = sumOfGroup(first + int(threadIdx.x));
}

#else
#include <algorithm>

namespace {
int collatz(int x) {
  int steps = 0;
  for (unsigned y = x & 0xffff; y > 1; ++steps)
    y = y & 1 ? 3 * y + 1 : y / 2;
  return steps;
}
int called(int which, int x) {
  switch (which) {
  case 0:
    return 2 * x;
  case 1:
    return x * x;
  case 2:
    return -x;
  }
  return collatz(x);
}
unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
void callCase(suite::Run &run, const char *kernel, bool divergent) {
  int n = run.size;
  std::vector<int> in(n), expected(n);
  for (int i = 0; i < n; ++i) {
    in[i] = int(run.random()) >> 17;
    expected[i] = called(divergent ? in[i] & 3 : i / 64 % 4, in[i]);
  }
  int *out = run.room<int>(n);
  run.launch(kernel, suite::blocksFor(n, 64), 64, run.upload(in), out, n);
  run.expectEqual(run.download(out, n), expected);
}
} // namespace

SUITE(calls, uniform, 1, 200, 513) { callCase(run, "callUniform", false); }
SUITE(calls, divergent, 1, 200, 513) { callCase(run, "callDivergent", true); }

SUITE(calls, recursion, 1, 64, 150) {
  std::vector<unsigned> expected(run.size);
  for (int i = 0; i < run.size; ++i)
    expected[i] = ackermann(i % 3, i % 5) * 2 + (i % 16 % 2 == 0);
  unsigned *out = run.room<unsigned>(run.size);
  run.launch("recurse", 1, run.size, out);
  run.expectEqual(run.download(out, run.size), expected);
}

SUITE(calls, quicksort, 3, 64, 100) {
  std::vector<int> in(run.size * 24);
  for (int &value : in)
    value = int(run.random()) >> 20;
  int *device = run.upload(in), *out = run.room<int>(in.size());
  for (int i = 0; i < run.size; ++i)
    std::sort(in.begin() + i * 24, in.begin() + (i + 1) * 24);
  run.launch("quicksortPrivate", 1, run.size, device, out);
  run.expectEqual(run.download(out, in.size()), in);
}

SUITE(calls, byValue, 1, 64, 200) {
  int n = run.size;
  std::vector<double> in(n + 40), expected(n * 12);
  for (double &value : in)
    value = run.uniform(-1, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 12; ++j)
      expected[i * 12 + j] = in[i + j] * 2 - in[i + 2 * ((j + i % 12) % 12)] + in[i + 3 * (11 - j)];
  double *out = run.room<double>(n * 12);
  run.launch("callByValue", 1, n, run.upload(in), out);
  run.expectNear(run.download(out, n * 12), expected, 1e-15);
}

SUITE(calls, withLds, 1, 2, 3) {
  int n = run.size * 128;
  std::vector<int> in(n), expected(n);
  for (int b = 0; b < run.size; ++b) {
    int sum = 0;
    for (int i = 0; i < 128; ++i)
      sum += in[b * 128 + i] = int(run.random()) >> 8;
    for (int i = 0; i < 128; ++i)
      expected[b * 128 + i] = int(unsigned(sum) * 128u) + 127 * 64;
  }
  int *out = run.room<int>(n);
  run.launch("callWithLds", run.size, 128, run.upload(in), out);
  run.expectEqual(run.download(out, n), expected);
}
#endif
