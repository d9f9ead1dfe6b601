#include "tools/benchmarks/timing/micro/Sensitivity.h"
#include "runtime/emulator/timing/prediction/ClockModel.h"
#include "runtime/emulator/timing/timeline/DeviceTimeline.h"
#include "tools/benchmarks/timing/micro/Chain.h"

#include <cstring>

namespace nstf::emulator::timing {

namespace {

using Measure = std::function<double(MicroBench &)>;

/// Clocks per operation of a loop.
Measure loop(const std::string &kernel, uint32_t items = 64, uint32_t first = 0, uint64_t bytes = 4096) {
  return [=](MicroBench &bench) {
    return bench.measureClocks({.kernel = kernel, .items = items, .first = first, .memory = bench.allocate(bytes)}, 4,
                               12, 1);
  };
}

/// Clocks per LDS access of a loop whose lanes are `apart` bytes apart.
Measure access(const std::string &kernel, uint32_t apart, uint32_t items = 64) {
  return [=](MicroBench &bench) {
    auto *addresses = static_cast<uint32_t *>(bench.allocate(items * sizeof(uint32_t)));
    for (uint32_t item = 0; item < items; ++item)
      addresses[item] = item % 64 * apart;
    return bench.measureClocks({.kernel = kernel, .items = items, .memory = addresses}, 4, 12, 1);
  };
}

/// Clocks per step of a chain on the second pass; firstChase: on the first pass.
Measure chase(const std::string &kernel, uint64_t bytes, uint64_t apart = 128) {
  return [=](MicroBench &bench) { return warm(bench, kernel, bytes, apart); };
}
Measure firstChase(uint64_t bytes, uint64_t links = 512, uint64_t apart = 128) {
  return [=](MicroBench &bench) {
    return bench.measureClocks({.kernel = "chase_plain", .memory = makeChain(bench, bytes, apart, links)}, 1,
                               uint32_t(links / stepsARound), stepsARound);
  };
}
/// Clocks per step on the first pass through consecutive lines.
Measure firstInOrder() {
  return [](MicroBench &bench) {
    const uint64_t links = 512, apart = 128;
    auto *memory = static_cast<std::byte *>(bench.allocate(links * apart));
    for (uint64_t i = 0; i < links; ++i) {
      void *next = memory + (i + 1) % links * apart;
      std::memcpy(memory + i * apart, &next, sizeof(next));
    }
    return bench.measureClocks({.kernel = "chase_plain", .memory = memory}, 1, uint32_t(links / stepsARound),
                               stepsARound);
  };
}
/// Clocks per step on later passes through lines at scattered addresses, of which cache sets get unequal numbers.
Measure scattered(const std::string &kernel, uint64_t links, uint64_t apart = 128) {
  return [=](MicroBench &bench) {
    const uint32_t rounds = uint32_t(links / stepsARound);
    return bench.measureClocks({.kernel = kernel, .memory = makeChain(bench, 16 * mega, apart, links)}, rounds,
                               3 * rounds, stepsARound);
  };
}
/// Clocks of a kernel that passes `times` times through a chain that an earlier kernel has passed through.
Measure chaseAgain(uint64_t bytes, uint64_t links, uint32_t times = 1) {
  return [=](MicroBench &bench) {
    const uint32_t rounds = uint32_t(links / stepsARound) * times;
    KernelRun run{.kernel = "chase_plain", .count = rounds, .memory = makeChain(bench, bytes, 128, links)};
    bench.forget();
    bench.run(run);
    return double(bench.run(run).clocks);
  };
}

/// Clocks of one launch with empty caches.
Measure once(KernelRun run, uint64_t bytes = 4096) {
  return [=](MicroBench &bench) {
    KernelRun with = run;
    with.memory = bench.allocate(bytes);
    bench.forget();
    return double(bench.run(with).clocks);
  };
}
/// Clocks of the second of two launches.
Measure again(const KernelRun &run) {
  return [=](MicroBench &bench) {
    bench.forget();
    bench.run(run);
    return double(bench.run(run).clocks);
  };
}
/// Clocks of a launch on three compute units of each XCD.
Measure behindEachOther(const std::string &kernel) {
  return [=](MicroBench &bench) {
    bench.forget();
    return double(bench.run({.kernel = kernel, .groups = 3 * bench.chip().xcds}).clocks);
  };
}
/// Nanoseconds of the second of two launches. The MALL holds its lines if `warm`, else those of other memory.
Measure stream(const std::string &kernel, bool warm, uint32_t groups = 64, uint32_t count = 8) {
  return [=](MicroBench &bench) {
    const uint64_t size = uint64_t(groups) * count * 8 * kilo;
    auto *memory = static_cast<std::byte *>(bench.allocate(4 * size));
    KernelRun run{.kernel = kernel,
                  .groups = groups,
                  .items = 256,
                  .count = count,
                  .first = groups * count,
                  .second = count,
                  .memory = memory};
    bench.forget();
    bench.run(run);
    if (!warm)
      run.memory = memory + 2 * size;
    return bench.run(run).executionNs;
  };
}
/// Clocks of a launch in which every compute unit reads the same memory.
Measure shared(uint32_t bytes, uint32_t count, uint32_t groups = 0) {
  return [=](MicroBench &bench) {
    bench.forget();
    return double(bench
                      .run({.kernel = "shared_read",
                            .groups = groups ? groups : 2 * bench.chip().computeUnits,
                            .items = 256,
                            .count = count,
                            .first = bytes,
                            .memory = bench.allocate(bytes)})
                      .clocks);
  };
}
/// The clock that work with this power demand can sustain.
Measure holds(const PowerDemand &demand) {
  return [=](MicroBench &bench) { return sustainedClock(bench.chip(), demand, 1e6, 1); };
}
/// Nanoseconds of ten empty kernels in sequence.
Measure inARow(TimedOperation operation) {
  return [=](MicroBench &bench) {
    DeviceTimeline timeline(SubmissionCosts::of(bench.chip()));
    DeviceTimeline::Queue queue;
    for (int i = 0; i < 10; ++i)
      timeline.submit(queue, operation);
    timeline.synchronize(queue);
    return timeline.host();
  };
}
/// Nanoseconds of ten copies of pageable memory in sequence.
Measure copies(uint64_t bytes) {
  return [=](MicroBench &bench) {
    return inARow(TimedOperation::copy(SubmissionCosts::of(bench.chip()), bytes, CopyDirection::HostToDevice,
                                       HostPages::Pageable))(bench);
  };
}
Measure total(KernelRun run) {
  return [=](MicroBench &bench) {
    bench.forget();
    return bench.run(run).ns();
  };
}

} // namespace

bool doesntApply(const ChipTiming &chip, std::string_view constant) {
  const bool ofPower = constant.ends_with("_power") || constant.ends_with("_energy") || constant == "power_cap" ||
                       constant.starts_with("matrix_energy") || constant == "slowest_clock";
  return (!chip.mallBytes && constant.starts_with("mall_")) || (!chip.powerCap && ofPower) ||
         (chip.target == "gfx90a" && constant == "valu_after_sparse_matrix_clocks");
}

ChipTiming smallVersion(ChipTiming chip) {
  const uint32_t units = 4;
  const double share = double(units) * chip.xcds / chip.computeUnits;
  chip.computeUnits = units * chip.xcds;
  chip.l2Bytes = 256 * kilo;
  if (chip.mallBytes)
    chip.mallBytes = 4 * mega;
  for (double *bandwidth :
       {&chip.mallReadBandwidth, &chip.mallWriteBandwidth, &chip.mallCopyBandwidth, &chip.hbmReadBandwidth,
        &chip.hbmWriteBandwidth, &chip.hbmCopyBandwidth, &chip.memoryBandwidth})
    *bandwidth *= share;
  return chip;
}

std::vector<Sensitivity> sensitivities(const std::string &target) {
  const bool gfx942 = target == "gfx942";
  const std::string matrix = gfx942 ? "mfma_f32_16x16x16_f16_dependent" : "mfma_f32_16x16x16f16_dependent";
  std::vector<Sensitivity> all = {
      // The chip
      {"compute_units", -0.3, once({.kernel = "vector_add_u32", .groups = 256, .items = 1024, .count = 4})},
      {"xcds", -0.2, shared(64 * kilo, 4, 24), [](ChipTiming &chip) { chip.l2Channels = 1; chip.l2ReadBytesPerClock = 16; }},
      {"peak_clock", -0.4, total({.kernel = "vector_add_u32", .count = 200})},

      // Issue and execution
      {"simds_per_compute_unit", -0.3, loop("vector_add_u32", 1024), [](ChipTiming &chip) { chip.simdsPerComputeUnit = 2; }},
      {"simd_turn_clocks", 0.9, loop("vector_add_u32")},
      {"valu_clocks", 0.9, loop("vector_add_u32")},
      {"f64_clocks", 0.9, loop("vector_fma_f64")},
      {"integer_multiply_clocks", 0.9, loop("vector_mul_lo_u32")},
      {"transcendental_clocks", 0.9, loop("transcendental_exp")},
      {"packed_f32_clocks", 0.9, loop("packed_fma_f32")},
      {"packed_f32_after_matrix_clocks", 0.2, loop("shadow_packed")},
      {"packed_f32_beside_matrix_clocks", 0.1, loop("beside_packed", 512)},
      {"matrix_pass_clocks", 0.9, loop(matrix)},
      {"valu_after_matrix_clocks", 0.1, loop("shadow_8")},
      {"wait_state_clocks", 0.8, loop("scalar_nop")},
      {"sleep_clocks", 0.8, loop("scalar_sleep")},
      {"scalar_clocks", 0.9, loop("scalar_add")},
      {"memtime_clocks", 0.5, loop("scalar_memtime")},
      {"branch_clocks", 0.3, loop("branch_not_taken")},
      {"barrier_clocks", 0.3, loop("barrier", 1024)},

      // Instruction fetch
      {"fetch_boundary_clocks", 0.1, loop("crossing_fma_f32")},
      {"fetch_window_bytes", -0.1, loop("loop_across_windows")},
      {"fetch_window_clocks", 0.5, loop("branch_taken")},
      {"instruction_cache_bytes", -0.2, loop("cold_loop"), [](ChipTiming &chip) { chip.instructionCacheBytes = 64 * kilo; }},
      {"instruction_line_bytes", -0.2, once({.kernel = "cold_code"})},
      {"instruction_cache_ways", 0.05, loop("cold_loop"), [](ChipTiming &chip) { chip.instructionCacheBytes = 64 * kilo; chip.instructionCacheWays = 1; }},
      {"instruction_cache_sharers", -0.05, behindEachOther("cold_code"), [](ChipTiming &chip) { chip.workgroupLaunchClocks = 1e6 / chip.xcds; chip.instructionMissLatency = 1000; chip.instructionPrefetchLines = 0; }},
      {"instruction_miss_latency", 0.15, once({.kernel = "cold_code"})},
      {"instruction_prefetch_lines", -0.05, once({.kernel = "cold_code"})},

      // LDS
      {"lds_bytes", -0.3, once({.kernel = "lds_latency_b32", .groups = 64, .count = 16})},
      {"lds_banks", -0.4, access("lds_read_b32", 128)},
      {"lds_latency", 0.7, access("lds_latency_b32", 4)},
      {"lds_ports", -0.3, access("lds_read_b128", 16, 256), [](ChipTiming &chip) { chip.ldsPorts = 1; }},
      {"lds_queue_clocks", -0.1, access("lds_queue", 16)},
      {"lds_read_clocks_b32", 0.9, access("lds_read_b32", 4)},
      {"lds_read_clocks_b64", 0.9, access("lds_read_b64", 8)},
      {"lds_read_clocks_b96", 0.9, access("lds_read_b96", 16)},
      {"lds_read_clocks_b128", 0.9, access("lds_read_b128", 16)},
      {"lds_narrow_read_clocks", 0.1, access("lds_latency_u8", 4), [](ChipTiming &chip) { chip.ldsNarrowReadClocks = 10; }},
      {"lds_write_clocks_b32", 0.9, access("lds_write_b32", 4)},
      {"lds_write_clocks_b64", 0.9, access("lds_write_b64", 8)},
      {"lds_write_clocks_b96", 0.9, access("lds_write_b96", 16)},
      {"lds_write_clocks_b128", 0.9, access("lds_write_b128", 16)},
      {"lds_atomic_clocks", 0.9, access("lds_atomic_add", 4)},
      {"lds_conflict_clocks", 0.7, access("lds_read_b32", 128)},
      {"cross_lane_latency", 0.7, access("lds_latency_bpermute", 4)},

      // Vector memory and its L1
      {"vmem_issue_clocks", 0.3, loop("strided_dword", 256, 4)},
      {"vmem_lanes_per_clock", -0.3, loop("strided_dword", 256, 4), [](ChipTiming &chip) { chip.vmemLanesPerClock = 4; }},
      {"vmem_bytes_per_clock", -0.3, loop("strided_dwordx4", 256, 16, 16 * kilo), [](ChipTiming &chip) { chip.vmemBytesPerClock = 16; }},
      {"vmem_lines_per_clock", -0.3, loop("strided_store", 64, 128, 16 * kilo)},
      {"vmem_outstanding_per_wave", -0.2, once({.kernel = "burst", .count = 8, .first = 4096}, 4 * mega)},
      {"lds_dma_clocks", 0.5, loop("lds_dma")},
      {"l1_bytes", -0.2, [](MicroBench &bench) { return chase("chase_plain", 24 * kilo, bench.chip().l1LineBytes)(bench); }, [](ChipTiming &chip) { chip.l1Bytes = 16 * kilo; }},
      {"l1_line_bytes", -0.1,
       [](MicroBench &bench) {
         return bench.measureClocks({.kernel = "chase_plain", .memory = makeChain(bench, 8 * kilo, 32)}, 1, 4, stepsARound);
       },
       [](ChipTiming &chip) { chip.l1LineBytes = 64; }},
      {"l1_ways", -0.02, scattered("chase_plain", 128), [](ChipTiming &chip) { chip.l1Bytes = 16 * kilo; chip.l1LineBytes = 64; chip.l1Ways = 1; }},
      {"l1_latency", 0.7, chase("chase_plain", 8 * kilo)},
      {"l1_bytes_per_clock", -0.3, loop("strided_dwordx4", 256, 16, 16 * kilo), [](ChipTiming &chip) { chip.vmemLinesPerClock = 4; chip.l1BytesPerClock = 16; }},
      {"l1_write_bytes_per_clock", -0.3, loop("strided_store", 256, 16, 16 * kilo), [](ChipTiming &chip) { chip.vmemLinesPerClock = 4; }},
      {"l1_set_miss_clocks", 0.3, loop("strided_dword", 256, 512, 256 * 512 + 16)},
      {"l1_misses_in_flight", -0.1, once({.kernel = "burst", .items = 1024, .count = 2, .first = 65536}, 16 * mega),
       [](ChipTiming &chip) { chip.l1MissesInFlight = 16; }},

      // Scalar cache
      {"scalar_cache_bytes", -0.2, chase("chase_scalar", 24 * kilo, 64)},
      {"scalar_line_bytes", -0.05,
       [](MicroBench &bench) {
         return bench.measureClocks({.kernel = "chase_scalar", .memory = makeChain(bench, 8 * kilo, 16)}, 1, 32,
                               stepsARound);
       }},
      {"scalar_cache_ways", -0.02, scattered("chase_scalar", 192, 64), [](ChipTiming &chip) { chip.scalarCacheWays = 1; }},
      {"scalar_cache_sharers", 0.02, [](MicroBench &bench) { bench.forget(); return double(bench.run({.kernel = "chase_scalar", .groups = bench.chip().computeUnits, .items = 1024, .count = 4, .memory = makeChain(bench, 4 * kilo, 64)}).clocks); }},
      {"scalar_latency", 0.7, chase("chase_scalar", 4 * kilo, 64)},
      {"scalar_miss_latency", 0.3, chase("chase_scalar", 64 * kilo, 64)},

      // L2
      {"l2_bytes", -0.1, chase("chase_plain", 384 * kilo)},
      {"l2_line_bytes", -0.1, firstChase(64 * kilo, 1024, 64), [](ChipTiming &chip) { chip.l1LineBytes = chip.l2LineBytes = 64; }},
      {"l2_ways", -0.02, scattered("chase_plain", 1536), [](ChipTiming &chip) { chip.l2Ways = 1; }},
      {"l2_channels", -0.2, shared(64 * kilo, 4), [](ChipTiming &chip) { chip.l2Channels = 1; chip.l2ReadBytesPerClock = 16; }},
      {"interleave_bytes", 0.02, shared(16 * kilo, 16),
       [](ChipTiming &chip) {
         chip.interleaveBytes = 4096;
         chip.l1Bytes = 4 * kilo;
       }},
      {"l2_latency", 0.5, chase("chase_plain", 128 * kilo)},
      {"l2_coherent_latency", 0.5, chase("chase_coherent", 8 * kilo)},
      {"l2_read_bytes_per_clock", -0.2, shared(64 * kilo, 4), [](ChipTiming &chip) { chip.l2Channels = 1; chip.l2ReadBytesPerClock = 16; }},
      {"l2_write_bytes_per_clock", -0.1, stream("stream_write", true), [](ChipTiming &chip) { chip.l2Channels = 1; chip.l2WriteBytesPerClock = 2; }},
      {"l2_write_least_bytes", 0.3, loop("strided_store", 64, 128, 16 * kilo), [](ChipTiming &chip) { chip.l2Channels = 1; chip.l2WriteBytesPerClock = 2; chip.l2WriteLeastBytes = 64; }},
      {"l2_kernel_end", 0.2, chaseAgain(64 * kilo, 512), [](ChipTiming &chip) { chip.l2KernelEnd = 1; }},
      {"l2_atomic_clocks", 0.05, once({.kernel = "atomic_add", .groups = 16, .items = 256, .count = 4, .first = 4}, 4096)},

      // Memory
      // This chase waits for refreshes only. With a realistic latency the mean time of a load would stay at the
      // latency's constant, because the model deducts the mean refresh from it.
      {"hbm_refresh_ns", 0.2, firstInOrder(), [](ChipTiming &chip) { chip.hbmChannels = 1; chip.hbmRefreshNs = 1000; chip.hbmLatencyNs = 1; }},
      {"hbm_refresh_interval_ns", -0.1, firstInOrder(), [](ChipTiming &chip) { chip.hbmChannels = 1; chip.hbmRefreshNs = 3000; }},
      {"hbm_row_miss_ns", -0.01, firstInOrder(), [](ChipTiming &chip) { chip.hbmChannels = 1; }},
      {"hbm_row_cycle_ns", 0.1, firstChase(8 * mega), [](ChipTiming &chip) { chip.hbmChannels = chip.hbmBanks = 1; chip.hbmRowCycleNs = 1000; }},
      {"hbm_row_bytes", -0.01, firstInOrder(), [](ChipTiming &chip) { chip.hbmChannels = 1; chip.hbmRowMissNs = 400; }},
      {"hbm_banks", -0.05, firstChase(8 * mega), [](ChipTiming &chip) { chip.hbmChannels = chip.hbmBanks = 1; chip.hbmRowCycleNs = 2000; }},
      {"hbm_write_batch", 0.002, stream("stream_copy", false, 64, 24), [](ChipTiming &chip) { chip.hbmChannels = 2; chip.hbmWriteBatch = 1; chip.mallReadBandwidth *= 4; chip.mallWriteBandwidth *= 4; chip.mallCopyBandwidth *= 4; }},
      {"tlb_page_bytes", -0.01, firstInOrder(), [](ChipTiming &chip) { chip.tlbReachBytes = 16 * kilo; chip.tlbPageBytes = 4 * kilo; chip.tlbMissNs = 2000; }},
      // The 256 bytes of the load lie in a single channel. More channels leave less bandwidth to each, so the load
      // takes longer.
      {"hbm_channels", 0.3, once({.kernel = "strided_dword", .first = 4}), [](ChipTiming &chip) { chip.hbmReadBandwidth /= 256; }},
      {"hbm_latency_ns", 0.2, firstChase(8 * mega)},
      {"memory_bandwidth", -0.45, [](MicroBench &bench) { bench.forget(); return bench.run({.kernel = "stream_read", .groups = 64, .items = 256, .count = 8, .second = 8, .memory = bench.allocate(4 * mega)}).roofline; }},
      {"hbm_read_bandwidth", -0.2, stream("stream_read", false)},
      {"hbm_write_bandwidth", -0.03, stream("stream_write", false, 64, 24)},
      {"hbm_copy_bandwidth", -0.015, stream("stream_copy", false)},
      {"store_acknowledge_ns", 0.2,
       once({.kernel = "turn_store", .groups = 200, .items = 16, .first = 128}, 64 * kilo)},
      {"tlb_reach_bytes", -0.02, firstChase(256 * mega, 2000)},
      {"tlb_miss_ns", 0.02, firstChase(256 * mega, 2000)},

      // Dispatch and launches
      {"slot_turnaround_ns", 0.3, once({.kernel = "turn", .groups = 200, .items = 16})},
      {"workgroup_launch_clocks", 0.3, once({.kernel = "empty", .groups = 2000, .items = 64}), [](ChipTiming &chip) { chip.slotTurnaroundNs = 1; }},
      {"waves_launched_per_clock", -0.2, once({.kernel = "empty", .groups = 500, .items = 1024}), [](ChipTiming &chip) { chip.slotTurnaroundNs = 1; }},
      {"launch_ns", 0.5, total({.kernel = "empty"})},
      {"kernel_gap_ns", 0.5, inARow(TimedOperation::kernel(100, 1, 1))},
      {"graph_node_ns", 0.5,
       [](MicroBench &bench) {
         DeviceTimeline timeline(SubmissionCosts::of(bench.chip()));
         DeviceTimeline::Queue queue;
         std::vector<TimedNode> nodes(10, {TimedOperation::kernel(100, 1, 1), {}});
         for (size_t i = 1; i < nodes.size(); ++i)
           nodes[i].behind = {i - 1};
         timeline.submitGraph(queue, nodes);
         timeline.synchronize(queue);
         return timeline.host();
       }},
      {"copy_launch_ns", 0.5,
       [](MicroBench &bench) {
         DeviceTimeline timeline(SubmissionCosts::of(bench.chip()));
         DeviceTimeline::Queue queue;
         timeline.submit(queue, TimedOperation::copy(SubmissionCosts::of(bench.chip()), 4, CopyDirection::HostToDevice, HostPages::Pinned));
         timeline.synchronize(queue);
         return timeline.host();
       }},
      {"host_bandwidth", -0.3,
       [](MicroBench &bench) {
         return inARow(TimedOperation::copy(SubmissionCosts::of(bench.chip()), 10 * mega, CopyDirection::HostToDevice, HostPages::Pinned))(bench);
       }},
      {"staged_copy_bytes", 0.3, copies(3 * mega / 2)},
      {"staging_bandwidth", -0.2, copies(mega)},

      // The clock
      {"sustained_clock", 0.9, holds({.f16Flops = 1e12}), [](ChipTiming &chip) { chip.powerCap = 0; chip.sustainedClock = 600; }},
      {"power_cap", 0.2, holds({.f16Flops = 1e12})},
      {"idle_power", -0.05, holds({.f16Flops = 6e11})},
      {"clock_power", -0.05, holds({.f16Flops = 6e11})},
      {"hbm_power", -0.02, holds({.hbmBytes = 4e9})},
      {"vector_energy", -0.05, holds({.vectorFlops = 1e11})},
      {"matrix_energy_f16", -0.05, holds({.f16Flops = 6e11})},
      {"matrix_energy_bf16", -0.05, holds({.bf16Flops = 7e11})},
      {"matrix_energy_8bit", -0.05, holds({.eightBitFlops = 1.2e12})},
      {"slowest_clock", 0.3, holds({.f16Flops = 1e13})},
  };
  if (gfx942) {
    all.insert(all.end(),
               {
                   {"valu_after_sparse_matrix_clocks", 0.1, loop("shadow_sparse")},
                   {"mall_bytes", -0.1, chaseAgain(6 * mega, 49152)},
                   {"mall_line_bytes", -0.02, firstChase(512 * kilo, 8192, 64),
                    [](ChipTiming &chip) { chip.l1LineBytes = chip.l2LineBytes = 64; }},
                   {"mall_ways", -0.02, chaseAgain(64 * mega, 24576), [](ChipTiming &chip) { chip.mallWays = 1; }},
                   {"mall_slices", 0.05, shared(16 * kilo, 1)},
                   {"mall_latency_ns", 0.2, chaseAgain(2 * mega, 8192)},
                   {"mall_read_bandwidth", -0.2, stream("stream_read", true, 32),
                    [](ChipTiming &chip) { chip.l2Bytes = 64 * kilo; }},
                   {"mall_write_bandwidth", -0.1, stream("stream_write", true, 32)},
                   {"mall_copy_bandwidth", -0.1, stream("stream_copy", true, 32),
                    [](ChipTiming &chip) { chip.mallCopyBandwidth /= 2; }},
               });
  }
  return all;
}

std::vector<Sensitivity> insensitivities() {
  return {
      // A wave alone in its workgroup does not wait at a barrier.
      {"barrier_clocks", 0, loop("barrier_alone")},
      // The contents of instruction caches survive a launch, so code that runs again hits.
      {"instruction_miss_latency", 0, again({.kernel = "cold_code", .first = 1})},
      // The next kernel finds what a kernel has read in the L2.
      {"hbm_latency_ns", 0, chaseAgain(64 * kilo, 512, 8)},
      {"mall_latency_ns", 0, chaseAgain(64 * kilo, 512, 8)},
  };
}

} // namespace nstf::emulator::timing
