// Kernel templates as machine code of both chips on the emulator, with tiles and waves that no tuning row uses: tiles
// of 96, 48 and 6, three waves, blocks shorter than a swizzle. The expected results are computed here in double
// precision.
#include "test/templates/TemplateTest.h"

#include <algorithm>
#include <cmath>

namespace nstf {
namespace {

using namespace test;

/// X [M, K] times the transpose of W [N, K], for the first `rows` rows.
std::vector<double> product(const Floats &x, const Floats &w, int M, int N, int K, int rows) {
  std::vector<double> y(M * N, untouched);
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += double(x[m * K + k]) * w[n * K + k];
      y[m * N + n] = sum;
    }
  return y;
}

TEST_F(TemplateTest, Matmul) {
  struct {
    int M, N, K, rows;
    std::string tiles;
  } cases[] = {
      {100, 77, 53, 100, "BM=96,BN=48,BK=16,waves=3x1"}, // three waves, a swizzle of 16 columns
      {100, 77, 53, 90, "BM=96,BN=48,BK=48,waves=1x1"},  // a swizzle of 48 columns; rows past the step stay unchanged
      {33, 65, 7, 33, "BM=32,BN=96,BK=8,waves=1x3"},     // 32x32 cells, one cell along K
      {70, 130, 65, 65, "BM=64,BN=192,BK=32,waves=2x3"}, // six waves
  };
  for (const auto &[M, N, K, rows, tiles] : cases) {
    Floats x = randomFloats(M * K, 1), w = randomFloats(N * K, 2);
    Memory memory = {{"x", words(x)}, {"w", words(w)}, {"y", words(Floats(M * N, untouched))}};
    std::string kernel =
        llvm::formatv("nstf.kernel @k(%x: tensor<?x{1}xf32>, %w: tensor<{0}x{1}xf32>) -> tensor<?x{0}xf32> "
                      "attributes {{{2}} {{ "
                      "%y = nstf.linear %x, %w : (tensor<?x{1}xf32>, tensor<{0}x{1}xf32>) -> tensor<?x{0}xf32> "
                      "nstf.return %y : tensor<?x{0}xf32> }",
                      N, K, tuningAttributes(tiles));
    runKernel("matmul", kernel, M, memory, rows);
    expectNear(floats(memory["y"]), product(x, w, M, N, K, rows), 1e-4);
  }
}

TEST_F(TemplateTest, Matvec) {
  struct {
    int N, K;
    std::string tiles;
  } cases[] = {{77, 50, "BN=6,BK=24,BS=12,waves=3x1"},
               {5, 1, "BN=16,BK=64,BS=16,waves=4x1"},
               {33, 1001, "BN=12,BK=192,BS=48,waves=1x3"}};
  for (const auto &[N, K, tiles] : cases) {
    Floats x = randomFloats(K, 3), w = randomFloats(N * K, 4);
    Memory memory = {{"x", words(x)}, {"w", words(w)}, {"y", words(Floats(N, untouched))}};
    std::string kernel =
        llvm::formatv("nstf.kernel @k(%x: tensor<1x{1}xf32>, %w: tensor<{0}x{1}xf32>) -> tensor<1x{0}xf32> "
                      "attributes {{{2}} {{ "
                      "%y = nstf.linear %x, %w : (tensor<1x{1}xf32>, tensor<{0}x{1}xf32>) -> tensor<1x{0}xf32> "
                      "nstf.return %y : tensor<1x{0}xf32> }",
                      N, K, tuningAttributes(tiles));
    runKernel("matvec", kernel, 1, memory, 1);
    expectNear(floats(memory["y"]), product(x, w, 1, N, K, 1), 1e-4);
  }
}

TEST_F(TemplateTest, RowsInOddTiles) {
  for (const std::string tiles : {"BM=3,BN=96,waves=3x1", "BM=3,BN=96,waves=1x3", "BM=6,BN=48,waves=2x3",
                                  "BM=1,BN=7,waves=1x1", "BM=1,BN=1024,waves=1x4", "BM=2,BN=2048,waves=2x8"}) {
    int M = 5, N = 100, rows = 4;
    Floats x = randomFloats(M * N, 5), weight = randomFloats(N, 6);
    x[2 * N + 31] = x[2 * N + 77] = 2; // the max occurs twice; the first one counts
    std::string params = llvm::formatv("M={0},N={1},{2}", M, N, tiles);
    std::vector<double> softmax(M * N, untouched), norm(M * N, untouched);
    std::vector<int32_t> argmax(M, -1);
    for (int m = 0; m < rows; ++m) {
      double sum = 0, squares = 0;
      const float *row = &x[m * N];
      argmax[m] = std::max_element(row, row + N) - row;
      for (int n = 0; n < N; ++n) {
        sum += std::exp(double(row[n]));
        squares += double(row[n]) * row[n];
      }
      for (int n = 0; n < N; ++n) {
        softmax[m * N + n] = std::exp(double(row[n])) / sum;
        norm[m * N + n] = row[n] * weight[n] / std::sqrt(squares / N + 1e-5);
      }
    }
    Memory memory = {{"x", words(x)}, {"y", words(Floats(M * N, untouched))}};
    run("softmax", params, memory, rows);
    expectNear(floats(memory["y"]), softmax, 1e-6);
    memory = {{"x", words(x)}, {"weight", words(weight)}, {"y", words(Floats(M * N, untouched))}};
    run("rms_norm", params, memory, rows);
    expectNear(floats(memory["y"]), norm, 1e-5);
    memory = {{"x", words(x)}, {"y", words(Ids(M, -1))}};
    run("argmax", params, memory, rows);
    EXPECT_EQ(memory["y"], words(argmax)) << tiles;
  }
}

TEST_F(TemplateTest, EmbeddingOfIdsThatAreNone) {
  // With 64 columns, row 2^24 is 2^32 bytes away, which is row 0 modulo 2^32.
  int M = 6, N = 64, V = 10;
  Ids ids = {3, -1, 1 << 24, 9, 10, 0x7fffffff};
  Floats table = randomFloats(V * N, 7);
  std::vector<double> expected(M * N, 0);
  for (int m : {0, 3})
    for (int n = 0; n < N; ++n)
      expected[m * N + n] = table[ids[m] * N + n];
  Memory memory = {{"ids", words(ids)}, {"table", words(table)}, {"y", words(Floats(M * N, untouched))}};
  run("embedding", llvm::formatv("M={0},N={1},V={2},BM=6,BN=48,waves=3x1", M, N, V), memory, M);
  expectNear(floats(memory["y"]), expected, 0);
}

TEST_F(TemplateTest, RowsGoIntoTheCacheAtTheStepsPosition) {
  int M = 5, N = 37, context = 40;
  Floats x = randomFloats(M * N, 8);
  std::vector<double> cache(context * N, untouched);
  for (int i = 0; i < 4 * N; ++i)
    cache[20 * N + i] = x[i];
  Memory memory = {{"x", words(x)}, {"y", words(Floats(context * N, untouched))}};
  run("kv_append", llvm::formatv("M={0},L={1},N={2},C={2},YR={1},YC={2},BM=3,BN=48,waves=3x1", M, context, N), memory,
      4, 20);
  expectNear(floats(memory["y"]), cache, 0);
}

TEST_F(TemplateTest, TheLastRowOfTheStep) {
  int M = 5, N = 37;
  Floats x = randomFloats(M * N, 8);
  Memory memory = {{"x", words(x)}, {"y", words(Floats(N, untouched))}};
  run("elementwise", llvm::formatv("M=1,MX={0},N={1},LAST=1,ROWS=1,BM=1,BN=6,waves=1x3", M, N), memory, 4, 20);
  expectNear(floats(memory["y"]), std::vector<double>(x.begin() + 3 * N, x.begin() + 4 * N), 0);
}

/// Without a window, and with windows shorter and longer than a block of keys.
TEST_F(TemplateTest, AttentionOnThreeWaves) {
  for (int window : {0, 1, 15, 40, 64}) {
    int H = 6, G = 3, D = 20, context = 64, tokens = 13, position = 37, F = 40, most = 16;
    Floats q = randomFloats(most * H * D, 9), k = randomFloats(context * F, 10), v = randomFloats(context * F, 11);
    std::vector<double> expected(most * H * D, untouched);
    for (int t = 0; t < tokens; ++t)
      for (int h = 0; h < H; ++h) {
        std::vector<double> weights(position + t + 1);
        double sum = 0;
        for (size_t key = 0; key < weights.size(); ++key) {
          if (window && position + t - int(key) >= window)
            continue;
          double score = 0;
          for (int d = 0; d < D; ++d)
            score += double(q[(t * H + h) * D + d]) * k[key * F + h / G * D + d];
          sum += weights[key] = std::exp(score * 0.5);
        }
        for (int d = 0; d < D; ++d) {
          double y = 0;
          for (size_t key = 0; key < weights.size(); ++key)
            y += weights[key] / sum * v[key * F + h / G * D + d];
          expected[(t * H + h) * D + d] = y;
        }
      }
    for (const std::string tiles : {"BQ=48,BK=16,waves=1x3", "BQ=16,BK=48,waves=1x1", "BQ=96,BK=32,waves=1x3"}) {
      Memory memory = {
          {"q", words(q)}, {"k", words(k)}, {"v", words(v)}, {"y", words(Floats(most * H * D, untouched))}};
      std::string types = "(tensor<?x120xf32>, tensor<64x40xf32>, tensor<64x40xf32>) -> tensor<?x120xf32>";
      std::string seen = window ? llvm::formatv("window = {0} : i64, ", window) : std::string();
      std::string kernel = llvm::formatv(
          "nstf.kernel @k(%q: tensor<?x120xf32>, %k: tensor<64x40xf32>, %v: tensor<64x40xf32>) -> tensor<?x120xf32> "
          "attributes {{{0}} {{ "
          "%y = nstf.attention %q, %k, %v {{heads = 6 : i64, kv_heads = 2 : i64, causal, {1}scale = 0.5 : f64} : {2} "
          "nstf.return %y : tensor<?x120xf32> }",
          tuningAttributes(tiles), seen, types);
      runKernel("attention", kernel, most, memory, tokens, position);
      expectNear(floats(memory["y"]), expected, 1e-5);
    }
  }
}

/// A row has the same bits whatever the scores of other rows, which need other references in other blocks.
TEST_F(TemplateTest, AttentionOfARowBesideOthers) {
  int H = 4, D = 20, context = 128, tokens = 16, position = 100, F = 20;
  Floats k = randomFloats(context * F, 12), v = randomFloats(context * F, 13);
  for (int key = 0; key < context; ++key)
    for (int d = 0; d < D; ++d)
      k[key * F + d] *= 1 + key / 16;
  for (const std::string tiles : {"BQ=64,BK=16,waves=1x4", "BQ=32,BK=32,waves=1x1", "BQ=64,BK=32,waves=1x2"}) {
    std::vector<Floats> results;
    for (float others : {1.0f, 0.0f, 40.0f, -3.0f}) {
      Floats q = randomFloats(tokens * H * D, 14);
      for (int i = 0; i < tokens * H * D; ++i)
        q[i] *= i / D % 3 == 1 ? 1 : others;
      Memory memory = {
          {"q", words(q)}, {"k", words(k)}, {"v", words(v)}, {"y", words(Floats(tokens * H * D, untouched))}};
      std::string kernel = llvm::formatv(
          "nstf.kernel @k(%q: tensor<?x80xf32>, %k: tensor<128x20xf32>, %v: tensor<128x20xf32>) -> tensor<?x80xf32> "
          "attributes {{{0}} {{ "
          "%y = nstf.attention %q, %k, %v {{heads = 4 : i64, kv_heads = 1 : i64, causal, scale = 1.5 : f64} : "
          "(tensor<?x80xf32>, tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<?x80xf32> "
          "nstf.return %y : tensor<?x80xf32> }",
          tuningAttributes(tiles));
      runKernel("attention", kernel, tokens, memory, tokens, position);
      Floats y = floats(memory["y"]), own;
      for (int i = 0; i < tokens * H * D; ++i)
        if (i / D % 3 == 1)
          own.push_back(y[i]);
      results.push_back(own);
    }
    for (const Floats &one : results)
      EXPECT_EQ(one, results.front()) << tiles;
  }
}

} // namespace
} // namespace nstf
