// Streams, events, capture and graphs.
#include "test/runtime/emulator/hip_api/HipTest.h"

namespace {

TEST_F(HipTest, StreamsAndEventsLiveAndDie) {
  hipStream_t stream = nullptr;
  ASSERT_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  unsigned flags = 0;
  EXPECT_HIP(hipStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned(hipStreamNonBlocking));
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_HIP(hipEventCreate(&start));
  ASSERT_HIP(hipEventCreate(&stop));
  float milliseconds = -1;
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle) << "not recorded";
  EXPECT_HIP(hipEventRecord(start, stream));
  EXPECT_HIP(hipEventRecord(stop, stream));
  EXPECT_HIP(hipEventSynchronize(stop));
  EXPECT_HIP(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT_GE(milliseconds, 0);
  EXPECT_HIP(hipStreamWaitEvent(stream, stop, 0));
  EXPECT_HIP(hipStreamQuery(stream));
  EXPECT_HIP(hipEventDestroy(start));
  EXPECT_HIP(hipEventDestroy(stop));
  EXPECT_EQ(hipEventDestroy(stop), hipErrorInvalidHandle);
  EXPECT_HIP(hipStreamDestroy(stream));
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidHandle);
  EXPECT_HIP(hipStreamSynchronize(nullptr));
  EXPECT_HIP(hipStreamSynchronize(hipStreamPerThread));
}

TEST_F(HipTest, CallbacksMayCallHip) {
  struct State {
    void *pointer = nullptr;
    hipError_t code = hipErrorUnknown;
  } state;
  EXPECT_HIP(hipStreamAddCallback(
      nullptr,
      [](hipStream_t, hipError_t, void *data) {
        auto *state = static_cast<State *>(data);
        state->code = hipMalloc(&state->pointer, 64);
        if (state->code == hipSuccess)
          state->code = hipFree(state->pointer);
      },
      &state, 0));
  EXPECT_EQ(state.code, hipSuccess);
}

/// Copies of four bytes make a graph that needs no kernel.
class GraphTest : public HipTest {
protected:
  void SetUp() override {
    HipTest::SetUp();
    ASSERT_HIP(hipStreamCreate(&stream));
    ASSERT_HIP(hipMalloc(reinterpret_cast<void **>(&device), 64));
    ASSERT_HIP(hipMemset(device, 0, 64));
  }
  void TearDown() override {
    EXPECT_HIP(hipFree(device));
    EXPECT_HIP(hipStreamDestroy(stream));
  }
  int read(int index) {
    int value = -1;
    EXPECT_HIP(hipMemcpy(&value, device + index, 4, hipMemcpyDeviceToHost));
    return value;
  }
  hipStream_t stream = nullptr;
  int *device = nullptr;
};

TEST_F(GraphTest, CaptureRunsNothingAndReplaysAll) {
  int value = 7;
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  hipStreamCaptureStatus status;
  ASSERT_HIP(hipStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  ASSERT_HIP(hipMemcpyAsync(device, &value, 4, hipMemcpyHostToDevice, stream));
  ASSERT_HIP(hipMemcpyAsync(device + 1, device, 4, hipMemcpyDeviceToDevice, stream));
  hipGraph_t graph = nullptr;
  ASSERT_HIP(hipStreamEndCapture(stream, &graph));
  EXPECT_EQ(read(1), 0);
  size_t nodes = 0;
  ASSERT_HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2u);
  hipGraphExec_t exec = nullptr;
  ASSERT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  ASSERT_HIP(hipGraphDestroy(graph));
  for (value = 8; value < 11; ++value) {
    ASSERT_HIP(hipGraphLaunch(exec, stream));
    EXPECT_EQ(read(1), value) << "what the pointers point at is read at each launch";
  }
  EXPECT_HIP(hipGraphExecDestroy(exec));
  EXPECT_EQ(hipGraphLaunch(exec, stream), hipErrorInvalidHandle);
}

TEST_F(GraphTest, SynchronousCallsSpoilACapture) {
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  EXPECT_EQ(hipMemset(device, 0, 4), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipMemsetAsync(device, 0, 4, stream), hipErrorStreamCaptureInvalidated);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_HIP(hipMemset(device, 0, 4)) << "the capture is over";
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
}

TEST_F(GraphTest, EventsCarryACaptureToOtherStreams) {
  hipStream_t other = nullptr;
  hipEvent_t fork = nullptr, join = nullptr;
  ASSERT_HIP(hipStreamCreate(&other));
  ASSERT_HIP(hipEventCreate(&fork));
  ASSERT_HIP(hipEventCreate(&join));
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  ASSERT_HIP(hipEventRecord(fork, stream));
  ASSERT_HIP(hipStreamWaitEvent(other, fork, 0));
  ASSERT_HIP(hipMemsetAsync(device, 1, 4, other));
  ASSERT_HIP(hipEventRecord(join, other));
  ASSERT_HIP(hipStreamWaitEvent(stream, join, 0));
  ASSERT_HIP(hipMemcpyAsync(device + 1, device, 4, hipMemcpyDeviceToDevice, stream));
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(other, &graph), hipErrorStreamCaptureUnmatched);
  ASSERT_HIP(hipStreamEndCapture(stream, &graph));
  EXPECT_EQ(read(0), 0);
  hipGraphExec_t exec = nullptr;
  ASSERT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  ASSERT_HIP(hipGraphLaunch(exec, nullptr));
  EXPECT_EQ(read(1), 0x01010101);
  EXPECT_HIP(hipMemsetAsync(device, 2, 4, other)) << "the other stream runs again";
  EXPECT_EQ(read(0), 0x02020202);
  EXPECT_HIP(hipGraphExecDestroy(exec));
  EXPECT_HIP(hipGraphDestroy(graph));
  EXPECT_HIP(hipEventDestroy(fork));
  EXPECT_HIP(hipEventDestroy(join));
  EXPECT_HIP(hipStreamDestroy(other));
}

TEST_F(GraphTest, NodesRunBehindTheirDependencies) {
  hipGraph_t graph = nullptr;
  ASSERT_HIP(hipGraphCreate(&graph, 0));
  hipGraphNode_t copy = nullptr, fill = nullptr, empty = nullptr;
  // Added first, but it runs last: device[1] = device[0].
  ASSERT_HIP(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, device + 1, device, 4, hipMemcpyDeviceToDevice));
  hipMemsetParams params{};
  params.dst = device, params.value = 9, params.elementSize = 4, params.width = 1, params.height = 1;
  ASSERT_HIP(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &params));
  ASSERT_HIP(hipGraphAddEmptyNode(&empty, graph, &fill, 1));
  ASSERT_HIP(hipGraphAddDependencies(graph, &empty, &copy, 1));
  hipGraphExec_t exec = nullptr;
  ASSERT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  ASSERT_HIP(hipGraphLaunch(exec, stream));
  EXPECT_EQ(read(1), 9);
  params.value = 12;
  ASSERT_HIP(hipGraphExecMemsetNodeSetParams(exec, fill, &params));
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, copy, &params), hipErrorInvalidValue);
  ASSERT_HIP(hipGraphLaunch(exec, stream));
  EXPECT_EQ(read(1), 12);
  ASSERT_HIP(hipGraphAddDependencies(graph, &copy, &fill, 1));
  hipGraphExec_t never = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&never, graph, nullptr, nullptr, 0), hipErrorInvalidValue) << "a cycle";
  EXPECT_HIP(hipGraphExecDestroy(exec));
  EXPECT_HIP(hipGraphDestroy(graph));
}

} // namespace
