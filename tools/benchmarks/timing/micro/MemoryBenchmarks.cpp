// Pointer chases and streams through every level of memory.
//
// Sources: gpu-benches gpu-latency, gpu-cache and gpu-stream for plain loads, mt4g for coherent ones and the scalar
// cache. Figures of MI250X are those of MI210, scaled by compute units where these are the limit.
#include "tools/benchmarks/timing/micro/Benchmarks.h"
#include "tools/benchmarks/timing/micro/Chain.h"

namespace nstf::emulator::timing {

namespace {

constexpr uint64_t line = 128;

/// Clocks per step of a chain that nothing has read before.
double cold(MicroBench &bench, uint64_t bytes, const std::string &kernel = "chase_plain") {
  const uint32_t few = 4, many = 68;
  return bench.measureClocks({.kernel = kernel, .memory = makeChain(bench, bytes, line, many * stepsARound)}, few, many,
                             stepsARound);
}

/// Clocks per step of a chain that an earlier kernel has read: the difference of runs over the whole chain and over its
/// first eighth.
double again(MicroBench &bench, uint64_t bytes, const std::string &kernel = "chase_plain") {
  const uint32_t rounds = uint32_t(bytes / line / stepsARound);
  const KernelRun run{.kernel = kernel, .count = rounds, .memory = makeChain(bench, bytes, line)};
  return bench.clocksBehind(run, run, rounds / 8, rounds, stepsARound);
}

/// Bytes per nanosecond (GB/s) of all compute units together, each reading the same `bytes`.
double shared(MicroBench &bench, const std::string &kernel, uint64_t bytes, uint32_t few, uint32_t many) {
  const uint32_t groups = bench.chip().computeUnits * 2;
  double clocks = bench.measureClocks(
      {.kernel = kernel, .groups = groups, .items = 256, .first = uint32_t(bytes), .memory = bench.allocate(bytes)},
      few, many, 1);
  return double(bytes) * groups / bench.nanoseconds(clocks);
}

/// GB/s of a stream. The parts of a workgroup are contiguous, as are the workgroups. An earlier kernel has swept the
/// same memory, which leaves it in the MALL (`warm`), or else other memory of that size. The rate is the difference of
/// runs over `bytes` and over half of them.
double stream(MicroBench &bench, const std::string &kernel, uint64_t bytes, bool warm, double counted = 1) {
  const uint32_t groups = bench.chip().computeUnits * 4, many = uint32_t(bytes / part / groups), few = many / 2;
  const uint64_t size = uint64_t(groups) * many * part;
  auto *memory = static_cast<std::byte *>(bench.allocate(4 * size));
  auto measureClocks = [&](uint32_t count) {
    KernelRun run{.kernel = kernel,
                  .groups = groups,
                  .items = 256,
                  .count = many,
                  .first = groups * many,
                  .second = many,
                  .memory = memory};
    bench.forget();
    bench.run(run);
    if (!warm)
      run.memory = memory + 2 * size;
    run.count = run.second = count;
    return double(bench.run(run).clocks);
  };
  const double clocks = measureClocks(many) - measureClocks(few);
  return counted * double(size) * (many - few) / many / bench.nanoseconds(clocks);
}

Benchmark chase(const std::string &name, Known known, const std::string &constant,
                std::function<double(MicroBench &)> predict) {
  return {name, "clk", known, latency, constant, std::move(predict)};
}

Benchmark rate(const std::string &name, Known known, const std::string &constant,
               std::function<double(MicroBench &)> predict) {
  return {name, "GB/s", known, bandwidth, constant, std::move(predict)};
}

Benchmark strided(const std::string &kernel, const std::string &name, uint32_t bytes, Known clocks,
                  const std::string &constant, uint32_t waves = 1) {
  return {
      name, "clk", clocks, bandwidth, constant, [=](MicroBench &bench) {
        return bench.measureClocks(
            {.kernel = kernel, .items = 64 * waves, .first = bytes, .memory = bench.allocate(64 * waves * bytes + 16)},
            4, 12, 64.0 * waves);
      }};
}

/// The share of the roofline, in percent, for a launch that reads much more than the caches hold.
double shareOfRoofline(MicroBench &bench) {
  const uint32_t groups = bench.chip().computeUnits * 4, count = uint32_t(400 * mega / part / groups);
  bench.forget();
  return 100 * bench
                   .run({.kernel = "stream_read",
                         .groups = groups,
                         .items = 256,
                         .count = count,
                         .second = count,
                         .memory = bench.allocate(uint64_t(groups) * count * part)})
                   .roofline;
}

/// Clocks per load of a wave that does not wait between loads; each load reads its own lines, which hit the L2.
double underWay(MicroBench &bench) {
  const uint32_t few = 8, many = 40, loads = 64, apart = 256;
  const KernelRun run{
      .kernel = "burst", .count = many, .first = apart, .memory = bench.allocate(uint64_t(many) * loads * apart)};
  return bench.clocksBehind(run, run, few, many, loads);
}

/// Clocks of an atomic instruction of one wave whose lanes are `apart` bytes apart.
Benchmark atomics(const std::string &name, uint32_t apart, double clocks) {
  return {name, "clk", {clocks, clocks}, bandwidth, "l2_atomic_clocks", [=](MicroBench &bench) {
            return bench.measureClocks({.kernel = "atomic_add", .first = apart, .memory = bench.allocate(4 * kilo)}, 4,
                                       12, 16);
          }};
}

} // namespace

std::vector<Benchmark> memoryBenchmarks() {
  return {
      chase("chase in L1", {116, 124}, "l1_latency", [](MicroBench &b) { return warm(b, "chase_plain", 8 * kilo); }),
      chase("chase in L2", {213, 249}, "l2_latency", [](MicroBench &b) { return warm(b, "chase_plain", mega); }),
      chase("chase in L2, 16 KB of one set of the L1", {213, 249}, "l2_latency",
            [](MicroBench &b) { return warm(b, "chase_plain", 64 * kilo, 512); }),
      chase("chase in L2, coherent", {288, 302}, "l2_coherent_latency",
            [](MicroBench &b) { return warm(b, "chase_coherent", mega); }),
      chase("chase in L2, read by an earlier kernel", {213, 249}, "l2_kernel_end",
            [](MicroBench &b) { return again(b, mega); }),
      // The chain exceeds an L2, which has evicted the links by the time they are read again.
      chase("chase in MALL", {455}, "mall_latency_ns", [](MicroBench &b) { return again(b, 16 * mega); }),
      // The difference to a plain load is the same as in the L2.
      chase("chase in MALL, coherent", {530}, "mall_latency_ns",
            [](MicroBench &b) { return again(b, 16 * mega, "chase_coherent"); }),
      chase("chase in memory, 56 MB", {.mi250x = 586}, "hbm_latency_ns",
            [](MicroBench &b) { return cold(b, 56 * mega); }),
      chase("chase in memory, 317 MB", {868, 677}, "hbm_latency_ns", [](MicroBench &b) { return cold(b, 317 * mega); }),
      chase("chase in memory, 56 MB, coherent", {.mi250x = 639}, "hbm_latency_ns",
            [](MicroBench &b) { return cold(b, 56 * mega, "chase_coherent"); }),
      chase("chase in memory, 317 MB, coherent", {943, 730}, "hbm_latency_ns",
            [](MicroBench &b) { return cold(b, 317 * mega, "chase_coherent"); }),
      chase("chase in memory, 1.6 GB", {890, 690}, "tlb_miss_ns", [](MicroBench &b) { return cold(b, 1600 * mega); }),
      chase("chase of scalar loads", {48, 53}, "scalar_latency",
            [](MicroBench &b) { return warm(b, "chase_scalar", 4 * kilo, 64); }),
      chase("chase of scalar loads in L2", {213, 249}, "scalar_miss_latency",
            [](MicroBench &b) { return warm(b, "chase_scalar", 64 * kilo, 64); }),
      rate("read in L1, all compute units", {38800, 11100}, "l1_bytes_per_clock",
           [](MicroBench &b) { return shared(b, "shared_read", 8 * kilo * 2, 8, 40); }),
      rate("read in L2, all compute units the same", {27500, 5100}, "l2_read_bytes_per_clock",
           [](MicroBench &b) { return shared(b, "shared_read", mega, 2, 6); }),
      rate("write in L2, all compute units the same", {9946, 2611}, "l2_write_bytes_per_clock",
           [](MicroBench &b) { return shared(b, "shared_write", mega, 2, 6); }),
      rate("read in MALL", {5400}, "mall_read_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_read", 128 * mega, true); }),
      rate("write in MALL", {5050}, "mall_write_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_write", 128 * mega, true); }),
      rate("copy in MALL", {4200}, "mall_copy_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_copy", 64 * mega, true, 2); }),
      rate("read from memory", {4050, 1389}, "hbm_read_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_read", 400 * mega, false); }),
      rate("write to memory", {4700, 1515}, "hbm_write_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_write", 400 * mega, false); }),
      rate("copy in memory", {4000, 1385}, "hbm_copy_bandwidth",
           [](MicroBench &b) { return stream(b, "stream_copy", 400 * mega, false, 2); }),
      {"share of the roofline, reading memory",
       "%",
       {100 * 4050 / 5300.0, 100 * 1389 / 1600.0},
       bandwidth,
       "memory_bandwidth",
       shareOfRoofline},
      strided("strided_dword", "dword loads, four waves", 4, {4, 4}, "vmem_issue_clocks", 4),
      strided("strided_dword", "dword loads, one wave, a line a lane", 128, {64, 64}, "vmem_lines_per_clock"),
      // A set has room for 64 of the 256 lines. All loads miss, and the set serves its misses one by one.
      strided("strided_dword", "dword loads of lines 512 bytes apart, four waves", 512, {128, 64}, "l1_set_miss_clocks",
              4),
      strided("strided_dwordx4", "dwordx4 loads, one wave", 16, {16, 16}, "l1_bytes_per_clock"),
      strided("strided_store", "dwordx4 stores, four waves", 16, {16, 16}, "l1_write_bytes_per_clock", 4),
      {"dword loads that the L2 has, one wave",
       "clk",
       {213 / 24.0, 249 / 24.0},
       latency,
       "vmem_outstanding_per_wave",
       underWay},
      atomics("atomics of a wave on one dword in the L2", 0, 64 * 4),
      strided("lds_dma", "loads into LDS, one wave", 4, {11, 11}, "lds_dma_clocks"),
  };
}

} // namespace nstf::emulator::timing
