// The state in which a kernel starts, and how a launch reports errors.
#include "runtime/emulator/run/ProgramCache.h"
#include "test/runtime/emulator/run/Kernels.h"
#include "test/support/Environment.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using nstf::test::Environment;
using ::testing::HasSubstr;

namespace {

class Dispatch : public ::testing::TestWithParam<const char *> {
protected:
  CompiledKernels compile(const std::string &source, const std::string &flags = "-O2") {
    return {GetParam(), source, flags};
  }
};

TEST_P(Dispatch, IdsOfWorkItemsAndGroups) {
  auto k = compile(R"(
    kernel void ids(global uint *out) {
      uint group = (get_group_id(2) * 3 + get_group_id(1)) * 2 + get_group_id(0);
      uint item = (get_local_id(2) * 3 + get_local_id(1)) * 7 + get_local_id(0);
      global uint *o = out + (group * 105 + item) * 8;
      o[0] = get_local_id(0), o[1] = get_local_id(1), o[2] = get_local_id(2);
      o[3] = get_group_id(0), o[4] = get_group_id(1), o[5] = get_group_id(2);
      o[6] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
      o[7] = get_global_size(0) | get_global_size(1) << 8 | get_global_size(2) << 16;
    })");
  std::vector<uint32_t> zeros(12 * 105 * 8 + 8);
  uint32_t *out = upload(k.memory, zeros);
  launch(k, "ids", {2, 3, 2}, {7, 3, 5}, out);
  for (uint32_t group = 0; group < 12; ++group)
    for (uint32_t item = 0; item < 105; ++item) {
      const uint32_t *o = out + (group * 105 + item) * 8;
      EXPECT_EQ(o[0] + 7 * (o[1] + 3 * o[2]), item);
      EXPECT_EQ(o[3] + 2 * (o[4] + 3 * o[5]), group);
      EXPECT_TRUE(o[0] < 7 && o[1] < 3 && o[3] < 2 && o[4] < 3);
      EXPECT_EQ(o[6], 7u | 3 << 8 | 5 << 16);
      EXPECT_EQ(o[7], 14u | 9 << 8 | 10 << 16);
    }
  EXPECT_EQ(out[12 * 105 * 8], 0u); // the partial last wave wrote no more
}

TEST_P(Dispatch, ArgumentsOfEverySize) {
  auto k = compile(R"(
    kernel void arguments(uchar a, long b, short c, float d, global double *out, uint e) {
      out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e;
    })");
  double *out = upload(k.memory, std::vector<double>(5));
  launch(k, "arguments", {1}, {1}, uint8_t(200), int64_t(-5), int16_t(-300), 1.5f, out, 4000000000u);
  EXPECT_EQ(download(out, 5), (std::vector<double>{200, -5, -300, 1.5, 4000000000.0}));
}

TEST_P(Dispatch, PreloadedArguments) {
  auto k = compile(R"(
    kernel void sum(int a, int b, global int *out, long c) { out[get_global_id(0)] = a + 10 * b + 100 * (int)c; })",
                   "-O2 -mllvm -amdgpu-kernarg-preload-count=5");
  EXPECT_EQ(k.kernel("sum").descriptor.preloadDwords > 0, true);
  int *out = upload(k.memory, std::vector<int>(128));
  launch(k, "sum", {2}, {64}, 1, 2, out, int64_t(3));
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], 321);
}

TEST_P(Dispatch, DynamicLdsAfterStatic) {
  auto k = compile(R"(
    kernel void reverse(global int *data, local int *room) {
      local int fixed[64];
      int i = get_local_id(0);
      fixed[i] = data[i];
      room[i] = 3 * data[63 - i];
      barrier(CLK_LOCAL_MEM_FENCE);
      data[i] = fixed[63 - i] + room[63 - i];
    })");
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i)
    values[i] = i * i;
  int *data = upload(k.memory, values);
  // A local pointer argument is the offset of the dynamic part.
  launchBytes(k, "reverse", {1}, {64}, 256, {getBytes(data), getBytes(uint32_t(256))});
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(data[i], values[63 - i] + 3 * values[i]);
  // Up to the end of the granule LDS is memory; loads past it give zero.
  std::vector<int> before = download(data, 64);
  launchBytes(k, "reverse", {1}, {64}, 0, {getBytes(data), getBytes(uint32_t(256))});
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(data[i], before[63 - i] + 3 * before[i]);
  before = download(data, 64);
  launchBytes(k, "reverse", {1}, {64}, 0, {getBytes(data), getBytes(uint32_t(512))});
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(data[i], before[63 - i]);
}

TEST_P(Dispatch, WavesThatWaitForEachOther) {
  // The first waves spin on a value that the last one writes; s_sleep, or long spinning, lets the others run.
  auto k = compile(R"(
    kernel void relay(global int *out) {
      local volatile int flag;
      int wave = get_local_id(0) / 64;
      if (get_local_id(0) == 0)
        flag = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (wave == 3) {
        flag = 77;
      } else {
        while (flag == 0)
          if (wave != 1)
            __builtin_amdgcn_s_sleep(1);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_local_id(0)] = flag;
    })");
  int *out = upload(k.memory, std::vector<int>(256));
  launch(k, "relay", {1}, {256}, out);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], 77);
}

