// The cost of a matrix instruction on one thread.
//
// bench-matrix [--markdown]: nanoseconds of every form on both chips, in fast and exact mode, and its share of P, the
// host's measured f32 fused multiply-add peak on one thread with the same vectors. NSTF_EMU_VECTORS=AVX2 measures what
// a host without AVX-512 gives. The last column is exact mode with operands that rule out its fast path (bf16 and xf32
// elements beyond 2^31; f16 infinities).
#include "runtime/emulator/run/Dispatch.h"
#include "test/runtime/emulator/instructions/MatrixForms.h"
#include "test/runtime/emulator/instructions/Operands.h"
#include "tools/benchmarks/emulator/Peak.h"

#include <cmath>
#include <cstdio>
#include <ctime>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

uint64_t ordinary(Element e, std::mt19937_64 &engine) {
  double v = std::normal_distribution<double>()(engine);
  switch (e) {
  case Element::f16:
    return bits(_Float16(v));
  case Element::bf16:
    return bits(float(v)) >> 16;
  case Element::f64:
    return bits(v);
  case Element::f32:
  case Element::xf32:
    return bits(float(v));
  default:
    return engine() & 0x7f;
  }
}
uint64_t wild(Element e) {
  switch (e) {
  case Element::f16:
    return 0x7c00;
  case Element::bf16:
    return 0x7000;
  case Element::xf32:
    return 0x70000000;
  case Element::fp8:
  case Element::bf8:
    return 0x80;
  default:
    return 0;
  }
}

/// Seconds per instruction: the best of five measurements, with accumulators in turn as in a GEMM.
double secondsOf(const std::string &target, const MatrixForm &form, MatrixMode mode, bool isWild) {
  constexpr unsigned unroll = 32;
  std::string text = "loop:\n";
  unsigned results = form.resultRegisters(), accumulators = std::min(4u, 128 / results);
  for (unsigned i = 0; i < unroll; ++i) {
    std::string d = registers('a', i % accumulators * results, results);
    text += std::string(form.name(target)) + " " + d + ", " +
            registers('v', 8, form.sparse ? form.sourceRegisters() / 2 : form.sourceRegisters()) + ", " +
            registers('v', 24, form.sourceRegisters()) + ", " + (form.sparse ? "v4" : d) + "\n";
  }
  text += "s_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\ns_cbranch_scc1 loop";
  Snippet s(target, text, 64, mode);
  std::mt19937_64 engine(1);
  unsigned size = getBits(form.a);
  for (unsigned row : {8u, 24u})
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned n = 0; n < form.sourceRegisters() * 32 / size; ++n)
        setElement(s, row, {l, n}, size, ordinary(row == 8 ? form.a : form.b, engine));
  if (isWild)
    setElement(s, 8, {5, 0}, size, wild(form.a));
  for (unsigned l = 0; l < 64; ++l)
    s.wave().rows[4][l] = 0x44444444;
  double best = 1e9;
  unsigned rounds = 64;
  for (unsigned measurement = 0; measurement < 5;) {
    s.wave().scalars[40] = rounds;
    for (unsigned r = 0; r < 128; ++r)
      std::fill_n(s.wave().rows[agprRow + r], 64, 0);
    double start = processorSeconds();
    s.run();
    double seconds = processorSeconds() - start;
    if (seconds < 0.01) {
      rounds *= 4;
      continue;
    }
    best = std::min(best, seconds / rounds / unroll);
    ++measurement;
  }
  return best;
}

} // namespace

int main(int argc, char **argv) {
  bool markdown = argc > 1 && std::string(argv[1]) == "--markdown";
  std::string vectors = hostVectorTarget(); // before the peak, which uses the same vectors
  double peak = nstf::measurePeak();
  std::printf("host vectors %s, P = %.1f GFLOP/s (one thread)\n", vectors.c_str(), peak / 1e9);
  const char *header =
      markdown ? "| %s | %s | %s | of P | %s | of P | %s |\n" : "%-8s %-32s %8s   of P %8s   of P %8s\n";
  const char *row =
      markdown ? "| %s | %s | %.0f | %.3f | %.0f | %.3f | %.0f |\n" : "%-8s %-32s %8.0f %6.3f %8.0f %6.3f %8.0f\n";
  std::printf(header, "chip", "instruction", "fast ns", "exact ns", "wild ns");
  if (markdown)
    std::printf("|---|---|---:|---:|---:|---:|---:|\n");
  for (const std::string target : {"gfx90a", "gfx942"})
    for (const MatrixForm &form : matrixForms()) {
      if (!form.name(target))
        continue;
      double flops = 2.0 * form.rows * form.columns * form.depth * form.blocks;
      double fast = secondsOf(target, form, MatrixMode::Fast, false),
             exact = secondsOf(target, form, MatrixMode::Exact, false),
             slow = secondsOf(target, form, MatrixMode::Exact, true);
      std::printf(row, target.c_str(), form.name(target), fast * 1e9, flops / fast / peak, exact * 1e9,
                  flops / exact / peak, slow * 1e9);
      std::fflush(stdout);
    }
}
