// The f16 matrix product by v_mfma_f32_32x32x8_f16: a whole kernel as in a library, and the one that tools/bench times.
// gemm_f16 has C in f32, gemm_f16_f16 in f16. M and N are multiples of 128, K is a multiple of 32; 256 work-items.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__
#include "test/runtime/emulator/suite/gemm.h"

struct F16 {
  using Element = _Float16;
  using Fragment = half4;
  using Accumulator = float16;
  using Layout = Layout32;
  INLINE float16 multiply(half4 a, half4 b, float16 c) {
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
  }
};

extern "C" __global__ __launch_bounds__(gemmThreads) void gemm_f16(const _Float16 *a, const _Float16 *b, float *c,
                                                                   int m, int n, int k) {
  gemm<F16, false>(a, b, c, m, n, k);
}
extern "C" __global__ __launch_bounds__(gemmThreads) void gemm_f16_f16(const _Float16 *a, const _Float16 *b,
                                                                       _Float16 *c, int m, int n, int k) {
  gemm<F16, false>(a, b, c, m, n, k);
}

#else

namespace {
template <typename Out> void f16Case(suite::Run &run, const char *kernel, double tolerance) {
  int m = 128 * run.size, n = 128, k = 32 * (2 * run.size - 1);
  std::vector<_Float16> a(m * k), b(n * k);
  for (auto &value : a)
    value = _Float16(run.normal16(-1, 1));
  for (auto &value : b)
    value = _Float16(run.normal16(-1, 1));
  std::vector<double> expected(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p)
        sum += float(a[i * k + p]) * float(b[j * k + p]);
      expected[i * n + j] = sum;
    }
  Out *c = run.room<Out>(m * n);
  run.launch(kernel, {unsigned(n) / 128, unsigned(m) / 128}, 256, run.upload(a), run.upload(b), c, m, n, k);
  run.expectNear(run.download(c, m * n), expected, tolerance);
}
} // namespace

SUITE(gemm, f16, 1, 2, 3) { f16Case<float>(run, "gemm_f16", 1e-5); }
SUITE(gemm, f16ToF16, 1, 2, 3) { f16Case<_Float16>(run, "gemm_f16_f16", 1e-3); }
#endif
