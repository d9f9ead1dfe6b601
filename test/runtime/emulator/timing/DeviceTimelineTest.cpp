// Streams, events and graphs in predicted time, with work whose time is given.
#include "runtime/emulator/timing/timeline/DeviceTimeline.h"

#include <gtest/gtest.h>

namespace nstf::emulator::timing {
namespace {

class DeviceTimelineTest : public testing::Test {
protected:
  static constexpr SubmissionCosts costs = {
      .launch = 100, .gap = 10, .graphNode = 4, .copyStart = 50, .hostLink = 2, .deviceCopy = 40, .deviceFill = 50};

  /// A kernel that takes the share `units` of the chip for 1000 ns.
  static TimedOperation kernel(double units = 1, double memory = 0) {
    return TimedOperation::kernel(1000, units, memory);
  }
  double elapsed(const DeviceTimeline::Task &from, const DeviceTimeline::Task &to) {
    const double begin = timeline.synchronize(from);
    return timeline.synchronize(to) - begin;
  }

  DeviceTimeline timeline{costs};
  using Queue = DeviceTimeline::Queue;
  Queue one{.kind = Queue::Kind::NonBlocking}, two{.kind = Queue::Kind::NonBlocking};
};

TEST_F(DeviceTimelineTest, AStreamRunsOneAfterTheOther) {
  auto start = timeline.record(one);
  timeline.submit(one, kernel());
  auto middle = timeline.record(one);
  timeline.submit(one, kernel());
  auto stop = timeline.record(one);
  EXPECT_EQ(elapsed(start, middle), 1100) << "launch, and the kernel";
  EXPECT_EQ(elapsed(middle, stop), 1010) << "the gap, and the kernel: the launch is hidden";
  EXPECT_EQ(timeline.host(), 2110);
}

TEST_F(DeviceTimelineTest, WaitingPutsTheNextLaunchBehindTheHost) {
  timeline.submit(one, kernel());
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 1100);
  timeline.submit(one, kernel());
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 2200) << "nothing hides the second launch";
}

TEST_F(DeviceTimelineTest, StreamsShareTheComputeUnits) {
  timeline.submit(one, kernel(0.5));
  timeline.submit(two, kernel(0.5));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 1100) << "both fit";
  timeline.submit(one, kernel(1));
  timeline.submit(two, kernel(1));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 1100 + 2100) << "together they take as long as one after the other";
  timeline.submit(one, kernel(0.75));
  timeline.submit(two, kernel(0.5));
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 3200 + 1100) << "the first gets what it wants";
  timeline.synchronize(two);
  EXPECT_EQ(timeline.host(), 3200 + 1600) << "the second half of it, then all";
}

TEST_F(DeviceTimelineTest, StreamsShareTheBandwidth) {
  timeline.submit(one, kernel(0.1, 1));
  timeline.submit(two, kernel(0.1, 1));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 2100);
}

TEST_F(DeviceTimelineTest, PriorityComesBeforeOrder) {
  Queue urgent{.kind = Queue::Kind::NonBlocking, .priority = -1};
  timeline.submit(one, kernel());
  timeline.submit(urgent, kernel());
  timeline.synchronize(urgent);
  EXPECT_EQ(timeline.host(), 1100);
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 2100);
}

TEST_F(DeviceTimelineTest, WhatIsSubmittedLaterMayStillRunBeside) {
  for (int i = 0; i < 3; ++i)
    timeline.submit(one, kernel(0.5));
  timeline.submit(two, kernel(0.5));
  timeline.synchronize(two);
  EXPECT_EQ(timeline.host(), 1100);
  timeline.submit(two, kernel(0.5));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 100 + 3 * 1000 + 2 * 10);
}

TEST_F(DeviceTimelineTest, AnEventHoldsAnotherStream) {
  timeline.submit(one, kernel(0.5));
  auto event = timeline.record(one);
  timeline.waitFor(two, event);
  timeline.submit(two, kernel(0.5));
  timeline.submit(one, kernel(0.5));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 1100 + 10 + 1000) << "the two second kernels run beside each other";
}

