// Chases and streams through every level of the memory.
//
// Sources (MI210's figures for MI250X, by compute units where these bound): gpu-benches gpu-latency, gpu-cache and
// gpu-stream for plain loads, mt4g for coherent ones and the scalar cache.
#include "tools/benchmarks/timing/micro/Benchmarks.h"
#include "tools/benchmarks/timing/micro/Chain.h"

namespace nstf::emulator::timing {

namespace {

constexpr uint64_t kilo = 1024, mega = kilo * kilo, line = 128, part = 8 * kilo;
/// Clocks a step takes once the chain has been gone through: a level that holds all of it.
double warm(MicroBench &bench, const std::string &kernel, uint64_t bytes, uint64_t apart = line) {
  const uint32_t rounds = uint32_t(bytes / apart / stepsARound);
  return bench.clocksOf({.kernel = kernel, .memory = makeChain(bench, bytes, apart)}, rounds, 3 * rounds, stepsARound);
}

/// Clocks a step takes where nothing was read before.
double cold(MicroBench &bench, uint64_t bytes) {
  const uint32_t few = 4, many = 68;
  return bench.clocksOf({.kernel = "chase_plain", .memory = makeChain(bench, bytes, line, many * stepsARound)}, few,
                        many, stepsARound);
}

/// Clocks a step takes where an earlier kernel has read the chain, from runs over all of it and the first eighth.
double again(MicroBench &bench, uint64_t bytes) {
  const uint32_t rounds = uint32_t(bytes / line / stepsARound), few = rounds / 8;
  KernelRun run{.kernel = "chase_plain", .memory = makeChain(bench, bytes, line)};
  auto clocksOf = [&](uint32_t count) {
    bench.forget();
    run.count = rounds;
    bench.run(run);
    run.count = count;
    return double(bench.run(run).clocks);
  };
  return (clocksOf(rounds) - clocksOf(few)) / ((rounds - few) * double(stepsARound));
}

/// Bytes a nanosecond (GB/s) of all compute units together, over the same `bytes` each.
double shared(MicroBench &bench, uint64_t bytes, uint32_t few, uint32_t many) {
  const uint32_t groups = bench.chip().computeUnits * 2;
  double clocks = bench.clocksOf({.kernel = "shared_read",
                                  .groups = groups,
                                  .items = 256,
                                  .first = uint32_t(bytes),
                                  .memory = bench.allocate(bytes)},
                                 few, many, 1);
  return double(bytes) * groups / bench.nanoseconds(clocks);
}

/// GB/s of a stream; a workgroup's parts follow one another, as do the workgroups'. Where the memory is to lie in the
/// MALL (`warm`) an earlier kernel has been over it, else over as much of other memory. From runs over `bytes` and half
/// of them.
double stream(MicroBench &bench, const std::string &kernel, uint64_t bytes, bool warm, double counted = 1) {
  const uint32_t groups = bench.chip().computeUnits * 4, many = uint32_t(bytes / part / groups), few = many / 2;
  const uint64_t size = uint64_t(groups) * many * part;
  auto *memory = static_cast<std::byte *>(bench.allocate(4 * size));
  auto clocksOf = [&](uint32_t count) {
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
  const double clocks = clocksOf(many) - clocksOf(few);
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
        return bench.clocksOf(
            {.kernel = kernel, .items = 64 * waves, .first = bytes, .memory = bench.allocate(64 * waves * bytes + 16)},
            4, 12, 64.0 * waves);
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
      // More than an L2 holds: what is read first has left it.
      chase("chase in MALL", {455}, "mall_latency_ns", [](MicroBench &b) { return again(b, 16 * mega); }),
      chase("chase in memory, 56 MB", {.mi250x = 586}, "hbm_latency_ns",
            [](MicroBench &b) { return cold(b, 56 * mega); }),
      chase("chase in memory, 317 MB", {868, 677}, "hbm_latency_ns", [](MicroBench &b) { return cold(b, 317 * mega); }),
      chase("chase in memory, 1.6 GB", {890, 690}, "tlb_miss_ns", [](MicroBench &b) { return cold(b, 1600 * mega); }),
      chase("chase of scalar loads", {48, 53}, "scalar_latency",
            [](MicroBench &b) { return warm(b, "chase_scalar", 4 * kilo, 64); }),
      rate("read in L1, all compute units", {38800, 11100}, "l1_bytes_per_clock",
           [](MicroBench &b) { return shared(b, 8 * kilo * 2, 8, 40); }),
      rate("read in L2, all compute units the same", {27500, 5100}, "l2_read_bytes_per_clock",
           [](MicroBench &b) { return shared(b, mega, 2, 6); }),
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
      strided("strided_dword", "dword loads, four waves", 4, {4, 4}, "vmem_issue_clocks", 4),
      strided("strided_dword", "dword loads, one wave, a line a lane", 128, {64, 64}, "vmem_lines_per_clock"),
      // Of 256 lines a set has room for 64: each is a miss, one after the other in the set.
      strided("strided_dword", "dword loads of lines 512 bytes apart, four waves", 512, {128, 64}, "l1_set_miss_clocks",
              4),
      strided("strided_dwordx4", "dwordx4 loads, one wave", 16, {16, 16}, "l1_bytes_per_clock"),
      strided("lds_dma", "loads into LDS, one wave", 4, {11, 11}, "lds_dma_clocks"),
  };
}

} // namespace nstf::emulator::timing
