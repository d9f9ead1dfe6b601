// printf of kernels, compared with that of the host. NSTF_TEST_BUFFERED: compiled with -mprintf-kind=buffered.
// NSTF_TEST_NO_CONVERSIONS leaves out what takes long to compile.
#include "Captured.h"

using testing::HasSubstr;

namespace {

#ifdef NSTF_TEST_BUFFERED
constexpr bool isBuffered = true;
#else
constexpr bool isBuffered = false;
#endif

#ifndef NSTF_TEST_NO_CONVERSIONS
// Every conversion, with width and precision as numbers and as "*".
#define FORMS(P, C, V)                                                                                                 \
  P("%" C "|", V)                                                                                                      \
  P("%9" C "|", V)                                                                                                     \
  P("%-9" C "|", V)                                                                                                    \
  P("%*" C "|", 7, V)                                                                                                  \
  P("%*" C "|", -7, V)
#define PRECISE(P, C, V)                                                                                               \
  FORMS(P, C, V)                                                                                                       \
  P("%.4" C "|", V)                                                                                                    \
  P("%9.4" C "|", V)                                                                                                   \
  P("%.*" C "|", 3, V)                                                                                                 \
  P("%-*.*" C "|", 9, 2, V)
#define INTEGERS(P)                                                                                                    \
  PRECISE(P, "d", -42)                                                                                                 \
  PRECISE(P, "i", 42)                                                                                                  \
  PRECISE(P, "o", 0777u)                                                                                               \
  PRECISE(P, "u", 4000000000u)                                                                                         \
  PRECISE(P, "x", 0xbeefu)                                                                                             \
  PRECISE(P, "X", 0xbeefu)                                                                                             \
  PRECISE(P, "hhd", 300)                                                                                               \
  PRECISE(P, "hx", 0x12345u)                                                                                           \
  PRECISE(P, "lld", -123456789012345ll)                                                                                \
  PRECISE(P, "lx", 0xfedcba9876543210ul)                                                                               \
  PRECISE(P, "zu", size_t(1) << 40)
#define FLOATS(P)                                                                                                      \
  PRECISE(P, "f", 3.14159)                                                                                             \
  PRECISE(P, "F", -2.5f)                                                                                               \
  PRECISE(P, "e", 12345.678)                                                                                           \
  PRECISE(P, "E", 1e-300)                                                                                              \
  PRECISE(P, "g", 0.0001)                                                                                              \
  PRECISE(P, "G", 1e20)                                                                                                \
  PRECISE(P, "a", 1.0)                                                                                                 \
  PRECISE(P, "A", 0.1)
#define OTHERS(P)                                                                                                      \
  PRECISE(P, "s", "text")                                                                                              \
  FORMS(P, "c", 'z')                                                                                                   \
  FORMS(P, "p", (void *)0x1234)                                                                                        \
  P("%+d % d %#x %08.3f %%\n", 5, 5, 255, 2.5)                                                                         \
  P("no argument\n")

#define PRINT(...) printf(__VA_ARGS__);
__global__ void printIntegers(){INTEGERS(PRINT)} __global__ void printFloats(){FLOATS(PRINT)} __global__
    void printOthers() {
  OTHERS(PRINT)
}

template <typename... T> void append(std::string &text, const char *format, T... values) {
  std::vector<char> some(size_t(std::snprintf(nullptr, 0, format, values...)) + 1);
  std::snprintf(some.data(), some.size(), format, values...);
  text += some.data();
}
#define APPEND(...) append(text, __VA_ARGS__);

TEST(Printf, EveryConversionWithWidthPrecisionAndStars) {
  std::string text;
  INTEGERS(APPEND)
  EXPECT_EQ(printed([] { printIntegers<<<1, 1>>>(); }), text);
  text.clear();
  FLOATS(APPEND)
  EXPECT_EQ(printed([] { printFloats<<<1, 1>>>(); }), text);
  text.clear();
  OTHERS(APPEND)
  EXPECT_EQ(printed([] { printOthers<<<1, 1>>>(); }), text);
}

#endif

__global__ void printString(const char *text, int *result) { *result = printf("<%s|%d>\n", text, 7); }

TEST(Printf, StringsOfEveryLength) {
  for (size_t length : {0, 1, 6, 7, 8, 9, 47, 48, 49, 55, 56, 57, 63, 64, 1000, 9999, 10000}) {
    Shared<char> text(length + 1);
    Shared<int> result(1);
    for (size_t i = 0; i < length; ++i)
      text[i] = char('a' + i % 26);
    const std::string expected = "<" + std::string(text.data) + "|7>\n";
    EXPECT_EQ(printed([&] { printString<<<1, 1>>>(text.data, result.data); }), expected);
    EXPECT_EQ(result[0], isBuffered ? 0 : int(expected.size()));
  }
}

__global__ void printFormat(const char *format) { printf(format, 1, 2.5); }

TEST(Printf, AFormatThatTheCompilerDoesNotKnow) {
  Shared<char> format(40);
  std::snprintf(format.data, 40, "%%d and %%.2f of the kernel\n");
  EXPECT_EQ(printed([&] { printFormat<<<1, 1>>>(format.data); }), "1 and 2.50 of the kernel\n");
}

__global__ void printCount(int *count, int *result) {
  *result = printf("some%n", count);
  printf("after\n");
}

TEST(Printf, WritesToNoMemory) {
  Shared<int> count(1), result(1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed([&] { printCount<<<1, 1>>>(count.data, result.data); }), "after\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("error: kernel '[^\n]*printCount[^\n]*': printf: %n is refused: [^\n]*\n"));
  EXPECT_EQ(count[0], 0);
  EXPECT_EQ(result[0], isBuffered ? 0 : -1);
}

__global__ void printTwenty(int x) {
  printf("%d %d %d %d %d %d %d %d %d %d %s %f %d %d %d %d %d %d %d %lld\n", x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6,
         x + 7, x + 8, x + 9, "ten", 11.5, x + 12, x + 13, x + 14, x + 15, x + 16, x + 17, x + 18, 1ll << 40);
}

TEST(Printf, TwentyArguments) {
  EXPECT_EQ(printed([] { printTwenty<<<1, 1>>>(100); }),
            "100 101 102 103 104 105 106 107 108 109 ten 11.500000 112 113 114 115 116 117 118 1099511627776\n");
}

__global__ void printOften(int launch, int times) {
  for (int i = 0; i < times; ++i)
    printf("%d %d %d %d\n", launch, int(blockIdx.x), int(threadIdx.x), i);
}

/// The lines of each (launch, workgroup, lane) count from 0 to `times`.
void expectInOrder(const std::string &text, int launches, int groups, int lanes, int times) {
  std::vector<int> next(size_t(launches) * groups * lanes);
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines) {
    int launch, group, lane, i, end = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + at, "%d %d %d %d%n", &launch, &group, &lane, &i, &end), 4);
    ASSERT_EQ(text[at + size_t(end)], '\n');
    ASSERT_EQ(next.at(size_t((launch * groups + group) * lanes + lane))++, i);
  }
  EXPECT_EQ(lines, next.size() * size_t(times));
}

