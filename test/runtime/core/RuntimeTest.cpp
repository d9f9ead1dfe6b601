// Buffers, streams, modules and graph runners on the emulator, with kernels that clang compiled at build time.
#include "nstf/Runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

namespace nstf {
namespace {
using testing::HasSubstr;

template <typename Action> std::string failure(Action &&action) {
  try {
    action();
    return "";
  } catch (const Error &error) {
    return error.what();
  }
}

class Runtime : public testing::Test {
protected:
  std::string kernelFile() const {
    const std::string id = backend.targetId();
    return std::string(NSTF_TEST_KERNELS) + "/kernels." + id.substr(0, id.find(':')) + ".hsaco";
  }
  Backend backend = Backend::open(DeviceKind::Emulator);
};

TEST_F(Runtime, PropertiesAreRead) {
  const DeviceProperties &properties = backend.properties();
  EXPECT_THAT(properties.name, HasSubstr("emulator"));
  EXPECT_EQ(properties.waveSize, 64u);
  EXPECT_EQ(properties.ldsPerWorkgroup, 65536u);
  EXPECT_EQ(properties.maxThreadsPerWorkgroup, 1024u);
  EXPECT_GT(properties.memory, 1u << 30);
  EXPECT_GT(properties.computeUnits, 100u);
}

TEST_F(Runtime, BuffersCopyAndCheckTheirBounds) {
  std::vector<int> in(256), out(256);
  std::iota(in.begin(), in.end(), 0);
  Buffer buffer(backend, 1024);
  EXPECT_EQ(buffer.size(), 1024u);
  EXPECT_NE(buffer.address(), 0u);
  buffer.upload(in.data(), 1024);
  buffer.download(out.data(), 1024);
  EXPECT_EQ(in, out);
  buffer.fill(0xff, 8, 4);
  buffer.download(out.data(), 8, 8);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], 3);
  EXPECT_THAT(failure([&] { buffer.upload(in.data(), 4, 1021); }),
              HasSubstr("4 bytes at offset 1021 is outside a buffer of 1024 bytes"));
  EXPECT_NE(failure([&] { buffer.download(out.data(), SIZE_MAX, 8); }), "");
  EXPECT_NE(failure([&] { buffer.fill(0, 1025, 0); }), "");
  EXPECT_EQ(failure([&] { buffer.upload(nullptr, 0, 1024); }), "");
}

TEST_F(Runtime, BuffersMoveAndEmptyOnesAreAllowed) {
  Buffer none, empty(backend, 0), full(backend, 16);
  EXPECT_EQ(none.address(), 0u);
  EXPECT_EQ(empty.size(), 0u);
  const uint64_t address = full.address();
  Buffer moved(std::move(full));
  EXPECT_EQ(moved.address(), address);
  EXPECT_EQ(full.size(), 0u);
  none = std::move(moved);
  EXPECT_EQ(none.address(), address);
  EXPECT_THAT(failure([&] { Buffer tooMuch(backend, size_t(1) << 50); }), HasSubstr("cannot allocate"));
}

TEST_F(Runtime, StreamsCopyInOrder) {
  Stream stream(backend);
  Buffer a(backend, 16), b(backend, 16);
  const int in[4] = {1, 2, 3, 4};
  int out[4] = {};
  a.fill(stream, 0, 16);
  a.upload(stream, in, 8, 8);
  b.copyFrom(stream, a, 16);
  b.download(stream, out, 16);
  stream.synchronize();
  EXPECT_THAT(out, testing::ElementsAre(0, 0, 1, 2));
  EXPECT_NE(failure([&] { b.copyFrom(stream, a, 16, 8); }), "");
}

TEST_F(Runtime, ModulesGiveKernels) {
  Module module = Module::fromFile(backend, kernelFile());
  Kernel kernel = module.kernel("blockSum");
  EXPECT_TRUE(kernel);
  EXPECT_FALSE(Kernel());
  EXPECT_EQ(kernel.name(), "blockSum");
  EXPECT_EQ(kernel.ldsBytes(), 1024u);
  EXPECT_EQ(kernel.maxThreadsPerWorkgroup(), 1024u);
  EXPECT_GT(kernel.registers(), 0u);
  EXPECT_THAT(failure([&] { module.kernel("noSuchKernel"); }), HasSubstr("gives no kernel noSuchKernel"));
}

