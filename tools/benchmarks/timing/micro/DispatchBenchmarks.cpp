// What launches and workgroups cost before, between and after their instructions.
//
// Slots: gpu-benches gpu-stream, one workgroup of 16 a compute unit; turnaround: solved for its parts. Wave launch:
// gpu-l2-stream; workgroups: empty kernels (sarchlab/mgpusim) and gpu-small-kernels.
#include "runtime/emulator/timing/DeviceTimeline.h"
#include "tools/benchmarks/timing/micro/Benchmarks.h"

namespace nstf::emulator::timing {

namespace {

/// Nanoseconds a slot is held where each compute unit has one, by workgroups of 16 work-items.
double heldFor(MicroBench &bench, const std::string &kernel) {
  const uint32_t units = bench.chip().computeUnits, few = 8, many = 24, apart = 128;
  auto clocksOf = [&](uint32_t rounds) {
    void *memory = bench.allocate(uint64_t(units) * many * apart);
    bench.forget();
    return double(
        bench.run({.kernel = kernel, .groups = units * rounds, .items = 16, .first = apart, .memory = memory}).clocks);
  };
  return bench.nanoseconds((clocksOf(many) - clocksOf(few)) / (many - few));
}

/// A clock and XCD, of workgroups with `items` work-items that do nothing.
double launched(MicroBench &bench, uint32_t items, double each) {
  auto clocksOf = [&](uint32_t groups) {
    bench.forget();
    return double(bench.run({.kernel = "empty", .groups = groups, .items = items}).clocks);
  };
  const uint32_t few = 4000, many = 12000;
  return (many - few) * each / bench.chip().xcds / (clocksOf(many) - clocksOf(few));
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
      // sarchlab/mgpusim mi300a.csv, memcopy_h2d: a mean of copies that took 69 to 303 us.
      {"copy of 1 MB of the host's pageable memory",
       "ns",
       {.mi300x = 157700},
       dispatching,
       "staging_bandwidth",
       [](MicroBench &bench) {
         const SubmissionCosts costs = SubmissionCosts::of(bench.chip());
         DeviceTimeline timeline(costs);
         DeviceTimeline::Queue queue;
         timeline.submit(queue, TimedOperation::copy(costs, 1 << 20, CopyDirection::HostToDevice, HostPages::Pageable));
         timeline.synchronize(queue);
         return timeline.host();
       }},
      {"s_barrier of 16 waves",
       "clk",
       {100, 100},
       latency,
       "barrier_clocks",
       [](MicroBench &bench) { return bench.clocksOf({.kernel = "barrier", .items = 1024}, 4, 12, 64); }},
      // The ISA: in a workgroup of one wave it is an s_nop.
      {"s_barrier of a wave alone in its workgroup",
       "clk",
       {4, 4},
       arithmetic,
       "simd_turn_clocks",
       [](MicroBench &bench) { return bench.clocksOf({.kernel = "barrier_alone"}, 4, 12, 1024); }},
  };
}

} // namespace nstf::emulator::timing