TEST(Printf, SixtyFourLanesAThousandTimes) {
  expectInOrder(printed([] { printOften<<<1, 64>>>(0, 1000); }), 1, 1, 64, 1000);
}

TEST(Printf, ManyWavesAtOnce) {
  expectInOrder(printed([] { printOften<<<64, 256>>>(0, 2); }), 1, 64, 256, 2);
}

TEST(Printf, StreamsOfSeveralHostThreads) {
  const std::string text = printed([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([thread] {
        hipStream_t stream;
        EXPECT_HIP(hipStreamCreate(&stream));
        for (int i = 0; i < 5; ++i)
          printOften<<<4, 64, 0, stream>>>(thread * 5 + i, 4);
        EXPECT_HIP(hipStreamSynchronize(stream));
        EXPECT_HIP(hipStreamDestroy(stream));
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  expectInOrder(text, 20, 4, 64, 4);
}

__global__ void printDiverged() {
  if (threadIdx.x % 3 == 0)
    printf("%d\n", int(threadIdx.x));
}

TEST(Printf, SomeLanes) {
  std::string text;
  for (int lane = 0; lane < 64; lane += 3)
    text += std::to_string(lane) + "\n";
  EXPECT_EQ(printed([] { printDiverged<<<1, 64>>>(); }), text);
}

TEST(Printf, AGraphPrintsAtEachLaunch) {
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t executable;
  ASSERT_HIP(hipStreamCreate(&stream));
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  printOften<<<1, 1, 0, stream>>>(7, 1);
  ASSERT_HIP(hipStreamEndCapture(stream, &graph));
  ASSERT_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  EXPECT_EQ(printed([&] {
              for (int i = 0; i < 3; ++i)
                EXPECT_HIP(hipGraphLaunch(executable, stream));
            }),
            "7 0 0 0\n7 0 0 0\n7 0 0 0\n");
  EXPECT_HIP(hipGraphExecDestroy(executable));
  EXPECT_HIP(hipGraphDestroy(graph));
  EXPECT_HIP(hipStreamDestroy(stream));
}

TEST(Printf, StandsInOrderWithTheHosts) {
  EXPECT_EQ(printed([] {
              std::printf("before\n");
              printOften<<<1, 1>>>(1, 1);
              EXPECT_HIP(hipDeviceSynchronize());
              std::printf("after\n");
            }),
            "before\n1 0 0 0\nafter\n");
}

__global__ void printResults(int *results, int times) {
  for (int i = 0; i < times; ++i)
    results[i] = printf("sixteen bytes %d\n", i % 10);
}

#ifdef NSTF_TEST_BUFFERED
TEST(Printf, AFullBufferIsNoFault) {
  size_t before;
  ASSERT_HIP(hipDeviceGetLimit(&before, hipLimitPrintfFifoSize));
  ASSERT_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 100));
  Shared<int> results(10);
  const std::string text = printed([&] { printResults<<<1, 1>>>(results.data, 10); });
  EXPECT_EQ(text, "sixteen bytes 0\nsixteen bytes 1\nsixteen bytes 2\nsixteen bytes 3\nsixteen bytes 4\n");
  EXPECT_THAT(results.values(), testing::ElementsAre(0, 0, 0, 0, 0, -1, -1, -1, -1, -1));
  EXPECT_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, before));
}
#else
TEST(Printf, ReturnsTheBytes) {
  Shared<int> results(10);
  printed([&] { printResults<<<1, 1>>>(results.data, 10); });
  EXPECT_THAT(results.values(), testing::Each(16));
}