TEST_F(DeviceTimelineTest, TheNullStreamWaitsForOthersAndTheyForIt) {
  Queue blocking, other, null{.kind = Queue::Kind::Null};
  timeline.submit(blocking, kernel(0.1));
  auto event = timeline.record(null);
  timeline.submit(null, kernel(0.1));
  timeline.submit(other, kernel(0.1));
  timeline.submit(one, kernel(0.1));
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 1100) << "hipStreamNonBlocking";
  EXPECT_EQ(timeline.synchronize(event), 1100);
  timeline.synchronize(blocking);
  EXPECT_EQ(timeline.host(), 2110) << "it waits for the null stream";
  timeline.synchronize(null);
  EXPECT_EQ(timeline.host(), 3120) << "and that for all of its kind";
}

TEST_F(DeviceTimelineTest, CopiesTakeTheirLinkAndOverlapWithKernels) {
  timeline.submit(one, TimedOperation::copy(costs, 2000, CopyDirection::HostToDevice, HostPages::Pinned));
  timeline.submit(two, kernel());
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 1100);
  timeline.submit(one, TimedOperation::copy(costs, 2000, CopyDirection::HostToDevice, HostPages::Pinned));
  timeline.submit(two, TimedOperation::copy(costs, 2000, CopyDirection::HostToDevice, HostPages::Pinned));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 1100 + 50 + 2000) << "one link";
  timeline.submit(one, TimedOperation::copy(costs, 2000, CopyDirection::HostToDevice, HostPages::Pinned));
  timeline.submit(two, TimedOperation::copy(costs, 2000, CopyDirection::DeviceToHost, HostPages::Pinned));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 3150 + 50 + 1000) << "both ways at once";
  timeline.submit(one, TimedOperation::copy(costs, 4000, CopyDirection::OnDevice, HostPages::Pinned));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 4200 + 50 + 200);
  timeline.submit(one, TimedOperation::fill(costs, 5000));
  timeline.synchronize();
  EXPECT_EQ(timeline.host(), 4450 + 50 + 100);
}

TEST_F(DeviceTimelineTest, SmallCopiesOfPageableMemoryAreStaged) {
  SubmissionCosts staged = costs;
  staged.stagedBytes = 2000;
  staged.staging = 4;
  auto takes = [&](uint64_t bytes, CopyDirection direction, HostPages pages) {
    const double begin = timeline.host();
    timeline.submit(one, TimedOperation::copy(staged, bytes, direction, pages));
    timeline.synchronize();
    return timeline.host() - begin;
  };
  EXPECT_EQ(takes(2000, CopyDirection::HostToDevice, HostPages::Pageable), 50 + 500 + 1000) << "the host's part first";
  EXPECT_EQ(takes(2000, CopyDirection::DeviceToHost, HostPages::Pageable), 50 + 1000 + 500);
  EXPECT_EQ(takes(2002, CopyDirection::HostToDevice, HostPages::Pageable), 50 + 1001) << "larger: it is pinned";
  EXPECT_EQ(takes(2000, CopyDirection::HostToDevice, HostPages::Pinned), 50 + 1000);
  EXPECT_EQ(takes(2000, CopyDirection::OnDevice, HostPages::Pageable), 50 + 100);
}

TEST_F(DeviceTimelineTest, NodesOfAGraphAreCheaperThanLaunches) {
  const TimedNode chain[] = {{kernel(), {}}, {kernel(), {0}}, {kernel(), {1}}};
  timeline.submitGraph(one, chain);
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 100 + 3000 + 2 * 4);
  timeline.submitGraph(one, chain);
  timeline.submitGraph(one, chain);
  timeline.synchronize(one);
  EXPECT_EQ(timeline.host(), 3108 + 100 + 6000 + 4 * 4 + 10) << "the second graph's launch is hidden";
}

TEST_F(DeviceTimelineTest, BranchesOfAGraphOverlap) {
  const TimedNode diamond[] = {{kernel(), {}}, {kernel(0.5), {0}}, {kernel(0.5), {0}}, {{}, {1, 2}}, {kernel(), {3}}};
  timeline.submitGraph(one, diamond);
  auto stop = timeline.record(one);
  EXPECT_EQ(timeline.synchronize(stop), 100 + 3000 + 2 * 4);
  timeline.submitGraph(one, {});
  EXPECT_EQ(timeline.synchronize(timeline.record(one)), timeline.host()) << "an empty graph";
}

TEST_F(DeviceTimelineTest, ManyTasksBeforeAWait) {
  for (int i = 0; i < 100000; ++i)
    timeline.submit(i % 2 ? one : two, kernel(0.5));
  timeline.synchronize();
  EXPECT_NEAR(timeline.host(), 100 + 50000 * 1010 - 10, 1e-3);
}

} // namespace
} // namespace nstf::emulator::timing
