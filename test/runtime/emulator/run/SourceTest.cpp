// A fault names its source line if the code object has line information; debug information may be missing or damaged.
#include "runtime/emulator/memory/SourceFrames.h"
#include "test/runtime/emulator/run/Kernels.h"

#include "llvm/Object/ELFObjectFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Line 1 is the one with "store". (Clang wraps each kernel in a stub, which adds a frame.)
constexpr const char *source = R"(
#line 1 "faulty.cl"
static inline __attribute__((always_inline)) void store(global int *data, int i) {
  data[i] = i;
}
kernel void outside(global int *data, int n) {
  int i = get_global_id(0);
  if (i >= n)
    store(data, i + (1 << 20));
}
kernel void trap(global int *data) {
  if (data[get_global_id(0)] == 0)
    __builtin_trap();
}
kernel void misaligned(global int *data) {
  ATOMIC(fetch_add, (global int *)((global char *)data + data[0] + 2), 1);
}
)";

class Source : public testing::TestWithParam<const char *> {
protected:
  template <typename... Arguments>
  static std::string getFault(CompiledKernels &kernels, const char *name, Arguments... arguments) {
    try {
      launch(kernels, name, {1}, {64}, arguments...);
    } catch (const Fault &fault) {
      return fault.what();
    }
    return "no fault";
  }
};

TEST_P(Source, EveryFaultNamesItsLine) {
  for (const char *flags :
       {"-O2 -g", "-O2 -gline-tables-only", "-O2 -gline-tables-only -gdwarf-4", "-O2 -g -gz=zlib"}) {
    SCOPED_TRACE(flags);
    CompiledKernels k(GetParam(), source, flags);
    int *data = upload(k.memory, std::vector<int>(64));
    EXPECT_THAT(getFault(k, "outside", data, 10),
                ContainsRegex("store of 4 bytes outside every allocation: kernel 'outside', pc .*; "
                              "at faulty.cl:2:11 in store, inlined at faulty.cl:7:5 in outside"));
    EXPECT_THAT(getFault(k, "trap", data), ContainsRegex("trap 2 .*kernel 'trap'.*; at faulty.cl:11(:5)? in trap"));
    EXPECT_THAT(getFault(k, "misaligned", data),
                ContainsRegex("not a multiple of its size.*; at faulty.cl:14:3 in misaligned"));
  }
}

TEST_P(Source, AKernelThatNeverEndsIsAFaultWhereATimeIsSet) {
  CompiledKernels k(GetParam(), R"(
#line 1 "endless.cl"
kernel void waits(global int *data) {
  while (__scoped_atomic_load_n(data, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) == 0)
    __builtin_amdgcn_s_sleep(1);
}
kernel void turns(global int *data) {
  for (int i = 0; data[1] == 0; ++i)
    __asm__ volatile("s_nop 0");
}
)",
                    "-O2 -g");
  int *data = upload(k.memory, std::vector<int>(64));
  setenv("NSTF_EMU_TIMEOUT", "0.2", 1);
  EXPECT_THAT(getFault(k, "waits", data),
              ContainsRegex("still running at the end of its time .1 wave at pc .*: kernel 'waits', .*"
                            "; at endless.cl:[123]:"));
  EXPECT_THAT(getFault(k, "turns", data),
              ContainsRegex("still running at the end of its time .1 wave at pc .*: kernel 'turns', .*"
                            "; at endless.cl:[67]:"));
  data[0] = 1;
  EXPECT_EQ(getFault(k, "waits", data), "no fault");
  for (const char *wrong : {"soon", "0", "-1", "nan", "1s"}) {
    setenv("NSTF_EMU_TIMEOUT", wrong, 1);
    EXPECT_THAT([&] { launch(k, "waits", {1}, {64}, data); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr("NSTF_EMU_TIMEOUT: expected seconds")));
  }
  unsetenv("NSTF_EMU_TIMEOUT");
}

TEST_P(Source, WithoutDebugInformationThereIsNothingToSay) {
  CompiledKernels k(GetParam(), source, "-O2");
  int *data = upload(k.memory, std::vector<int>(64));
  std::string text = getFault(k, "outside", data, 10);
  EXPECT_THAT(text, HasSubstr("kernel 'outside'"));
  EXPECT_THAT(text, Not(HasSubstr("; at ")));
}

TEST(SourceFrames, DamagedDebugInformationIsNoError) {
  CompiledKernels k("gfx942", source, "-O2 -g");
  const Program &program = *k.kernel("outside").program;
  std::vector<std::byte> elf(program.elf().begin(), program.elf().end());
  uint64_t address = k.kernel("outside").entry - program.base();
  ASSERT_FALSE(findSourceFrames(elf, address).empty());
  EXPECT_TRUE(findSourceFrames(elf, 0).empty());
  EXPECT_TRUE(findSourceFrames({}, address).empty());
  const uint64_t several[] = {0, address};
  EXPECT_TRUE(findSourceFrames(elf, several)[0].empty());
  EXPECT_EQ(describe(findSourceFrames(elf, several)[1]), describe(findSourceFrames(elf, address)));

  auto object = llvm::cantFail(llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(
      llvm::MemoryBufferRef(llvm::StringRef(reinterpret_cast<const char *>(elf.data()), elf.size()), "")));
  std::vector<std::pair<size_t, size_t>> sections;
  for (const auto &section : object.sections())
    if (llvm::cantFail(section.getName()).starts_with(".debug_"))
      sections.emplace_back(llvm::cantFail(section.getContents()).data() - reinterpret_cast<const char *>(elf.data()),
                            section.getSize());
  ASSERT_GE(sections.size(), 5u);

  std::mt19937 random(20261121);
  auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  for (int round = 0; round < 400; ++round) {
    std::vector<std::byte> damaged = elf;
    if (round % 10 == 0) {
      damaged.resize(below(damaged.size()));
    } else {
      auto [offset, size] = sections[below(sections.size())];
      size_t begin = below(size), count = round % 3 ? 1 + below(4) : 1 + below(size - begin);
      for (size_t i = begin; i < std::min(size, begin + count); ++i)
        damaged[offset + i] = round % 2 ? std::byte(below(256)) : std::byte(0xff);
    }
    describe(findSourceFrames(damaged, address + 4 * below(40)));
  }
}

TEST(SourceFrames, AsText) {
  EXPECT_EQ(describe({}), "");
  EXPECT_EQ(describe({{"matmul", "templates/kernels/matmul.mlir", 51, 12}, {"up_proj", "mlp.yaml", 7, 3}}),
            "at templates/kernels/matmul.mlir:51:12 in matmul, inlined at mlp.yaml:7:3 in up_proj");
  EXPECT_EQ(describe({{"", "a.c", 0, 0}}), "at a.c");
  EXPECT_EQ(describe({{"f", "", 3, 0}}), "at an unknown file:3 in f");
}

INSTANTIATE_TEST_SUITE_P(Chips, Source, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
