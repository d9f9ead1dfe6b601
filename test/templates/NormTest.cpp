// The norms and the mean of rows, with tiles and waves that no tuning row uses, and with numbers on which a one-pass
// algorithm would fail.
#include "test/templates/TemplateTest.h"

namespace nstf {
namespace {

using namespace test;

struct Rows {
  int M, N, used; // number of rows and columns; rows of the step
  Floats x, weight;
  double mean(int m) const {
    double sum = 0;
    for (int n = 0; n < N; ++n)
      sum += x[m * N + n];
    return sum / N;
  }
  /// Σ (x - from)²
  double squares(int m, double from) const {
    double sum = 0;
    for (int n = 0; n < N; ++n)
      sum += (x[m * N + n] - from) * (x[m * N + n] - from);
    return sum;
  }
  Memory memory(int outputs) const {
    return {{"x", words(x)}, {"weight", words(weight)}, {"y", words(Floats(outputs, untouched))}};
  }
};

class NormTest : public TemplateTest {
protected:
  /// Runs a template with parameters M and N; returns y.
  Floats normalize(const std::string &name, const Rows &rows, const std::string &tiles) {
    Memory memory = rows.memory(rows.M * rows.N);
    run(name, llvm::formatv("M={0},N={1},{2}", rows.M, rows.N, tiles), memory, rows.used);
    return floats(memory["y"]);
  }

  std::vector<double> untouchedRows(const Rows &rows) { return std::vector<double>(rows.M * rows.N, untouched); }

  const std::vector<std::string> oddTiles = {"BM=3,BN=96,waves=3x1",   "BM=3,BN=96,waves=1x3",
                                             "BM=6,BN=48,waves=2x3",   "BM=1,BN=7,waves=1x1",
                                             "BM=1,BN=1024,waves=1x4", "BM=2,BN=2048,waves=2x8"};
};

TEST_F(NormTest, LayerNorm) {
  for (const std::string &tiles : oddTiles) {
    Rows rows{5, 100, 4, randomFloats(500, 1), randomFloats(100, 2)};
    std::vector<double> expected = untouchedRows(rows);
    for (int m = 0; m < rows.used; ++m)
      for (int n = 0; n < rows.N; ++n)
        expected[m * rows.N + n] = (rows.x[m * rows.N + n] - rows.mean(m)) * rows.weight[n] /
                                   std::sqrt(rows.squares(m, rows.mean(m)) / rows.N + 1e-5);
    expectNear(normalize("layer_norm", rows, tiles), expected, 2e-6);
  }
}

/// 3000 ± 1: the mean of squares minus the square of the mean would lose every digit of the variance in f32. Equal
/// numbers have a variance of 0, in the last, shorter block too.
TEST_F(NormTest, LayerNormFarFromZero) {
  Rows rows{2, 100, 2, randomFloats(200, 3), Floats(100, 1)};
  for (int n = 0; n < 100; ++n) {
    rows.x[n] += 3000;
    rows.x[100 + n] = 7;
  }
  std::vector<double> expected(200, 0);
  for (int n = 0; n < 100; ++n)
    expected[n] = (rows.x[n] - rows.mean(0)) / std::sqrt(rows.squares(0, rows.mean(0)) / 100 + 1e-5);
  expectNear(normalize("layer_norm", rows, "BM=2,BN=96,waves=1x3"), expected, 1e-3);
}

TEST_F(NormTest, L2Normalize) {
  for (const std::string &tiles : oddTiles) {
    Rows rows{6, 100, 5, randomFloats(600, 4), {}};
    // Squares that overflow, squares that vanish, a row of zeros, and a row whose norm is below eps.
    const float scales[] = {1, 1e30f, 1e-11f, 0, 1e-30f, 1};
    for (int i = 0; i < 600; ++i)
      rows.x[i] *= scales[i / 100];
    std::vector<double> expected = untouchedRows(rows);
    for (int m = 0; m < rows.used; ++m)
      for (int n = 0; n < rows.N; ++n)
        expected[m * rows.N + n] = rows.x[m * rows.N + n] / std::max(std::sqrt(rows.squares(m, 0)), 1e-12);
    expectNear(normalize("l2_normalize", rows, tiles), expected, 3e-7);
  }
}

/// Three groups of 20 in a row of 60: in a step of two rows the last group's row is 5.
TEST_F(NormTest, RmsNormOfGroups) {
  for (const std::string &tiles : oddTiles) {
    Rows rows{9, 20, 6, randomFloats(180, 5), randomFloats(20, 6)};
    std::vector<double> expected = untouchedRows(rows);
    for (int m = 0; m < rows.used; ++m)
      for (int n = 0; n < rows.N; ++n)
        expected[m * rows.N + n] =
            rows.x[m * rows.N + n] * rows.weight[n] / std::sqrt(rows.squares(m, 0) / rows.N + 1e-5);
    Memory memory = rows.memory(180);
    run("rms_norm", "M=9,N=20,G=3," + tiles, memory, 2);
    expectNear(floats(memory["y"]), expected, 2e-6);
  }
}

/// Rows after those of the step do not count, even if they hold a NaN.
TEST_F(NormTest, MeanRows) {
  for (const std::string tiles :
       {"BM=3,BN=96,waves=3x1", "BM=6,BN=48,waves=2x3", "BM=1,BN=7,waves=1x1", "BM=16,BN=64,waves=4x1"})
    for (int used : {1, 2, 16, 37}) {
      Rows rows{40, 100, used, randomFloats(4000, 7), {}};
      for (int i = used * rows.N; i < 4000; ++i)
        rows.x[i] = std::numeric_limits<float>::quiet_NaN();
      std::vector<double> expected(100, 0);
      for (int m = 0; m < used; ++m)
        for (int n = 0; n < 100; ++n)
          expected[n] += double(rows.x[m * 100 + n]) / used;
      Memory memory = rows.memory(100);
      run("mean_rows", "M=40,N=100," + tiles, memory, used);
      expectNear(floats(memory["y"]), expected, 1e-6);
    }
}

} // namespace
} // namespace nstf
