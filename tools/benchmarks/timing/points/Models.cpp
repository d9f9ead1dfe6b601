// Normalisation, matrix times vector, matrix product.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

/// One of 1,000 launches in a row is published.
void rmsnorm(Case &c, const std::string &kernel, uint64_t rowsAWave) {
  const uint64_t rows = c.problem.named("batch") * c.problem.named("n"), width = c.problem.named("d");
  auto *x = c.array<uint16_t>(rows * width), *gamma = c.array<uint16_t>(rows * width),
       *y = c.array<uint16_t>(rows * width);
  c.timed = [=, &c] { c.launch(kernel, line(rows / rowsAWave * 64, 256), x, gamma, y); };
  c.submission = Submission::InARow;
  c.flops = 4.0 * double(rows * width);
  c.bytes = 6.0 * double(rows * width);
}

/// The weights come from memory: something else was there before.
void gemv(Case &c) {
  const uint64_t n = c.problem.named("n"), k = c.problem.named("k");
  auto *w = c.array<uint8_t>(n * k), *x = c.array<uint8_t>(k), *other = c.array<uint8_t>(256 << 20),
       *y = c.array<uint8_t>(2 * n);
  auto product = [=, &c](const uint8_t *weights, uint64_t rows) {
    c.launch("gemv_fp8", {{uint32_t(rows / 16), 1, 1}, {256, 1, 1}}, weights, x, y, int(k));
  };
  c.before = [=] { product(other, std::min<uint64_t>((256u << 20) / k / 16 * 16, n)); };
  c.timed = [=] { product(w, n); };
  c.submission = Submission::GraphNode;
  c.flops = 2.0 * double(n * k);
  c.bytes = double(n * k);
}

/// Tiles that fill the chip: 256 x 256, or 128 x 256 where those are fewer than the compute units. The published sizes
/// make 304 of either.
void gemm(Case &c) {
  const uint64_t m = c.problem.named("m"), n = c.problem.named("n"), k = c.problem.named("k"), across = n / 256;
  const bool isLarge = groupsOf(m, 256) * across * 10 >= c.bench.chip().computeUnits * 9;
  const uint64_t tileRows = isLarge ? 256 : 128, down = groupsOf(m, uint32_t(tileRows)), rows = down * tileRows;
  auto *a = c.array<uint16_t>(rows * k), *b = c.array<uint16_t>(n * k), *out = c.array<uint16_t>(rows * n);
  const std::string kernel = "gemm_f16_" + std::to_string(tileRows) + "x256";
  c.timed = [=, &c] {
    c.launch(kernel, {{uint32_t(down * across), 1, 1}, {512, 1, 1}}, a, b, out, int(n), int(k), int(across));
  };
  c.flops = c.scale = 2.0 * double(m * n * k);
  c.bytes = 2.0 * double(m * k + n * k + m * n);
}

} // namespace

void addModels(Cases &cases) {
  cases["rmsnorm_row"] = [](Case &c) { rmsnorm(c, "rmsnorm_row", 1); };
  cases["rmsnorm_8rows"] = [](Case &c) { rmsnorm(c, "rmsnorm_8rows", 8); };
  cases["gemv_fp8"] = gemv;
  cases["gemm_f16"] = gemm;
}

} // namespace nstf::emulator::timing
