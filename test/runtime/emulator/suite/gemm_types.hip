// gemm.h with the matrix instruction of every other type, for any M and N; rows are a multiple of 16 bytes.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__
#include "test/runtime/emulator/suite/gemm.h"

#define MFMA(name, ...) __builtin_amdgcn_mfma_##name(__VA_ARGS__, 0, 0, 0)

struct F32 {
  using Element = float;
  using Fragment = float;
  using Accumulator = float16;
  using Layout = Layout32;
  INLINE float16 multiply(float a, float b, float16 c) { return MFMA(f32_32x32x2f32, a, b, c); }
};
struct F16Small { // 16 x 16 tiles
  using Element = _Float16;
  using Fragment = half4;
  using Accumulator = float4;
  using Layout = Layout16;
  INLINE float4 multiply(half4 a, half4 b, float4 c) { return MFMA(f32_16x16x16f16, a, b, c); }
};
struct Bf16Four { // four elements per lane
  using Element = __bf16;
  using Fragment = short4;
  using Accumulator = float16;
  using Layout = Layout32;
  INLINE float16 multiply(short4 a, short4 b, float16 c) { return MFMA(f32_32x32x8bf16_1k, a, b, c); }
};
struct F64 {
  using Element = double;
  using Fragment = double;
  using Accumulator = Vector<double, 4>;
  using Layout = Layout16F64;
  INLINE Accumulator multiply(double a, double b, Accumulator c) { return MFMA(f64_16x16x4f64, a, b, c); }
};
#ifdef __gfx942__
struct I8 {
  using Element = int8_t;
  using Fragment = long;
  using Accumulator = Vector<int, 16>;
  using Layout = Layout32;
  INLINE Accumulator multiply(long a, long b, Accumulator c) { return MFMA(i32_32x32x16_i8, a, b, c); }
};
struct Xf32 {
  using Element = float;
  using Fragment = Vector<float, 2>;
  using Accumulator = float16;
  using Layout = Layout32;
  INLINE float16 multiply(Fragment a, Fragment b, float16 c) { return MFMA(f32_32x32x4_xf32, a, b, c); }
};
#define FLOAT8(type, a8, b8)                                                                                           \
  struct type {                                                                                                        \
    using Element = uint8_t;                                                                                           \
    using Fragment = long;                                                                                             \
    using Accumulator = float4;                                                                                        \
    using Layout = Layout16;                                                                                           \
    INLINE float4 multiply(long a, long b, float4 c) { return MFMA(f32_16x16x32_##a8##_##b8, a, b, c); }               \
  };
FLOAT8(Fp8Fp8, fp8, fp8)
FLOAT8(Fp8Bf8, fp8, bf8)
FLOAT8(Bf8Fp8, bf8, fp8)
FLOAT8(Bf8Bf8, bf8, bf8)
#else
struct Bf16 { // two elements per lane
  using Element = __bf16;
  using Fragment = short2;
  using Accumulator = float16;
  using Layout = Layout32;
  INLINE float16 multiply(short2 a, short2 b, float16 c) { return MFMA(f32_32x32x4bf16, a, b, c); }
};
struct I8 {
  using Element = int8_t;
  using Fragment = int;
  using Accumulator = Vector<int, 16>;
  using Layout = Layout32;
  INLINE Accumulator multiply(int a, int b, Accumulator c) { return MFMA(i32_32x32x8i8, a, b, c); }
};
#endif

#define KERNEL(name, Type, Out)                                                                                        \
  extern "C" __global__ __launch_bounds__(gemmThreads) void name(const Type::Element *a, const Type::Element *b,       \
                                                                 Out *c, int m, int n, int k) {                        \
    gemm<Type, true>(a, b, c, m, n, k);                                                                                \
  }
KERNEL(gemm_f32, F32, float)
KERNEL(gemm_f16_small, F16Small, float)
KERNEL(gemm_bf16_1k, Bf16Four, float)
KERNEL(gemm_f64, F64, double)
KERNEL(gemm_i8, I8, int)
#ifdef __gfx942__
KERNEL(gemm_xf32, Xf32, float)
KERNEL(gemm_fp8_fp8, Fp8Fp8, float)
KERNEL(gemm_fp8_bf8, Fp8Bf8, float)
KERNEL(gemm_bf8_fp8, Bf8Fp8, float)
KERNEL(gemm_bf8_bf8, Bf8Bf8, float)
#else
KERNEL(gemm_bf16, Bf16, float)
#endif

#else

namespace {

/// `make` returns an element and sets the value it represents.
template <typename Element, typename Out, typename Make>
void gemmCase(suite::Run &run, const char *kernel, double tolerance, Make makeA, Make makeB) {
  int m = run.size, n = run.size % 100 + 7, k = run.size / 16 * 16;
  std::vector<double> a(m * k), b(n * k), expected(m * n);
  std::vector<Element> as(m * k), bs(n * k);
  for (int i = 0; i < m * k; ++i)
    as[i] = makeA(run, a[i]);
  for (int i = 0; i < n * k; ++i)
    bs[i] = makeB(run, b[i]);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p)
        expected[i * n + j] += a[i * k + p] * b[j * k + p];
  Out *c = run.room<Out>(m * n);
  run.launch(kernel, {suite::blocksFor(n, 128), suite::blocksFor(m, 128)}, 256, run.upload(as), run.upload(bs), c, m, n,
             k);
  run.expectNear(run.download(c, m * n), expected, tolerance);
}
template <typename Element> Element makeFloat(suite::Run &run, double &value) {
  Element element = Element(run.normal16(-1, 1));
  value = double(element);
  return element;
}
int8_t makeByte(suite::Run &run, double &value) {
  int8_t element = int8_t(run.random());
  value = element;
  return element;
}
/// gfx942's E4M3 and E5M2 (FNUZ): the bias is one more than IEEE's, there is no infinity, and 0x80 is the only NaN.
template <int mantissaBits, int bias> uint8_t makeFloat8(suite::Run &run, double &value) {
  uint8_t element = uint8_t(run.random());
  if (element == 0x80)
    element = 0;
  int mantissa = element & ((1 << mantissaBits) - 1), exponent = (element & 0x7f) >> mantissaBits;
  exponent %= 1 << (7 - mantissaBits - 1); // the smaller half of the exponents
  element = uint8_t((element & 0x80) | exponent << mantissaBits | mantissa);
  value = exponent ? std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits)
                   : std::ldexp(mantissa, 1 - bias - mantissaBits);
  if (element & 0x80)
    value = -value;
  return element == 0x80 ? 0 : element;
}
const auto fp8 = makeFloat8<3, 8>, bf8 = makeFloat8<2, 16>;

template <typename Element, typename Out = float>
void floatCase(suite::Run &run, const char *kernel, double tolerance = 1e-5) {
  gemmCase<Element, Out>(run, kernel, tolerance, makeFloat<Element>, makeFloat<Element>);
}
} // namespace

