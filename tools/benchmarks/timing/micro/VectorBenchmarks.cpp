// Vector and scalar instructions, and instruction fetch.
//
// Sources of the rates: pyhip's loops of a million instructions on gfx942, and AMD's ISA manuals. Source of the
// branches: short loops of one wave on MI300X (sarchlab/mgpusim).
#include "tools/benchmarks/timing/micro/Benchmarks.h"

#include <cstring>

namespace nstf::emulator::timing {

namespace {

Benchmark rate(const std::string &kernel, const std::string &name, double clocks, unsigned perRound,
               const std::string &constant, unsigned items = 64) {
  return {name, "clk", {clocks, clocks}, arithmetic, constant, [=](MicroBench &bench) {
            return bench.measureClocks({.kernel = kernel, .items = items}, 4, 12, perRound);
          }};
}

/// Clocks per instruction of a loop whose length is `share` of the target's instruction cache.
Benchmark sized(const std::string &kernel, const std::string &name, Known clocks, const std::string &constant,
                double share) {
  return {name, "clk", clocks, arithmetic, constant, [=](MicroBench &bench) {
            const double instructions = bench.chip().target == "gfx942" ? 16384 : 8192;
            return bench.measureClocks({.kernel = kernel}, 2, 4, share * instructions);
          }};
}

/// The time that the kernel measured around its loop as a percentage of the reported time.
double selfTimed(MicroBench &bench) {
  auto *read = static_cast<uint64_t *>(bench.allocate(8));
  bench.forget();
  Clocks reported = bench.run({.kernel = "self_timed", .count = 400, .memory = read}).clocks;
  return 100.0 * double(*read) / double(reported);
}

/// Clocks per instruction of code that the previous launch left in the instruction cache: only the instruction's turn.
double warmInstruction(MicroBench &bench) {
  constexpr uint32_t instructions = 4096;
  auto again = [&](const KernelRun &run) {
    bench.run(run);
    return double(bench.run(run).clocks);
  };
  bench.forget();
  return (again({.kernel = "cold_code", .first = 1}) - again({.kernel = "turn"})) / instructions;
}

/// The clocks that a line of code costs beyond its 16 instructions if it misses the instruction cache and hits the L2.
double coldLine(MicroBench &bench) {
  auto measureClocks = [&](uint32_t half) {
    bench.forget();
    bench.run({.kernel = "cold_code"});
    bench.run({.kernel = "cold_loop"});
    return double(bench.run({.kernel = "cold_code", .first = half}).clocks);
  };
  return (measureClocks(0) - measureClocks(1)) / 256 - 64;
}

} // namespace

std::vector<Benchmark> vectorBenchmarks() {
  return {
      rate("vector_add_u32", "v_add_u32", 4, 1024, "valu_clocks"),
      rate("vector_fma_f32", "v_fma_f32", 4, 1024, "valu_clocks"),
      rate("vector_dependent", "v_add_u32 on its own result", 4, 1024, "valu_clocks"),
      rate("vector_fma_f64", "v_fma_f64", 4, 1024, "f64_clocks"),
      rate("vector_mul_lo_u32", "v_mul_lo_u32", 4, 1024, "integer_multiply_clocks"),
      rate("packed_fma_f32", "v_pk_fma_f32", 4, 1024, "packed_f32_clocks"),
      rate("packed_add_f16", "v_pk_add_f16", 4, 1024, "valu_clocks"),
      rate("transcendental_exp", "v_exp_f32", 16, 512, "transcendental_clocks"),
      rate("transcendental_rcp", "v_rcp_f32", 16, 512, "transcendental_clocks"),
      rate("transcendental_sqrt", "v_sqrt_f32", 16, 512, "transcendental_clocks"),
      rate("transcendental_log", "v_log_f32", 16, 512, "transcendental_clocks"),
      rate("transcendental_sin", "v_sin_f32", 16, 512, "transcendental_clocks"),
      rate("transcendental_vector", "v_exp_f32 and v_add_u32", 20, 256, "transcendental_clocks"),
      rate("crossing_fma_f32", "v_fma_f32 across 8 bytes", 5, 1024, "fetch_boundary_clocks"),
      rate("mixed_scalar", "v_add_u32 and s_add_u32, 2 waves a SIMD", 8, 512, "valu_clocks", 512),
      rate("scalar_add", "s_add_u32", 4, 1024, "scalar_clocks"),
      rate("scalar_nop", "s_nop 7", 32, 256, "wait_state_clocks"),
      rate("scalar_sleep", "s_sleep 8", 512, 16, "sleep_clocks"),
      rate("scalar_memtime", "s_memtime", 4, 512, "memtime_clocks"),
      rate("branch_not_taken", "s_cbranch that isn't taken", 4, 128, "branch_clocks"),
      rate("branch_taken", "s_branch", 20, 128, "fetch_window_clocks"),
      rate("loop_in_window", "loop of two v_pk_fma_f32 in a fetch window", 36, 1, "fetch_window_clocks"),
      rate("loop_across_windows", "loop of four v_fma_f64 in three fetch windows", 56, 1, "fetch_window_bytes"),
      sized("code_that_fits", "loop of 15/16 of the instruction cache", {4, 4}, "instruction_cache_bytes", 15.0 / 16),
      sized("code_beyond", "loop of 5/4 of the instruction cache", {}, "instruction_miss_latency", 5.0 / 4),
      {"an instruction whose line came with the last launch",
       "clk",
       {4, 4},
       arithmetic,
       "valu_clocks",
       warmInstruction},
      // The fetch brings the next line too.
      {"a cold line of code", "clk", {213 / 2.0, 249 / 2.0}, latency, "instruction_miss_latency", coldLine},
      {"s_memtime around a loop over the report's clocks", "%", {100, 100}, exactly, "", selfTimed},
  };
}

} // namespace nstf::emulator::timing