TEST_P(Dispatch, SameResultsOnAnyNumberOfThreads) {
  auto k = compile(R"(
    kernel void iterate(global float *out, int n) {
      float x = get_global_id(0) * 0.001f;
      for (int i = 0; i < n; ++i)
        x = x * 1.5f - x * x * 0.25f + 0.125f / (x + 2.0f);
      out[get_global_id(0)] = x;
    })");
  std::vector<std::vector<float>> results;
  for (const char *threads : {"1", "2", "5"}) {
    Environment environment("NSTF_EMU_THREADS", threads);
    float *out = upload(k.memory, std::vector<float>(64 * 256));
    launch(k, "iterate", {64}, {256}, out, 50);
    results.push_back(download(out, 64 * 256));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_P(Dispatch, LaunchesFromSeveralThreads) {
  auto k = compile(R"(
    kernel void fill(global int *out, int value) { out[get_global_id(0)] = value + get_local_id(0); }
    kernel void double_(global int *out, int count) {
      local int room[64];
      room[get_local_id(0)] = out[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = room[get_local_id(0) ^ 1] * 2;
    })");
  constexpr int size = 64 * 64;
  std::vector<int *> buffers;
  for (int t = 0; t < 4; ++t)
    buffers.push_back(upload(k.memory, std::vector<int>(size)));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        launch(k, "fill", {64}, {64}, buffers[t], t * 1000);
        launch(k, "double_", {64}, {64}, buffers[t], size);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < size; ++i)
      ASSERT_EQ(buffers[t][i], 2 * (t * 1000 + (i % 64 ^ 1)));
}

TEST_P(Dispatch, FaultsSayWhere) {
  auto k = compile(R"(
    kernel void late(global int *data, int n) {
      int i = get_global_id(0);
      data[i < n ? i : i + (1 << 20)] = i;
    })");
  int *data = upload(k.memory, std::vector<int>(4096));
  for (const char *threads : {"1", "3"}) {
    Environment environment("NSTF_EMU_THREADS", threads);
    try {
      launch(k, "late", {16}, {256}, data, 1000);
      FAIL() << "no fault";
    } catch (const Fault &fault) {
      std::string text = fault.what();
      EXPECT_THAT(text, HasSubstr("store of 4 bytes outside every allocation: kernel 'late', pc 0x"));
      EXPECT_THAT(text, HasSubstr("_store_dword"));
      EXPECT_THAT(text, HasSubstr("workgroup (3, 0, 0), wave 3, lanes 40-63, address 0x"));
      EXPECT_THAT(text, HasSubstr("allocation"));
    }
  }
  for (int i = 0; i < 768; ++i)
    ASSERT_EQ(data[i], i); // the workgroups before it have finished
}

TEST_P(Dispatch, LaunchesThatCantBe) {
  auto k = compile("kernel void nothing(global int *p) { local int big[8192]; big[get_local_id(0)] = 1; p[0] = "
                   "big[get_local_id(0) ^ 1]; }");
  auto messageOf = [&](Dimensions block, uint32_t dynamicLds) -> std::string {
    try {
      launchBytes(k, "nothing", {1}, block, dynamicLds, {getBytes<int *>(nullptr)});
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(messageOf({1025}, 0), "kernel 'nothing': expected block sizes from 1 to 1024 but got 1025");
  EXPECT_EQ(messageOf({64, 32}, 0), "kernel 'nothing': expected at most 1024 work-items in a workgroup but got 2048");
  EXPECT_EQ(messageOf({64}, 40000), "kernel 'nothing': expected at most 65536 bytes of LDS but got 72768");
  {
    Environment environment("NSTF_EMU_MATRIX", "quick");
    EXPECT_EQ(messageOf({64}, 0), "NSTF_EMU_MATRIX: expected 'fast' or 'exact' but got 'quick'");
  }
  {
    Environment environment("NSTF_EMU_SHUFFLE", "-1");
    EXPECT_EQ(messageOf({64}, 0), "NSTF_EMU_SHUFFLE: expected a seed, a whole number, but got '-1'");
  }
  Environment environment("NSTF_EMU_THREADS", "many");
  EXPECT_EQ(messageOf({64}, 0), "NSTF_EMU_THREADS: expected a number from 1 to 1024 but got 'many'");
}

/// Each workgroup takes the next number.
TEST_P(Dispatch, WorkgroupsInARandomOrder) {
  auto k = compile(R"(
    kernel void number(global int *next, global int *out) {
      if (get_local_id(0) == 0)
        out[get_group_id(0)] = __scoped_atomic_fetch_add(next, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    })");
  auto numbers = [&](const char *seed) {
    Environment threads("NSTF_EMU_THREADS", "1"), shuffle("NSTF_EMU_SHUFFLE", seed);
    int *next = upload(k.memory, std::vector<int>(1)), *out = upload(k.memory, std::vector<int>(100));
    launch(k, "number", {100}, {64}, next, out);
    return download(out, 100);
  };
  std::vector<int> byNumber(100);
  std::iota(byNumber.begin(), byNumber.end(), 0);
  EXPECT_EQ(numbers(""), byNumber);
  std::vector<int> first = numbers("1");
  EXPECT_EQ(numbers("1"), first);
  EXPECT_NE(numbers("2"), first);
  EXPECT_NE(first, byNumber);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, byNumber);
}

TEST_P(Dispatch, IndirectCallsAndRecursion) {
  CompiledKernels k(GetParam(), R"(
    __attribute__((noinline)) int twice(int x) { return 2 * x; }
    __attribute__((noinline)) int square(int x) { return x * x; }
    __attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    __attribute__((amdgpu_kernel)) void calls(__attribute__((address_space(1))) int *out) {
      int i = __builtin_amdgcn_workitem_id_x();
      int (*function)(int) = i & 1 ? twice : square;
      out[i] = function(i) + fibonacci(i & 7);
    })",
                    "-O1", "c");
  int *out = upload(k.memory, std::vector<int>(64));
  EXPECT_TRUE(k.kernel("calls").descriptor.dynamicStack);
  launch(k, "calls", {1}, {64}, out);
  const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], (i & 1 ? 2 * i : i * i) + fibonacci[i & 7]) << i;
}

/// Kernels and functions beside 1.2 MB of code that they don't reach.
const char *besideMuchCode = R"(
    typedef __attribute__((address_space(1))) int globalInt;
    __attribute__((noinline)) int twice(int x) { return 2 * x; }
    __attribute__((noinline)) int square(int x) { return x * x; }
    __attribute__((amdgpu_kernel)) void others(globalInt *out) { asm volatile(".fill 300000, 4, 0xbf800000"); }
    __attribute__((amdgpu_kernel)) void direct(globalInt *out) {
      int i = __builtin_amdgcn_workitem_id_x();
      out[i] = twice(i) + square(i);
    }
    __attribute__((amdgpu_kernel)) void byPointer(globalInt *out) {
      int i = __builtin_amdgcn_workitem_id_x();
      int (*function)(int) = i & 1 ? twice : square;
      out[i] = function(i);
    }
    __attribute__((noinline)) void poke(globalInt *p) { *p = 1; }
    __attribute__((noinline)) void spare(globalInt *p) { *p = 2; }
    __attribute__((amdgpu_kernel)) void pokesByPointer(globalInt *out) {
      void (*function)(globalInt *) = __builtin_amdgcn_workitem_id_x() < 64 ? poke : spare;
      function(out);
    })";

