// The costs of launches and workgroups before, between and after their instructions.
//
// Slots: gpu-benches gpu-stream, one workgroup of 16 a compute unit; turnaround: solved for its parts. Wave launch:
// gpu-l2-stream; workgroups: empty kernels (sarchlab/mgpusim) and gpu-small-kernels.
#include "runtime/emulator/timing/timeline/DeviceTimeline.h"
#include "tools/benchmarks/timing/micro/Benchmarks.h"

namespace nstf::emulator::timing {

namespace {

/// Nanoseconds for which a workgroup of 16 work-items holds its slot, with one slot per compute unit.
double heldFor(MicroBench &bench, const std::string &kernel) {
  const uint32_t units = bench.chip().computeUnits, few = 8, many = 24, apart = 128;
  auto measureClocks = [&](uint32_t rounds) {
    void *memory = bench.allocate(uint64_t(units) * many * apart);
    bench.forget();
    return double(
        bench.run({.kernel = kernel, .groups = units * rounds, .items = 16, .first = apart, .memory = memory}).clocks);
  };
  return bench.nanoseconds((measureClocks(many) - measureClocks(few)) / (many - few));
}

/// The number launched per clock and XCD, for empty workgroups of `items` work-items; each workgroup counts as `each`.
double launched(MicroBench &bench, uint32_t items, double each) {
  auto measureClocks = [&](uint32_t groups) {
    bench.forget();
    return double(bench.run({.kernel = "empty", .groups = groups, .items = items}).clocks);
  };
  const uint32_t few = 4000, many = 12000;
  return (many - few) * each / bench.chip().xcds / (measureClocks(many) - measureClocks(few));
}

/// Nanoseconds until a stream with `count` operations of this kind is done.
double streamed(MicroBench &bench, uint32_t count, const TimedOperation &operation) {
  DeviceTimeline timeline(SubmissionCosts::of(bench.chip()));
  DeviceTimeline::Queue queue;
  for (uint32_t i = 0; i < count; ++i)
    timeline.submit(queue, operation);
  timeline.synchronize(queue);
  return timeline.host();
}

/// The same for a graph whose nodes form a chain.
double inGraph(MicroBench &bench, uint32_t count, const TimedOperation &operation) {
  DeviceTimeline timeline(SubmissionCosts::of(bench.chip()));
  DeviceTimeline::Queue queue;
  std::vector<TimedNode> nodes(count, {operation, {}});
  for (size_t i = 1; i < nodes.size(); ++i)
    nodes[i].behind = {i - 1};
  timeline.submitGraph(queue, nodes);
  timeline.synchronize(queue);
  return timeline.host();
}

/// The time that one more empty kernel adds to a sequence of them.
double inARow(MicroBench &bench, double (*row)(MicroBench &, uint32_t, const TimedOperation &)) {
  bench.run({.kernel = "empty"}); // brings the kernel's code into the caches
  const TimedOperation empty = TimedOperation::kernel(bench.run({.kernel = "empty"}).executionNs, 0, 0);
  return (row(bench, 30, empty) - row(bench, 10, empty)) / 20;
}

double copied(MicroBench &bench, uint64_t bytes, HostPages pages) {
  return streamed(bench, 1,
                  TimedOperation::copy(SubmissionCosts::of(bench.chip()), bytes, CopyDirection::HostToDevice, pages));
}

/// The max size at which copies of pageable memory are slower than those of pinned memory.
double largestStaged(MicroBench &bench) {
  uint64_t staged = 0, pinned = uint64_t(1) << 30;
  while (pinned - staged > 1) {
    const uint64_t bytes = (staged + pinned) / 2;
    const bool isSlower = copied(bench, bytes, HostPages::Pageable) > copied(bench, bytes, HostPages::Pinned);
    (isSlower ? staged : pinned) = bytes;
  }
  return double(staged);
}

} // namespace

std::vector<Benchmark> dispatchBenchmarks() {
  return {
      {"slot turnaround",
       "ns",
       {171, 209},
       dispatching,
       "slot_turnaround_ns",
       [](MicroBench &bench) { return heldFor(bench, "turn"); }},
      {"slot of a workgroup that stores",
       "ns",
       {286, 403},
       dispatching,
       "store_acknowledge_ns",
       [](MicroBench &bench) { return heldFor(bench, "turn_store"); }},
      {"slot of a workgroup that loads from memory",
       "ns",
       {519, 555},
       dispatching,
       "hbm_latency_ns",
       [](MicroBench &bench) { return heldFor(bench, "turn_load"); }},
      {"waves launched, 16 a workgroup",
       "1/clk",
       {0.92, 1.9},
       dispatching,
       "waves_launched_per_clock",
       [](MicroBench &bench) { return launched(bench, 1024, 16); }},
      {"workgroups launched, a wave each",
       "1/clk",
       {0.99, 0.488},
       dispatching,
       "workgroup_launch_clocks",
       [](MicroBench &bench) { return launched(bench, 64, 1) * bench.chip().xcds; }},
      {"empty kernel on its own",
       "ns",
       {4500, 4500},
       dispatching,
       "launch_ns",
       [](MicroBench &bench) {
         bench.forget();
         return bench.run({.kernel = "empty"}).ns();
       }},
      // sarchlab/mgpusim mi300a.csv, memcopy_h2d: the mean of copies that took 69 to 303 us.
      {"copy of 1 MB of the host's pageable memory",
       "ns",
       {.mi300x = 157700},
       dispatching,
       "staging_bandwidth",
       [](MicroBench &bench) { return copied(bench, 1 << 20, HostPages::Pageable); }},
      {"one more empty kernel on a stream",
       "ns",
       {2700, 2100},
       dispatching,
       "kernel_gap_ns",
       [](MicroBench &bench) { return inARow(bench, streamed); }},
      {"one more empty kernel in a graph",
       "ns",
       {2700, 2100},
       dispatching,
       "graph_node_ns",
       [](MicroBench &bench) { return inARow(bench, inGraph); }},
      {"copy of 4 bytes",
       "ns",
       {4500, 4500},
       dispatching,
       "copy_launch_ns",
       [](MicroBench &bench) { return copied(bench, 4, HostPages::Pinned); }},
      {"copies of the host's pinned memory",
       "GB/s",
       {55.5, 25},
       bandwidth,
       "host_bandwidth",
       [](MicroBench &bench) {
         const double bytes = 64 << 20;
         return bytes / (copied(bench, 128 << 20, HostPages::Pinned) - copied(bench, 64 << 20, HostPages::Pinned));
       }},
      {"largest copy that goes through a buffer", "B", {1 << 20, 1 << 20}, exactly, "staged_copy_bytes", largestStaged},
      {"s_barrier of 16 waves",
       "clk",
       {100, 100},
       latency,
       "barrier_clocks",
       [](MicroBench &bench) { return bench.measureClocks({.kernel = "barrier", .items = 1024}, 4, 12, 64); }},
      // ISA manual: in a workgroup of one wave s_barrier is an s_nop.
      {"s_barrier of a wave alone in its workgroup",
       "clk",
       {4, 4},
       arithmetic,
       "simd_turn_clocks",
       [](MicroBench &bench) { return bench.measureClocks({.kernel = "barrier_alone"}, 4, 12, 1024); }},
  };
}

} // namespace nstf::emulator::timing
