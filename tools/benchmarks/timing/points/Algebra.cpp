// Dense and sparse matrices and vectors.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

void matrixmultiplication(Case &c) {
  const uint64_t n = c.problem.number(0);
  const uint32_t groups = uint32_t(n / 32);
  float *a = c.array<float>(n * n), *b = c.array<float>(n * n), *out = c.array<float>(n * n),
        *scratch = c.array<float>(256 * 4);
  LaunchShape shape{{groups, groups, 1}, {8, 8, 1}};
  c.timed = [=, &c] { c.launch("matrixmultiplication", shape, a, b, out, int(n), scratch); };
  c.flops = 2.0 * double(n * n * n);
  c.bytes = 12.0 * double(n * n);
}

void twoProducts(Case &c) {
  const uint64_t n = c.problem.named("size");
  float *a = c.array<float>(n * n), *b = c.array<float>(n * n), *d = c.array<float>(n * n), *e = c.array<float>(n * n);
  LaunchShape shape{{countGroups(n, 16), countGroups(n, 16), 1}, {16, 16, 1}};
  c.timed = [=, &c] {
    c.launch("polybench_mm", shape, a, b, d, int(n), 1.5f, 1.2f);
    c.launch("polybench_mm", shape, a, d, e, int(n), 1.5f, 1.2f);
  };
  c.flops = 4.0 * double(n * n * n);
  c.bytes = 32.0 * double(n * n);
}

void atax(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *a = c.array<float>(n * n), *x = c.array<float>(n), *sums = c.array<float>(n), *y = c.array<float>(n);
  c.timed = [=, &c] {
    c.fill(n * sizeof(float));
    c.fill(n * sizeof(float));
    c.launch("atax_rows", line(n, 256), a, x, sums, int(n), int(n));
    c.launch("atax_columns", line(n, 256), a, y, sums, int(n), int(n));
  };
  c.flops = 4.0 * double(n * n);
  c.bytes = 8.0 * double(n * n);
}

void bicg(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *a = c.array<float>(n * n), *p = c.array<float>(n), *q = c.array<float>(n), *r = c.array<float>(n),
        *s = c.array<float>(n);
  c.timed = [=, &c] {
    c.launch("bicg_rows", line(n, 256), a, p, q, int(n), int(n));
    c.launch("bicg_columns", line(n, 256), a, r, s, int(n), int(n));
  };
  c.flops = 4.0 * double(n * n);
  c.bytes = 8.0 * double(n * n);
}

/// ROWSxROWS_nnzTOTAL: every row has equally many elements, in adjacent columns.
void spmv(Case &c) {
  const uint64_t rows = c.problem.number(0), total = c.problem.number(2), perRow = total / rows;
  float *values = c.array<float>(total), *vector = c.array<float>(rows), *out = c.array<float>(rows);
  int *columns = c.array<int>(total, [=](uint64_t i) { return int((i / perRow + i % perRow) % rows); });
  int *starts = c.array<int>(rows + 1, [=](uint64_t i) { return int(i * perRow); });
  c.timed = [=, &c] { c.launch("spmv_csr_scalar", line(rows, 256), values, vector, columns, starts, int(rows), out); };
  c.flops = 2.0 * double(total);
  c.bytes = 8.0 * double(total) + 12.0 * double(rows);
}

/// Half of all pairs of nodes have a link.
void pagerank(Case &c) {
  const uint64_t nodes = c.problem.number(0), rounds = 2, perRow = nodes / 2, total = nodes * perRow;
  auto *starts = c.array<uint32_t>(nodes + 1, [=](uint64_t i) { return uint32_t(i * perRow); });
  auto *columns = c.array<uint32_t>(total, [=](uint64_t i) { return uint32_t(i % perRow * 2 + i / perRow % 2); });
  float *values = c.array<float>(total), *x = c.array<float>(nodes), *y = c.array<float>(nodes);
  c.timed = [=, &c] {
    c.copyFromHost(nodes * sizeof(float));
    for (uint64_t round = 0; round < rounds; ++round)
      c.launch("pagerank", {{uint32_t(nodes), 1, 1}, {64, 1, 1}}, uint32_t(nodes), starts, columns, values,
               round % 2 ? y : x, round % 2 ? x : y);
  };
  c.flops = 2.0 * double(total * rounds);
  c.bytes = 8.0 * double(total * rounds);
}

void kmeans(Case &c) {
  const uint64_t points = c.problem.number(0), features = c.problem.number(1), clusters = c.problem.number(2);
  float *values = c.array<float>(points * features), *centres = c.array<float>(clusters * features);
  int *membership = c.array<int>(points);
  c.timed = [=, &c] {
    c.launch("kmeans", line(points, 256), values, centres, membership, int(points), int(clusters), int(features));
  };
  c.flops = 3.0 * double(points * features * clusters);
  c.bytes = 4.0 * double(points * features);
}

void nbody(Case &c) {
  const uint64_t n = c.problem.number(0);
  auto quads = [&] { return c.array<float>(4 * n, [](uint64_t i) { return float(i * 7919 % 1000) / 500 - 1; }); };
  float *positions = quads(), *velocities = quads(), *scratch = c.array<float>(4 * 256);
  float *newPositions = c.array<float>(4 * n), *newVelocities = c.array<float>(4 * n);
  c.timed = [=, &c] {
    c.launch("nbody", line(n, 256), positions, velocities, int(n), 0.005f, 50.0f, scratch, newPositions, newVelocities);
  };
  c.flops = 20.0 * double(n * n);
  c.bytes = 64.0 * double(n);
}

} // namespace

void addAlgebra(Cases &cases) {
  cases.insert({{"matrixmultiplication", matrixmultiplication},
                {"polybench_2mm", twoProducts},
                {"atax", atax},
                {"bicg", bicg},
                {"spmv_csr_scalar", spmv},
                {"pagerank", pagerank},
                {"kmeans", kmeans},
                {"nbody", nbody}});
}

} // namespace nstf::emulator::timing
