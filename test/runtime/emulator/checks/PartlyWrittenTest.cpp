// Kernels over an array of which only the first elements are written, as with any count that is not a multiple of a
// wave. The lanes past the end compute on memory that nobody wrote and discard the result: the checks find nothing.
// They do find a store by one of those lanes and a branch on its value. Clang compiles the kernels for both chips, with
// and without optimisation.
#include "runtime/emulator/checks/Checker.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

constexpr int written = 10;

// One wave; a and b are elements of two arrays of 64. The empty assembly keeps the compiler from sinking the
// computation into the branch that stores the result.
constexpr const char *source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WAVE(name, T) \
  kernel void __attribute__((reqd_work_group_size(64, 1, 1))) name(global const T *x, global T *y, int n)
#define EACH(name, T, ...) \
  WAVE(name, T) { \
    int i = get_local_id(0); \
    T a = x[i], b = x[64 + i], r; \
    __VA_ARGS__; \
    __asm__ volatile("" : "+v"(r)); \
    if (i < n) \
      y[i] = r; \
  }
typedef _Float16 f16;

EACH(divideByThree, float, r = a / 3.0f)
EACH(divide, float, r = a / b)
EACH(reciprocal, float, r = 1.0f / a)
EACH(squareRoot, float, r = __builtin_sqrtf(a))
EACH(power, float, r = __builtin_elementwise_exp2(b * __builtin_elementwise_log2(__builtin_fabsf(a))))
EACH(exponential, float, r = __builtin_elementwise_exp(a) + __builtin_elementwise_log(b))
EACH(arcTangent, float, float s = __builtin_fabsf(a), t = __builtin_fabsf(b);
     float u = __builtin_fminf(s, t) / __builtin_fmaxf(s, t), v = u * u;
     float p = u + u * v * (-0.33f + v * (0.19f - v * 0.11f));
     p = s > t ? 1.5707964f - p : p; p = b < 0 ? 3.1415927f - p : p; r = __builtin_copysignf(p, a))
EACH(remainder, float, r = a - b * __builtin_truncf(a / b))
EACH(classes, float, r = __builtin_isinf(a) ? 1.0f : __builtin_isnan(b) ? 2.0f : a)
EACH(divideF64, double, r = a / b)
EACH(squareRootF64, double, r = __builtin_sqrt(a))
EACH(divideF16, f16, r = a / b)
EACH(divideI32, int, r = a / b)
EACH(modulo, int, r = a % b)
EACH(divideByConstant, int, r = a / 7 + b % 10)
EACH(divideU32, uint, r = a / b)
EACH(divideI16, short, r = a / b)
EACH(divideI64, long, r = a / b)
EACH(moduloU64, ulong, r = a % b)
EACH(sumI64, long, r = a + b * 3 - (a >> (b & 63)))
EACH(minI64, long, r = a < b ? a : b)
EACH(nested, int, switch (a & 3) { case 0: r = b; break; case 1: r = b * 3; break; case 2: r = -b; break;
                                  default: r = b ^ a; })
EACH(reduceRange, float, r = a * 8; while (r > b) r -= b)
EACH(saturate, int, r = __builtin_elementwise_add_sat(a, b))
EACH(overflow, uint, uint s; r = __builtin_add_overflow(a, b, &s) ? ~0u : s)
EACH(neighbour, int, r = __builtin_amdgcn_ds_bpermute((i ^ 1) << 2, a) + b)
EACH(neighbourDpp, int, r = __builtin_amdgcn_update_dpp(0, a, 0xb1, 0xf, 0xf, true) + b)

WAVE(earlyExit, float) {
  int i = get_local_id(0);
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k <= i; ++k)
    sum += x[k] / x[64 + k];
  y[i] = sum;
}
WAVE(sumByDpp, float) {
  int i = get_local_id(0);
  float r = i < n ? x[i] / x[64 + i] : 0;
#define ADD_DPP(control) \
  r += __builtin_astype(__builtin_amdgcn_update_dpp(0, __builtin_astype(r, int), control, 0xf, 0xf, true), float)
  ADD_DPP(0x111);
  ADD_DPP(0x112);
  ADD_DPP(0x114);
  ADD_DPP(0x118);
  r += __builtin_astype(__builtin_amdgcn_ds_bpermute((i & 15 | 16) << 2, __builtin_astype(r, int)), float);
  y[i] = __builtin_astype(__builtin_amdgcn_readlane(__builtin_astype(r, int), 15), float);
}
WAVE(sumByShuffle, float) {
  int i = get_local_id(0);
  float r = i < n ? x[i] : 0;
  for (int step = 32; step; step /= 2)
    r += __builtin_astype(__builtin_amdgcn_ds_bpermute((i ^ step) << 2, __builtin_astype(r, int)), float);
  if (i == 0)
    y[0] = r;
}
// Those that are positive, one behind the other.
WAVE(compact, float) {
  int i = get_local_id(0);
  float a = x[i];
  bool taken = (i < n) & (a > 0);
  ulong all = __builtin_amdgcn_ballot_w64(taken);
  if (taken)
    y[__builtin_amdgcn_mbcnt_hi((uint)(all >> 32), __builtin_amdgcn_mbcnt_lo((uint)all, 0))] = a;
  if (all == 0)
    y[63] = 1;
}

