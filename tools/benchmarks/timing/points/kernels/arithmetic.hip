// Chains of arithmetic in registers, and an empty kernel.
#include "device.h"

KERNEL AT_MOST(1024) empty_kernel() {}

template <typename Type> DEVICE Type chain(Type seed, Type factor, Type term, int operations) {
  Type a = seed, b = seed + Type(0.1f), c = seed + Type(0.2f), d = seed + Type(0.3f);
  for (int i = 0; i < operations; i += 4) {
    a = __builtin_elementwise_fma(a, factor, term);
    b = __builtin_elementwise_fma(b, factor, term);
    c = __builtin_elementwise_fma(c, factor, term);
    d = __builtin_elementwise_fma(d, factor, term);
  }
  return a + b + c + d;
}

KERNEL AT_MOST(1024) fp32_throughput(float *out, int operations) {
  out[GROUP * 1024 + ITEM] = chain<float>(1.0f + float(ITEM) * 0.001f, 1.0000001f, 0.0000001f, operations);
}
KERNEL AT_MOST(1024) fp64_throughput(double *out, int operations) {
  out[GROUP * 1024 + ITEM] = chain<double>(1.0 + double(ITEM) * 0.001, 1.0000001, 0.0000001, operations);
}
KERNEL AT_MOST(1024) fp16_throughput(half2 *out, int operations) {
  half2 seed = _Float16(1.0f + float(ITEM) * 0.001f), factor = _Float16(1.0000001f), term = _Float16(0.0000001f);
  half2 a = seed, b = seed + _Float16(0.1f), c = seed + _Float16(0.2f), d = seed + _Float16(0.3f);
  for (int i = 0; i < operations; i += 4) {
    a = __builtin_elementwise_fma(a, factor, term);
    b = __builtin_elementwise_fma(b, factor, term);
    c = __builtin_elementwise_fma(c, factor, term);
    d = __builtin_elementwise_fma(d, factor, term);
  }
  out[GROUP * 1024 + ITEM] = a + b + c + d;
}
KERNEL AT_MOST(1024) int32_throughput(int *out, int operations) {
  int a = 1 + int(ITEM), b = a + 111, c = a + 222, d = a + 333;
  for (int i = 0; i < operations; i += 4) {
    a = a * 3 + 1;
    b = b * 3 + 1;
    c = c * 3 + 1;
    d = d * 3 + 1;
  }
  out[GROUP * 1024 + ITEM] = a + b + c + d;
}
