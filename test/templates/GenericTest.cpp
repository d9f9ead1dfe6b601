// The template of tensor code with tiles and waves that no tuning row uses: reductions over a number of lanes that is
// no power of two, three waves, more lanes than elements, and rows past the step, which stay unchanged.
#include "test/templates/TemplateTest.h"

namespace nstf {
namespace {

using namespace test;

TEST_F(TemplateTest, GenericIsItsIndex) {
  for (const std::string tiles : {"BN=96,waves=3x1", "BN=6,waves=1x1", "BN=1,waves=2x1", "BN=256,waves=4x1"}) {
    int rows = 11, features = 7, used = 9;
    std::vector<double> expected(rows * features, untouched);
    for (int i = 0; i < used * features; ++i)
      expected[i] = i;
    Memory memory = {{"y", words(Floats(rows * features, untouched))}};
    run("generic", llvm::formatv("N={0},E={1},{2}", rows * features, features, tiles), memory, used);
    expectNear(floats(memory["y"]), expected, 0);
  }
}

/// y[m, n] = w[n] + Σ over k and l of x[m, k, n, l]², as a kernel with the given tuning.
std::string sumKernel(int K, int N, int L, const std::string &tuning) {
  return llvm::formatv(R"(
nstf.kernel @k(%x: tensor<?x{0}x{1}x{2}xf32>, %w: tensor<{1}xf32>) -> tensor<?x{1}xf32> attributes {{{3}} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x{0}x{1}x{2}xf32>
  %e = tensor.empty(%t) : tensor<?x{1}xf32>
  %i = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<{1}xf32>) outs(%e : tensor<?x{1}xf32>) {{
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<?x{1}xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(m, k, n, l) -> (m, k, n, l)>, affine_map<(m, k, n, l) -> (m, n)>],
                        iterator_types = ["parallel", "reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x{0}x{1}x{2}xf32>) outs(%i : tensor<?x{1}xf32>) {{
  ^bb0(%p: f32, %acc: f32):
    %1 = arith.mulf %p, %p : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x{1}xf32>
  nstf.return %y : tensor<?x{1}xf32>
})",
                       K, N, L, tuningAttributes(tuning));
}

TEST_F(TemplateTest, GenericSumsInOddTiles) {
  int M = 6, K = 7, N = 5, L = 13, used = 5;
  Floats x = randomFloats(M * K * N * L, 21), w = randomFloats(N, 22);
  std::vector<double> expected(M * N, untouched);
  for (int m = 0; m < used; ++m)
    for (int n = 0; n < N; ++n) {
      expected[m * N + n] = w[n];
      for (int k = 0; k < K; ++k)
        for (int l = 0; l < L; ++l)
          expected[m * N + n] += std::pow(double(x[((m * K + k) * N + n) * L + l]), 2);
    }
  for (const std::string tuning :
       {"BN = 3, BR = 96, waves = 3x1", "BN = 1, BR = 7, waves = 1x1", "BN = 6, BR = 48, waves = 2x3",
        "BN = 5, BR = 1, waves = 1x1", "BN = 2, BR = 1024, waves = 4x1", "BN = 64, BR = 2, waves = 1x1"}) {
    Memory memory = {{"x0", words(x)}, {"x1", words(w)}, {"y", words(Floats(M * N, untouched))}};
    runKernel("generic", sumKernel(K, N, L, tuning), M, memory, used);
    expectNear(floats(memory["y"]), expected, 1e-4);
  }
}

TEST_F(TemplateTest, GenericMaximaOfNaN) {
  // maximumf propagates a NaN and maxnumf ignores it, within a lane and across lanes.
  for (const std::string tuning :
       {"BN = 4, BR = 64, waves = 1x1", "BN = 1, BR = 256, waves = 4x1", "BN = 64, BR = 1, waves = 1x1"})
    for (const std::string kind : {"maximumf", "maxnumf", "minimumf", "minnumf"}) {
      int N = 300;
      Floats x = randomFloats(3 * N, 23);
      x[N + 217] = NAN;
      std::string kernel = llvm::formatv(R"(
nstf.kernel @k(%x: tensor<3x300xf32>) -> tensor<3xf32> attributes {{{0}} {{
  %first = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x300xf32> to tensor<3xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x300xf32>) outs(%first : tensor<3xf32>) {{
  ^bb0(%p: f32, %acc: f32):
    %1 = arith.{1} %acc, %p : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  nstf.return %y : tensor<3xf32>
})",
                                         tuningAttributes(tuning), kind);
      Memory memory = {{"x0", words(x)}, {"y", words(Floats(3, untouched))}};
      runKernel("generic", kernel, 1, memory, 1);
      Floats y = floats(memory["y"]);
      bool isMax = kind[1] == 'a', givesNaN = kind == "maximumf" || kind == "minimumf";
      for (int m = 0; m < 3; ++m) {
        float expected = x[m * N];
        for (int n = 0; n < N; ++n)
          expected = isMax ? std::fmax(expected, x[m * N + n]) : std::fmin(expected, x[m * N + n]);
        if (m == 1 && givesNaN)
          EXPECT_TRUE(std::isnan(y[m])) << kind << " " << tuning << " " << y[m];
        else
          EXPECT_EQ(y[m], expected) << kind << " " << tuning;
      }
    }
}

} // namespace
} // namespace nstf