class WhatAKernelReaches : public Dispatch {
protected:
  /// `flags` after those of the optimization.
  void isDecoded(const std::string &flags);
};

void WhatAKernelReaches::isDecoded(const std::string &flags) {
  CompiledKernels k(GetParam(), besideMuchCode, "-O1 " + flags, "c");
  auto decoded = [&](const char *name) {
    return CachedProgram::of(k.target, k.kernel(name), MatrixMode::Fast)->decoded->instructionCount();
  };
  auto launchTogether = [&](const char *name) { // two threads reach the functions together
    int *out[2];
    std::vector<std::thread> threads;
    for (int *&mine : out) {
      mine = upload(k.memory, std::vector<int>(64));
      threads.emplace_back([&k, name, mine] { launch(k, name, {1}, {64}, mine); });
    }
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(download(out[0], 64), download(out[1], 64));
    return download(out[0], 64);
  };
  const std::vector<int> direct = launchTogether("direct"), byPointer = launchTogether("byPointer");
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(direct[i], 2 * i + i * i) << i;
    ASSERT_EQ(byPointer[i], i & 1 ? 2 * i : i * i) << i;
  }
  EXPECT_LT(decoded("direct"), 1000u);
  EXPECT_LT(decoded("byPointer"), 1000u);
  launchTogether("others");
  EXPECT_GT(decoded("others"), 300000u);
}

TEST_P(WhatAKernelReaches, IsDecoded) { isDecoded(""); }
TEST_P(WhatAKernelReaches, IsDecodedWithoutSymbols) { isDecoded("-Wl,-s"); }

TEST_P(WhatAKernelReaches, AFaultNamesItsPlace) {
  CompiledKernels k(GetParam(), besideMuchCode, "-O1", "c");
  try {
    launch(k, "pokesByPointer", {1}, {64}, static_cast<int *>(nullptr));
    FAIL() << "expected a fault";
  } catch (const Fault &fault) {
    EXPECT_THAT(fault.finding.instruction, HasSubstr("store_dword"));
    EXPECT_EQ(k.kernel("pokesByPointer").program->functionAt(fault.finding.pc), "poke");
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, WhatAKernelReaches, ::testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Chips, Dispatch, ::testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
