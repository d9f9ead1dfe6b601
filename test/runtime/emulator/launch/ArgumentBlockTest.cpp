// Laying out a launch's arguments by the kernel's metadata.
#include "runtime/emulator/launch/ArgumentBlock.h"

#include <cstring>
#include <gmock/gmock.h>

using namespace nstf::emulator;
using testing::HasSubstr;

namespace {

/// vadd(float *c, int n, struct of 12 bytes) and two hidden arguments.
Kernel vadd() {
  Kernel kernel;
  kernel.name = "vadd";
  kernel.hasMetadata = true;
  kernel.kernargSize = 40;
  kernel.arguments = {{"c", "global_buffer", 0, 8, "float*"},
                      {"n", "by_value", 8, 4, "int"},
                      {"", "by_value", 12, 12},
                      {"", "hidden_block_count_x", 24, 4},
                      {"", "hidden_group_size_x", 28, 2}};
  return kernel;
}

std::vector<std::byte> blockOf(const Kernel &kernel, const std::string &arguments) {
  LaunchFile file = LaunchFile::readText("code_object: x\nbuffers: {c: {type: f32, shape: [4]}}\nlaunches:\n"
                                         "  - {kernel: k, grid: 7, args: [" +
                                             arguments + "]}\n",
                                         "launch.yaml");
  return makeArgumentBlock(kernel, file.launches[0], {{7, 1, 1}, {64, 1, 1}, 0},
                           [](const std::string &) { return uint64_t(0x1000); });
}

std::string messageOf(const Kernel &kernel, const std::string &arguments) {
  try {
    blockOf(kernel, arguments);
  } catch (const InputError &error) {
    return error.what();
  }
  return "no error";
}

template <typename T> T at(const std::vector<std::byte> &block, size_t offset) {
  T value;
  std::memcpy(&value, block.data() + offset, sizeof value);
  return value;
}

TEST(ArgumentBlock, InOrder) {
  auto block = blockOf(vadd(), "{buffer: c, offset: 8}, {i32: -2}, {bytes: 000102030405060708090a0b}");
  EXPECT_EQ(at<uint64_t>(block, 0), 0x1008u);
  EXPECT_EQ(at<int32_t>(block, 8), -2);
  EXPECT_EQ(at<uint32_t>(block, 12), 0x03020100u);
  EXPECT_EQ(at<uint32_t>(block, 20), 0x0b0a0908u);
  EXPECT_EQ(at<uint32_t>(block, 24), 7u); // hidden arguments
  EXPECT_EQ(at<uint16_t>(block, 28), 64u);
  EXPECT_GE(block.size(), 40 + argumentPadding);
}

TEST(ArgumentBlock, OverlaysAndOffsets) {
  // A pointer inside the struct, and a hidden argument given explicitly.
  auto block =
      blockOf(vadd(), "{u64: 0}, {u32: 5}, {bytes: 000000000000000000000000}, {at: 16, buffer: c}, {at: 24, u32: 9}");
  EXPECT_EQ(at<uint64_t>(block, 0), 0u);
  EXPECT_EQ(at<uint64_t>(block, 16), 0x1000u);
  EXPECT_EQ(at<uint32_t>(block, 24), 9u);
  // What isn't given in order may all be given by offset.
  block = blockOf(vadd(), "{at: 12, u64: 7}");
  EXPECT_EQ(at<uint64_t>(block, 12), 7u);
  EXPECT_EQ(at<uint64_t>(block, 0), 0u);
  EXPECT_EQ(at<uint32_t>(block, 8), 0u);
  EXPECT_EQ(at<uint32_t>(block, 20), 0u);
  block = blockOf(vadd(), "{buffer: c}, {at: 8, u32: 5}, {at: 12, u64: 1}, {at: 20, u32: 2}");
  EXPECT_EQ(at<uint32_t>(block, 8), 5u);
  EXPECT_EQ(at<uint32_t>(block, 20), 2u);
}

TEST(ArgumentBlock, Mistakes) {
  const std::string rest = ", {bytes: 000102030405060708090a0b}";
  EXPECT_EQ(messageOf(vadd(), "{buffer: c}"),
            "launch.yaml:4:5: expected 3 arguments for kernel 'vadd' but got 1 (it takes 0 'c': float*, a "
            "pointer, 1 'n': int, 4 bytes, 2: 12 bytes)");
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {i32: 1}" + rest + ", {i32: 1}"),
              HasSubstr("expected 3 arguments for kernel 'vadd' but got 4"));
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {i64: 1}" + rest),
              HasSubstr("expected int, 4 bytes for argument 1 'n' of kernel 'vadd' but got i64, 8 bytes"));
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {buffer: c}" + rest),
              HasSubstr("for argument 1 'n' of kernel 'vadd' but got a pointer to buffer 'c'"));
  EXPECT_THAT(messageOf(vadd(), "{f64: 1}, {i32: 1}" + rest),
              HasSubstr("for argument 0 'c' of kernel 'vadd' but got f64 (a buffer, u64 or bytes can be a pointer)"));
  EXPECT_THAT(
      messageOf(vadd(), "{buffer: c}, {f32: 1}" + rest),
      HasSubstr("expected int, 4 bytes for argument 1 'n' of kernel 'vadd' but got f32 ({bytes: …} gives any bits)"));
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {i32: 1}, {bytes: 00}"),
              HasSubstr("expected 12 bytes for argument 2 of kernel 'vadd' but got bytes: 1 byte"));
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {i32: 1}, {at: 12, u64: 1}"),
              HasSubstr("expected 3 arguments for kernel 'vadd' but got 2"));
  EXPECT_THAT(messageOf(vadd(), "{buffer: c}, {i32: 1}" + rest + ", {at: 36, u64: 1}"),
              HasSubstr("expected arguments inside the 40 bytes of the argument block of kernel 'vadd' but got one of "
                        "8 bytes at 36"));
}

TEST(ArgumentBlock, WithoutMetadata) {
  Kernel kernel;
  kernel.name = "hand";
  EXPECT_THAT(messageOf(kernel, "{buffer: c}"),
              HasSubstr("expected {at: OFFSET, …}: kernel 'hand' has no metadata about its arguments"));
  auto block = blockOf(kernel, "{at: 8, buffer: c}, {at: 0, u32: 3}"); // the kernel has no metadata
  EXPECT_EQ(at<uint64_t>(block, 8), 0x1000u);
  EXPECT_EQ(at<uint32_t>(block, 0), 3u);
  EXPECT_GE(block.size(), 16 + argumentPadding);
  EXPECT_EQ(blockOf(kernel, "").size(), argumentPadding);
}

} // namespace