TEST_F(Runtime, BadModulesAreRefusedByName) {
  EXPECT_THAT(failure([&] { Module::fromFile(backend, "/no/such/file"); }), HasSubstr("cannot read /no/such/file"));
  EXPECT_THAT(failure([&] { Module(backend, "text", 4, "notes.txt"); }), HasSubstr("notes.txt is no code object"));
  std::ifstream file(kernelFile(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (size_t size = 0; size < bytes.size(); size += 512)
    EXPECT_THAT(failure([&] { Module(backend, bytes.data(), size, "half.hsaco"); }), HasSubstr("half.hsaco"));
}

TEST_F(Runtime, LaunchesTakePackedArguments) {
  Module module = Module::fromFile(backend, kernelFile());
  Stream stream(backend);
  const int n = 300;
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  Buffer in(backend, n * 4), out(backend, n * 4);
  in.upload(values.data(), n * 4);
  Launch one{module.kernel("vectorAdd"), {5, 1, 1}, {64, 1, 1}};
  one.addPointer(in).addPointer(in, 4).addPointer(out).addValue(n - 1);
  EXPECT_EQ(one.arguments.size(), 28u);
  launch(backend, stream, one);
  stream.synchronize();
  std::vector<float> result(n - 1);
  out.download(result.data(), (n - 1) * 4);
  for (int i = 0; i < n - 1; ++i)
    ASSERT_EQ(result[i], float(2 * i + 1));
  EXPECT_THAT(failure([&] { one.addPointer(in, n * 4 + 1); }), HasSubstr("outside a buffer of 1200 bytes"));
}

TEST_F(Runtime, ArgumentsAreAlignedAsTheyAreInC) {
  Launch launch;
  launch.addValue<uint8_t>(1).addValue<double>(2).addValue<uint16_t>(3).addValue<uint32_t>(4);
  EXPECT_EQ(launch.arguments.size(), 24u);
}

TEST_F(Runtime, GraphsReplayWithNewContents) {
  Module module = Module::fromFile(backend, kernelFile());
  Stream stream(backend);
  Buffer x(backend, 64 * 4);
  x.fill(0);
  std::vector<Launch> launches;
  for (float value : {1.0f, 2.0f, 4.0f}) {
    launches.push_back({module.kernel("add"), {1, 1, 1}, {64, 1, 1}});
    launches.back().addPointer(x).addValue(value);
  }
  HIPGraphRunner runner(backend, std::move(launches));
  EXPECT_EQ(runner.launches().size(), 3u);
  runner.run(stream);
  EXPECT_TRUE(runner.captured()) << runner.fallbackReason();
  HIPGraphRunner moved(std::move(runner));
  moved.run(stream);
  stream.synchronize();
  float first = 0;
  x.download(&first, 4, 4);
  EXPECT_EQ(first, 14.0f);
  const float hundred = 100;
  x.upload(&hundred, 4, 4);
  moved.run(stream);
  stream.synchronize();
  x.download(&first, 4, 4);
  EXPECT_EQ(first, 107.0f);
}

TEST_F(Runtime, AnEmptyRunnerRunsNothing) {
  Stream stream(backend);
  HIPGraphRunner runner(backend, {});
  EXPECT_EQ(failure([&] { runner.run(stream); }), "");
  EXPECT_THAT(failure([&] { HIPGraphRunner(backend, {Launch()}); }), HasSubstr("no kernel"));
}

TEST_F(Runtime, FaultsAreErrorsThatNameTheKernel) {
  Module module = Module::fromFile(backend, kernelFile());
  Stream stream(backend);
  Buffer x(backend, 256);
  Launch bad{module.kernel("store"), {1, 1, 1}, {2048, 1, 1}};
  bad.addPointer(x).addValue<int64_t>(64);
  // An impossible launch is an error at once, captured or not, and leaves the stream usable.
  EXPECT_THAT(failure([&] { HIPGraphRunner(backend, {bad}).run(stream); }), HasSubstr("at most 1024 work-items"));
  EXPECT_EQ(failure([&] { x.fill(stream, 0, 256); }), "");
  bad.block = {1, 1, 1};
  std::string text = failure([&] {
    HIPGraphRunner runner(backend, {bad});
    runner.run(stream);
    stream.synchronize();
  });
  EXPECT_THAT(text, HasSubstr("hipErrorIllegalAddress"));
  EXPECT_THAT(text, HasSubstr("past the end of"));
}

} // namespace
} // namespace nstf
