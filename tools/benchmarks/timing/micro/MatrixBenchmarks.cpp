// Matrix instructions, and vector instructions in their shadow.
//
// Passes: AMD's matrix instruction calculator, with which LLVM 22 agrees. Shadows: pyhip's measurements on gfx942.
#include "runtime/emulator/timing/prediction/ClockModel.h"
#include "tools/benchmarks/timing/micro/Benchmarks.h"

namespace nstf::emulator::timing {

namespace {

struct Instruction {
  const char *name;
  unsigned passes;
};

constexpr Instruction gfx942[] = {
    {"mfma_f32_32x32x2_f32", 16},      {"mfma_f32_32x32x1_2b_f32", 16},  {"mfma_f32_16x16x4_f32", 8},
    {"mfma_f32_16x16x1_4b_f32", 8},    {"mfma_f32_4x4x1_16b_f32", 2},    {"mfma_f32_32x32x4_xf32", 8},
    {"mfma_f32_16x16x8_xf32", 4},      {"mfma_f32_32x32x8_f16", 8},      {"mfma_f32_16x16x16_f16", 4},
    {"mfma_f32_32x32x4_2b_f16", 16},   {"mfma_f32_16x16x4_4b_f16", 8},   {"mfma_f32_4x4x4_16b_f16", 2},
    {"mfma_f32_32x32x8_bf16", 8},      {"mfma_f32_16x16x16_bf16", 4},    {"mfma_i32_32x32x16_i8", 8},
    {"mfma_i32_16x16x32_i8", 4},       {"mfma_f32_32x32x16_fp8_fp8", 8}, {"mfma_f32_16x16x32_fp8_fp8", 4},
    {"mfma_f32_16x16x32_bf8_fp8", 4},  {"mfma_f64_16x16x4_f64", 8},      {"mfma_f64_4x4x4_4b_f64", 4},
    {"smfmac_f32_32x32x16_f16", 8},    {"smfmac_f32_16x16x32_f16", 4},   {"smfmac_i32_32x32x32_i8", 8},
    {"smfmac_f32_16x16x64_fp8_fp8", 4}};

constexpr Instruction gfx90a[] = {
    {"mfma_f32_32x32x2f32", 16},  {"mfma_f32_32x32x1f32", 16},     {"mfma_f32_16x16x4f32", 8},
    {"mfma_f32_16x16x1f32", 8},   {"mfma_f32_4x4x1f32", 2},        {"mfma_f32_32x32x8f16", 16},
    {"mfma_f32_16x16x16f16", 8},  {"mfma_f32_32x32x4f16", 16},     {"mfma_f32_16x16x4f16", 8},
    {"mfma_f32_4x4x4f16", 2},     {"mfma_f32_32x32x8bf16_1k", 16}, {"mfma_f32_16x16x16bf16_1k", 8},
    {"mfma_f32_32x32x4bf16", 16}, {"mfma_f32_16x16x8bf16", 8},     {"mfma_i32_32x32x8i8", 16},
    {"mfma_i32_16x16x16i8", 8},   {"mfma_f64_16x16x4f64", 8},      {"mfma_f64_4x4x4f64", 4}};

Benchmark shadow(const std::string &kernel, const std::string &name, Known known, const std::string &constant,
                 unsigned items = 64) {
  return {
      name,     "clk",
      known,    arithmetic,
      constant, [=](MicroBench &bench) {
            return bench.measureClocks({.kernel = kernel, .items = items}, 4, 12, 256); }};
}

/// The share of the roofline, in percent, that a loop on every SIMD reaches; the difference of two runs removes what
/// comes before and after the loop.
Benchmark ofRoofline(const std::string &kernel, const std::string &name, const std::string &constant) {
  return {name, "%", {100, 100}, arithmetic, constant, [=](MicroBench &bench) {
            double execution = 0, least = 0;
            for (const auto &[count, sign] : {std::pair(4u, -1), std::pair(12u, 1)}) {
              bench.forget();
              const LaunchPrediction run =
                  bench.run({.kernel = kernel, .groups = bench.chip().computeUnits, .items = 256, .count = count});
              execution += sign * run.executionNs;
              least += sign * run.executionNs * run.roofline;
            }
            return 100 * least / execution;
          }};
}

/// Flop/s of MI300X at 2.1 GHz, if 94 % of a compute unit's clocks do products.
double products(double flopsAClock) { return 304 * flopsAClock * 2.1e9 * 0.94; }

/// The clock in MHz that MI300X's power limit permits for work that takes a second at the peak clock.
Benchmark held(const std::string &name, double clock, const std::string &constant, const PowerDemand &demand) {
  const double coreShare = demand.f16Flops + demand.bf16Flops + demand.eightBitFlops > 0;
  return {name,      "MHz",    {.mi300x = clock},
          bandwidth, constant, [=](MicroBench &bench) {
            return sustainedClock(bench.chip(), demand, 1e9, coreShare); }};
}

} // namespace

std::vector<Benchmark> matrixBenchmarks(const std::string &target) {
  std::vector<Benchmark> all;
  auto add = [&](const Instruction &instruction) {
    for (const char *form : {"dependent", "independent"})
      all.push_back({std::string(instruction.name) + ", " + form,
                     "clk",
                     {4.0 * instruction.passes, 4.0 * instruction.passes},
                     arithmetic,
                     "matrix_pass_clocks",
                     [kernel = std::string(instruction.name) + "_" + form](MicroBench &bench) {
                       return bench.measureClocks({.kernel = kernel}, 4, 12, 256);
                     }});
  };
  if (target == "gfx942")
    std::for_each(std::begin(gfx942), std::end(gfx942), add);
  else
    std::for_each(std::begin(gfx90a), std::end(gfx90a), add);

  // The matrix core is busy for 16 clocks on gfx942, and for 32 on gfx90a.
  for (unsigned count = 1; count <= 8; ++count) {
    double both = 4 + 4.0 * count;
    all.push_back(shadow("shadow_" + std::to_string(count), "16x16x16 f16 and " + std::to_string(count) + " vector",
                         {std::max(16.0, both), std::max(32.0, both)}, "valu_after_matrix_clocks"));
  }
  const std::string half = target == "gfx942" ? "mfma_f32_16x16x16_f16" : "mfma_f32_16x16x16f16";
  all.push_back(
      ofRoofline(half + "_independent", "share of the roofline, 16x16x16 f16 on every SIMD", "matrix_pass_clocks"));
  all.push_back(ofRoofline("packed_fma_f32", "share of the roofline, v_pk_fma_f32 on every SIMD", "packed_f32_clocks"));
  all.push_back(shadow("shadow_packed", "16x16x16 f16 and a packed f32", {28, 44}, "packed_f32_after_matrix_clocks"));
  all.push_back(shadow("shadow_exp", "16x16x16 f16 and an exp", {20, 32}, "transcendental_clocks"));
  all.push_back(shadow("shadow_mixed", "16x16x16 f16, 3 vector, the same, an exp", {36, 64}, "transcendental_clocks"));
  if (target == "gfx942")
    all.push_back(
        shadow("shadow_sparse", "sparse 16x16x32 f16 and 4 vector", {.mi300x = 24}, "valu_after_sparse_matrix_clocks"));
  all.push_back(
      shadow("beside_vector", "16x16x16 f16, 3 vector of another wave", {16, 32}, "valu_after_matrix_clocks", 512));
  all.push_back(shadow("beside_packed", "16x16x16 f16, a packed f32 of another wave", {21, 37},
                       "packed_f32_beside_matrix_clocks", 512));
  // The max rates of matrix products that AMD measured, and the clock at which gpu-benches' stream runs.
  all.push_back(
      held("clock of f16 products", 1120, "matrix_energy_f16", {.hbmBytes = 1e12, .f16Flops = products(2048)}));
  all.push_back(
      held("clock of bf16 products", 1210, "matrix_energy_bf16", {.hbmBytes = 1e12, .bf16Flops = products(2048)}));
  all.push_back(
      held("clock of 8-bit products", 1090, "matrix_energy_8bit", {.hbmBytes = 1e12, .eightBitFlops = products(4096)}));
  all.push_back(held("clock of a stream of 4.07 TB/s", 1254, "hbm_power", {.hbmBytes = 4.07e12}));
  return all;
}

} // namespace nstf::emulator::timing