__global__ void assertSmall(int limit) {
  printf("lane %d\n", int(threadIdx.x));
  assert(int(threadIdx.x) < limit && "a lane too many");
}

TEST(Assert, PrintsAndThenTheErrorStays) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed([] { assertSmall<<<1, 4>>>(3); }, hipErrorLaunchFailure), "lane 0\nlane 1\nlane 2\nlane 3\n");
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_THAT(errors, testing::ContainsRegex("printf\\.hip:[0-9]+: .*assertSmall.*: Device-side assertion "
                                             "`int\\(threadIdx\\.x\\) < limit && \"a lane too many\"' failed\\.\n"));
  EXPECT_THAT(errors, HasSubstr("trap 2 (abort or assertion)"));
  int value = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(hipMemcpy(&value, &value, 4, hipMemcpyDefault), hipErrorLaunchFailure);
  assertSmall<<<1, 1>>>(1);
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
  EXPECT_HIP(hipDeviceReset());
  EXPECT_EQ(printed([] { assertSmall<<<1, 2>>>(3); }), "lane 0\nlane 1\n");
  testing::internal::GetCapturedStderr();
}

__global__ void giveUp() {
  printf("the end\n");
  abort();
}

TEST(Assert, AbortEndsTheLaunch) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed([] { giveUp<<<1, 1>>>(); }, hipErrorLaunchFailure), "the end\n");
  EXPECT_HIP(hipDeviceReset());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("trap 2"));
}
#endif

} // namespace
