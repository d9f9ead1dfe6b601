// Common programming mistakes, compiled by clang for both chips with and without optimisation. The checks find each
// mistake and name a source line, and find nothing in the same kernel without the mistake.
#include "runtime/emulator/checks/Checker.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

// WRONG is 0 or 1. x, y and z hold 512 floats each (y has 128 fewer); the host wrote x. Two workgroups of 128.
constexpr const char *source = R"(
#define KERNEL kernel void __attribute__((reqd_work_group_size(128, 1, 1)))
KERNEL barrierForgotten(global const float *x, global float *y, global int *z) {
  local float part[128];
  int i = get_local_id(0);
  part[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 64; s > 0; s /= 2) {
    if (i < s)
      part[i] += part[i + s];
    if (!WRONG)
      barrier(CLK_LOCAL_MEM_FENCE);
    else if (s == 64 && i == 127)
      part[0] += 1;
  }
  if (i == 0)
    y[get_group_id(0)] = part[0];
}
KERNEL partNotSet(global const float *x, global float *y, global int *z) {
  local float part[128];
  int i = get_local_id(0), n = WRONG ? 100 : 128;
  if (i < n)
    part[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = part[127 - i];
}
KERNEL offByOne(global const float *x, global float *y, global int *z) {
  int i = get_global_id(0) + 128;
  y[i + WRONG] = x[i];
}
KERNEL notCleared(global const float *x, global float *y, global int *z) {
  if (!WRONG)
    z[get_global_id(0)] = 0;
  ATOMIC(fetch_add, &z[get_global_id(0)], 1);
}
KERNEL notAtomic(global const float *x, global float *y, global int *z) {
  volatile global int *bins = (volatile global int *)x;
  if (WRONG)
    ((global int *)x)[get_local_id(0)] += 1;
  else
    ATOMIC(fetch_add, &((global int *)x)[get_local_id(0)], 1);
}
KERNEL branchOnUnwritten(global const float *x, global float *y, global int *z) {
  int i = get_global_id(0);
  if (!WRONG)
    z[i] = i;
  y[i] = 0;
  if (z[i] > 7)
    y[i] = 1;
}
KERNEL indexFromUnwritten(global const float *x, global float *y, global int *z) {
  int i = get_global_id(0);
  if (!WRONG)
    z[i] = i;
  y[i] = x[z[i] & 255];
}
// The workgroup that comes last adds up what the others have stored.
KERNEL lastWorkgroup(global const float *x, global float *y, global int *z) {
  local int last;
  int i = get_local_id(0);
  y[get_global_id(0)] = x[get_global_id(0)];
  if (!WRONG)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  barrier(CLK_LOCAL_MEM_FENCE);
  global int *count = (global int *)x + 511;
  if (i == 0)
    last = WRONG ? get_group_id(0) : ATOMIC(fetch_add, count, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last == 1) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    y[256 + i] = y[i] + y[128 + i];
  }
}
)";

struct Mistake {
  const char *kernel, *check;
  const char *found; ///< a part of the finding's text
};
const Mistake mistakes[] = {
    {"barrierForgotten", "race", "with no barrier between them"},
    {"partNotSet", "uninit", "undefined where stored to device memory, from LDS offset 508, which was never written"},
    {"offByOne", "memory", "store of 4 bytes outside every allocation"},
    {"notCleared", "uninit", "an atomic operation on an undefined value, from device memory that was never written"},
    {"notAtomic", "race", "and nothing orders the two workgroups"},
    {"branchOnUnwritten", "uninit", "from device memory that was never written"},
    {"indexFromUnwritten", "uninit", "the address in v"},
    {"lastWorkgroup", "race", "and nothing orders the two workgroups"},
};

void expectFound(const char *target, const char *level) {
  for (int wrong : {0, 1}) {
    CompiledKernels kernels(target, source,
                            std::string(level) + " -gline-tables-only -DWRONG=" + std::to_string(wrong));
    for (const Mistake &mistake : mistakes) {
      SCOPED_TRACE(std::string(target) + " " + level + " " + mistake.kernel + (wrong ? ", wrong" : ", right"));
      auto checker =
          checks::makeChecker(checks::CheckSet::parse("memory,uninit,race", "test"), kernels.target, kernels.memory);
      constexpr size_t bytes = 512 * sizeof(float);
      void *x = kernels.memory.allocate(bytes), *y = kernels.memory.allocate(bytes - 512),
           *z = kernels.memory.allocate(bytes);
      std::memset(x, 0, bytes);
      kernels.memory.hostWrites(x, bytes);
      kernels.options = LaunchOptions();
      kernels.options->monitor = checker.get();
      std::vector<std::string> found;
      try {
        launch(kernels, mistake.kernel, {2}, {128}, x, y, z);
      } catch (const Fault &fault) {
        found.push_back(fault.finding.check + ": " + fault.what());
      }
      for (const Finding &finding : checker->findings())
        found.push_back(finding.check + ": " + finding.text());
      if (!wrong) {
        EXPECT_THAT(found, testing::IsEmpty());
        continue;
      }
      EXPECT_THAT(found,
                  testing::Contains(testing::AllOf(testing::StartsWith(mistake.check),
                                                   testing::HasSubstr(mistake.found), testing::HasSubstr("/source:"))));
      EXPECT_THAT(found, testing::Each(testing::StartsWith(mistake.check)));
    }
  }
}

TEST(MistakesTest, Gfx942Unoptimized) { expectFound("gfx942", "-O0"); }
TEST(MistakesTest, Gfx942Optimized) { expectFound("gfx942", "-O3"); }
TEST(MistakesTest, Gfx90aUnoptimized) { expectFound("gfx90a", "-O0"); }
TEST(MistakesTest, Gfx90aOptimized) { expectFound("gfx90a", "-O3"); }

} // namespace
