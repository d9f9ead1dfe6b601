// Norms of rows, matrix times vector, and matrix products.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

/// The published time is that of one of 1,000 launches in a row.
void rmsnorm(Case &c, const std::string &kernel, uint64_t rowsAWave) {
  const uint64_t rows = c.problem.named("batch") * c.problem.named("n"), width = c.problem.named("d");
  auto *x = c.array<uint16_t>(rows * width), *gamma = c.array<uint16_t>(rows * width),
       *y = c.array<uint16_t>(rows * width);
  c.timed = [=, &c] { c.launch(kernel, line(rows / rowsAWave * 64, 256), x, gamma, y); };
  c.submission = Submission::InARow;
  c.flops = 4.0 * double(rows * width);
  c.bytes = 6.0 * double(rows * width);
}

/// The weights come from memory, since another matrix was read before.
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

/// 304 workgroups or twice as many, of which a compute unit holds one at a time, as published.
void gemm(Case &c) {
  const uint64_t m = c.problem.named("m"), n = c.problem.named("n"), k = c.problem.named("k");
  auto *a = c.array<uint16_t>(m * k), *b = c.array<uint16_t>(n * k);
  auto *out = c.array<float>(m * n);
  const uint32_t across = uint32_t(n / 256);
  LaunchShape shape{{uint32_t(m / 128) * across, 1, 1}, {256, 1, 1}};
  shape.dynamicLds = 32 << 10;
  c.timed = [=, &c] { c.launch("gemm_f16", shape, a, b, out, int(n), int(k), int(across)); };
  c.flops = c.scale = 2.0 * double(m * n * k);
  c.bytes = 2.0 * double(m * k + n * k) + 4.0 * double(m * n);
}

} // namespace

void addModels(Cases &cases) {
  cases["rmsnorm_row"] = [](Case &c) { rmsnorm(c, "rmsnorm_row", 1); };
  cases["rmsnorm_8rows"] = [](Case &c) { rmsnorm(c, "rmsnorm_8rows", 8); };
  cases["gemv_fp8"] = gemv;
  cases["gemm_f16"] = gemm;
}

} // namespace nstf::emulator::timing
