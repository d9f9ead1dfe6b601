// Chains of arithmetic in one workgroup, and empty workgroups.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

void chain(Case &c, const std::string &kernel, double flopsEach) {
  const uint32_t block = uint32_t(c.problem.named("block")), operations = uint32_t(c.problem.named("operations"));
  auto *out = c.array<double>(1024);
  c.timed = [=, &c] { c.launch(kernel, {{1, 1, 1}, {block, 1, 1}}, out, int(operations)); };
  // A single compute unit does all the work, which the chip's roofline does not take into account.
  c.flops = flopsEach * block * operations;
  c.bytes = 8.0 * block;
}

void empty(Case &c) {
  const uint32_t block = uint32_t(c.problem.named("block")), groups = uint32_t(c.problem.named("blocks"));
  c.timed = [=, &c] { c.launch("empty_kernel", {{groups, 1, 1}, {block, 1, 1}}); };
}

} // namespace

void addArithmetic(Cases &cases) {
  const std::pair<const char *, double> kernels[] = {
      {"fp32_throughput", 2}, {"fp64_throughput", 2}, {"fp16_throughput", 4}, {"int32_throughput", 2}};
  for (auto [kernel, flops] : kernels)
    cases[kernel] = [kernel = std::string(kernel), flops = flops](Case &c) { chain(c, kernel, flops); };
  cases["empty_kernel"] = empty;
}

} // namespace nstf::emulator::timing
