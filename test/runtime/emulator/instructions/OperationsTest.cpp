// Every operation of Inputs/operations.inc, compiled by clang for both chips and run on the emulator, against the same
// line of C compiled for this host: long division, wide multiplication, conversions and other operations that LLVM
// expands into several instructions.
#include "test/runtime/emulator/run/Kernels.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using i8 = int8_t;
using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

constexpr int count = 2048;

// C promotes integers narrower than int; the result is cut to its type.
#define MEDIAN(a, b, c)                                                                                                \
  ((a) < (b) ? ((b) < (c) ? (b) : (a) < (c) ? (c) : (a)) : ((a) < (c) ? (a) : (b) < (c) ? (c) : (b)))
#define OPERATION(name, R, A, expression)                                                                              \
  [[maybe_unused]] void host_##name(const A *pa, const A *pb, const A *pc, R *out) {                                   \
    for (int i = 0; i < count; ++i) {                                                                                  \
      [[maybe_unused]] A a = pa[i], b = pb[i], c = pc[i];                                                              \
      out[i] = R(expression);                                                                                          \
    }                                                                                                                  \
  }
#include "test/runtime/emulator/instructions/Inputs/operations.inc"
#undef OPERATION

const char *prelude = R"(
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16; typedef int i32;
typedef unsigned u32; typedef long i64; typedef unsigned long u64; typedef _Float16 f16; typedef float f32; typedef double f64;
#define G __attribute__((address_space(1)))
#define MEDIAN(a, b, c) ((a) < (b) ? ((b) < (c) ? (b) : (a) < (c) ? (c) : (a)) : ((a) < (c) ? (a) : (b) < (c) ? (c) : (b)))
#define OPERATION(name, R, A, expression) \
  __attribute__((amdgpu_kernel)) void name(G const A *pa, G const A *pb, G const A *pc, G R *out) { \
    int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x(); \
    A a = pa[i], b = pb[i], c = pc[i]; \
    out[i] = (R)(expression); \
  }
)";

std::mt19937_64 engine(99);

/// Random bits, small numbers, numbers with few bits set, and floats near 1.
template <typename T> T anyValue() {
  u64 bits = engine();
  switch (engine() % 5) {
  case 0:
    bits &= engine() & engine();
    break;
  case 1:
    bits = u64(i64(engine() % 300) - 150);
    break;
  default:
    if constexpr (std::is_same_v<T, f32> || std::is_same_v<T, f64> || std::is_same_v<T, f16>)
      if (engine() % 2)
        return T(std::ldexp(double(i64(bits)), int(engine() % 24) - 74));
  }
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename R, typename A>
void compare(CompiledKernels &kernels, const char *name, void (*host)(const A *, const A *, const A *, R *)) {
  std::vector<A> a(count), b(count), c(count);
  std::vector<R> expected(count);
  for (auto *values : {&a, &b, &c})
    for (A &value : *values)
      value = anyValue<A>();
  host(a.data(), b.data(), c.data(), expected.data());
  A *da = upload(kernels.memory, a), *db = upload(kernels.memory, b), *dc = upload(kernels.memory, c);
  R *got = upload(kernels.memory, std::vector<R>(count));
  launch(kernels, name, {count / 256}, {256}, da, db, dc, got);
  for (int i = 0; i < count; ++i) {
    if (expected[i] != expected[i] && got[i] != got[i])
      continue; // NaN
    ASSERT_EQ(std::memcmp(&got[i], &expected[i], sizeof(R)), 0)
        << name << ": a " << double(a[i]) << " b " << double(b[i]) << " c " << double(c[i]) << " got " << double(got[i])
        << " expected " << double(expected[i]);
  }
  for (void *pointer : {(void *)da, (void *)db, (void *)dc, (void *)got})
    kernels.memory.free(pointer);
}

struct Setting {
  const char *target, *level;
};
class Operations : public ::testing::TestWithParam<Setting> {};

TEST_P(Operations, AreTheHosts) {
  std::ifstream file(NSTF_TEST_INPUTS "/operations.inc");
  std::stringstream source;
  source << prelude << file.rdbuf();
  CompiledKernels kernels(GetParam().target, source.str(), std::string("-w -ffp-contract=off ") + GetParam().level,
                          "c");
#define OPERATION(name, R, A, expression) compare<R, A>(kernels, #name, host_##name);
#include "test/runtime/emulator/instructions/Inputs/operations.inc"
#undef OPERATION
}

INSTANTIATE_TEST_SUITE_P(All, Operations,
                         ::testing::Values(Setting{"gfx942", "-O0"}, Setting{"gfx942", "-O2"}, Setting{"gfx90a", "-O1"},
                                           Setting{"gfx90a", "-O3"}),
                         [](const auto &info) {
                           return std::string(info.param.target) + "_" + (info.param.level + 1);
                         });

} // namespace