SUITE(gemm_types, f32, 16, 77, 131) { floatCase<float>(run, "gemm_f32"); }
SUITE(gemm_types, f16Small, 16, 77, 131) { floatCase<_Float16>(run, "gemm_f16_small"); }
SUITE_GFX90A(gemm_types, bf16, 16, 77, 131) { floatCase<suite::Bf16>(run, "gemm_bf16"); }
SUITE(gemm_types, bf16_1k, 16, 77, 131) { floatCase<suite::Bf16>(run, "gemm_bf16_1k"); }
SUITE(gemm_types, f64, 16, 77, 131) { floatCase<double, double>(run, "gemm_f64", 1e-13); }
SUITE(gemm_types, i8, 16, 77, 131) { gemmCase<int8_t, int>(run, "gemm_i8", 0, makeByte, makeByte); }
// xf32 keeps about ten mantissa bits of each operand.
SUITE_GFX942(gemm_types, xf32, 16, 77, 131) { floatCase<float>(run, "gemm_xf32", 5e-3); }
SUITE_GFX942(gemm_types, fp8Fp8, 16, 77, 131) { gemmCase<uint8_t, float>(run, "gemm_fp8_fp8", 1e-5, fp8, fp8); }
SUITE_GFX942(gemm_types, fp8Bf8, 16, 77, 131) { gemmCase<uint8_t, float>(run, "gemm_fp8_bf8", 1e-5, fp8, bf8); }
SUITE_GFX942(gemm_types, bf8Fp8, 16, 77, 131) { gemmCase<uint8_t, float>(run, "gemm_bf8_fp8", 1e-5, bf8, fp8); }
SUITE_GFX942(gemm_types, bf8Bf8, 16, 77, 131) { gemmCase<uint8_t, float>(run, "gemm_bf8_bf8", 1e-5, bf8, bf8); }
#endif