WAVE(branch, float) {
  int i = get_local_id(0);
  if (x[i] / 3.0f > 1e30f)
    y[i] = 1;
}
WAVE(branchOfTheWave, float) {
  int i = get_local_id(0);
  if (__builtin_amdgcn_ballot_w64(x[i] / 3.0f > 1e30f))
    y[i] = 1;
}
)";

struct Case {
  const char *kernel;
  unsigned bytes;        ///< per element
  bool branches = false; ///< at -O0 a conditional expression is a branch on the value: not run
};
const Case cases[] = {
    {"divideByThree", 4},  {"divide", 4},       {"reciprocal", 4},        {"squareRoot", 4},
    {"power", 4},          {"exponential", 4},  {"arcTangent", 4, true},  {"remainder", 4},
    {"classes", 4, true},  {"divideF64", 8},    {"squareRootF64", 8},     {"divideF16", 2},
    {"divideI32", 4},      {"modulo", 4},       {"divideByConstant", 4},  {"divideU32", 4},
    {"divideI16", 2},      {"divideI64", 8},    {"moduloU64", 8},         {"sumI64", 8},
    {"minI64", 8, true},   {"nested", 4, true}, {"reduceRange", 4, true}, {"saturate", 4},
    {"overflow", 4, true}, {"neighbour", 4},    {"neighbourDpp", 4},      {"earlyExit", 4},
    {"sumByDpp", 4},       {"sumByShuffle", 4}, {"compact", 4},
};

struct Outcome {
  std::vector<Finding> findings;
  std::vector<unsigned char> stored;
};
/// `garbage`: the value of every byte that nobody wrote.
Outcome outcomeOf(CompiledKernels &kernels, const char *kernel, unsigned bytes, int count, int garbage = 0xa5) {
  auto checker = checks::makeChecker(checks::CheckSet::parse("all", "test"), kernels.target, kernels.memory);
  unsigned char *x = static_cast<unsigned char *>(kernels.memory.allocate(128 * bytes)),
                *y = static_cast<unsigned char *>(kernels.memory.allocate(64 * bytes));
  std::memset(y, 0, 64 * bytes);
  std::memset(x, garbage, 128 * bytes);
  for (unsigned i = 0; i < 128; i += 64) { // small and positive in every type
    std::memset(x + i * bytes, 0x3c, written * bytes);
    kernels.memory.hostWrites(x + i * bytes, written * bytes);
  }
  kernels.options = LaunchOptions();
  kernels.options->monitor = checker.get();
  launch(kernels, kernel, {1}, {64}, x, y, count);
  Outcome outcome{checker->findings(), {y, y + 64 * bytes}};
  kernels.memory.free(x);
  kernels.memory.free(y);
  return outcome;
}

class PartlyWritten : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(PartlyWritten, IsFoundWhereItMatters) {
  auto [target, level] = GetParam();
  CompiledKernels kernels(target, source, level);
  for (const Case &test : cases) {
    if (test.branches && level == std::string("-O0"))
      continue;
    Outcome outcome = outcomeOf(kernels, test.kernel, test.bytes, written);
    for (const Finding &finding : outcome.findings)
      ADD_FAILURE() << test.kernel << ": " << finding.check << ": " << finding.text();
    EXPECT_EQ(outcome.stored, outcomeOf(kernels, test.kernel, test.bytes, written, 0x3c).stored) << test.kernel;
  }
  // One lane too many stores.
  for (const char *kernel : {"divideByThree", "divide", "divideF64", "modulo", "divideI64", "moduloU64"}) {
    unsigned bytes = std::string(kernel).ends_with("64") ? 8 : 4;
    std::vector<Finding> found = outcomeOf(kernels, kernel, bytes, written + 1).findings;
    ASSERT_EQ(found.size(), 1u) << kernel;
    EXPECT_THAT(found[0].what, testing::HasSubstr("undefined where stored to device memory"));
    EXPECT_EQ(found[0].lanes, uint64_t(1) << written) << kernel;
  }
  std::vector<Finding> lanes = outcomeOf(kernels, "branch", 4, 0).findings;
  std::vector<Finding> wave = outcomeOf(kernels, "branchOfTheWave", 4, 0).findings;
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_THAT(lanes[0].what, testing::HasSubstr("the condition that sets EXEC is undefined"));
  EXPECT_EQ(lanes[0].lanes, ~uint64_t(0) << written);
  ASSERT_EQ(wave.size(), 1u);
  EXPECT_THAT(wave[0].what, testing::HasSubstr("undefined where a branch depends on it"));
}

INSTANTIATE_TEST_SUITE_P(Compiled, PartlyWritten,
                         testing::Combine(testing::Values("gfx90a", "gfx942"), testing::Values("-O0", "-O1", "-O3")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) + 1);
                         });

} // namespace
