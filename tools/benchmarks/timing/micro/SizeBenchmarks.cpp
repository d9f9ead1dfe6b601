// Capacities: chases through slightly less and slightly more than a level holds.
//
// Sources: as for the latencies (MemoryBenchmarks.cpp); beyond the TLB's reach, gpu-benches gpu-latency at that size.
#include "tools/benchmarks/timing/micro/Benchmarks.h"
#include "tools/benchmarks/timing/micro/Chain.h"

namespace nstf::emulator::timing {

namespace {

using Size = uint64_t (*)(const ChipTiming &chip);

/// Clocks per step through 15/16 of a level, or through 5/4 of it, which thrashes any set of at least four ways.
Benchmark around(const std::string &kernel, const std::string &name, bool below, Known clocks,
                 const std::string &constant, Size size, Size apart) {
  return {name + (below ? ", 15/16 of it" : ", 5/4 of it"), "clk", clocks, latency, constant, [=](MicroBench &bench) {
            const uint64_t bytes = size(bench.chip());
            return warm(bench, kernel, below ? bytes / 16 * 15 : bytes / 4 * 5, apart(bench.chip()));
          }};
}

/// Clocks per step through the first `some` of the bytes, after a kernel has read all of them in order.
double afterReading(MicroBench &bench, uint64_t all, uint64_t some) {
  const uint32_t few = 4, many = 68;
  auto *memory = static_cast<std::byte *>(bench.allocate(all));
  return bench.clocksBehind(
      {.kernel = "stream_read", .groups = uint32_t(all / part), .items = 256, .second = 1, .memory = memory},
      {.kernel = "chase_plain", .memory = makeChain(memory, some, 128, many * stepsARound)}, few, many, stepsARound);
}

Benchmark oldest(Known clocks, const std::string &constant, uint64_t some, uint64_t all) {
  return {"chase in the oldest " + std::to_string(some) + " of " + std::to_string(all) + " MB",
          "clk",
          clocks,
          latency,
          constant,
          [=](MicroBench &bench) { return afterReading(bench, all * mega, some * mega); }};
}

uint64_t l1(const ChipTiming &chip) { return chip.l1Bytes; }
uint64_t l1Line(const ChipTiming &chip) { return chip.l1LineBytes; }
uint64_t scalar(const ChipTiming &chip) { return chip.scalarCacheBytes; }
uint64_t scalarLine(const ChipTiming &chip) { return chip.scalarLineBytes; }
uint64_t l2(const ChipTiming &chip) { return chip.l2Bytes; }
uint64_t l2Line(const ChipTiming &chip) { return chip.l2LineBytes; }

} // namespace

std::vector<Benchmark> sizeBenchmarks() {
  return {
      around("chase_plain", "chase in the size of L1", true, {116, 124}, "l1_bytes", l1, l1Line),
      around("chase_plain", "chase in the size of L1", false, {213, 249}, "l1_bytes", l1, l1Line),
      around("chase_scalar", "chase in the size of the scalar cache", true, {48, 53}, "scalar_cache_bytes", scalar,
             scalarLine),
      around("chase_scalar", "chase in the size of the scalar cache", false, {213, 249}, "scalar_miss_latency", scalar,
             scalarLine),
      around("chase_plain", "chase in the size of L2", true, {213, 249}, "l2_bytes", l2, l2Line),
      around("chase_plain", "chase in the size of L2", false, {455, 586}, "l2_bytes", l2, l2Line),
      // Lines that no L2 holds any more. Workgroups that run at once read 20 MB in arbitrary order.
      oldest({455}, "mall_bytes", 8, 240),
      oldest({787}, "mall_bytes", 8, 288),
      oldest({455, 586}, "tlb_reach_bytes", 56, 120),
      oldest({.mi250x = 638}, "tlb_reach_bytes", 117, 180),
      oldest({513}, "tlb_reach_bytes", 140, 200),
  };
}

} // namespace nstf::emulator::timing
